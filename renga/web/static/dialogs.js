// Short messages at the foot of the page, and the page of keys.

import { on } from "./bus.js";
import { $, h, replace } from "./dom.js";
import { button } from "./parts.js";
import { say } from "./texts.js";

const SHOWN_MS = 5000;

let timer = 0;

/** A message that goes by itself; problems are read out at once. */
function toast(text, kind = "") {
  const box = $("#toast");
  replace(box, text);
  box.className = `toast ${kind} visible`;
  clearTimeout(timer);
  timer = setTimeout(() => box.classList.remove("visible"), SHOWN_MS);
}

export function showHelp() {
  const dialog = $("#help-dialog");
  replace(
    dialog,
    h("h2", {}, say("keysTitle")),
    h("dl", { class: "keys" }, say("keys").flatMap(([key, meaning]) => [h("dt", {}, key), h("dd", {}, meaning)])),
    h("p", { class: "hint" }, say("twoTabs")),
    h("div", { class: "actions" }, button(say("close"), () => dialog.close(), { kind: "main", id: "close-help" })),
  );
  dialog.showModal();
}

export function watchMessages() {
  on("problem", (text) => toast(text, "problem"));
  on("notice", (text) => toast(text));
  on("refused", ({ reason, point }) => toast(say("refused_" + reason, { point }), "problem"));
}
