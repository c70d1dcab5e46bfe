// The keyboard. Keys belong to the page unless something is being typed.

import { stopAnalysis, toggleAnalysis } from "./analysis.js";
import { app, back, forward, preview, sideways, toEnd, toStart } from "./app.js";
import { clearBalance, findBalance } from "./balance.js";
import { $, replace } from "./dom.js";
import { showHelp } from "./dialogs.js";
import { layers } from "./board.js";
import { cellOf, nameOf } from "./notation.js";
import { askHint, clearHint } from "./hints.js";
import { undo } from "./play.js";
import { act, ghost } from "./pointer.js";
import { jump } from "./reviewpanel.js";
import { change, settings } from "./settings.js";
import { stepProof, stopSolving, walking } from "./solving.js";

let cursor = null;

function moveCursor(dx, dy) {
  const { width, height } = app.tree;
  const at = cursor ? cellOf(cursor, width, height) : null;
  const from = at ?? { x: (width - 1) >> 1, y: (height - 1) >> 1 };
  const x = Math.min(width - 1, Math.max(0, from.x + (at ? dx : 0)));
  const y = Math.min(height - 1, Math.max(0, from.y + (at ? dy : 0)));
  cursor = nameOf(x, y, height);
  ghost(cursor);
  document.querySelector(".point.cursor")?.classList.remove("cursor");
  $(`[data-point="${cursor}"]`).classList.add("cursor");
}

function clearCursor() {
  document.querySelector(".point.cursor")?.classList.remove("cursor");
  replace(layers.ghost);
  cursor = null;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const flip = (name) => () => change({ [name]: !settings[name] });

const walk = (step, otherwise) => () => (walking() ? stepProof(step) : otherwise());

const ACTIONS = {
  ArrowLeft: walk(-1, back), ArrowRight: walk(1, forward), ArrowUp: () => sideways(-1), ArrowDown: () => sideways(1), Home: toStart, End: toEnd,
  " ": toggleAnalysis,
  Escape: () => {
    clearCursor();
    preview(null);
    stopSolving();
    clearBalance();
    clearHint();
    stopAnalysis();
  },
  n: () => jump(1), N: () => jump(-1), b: () => findBalance(1), B: () => findBalance(2),
  t: flip("threats"), f: flip("forbidden"), p: flip("prior"), m: flip("numbers"), c: flip("coordinates"),
  z: undo, h: askHint, "?": showHelp,
};

function typing(element) {
  return element.closest("textarea, select, dialog, input:not([type=range])");
}

export function watchKeys() {
  document.addEventListener("keydown", (event) => {
    if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey && ARROWS[event.key]) {
      event.preventDefault();
      moveCursor(...ARROWS[event.key]);
      return;
    }
    // A focused button keeps the keys that press it; a slider those that move it.
    const focused = event.target.closest("button, [role=tab], tr[tabindex], input[type=range]");
    if (focused && (event.key === "Enter" || focused.matches("input[type=range]"))) return;
    if (event.key === "Enter" && cursor) {
      event.preventDefault();
      const point = cursor;
      clearCursor();
      act(point);
      return;
    }
    const action = ACTIONS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  // Space on a focused button would press it as well as switch the analysis: it switches only.
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && event.target.closest("button") && !typing(event.target)) event.preventDefault();
  });
}
