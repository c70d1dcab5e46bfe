// Swap2 by dialogue. One side places three stones (black, white, black); the other takes black, takes white, or places two
// more (white, black) and leaves the choice. The user is the one who places when he asked for black.

import { advance, app, factsOf } from "./app.js";
import { emit, on } from "./bus.js";

export const swap2 = {
  phase: null, // "place3", "place2" (the user places), "choose3", "choose5" (the user chooses), "engine", null
  left: 0, // stones the user has still to place
  said: null, // what Renga decided: "black", "white" or "two more"
  trouble: "",
};

let finishWith = null;
let node = null;

/** The opening starts; `done(colour)` is told the user's colour at its end. The user who asked for black places. */
export function startSwap2(human, done) {
  finishWith = done;
  swap2.said = null;
  node = app.node;
  if (human === "black") set("place3", 3);
  else engineDecides();
}

export function stopSwap2() {
  finishWith = null;
  set(null);
}

function set(phase, left = 0) {
  Object.assign(swap2, { phase, left, trouble: "" });
  emit("game");
}

function end(colour) {
  const done = finishWith;
  stopSwap2();
  done?.(colour);
}

/** Renga's part: three stones on the empty board, a decision after three, a colour after five. */
export async function engineDecides() {
  set("engine");
  const done = finishWith;
  try {
    const answer = await app.link.ask("swap2", { position: app.tree.position(node) });
    if (finishWith !== done || done === null) return;
    for (const move of answer.stones ?? []) advance(move);
    node = app.node;
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

/** A stone of the opening placed by the user. */
export function mayPlace() {
  return swap2.phase === "place3" || swap2.phase === "place2";
}

/** The user's choice: "black", "white" or "two more". */
export function choose(what) {
  if (what === "two more") set("place2", 2);
  else end(what);
}

export function watchSwap2() {
  on("stone", (at) => {
    if (!mayPlace()) return;
    node = at;
    swap2.left -= 1;
    if (swap2.left === 0) engineDecides();
    else emit("game");
  });
}
