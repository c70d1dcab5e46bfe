// Mouse and touch on the board: click plays, right click goes back, the wheel walks, hovering over a candidate shows its
// line, a double click plays it. On touch screens the second tap on a point confirms the first.

import { analysis } from "./analysis.js";
import { adoptLine, app, back, forward, playMove, preview } from "./app.js";
import { layers, stone } from "./board.js";
import { evenMoves } from "./balance.js";
import { emit, on } from "./bus.js";
import { $, replace } from "./dom.js";
import { editPoint, editor } from "./editor.js";
import { markPoint, marking } from "./gamepanel.js";
import { game, mayPlay } from "./play.js";
import { defenderToMove } from "./puzzles.js";
import { settings } from "./settings.js";
import { stepProof, tryDefence, walking } from "./solving.js";
import { mayPlace } from "./swap2.js";

let pending = null; // the point of a first tap
let under = null; // the point under the mouse
const NOTCH = 50; // pixels of a wheel
const PAUSE_MS = 250; // after which small movements are forgotten
const wheel = { sum: 0, time: 0 };
let clicked = null; // { node, line }: the candidate whose first move the last click has played

function pointOf(event) {
  return event.target.closest?.("[data-point]")?.dataset.point ?? null;
}

/** The line that belongs to a point: of a candidate, or of the balance finder. */
function lineAt(point) {
  const even = evenMoves();
  if (even?.[0] === point) return even;
  if (analysis.node !== app.node) return null;
  return analysis.report?.lines.find(({ move }) => move === point)?.pv ?? null;
}

function refuse() {
  emit("refused", { reason: "wait", point: under });
}

/** A stone is wanted on a point, by click, second tap or key. */
export function act(point) {
  pending = null;
  if (editor.active) {
    editPoint(point);
  } else if (marking.tool !== "none" && app.tab === "game") {
    markPoint(point);
  } else if (walking()) {
    tryDefence(point);
  } else if (defenderToMove()) {
    refuse();
  } else if (game.opening ? mayPlace() : mayPlay()) {
    const line = lineAt(point);
    clicked = line && { node: app.node, line };
    playMove(point);
  } else {
    refuse();
  }
}

function onClick(event) {
  const point = pointOf(event);
  const touch = event.pointerType === "touch";
  if (!point || (event.detail > 1 && !touch)) return; // the second click of a double click
  if (touch && settings.confirmTap && pending !== point && !editor.active) {
    pending = point;
    ghost(point);
    const line = lineAt(point);
    if (line) preview(line);
    return;
  }
  act(point);
  if (touch) clicked = null; // a quick second tap is a confirmation, not a double click
}

/** A pale stone where a tap waits for its confirmation, or where the keyboard's cursor is. */
export function ghost(point) {
  const free = point && !app.tree.stones(app.node).has(point);
  replace(layers.ghost, free ? stone(point, app.tree.toMove(app.node), "", "ghost waiting") : []);
}

function onDoubleClick() {
  if (clicked && app.node.parent === clicked.node) adoptLine(clicked.node, clicked.line);
  clicked = null;
}

function onMove(event) {
  if (event.pointerType === "touch") return;
  const point = pointOf(event);
  if (point === under) return;
  under = point;
  if (walking()) return;
  const line = point && lineAt(point);
  if (line) preview(line);
  else if (app.hover) preview(null);
}

/** A notch of a wheel is one step; a touchpad's many small ones are gathered until they are worth a notch. */
function wheelStep({ deltaY, deltaMode, timeStamp }) {
  if (timeStamp - wheel.time > PAUSE_MS || Math.sign(deltaY) !== Math.sign(wheel.sum)) wheel.sum = 0;
  wheel.time = timeStamp;
  wheel.sum += deltaMode === WheelEvent.DOM_DELTA_PIXEL ? deltaY : deltaY * NOTCH;
  if (Math.abs(wheel.sum) < NOTCH) return 0;
  const step = Math.sign(wheel.sum);
  wheel.sum = 0;
  return step;
}

function onWheel(event) {
  event.preventDefault();
  const step = wheelStep(event);
  if (!step) return;
  if (walking()) {
    stepProof(step);
  } else if (app.hover && under && lineAt(under)) {
    const { line, shown } = app.hover;
    preview(line, Math.min(line.length, Math.max(1, shown + step)));
  } else if (step > 0) {
    forward();
  } else {
    back();
  }
}

export function watchPointer() {
  const board = $("#board");
  board.addEventListener("click", onClick);
  board.addEventListener("dblclick", onDoubleClick);
  board.addEventListener("pointermove", onMove);
  board.addEventListener("pointerleave", () => {
    under = null;
    if (app.hover && !walking()) preview(null);
  });
  board.addEventListener("wheel", onWheel, { passive: false });
  board.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    if (walking()) stepProof(-1);
    else back();
  });
  on("node", () => {
    pending = null;
    ghost(null);
  });
}
