// Swap2 by dialogue. One side places three stones (black, white, black); the other takes black, takes white, or places two
// more (white, black) and leaves the choice. The user is the one who places when he asked for black.

import { advance, app, factsOf, goTo } from "./app.js";
import { emit, on } from "./bus.js";

export const swap2 = {
  phase: null, // "place3", "place2" (the user places), "choose3", "choose5" (the user chooses), "engine", null
  said: null, // what Renga decided: "black", "white" or "two more"
  trouble: "",
};

const TARGETS = { place3: 3, place2: 5 }; // stones on the board when the user has placed his

let finishWith = null;
let node = null; // how far the opening has come
let base = null; // what lay there before the user's part, which he cannot change

/** The opening starts; `done(colour)` is told the user's colour at its end. The user who asked for black places. */
export function startSwap2(human, done) {
  finishWith = done;
  swap2.said = null;
  node = base = app.node;
  if (human === "black") set("place3");
  else engineDecides();
}

export function stopSwap2() {
  finishWith = null;
  set(null);
}

function set(phase) {
  Object.assign(swap2, { phase, trouble: "" });
  emit("game");
}

function end(colour) {
  const done = finishWith;
  stopSwap2();
  goTo(node);
  done?.(colour);
}

/** Renga's part: three stones on the empty board, a decision after three, a colour after five. */
export async function engineDecides() {
  set("engine");
  const done = finishWith;
  try {
    const answer = await app.link.ask("swap2", { position: app.tree.position(node) });
    if (finishWith !== done || done === null) return;
    goTo(node); // the user may have looked back in the meantime
    for (const move of answer.stones ?? []) advance(move);
    node = base = app.node;
    await factsOf(node);
    if (answer.takes) {
      swap2.said = answer.takes;
      end(answer.takes === "black" ? "white" : "black");
    } else if (answer.stones.length === 3) {
      set("choose3");
    } else {
      swap2.said = "two more";
      set("choose5");
    }
  } catch (error) {
    if (finishWith === done) {
      swap2.trouble = error.message;
      emit("game");
    }
  }
}

/** May the user place a stone of the opening here? Not before the stones that Renga has placed. */
export function mayPlace() {
  return swap2.phase in TARGETS && app.tree.path(app.node).includes(base);
}

/** Stones that the user has still to place, seen from where he stands. */
export function stonesLeft() {
  return (TARGETS[swap2.phase] ?? 0) - app.node.depth;
}

/** The user's choice: "black", "white" or "two more". */
export function choose(what) {
  goTo(node);
  if (what === "two more") set("place2");
  else end(what);
}

/** What the browser keeps of an opening that is not over. */
export function keptSwap2() {
  return { phase: swap2.phase, said: swap2.said, route: app.tree.route(node), base: base.depth };
}

/** Takes up an opening that was kept. */
export function resumeSwap2(record, done) {
  finishWith = done;
  node = app.tree.follow(record.route);
  base = app.tree.path(node)[record.base] ?? app.tree.root;
  swap2.said = record.said;
  if (record.phase === "engine") engineDecides();
  else set(record.phase);
}

export function watchSwap2() {
  on("stone", (at) => {
    if (!mayPlace()) return;
    node = at;
    if (stonesLeft() === 0) engineDecides();
    else emit("game");
  });
}
