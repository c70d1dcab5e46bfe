// The bar at the top (name, position, switches) and the one below the board (walking, whose move it is).

import { app, back, forward, toEnd, toStart } from "./app.js";
import { on } from "./bus.js";
import { $, h, keepFocus, oncePerFrame, replace } from "./dom.js";
import { showHelp } from "./dialogs.js";
import { icon } from "./icons.js";
import { iconButton, swatch } from "./parts.js";
import { game } from "./play.js";
import { applyTheme, change, settings } from "./settings.js";
import { say } from "./texts.js";

let banner = "";

function top() {
  const dark = applyTheme();
  const { tree } = app;
  replace(
    $("#top"),
    h("h1", {}, h("span", { class: "logo", "aria-hidden": "true" }, swatch("black"), swatch("white")), "Renga"),
    h("span", { class: "what", id: "what" }, `${say("rule_" + tree.rule)} · ${tree.width} × ${tree.height}`),
    h("div", { class: "switches" },
      iconButton("numbers", say("numbers"), () => change({ numbers: !settings.numbers }), { id: "numbers", pressed: settings.numbers }),
      iconButton("letters", say("coordinates"), () => change({ coordinates: !settings.coordinates }), { id: "coordinates", pressed: settings.coordinates }),
      iconButton(settings.sound ? "sound" : "mute", say("sound"), () => change({ sound: !settings.sound }), { id: "sound", pressed: settings.sound }),
      iconButton(dark ? "sun" : "moon", say("theme"), () => change({ theme: dark ? "light" : "dark" }), { id: "theme" }),
      iconButton("help", say("help"), showHelp, { id: "help" })),
  );
}

function standing() {
  const { tree, node } = app;
  const facts = node.facts;
  const ended = game.active && game.result && node === game.tip; // also by resignation or on time
  if (ended && game.result.winner) return [swatch(game.result.winner), say("won", { colour: say(game.result.winner) })];
  if (facts?.winner) return [swatch(facts.winner), say("won", { colour: say(facts.winner) })];
  if (facts?.over) return [say("drawn")];
  const mover = tree.toMove(node);
  return [swatch(mover), say("toMove", { colour: say(mover) })];
}

function foot() {
  const { node } = app;
  $("#standing").replaceChildren(...standing());
  $("#move-number").textContent = say("moveCount", { number: node.depth });
  for (const id of ["first", "back"]) $(`#${id}`).disabled = !node.parent;
  for (const id of ["forward", "last"]) $(`#${id}`).disabled = node.children.length === 0;
}

function makeFoot() {
  const walk = (id, action) => h("button", { type: "button", class: "button icon-only", id, title: say(id), "aria-label": say(id), onclick: action }, icon(id));
  replace(
    $("#foot"),
    h("div", { class: "row" }, walk("first", toStart), walk("back", back), walk("forward", forward), walk("last", toEnd)),
    h("span", { id: "move-number" }),
    h("span", { id: "standing", class: "standing", role: "status" }),
  );
}

function showBanner(key) {
  banner = key;
  const box = $("#banner");
  box.hidden = !key;
  box.textContent = key ? say(key) : "";
}

export function makeBars() {
  makeFoot();
  top();
  foot();
  on("settings tree", oncePerFrame(() => keepFocus(top)));
  on("node tree facts game", oncePerFrame(foot));
  on("link", ({ connected }) => showBanner(connected ? "" : "connecting"));
  on("engine", ({ state }) => {
    if (state === "restarted") showBanner("engineRestarted");
    else if (state === "broken") showBanner("engineBroken");
    else if (state === "ready" && banner === "engineRestarted") setTimeout(() => banner === "engineRestarted" && showBanner(""), 6000);
    else if (state === "ready") showBanner("");
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", top);
}
