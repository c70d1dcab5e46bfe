// What the user has chosen to see and hear, kept in the browser.

import { emit } from "./bus.js";

const KEY = "renga.settings";

const DEFAULTS = {
  theme: "auto", // "auto", "light", "dark"
  sound: false,
  numbers: false,
  coordinates: true,
  forbidden: true,
  threats: false,
  prior: false,
  lines: 5,
  method: "vct",
  reviewSeconds: 1,
  confirmTap: true,
  rule: "freestyle",
  width: 15,
  height: 15,
  colour: "black",
  opening: "free",
  strength: "level",
  level: 4,
  seconds: 3,
  clockMinutes: 5,
  clockIncrement: 3,
};

function load() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

export const settings = load();

export function change(changes) {
  Object.assign(settings, changes);
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // A browser that keeps nothing still shows the board.
  }
  emit("settings", changes);
}

export function applyTheme() {
  const dark = settings.theme === "dark"
    || (settings.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  return dark;
}
