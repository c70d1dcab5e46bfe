// The next one or two moves that leave the game most even.

import { stopAnalysis } from "./analysis.js";
import { app } from "./app.js";
import { emit, on } from "./bus.js";

export const balance = {
  node: null,
  running: false,
  moves: null, // the moves found
  rate: null, // the win rate after them of the side that is to move now
};

export async function findBalance(count) {
  stopAnalysis();
  const node = app.node;
  Object.assign(balance, { node, moves: null, rate: null, running: true });
  emit("balance");
  try {
    const answer = await app.link.ask("balance", { position: app.tree.position(node), moves: count });
    if (balance.node !== node) return;
    if (!answer.stopped) Object.assign(balance, { moves: answer.moves, rate: answer.win_rate });
  } catch (error) {
    emit("problem", error.message);
  }
  balance.running = false;
  emit("balance");
}

export function clearBalance() {
  if (balance.running) app.link.send({ type: "stop" });
  if (balance.node) {
    Object.assign(balance, { node: null, moves: null, rate: null, running: false });
    emit("balance");
  }
}

/** The moves found for the current node; null where there are none. */
export function evenMoves() {
  return balance.node === app.node ? balance.moves : null;
}

export function watchBalance() {
  on("node", clearBalance);
}
