// A hint: the engine's choice at full strength, shown on the board and said in the Play tab.

import { stopAnalysis } from "./analysis.js";
import { app } from "./app.js";
import { emit, on } from "./bus.js";
import { game } from "./play.js";

const HINT_S = 2;

const NOTHING = { node: null, running: false, line: null };
export const hint = { ...NOTHING }; // node: where it was asked for; line: { move, win_rate, mate, visits, pv }

export async function askHint() {
  if (game.thinking || game.opening || hint.running) return;
  stopAnalysis();
  const { node } = app;
  Object.assign(hint, { node, running: true, line: null });
  emit("hint");
  try {
    const answer = await app.link.ask("analyse", { position: app.tree.position(node), lines: 1, seconds: HINT_S });
    if (hint.node !== node) return;
    Object.assign(hint, { running: false, line: answer.lines?.[0] ?? null });
  } catch (error) {
    if (hint.node !== node) return;
    Object.assign(hint, NOTHING);
    emit("problem", error.message);
  }
  emit("hint");
}

export function clearHint() {
  if (hint.running) app.link.send({ type: "stop" });
  if (hint.node) {
    Object.assign(hint, NOTHING);
    emit("hint");
  }
}

export function watchHints() {
  on("node", clearHint);
}
