// Line icons on a 24 x 24 grid.

import { s } from "./dom.js";

const PATHS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  forward: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  play: "M7 4l13 8-13 8z",
  stop: "M6 6h12v12H6z",
  undo: "M9 7L4 12l5 5M4 12h11a5 5 0 0 1 0 10h-3",
  hint: "M9 18h6M10 21h4M12 3a6 6 0 0 0-4 10.5c.8.8 1 1.5 1 2.5h6c0-1 .2-1.7 1-2.5A6 6 0 0 0 12 3z",
  flag: "M6 21V4M6 5h11l-2 4 2 4H6",
  fresh: "M12 5v14M5 12h14",
  moon: "M20 14a8 8 0 0 1-10-10 8 8 0 1 0 10 10z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  sound: "M4 9v6h4l5 4V5L8 9zM17 9a4 4 0 0 1 0 6M19.500 6.500a8 8 0 0 1 0 11",
  mute: "M4 9v6h4l5 4V5L8 9zM17 9l5 6M22 9l-5 6",
  help: "M9 9a3 3 0 1 1 4 3c-.8.4-1 1-1 2M12 18v.1",
  numbers: "M5 9h14M5 15h14M10 4L8 20M16 4l-2 16",
  letters: "M6 3v15h15M11 3v15M16 3v15M6 8h15M6 13h15",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  rotate: "M20 12a8 8 0 1 1-3-6.200M17 2v4h-4",
  mirror: "M12 3v18M9 7L3 18h6zM15 7l6 11h-6z",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9v.1",
  edit: "M4 20l1-5L16 4l4 4L9 19z",
  remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  up: "M12 19V5M6 11l6-6 6 6",
};

/** An icon by its name, hidden from screen readers: the button that holds it has a label. */
export function icon(name) {
  return s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));
}
