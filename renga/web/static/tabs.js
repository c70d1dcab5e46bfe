// The four tabs of the side panel.

import { app } from "./app.js";
import { emit, on } from "./bus.js";
import { $, h, keepFocus, oncePerFrame, replace } from "./dom.js";
import { say } from "./texts.js";

const NAMES = { play: "tabPlay", analyse: "tabAnalyse", review: "tabReview", game: "tabGame" };

export function openTab(name) {
  if (app.tab !== name) $("#panels").scrollTop = 0;
  app.tab = name;
  for (const key of Object.keys(NAMES)) {
    $(`#tab-${key}`).setAttribute("aria-selected", String(key === name));
    $(`#tab-${key}`).tabIndex = key === name ? 0 : -1;
    $(`#panel-${key}`).hidden = key !== name;
  }
  emit("tab", name);
}

function step(event, name) {
  const keys = Object.keys(NAMES);
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  event.stopPropagation();
  const to = keys[(keys.indexOf(name) + by + keys.length) % keys.length];
  openTab(to);
  $(`#tab-${to}`).focus();
}

/** Draws now, and after these events: at once while the tab is open, else when it is opened. */
export function drawOn(tab, events, draw) {
  let stale = false;
  on(events, oncePerFrame(() => {
    stale = app.tab !== tab;
    if (!stale) keepFocus(draw);
  }));
  on("tab", () => {
    if (!stale || app.tab !== tab) return;
    stale = false;
    draw();
  });
  draw();
}

/** Makes the tabs and returns their panels by name. */
export function makeTabs() {
  const panels = {};
  replace($("#tabs"), Object.entries(NAMES).map(([name, text]) =>
    h("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`,
      onclick: () => openTab(name), onkeydown: (event) => step(event, name),
      // The mouse leaves the focus where it is: the arrow keys go on walking the game.
      onmousedown: (event) => event.preventDefault(),
    }, say(text))));
  replace($("#panels"), Object.keys(NAMES).map((name) => {
    panels[name] = h("div", { role: "tabpanel", id: `panel-${name}`, class: "panel", "aria-labelledby": `tab-${name}` });
    return panels[name];
  }));
  openTab("play");
  return panels;
}
