// Find a forced win, and walk through its proof.
//
// A proof is a tree of the winner's moves and the loser's replies. Replies that the server's proof holds are listed; any
// other defence can be tried too: the position after it is solved when it is asked for.

import { stopAnalysis } from "./analysis.js";
import { app, preview } from "./app.js";
import { emit, on } from "./bus.js";
import { settings } from "./settings.js";

export const proof = {
  node: null, // where the win starts
  running: false,
  result: null, // the server's answer: { win, line, plies, nodes, proof }
  at: [], // the moves from `node` to where the reader stands
  answers: new Map(), // "h8h9" -> the server's answer to the position after these moves
  method: "", // by which the win was found
  certifying: false,
  certificate: null, // the server's answer: { text, plies, lines, positions }
};

const NOTHING = { node: null, running: false, result: null, at: [], method: "", certifying: false, certificate: null };

export function clearProof() {
  if (proof.running || proof.certifying) app.link.send({ type: "stop" });
  Object.assign(proof, NOTHING, { answers: new Map() });
  emit("solve");
}

/** Asks the server about the position after `moves`; null where the answer is no longer wanted. */
async function solve(moves) {
  const { node } = proof;
  proof.running = true;
  emit("solve");
  try {
    const answer = await app.link.ask("solve", { position: app.tree.position(node, moves), method: proof.method });
    if (proof.node !== node) return null;
    proof.running = false;
    if (!answer.stopped) proof.answers.set(moves.join(""), answer);
    return answer;
  } catch (error) {
    if (proof.node !== node) return null;
    proof.running = false;
    emit("problem", error.message);
    return null;
  }
}

export async function findWin() {
  stopAnalysis();
  Object.assign(proof, NOTHING, { node: app.node, method: settings.method, answers: new Map() });
  const result = await solve([]);
  if (result) proof.result = result;
  emit("solve");
}

/** Asks for the proof as a file that anyone can check, and for the check. */
export async function certify() {
  const { node, method } = proof;
  proof.certifying = true;
  emit("solve");
  try {
    const answer = await app.link.ask("certify", { position: app.tree.position(node), method });
    if (proof.node === node && !answer.stopped) proof.certificate = answer;
  } catch (error) {
    if (proof.node === node) emit("problem", error.message);
  }
  if (proof.node === node) proof.certifying = false;
  emit("solve");
}

export function stopSolving() {
  if (proof.running || proof.certifying) {
    Object.assign(proof, { running: false, certifying: false });
    app.link.send({ type: "stop" });
    emit("solve");
  }
}

/**
 * What is known where the reader stands: { move, replies, rest }. `move` is the winner's (undefined where it is not known,
 * null where no win was found), `replies` the answers of the proof to it, `rest` the line that follows without a choice.
 */
function stepAt(moves) {
  for (let cut = moves.length; cut >= 0; cut -= 2) {
    const answer = proof.answers.get(moves.slice(0, cut).join(""));
    if (!answer) continue;
    if (!answer.win) return cut === moves.length ? { move: null, replies: [], rest: [] } : null;
    const found = descend(answer, moves.slice(cut));
    if (found) return found;
  }
  return null;
}

function descend(answer, moves) {
  let step = answer.proof ? answer.proof[0] : null;
  let line = answer.line;
  for (let index = 0; index < moves.length; index += 2) {
    const [winner, loser] = [moves[index], moves[index + 1]];
    const next = step?.move === winner ? answer.proof[step.replies[loser]] : undefined;
    const along = line[0] === winner && line[1] === loser;
    if (!next && !along) return null;
    step = next ?? null;
    line = along ? line.slice(2) : [];
  }
  const move = step?.move ?? line[0];
  if (move === undefined) return null;
  const rest = line[0] === move ? line : [move];
  return { move, replies: step ? Object.keys(step.replies) : [], rest };
}

/** The winner's answer to a reply after these moves, as far as it is known. */
export function answerTo(moves, reply) {
  return stepAt([...moves, reply])?.move ?? null;
}

/** The replies that lead on from the winner's last move. */
export function knownReplies(moves) {
  const before = moves.slice(0, -1);
  const step = stepAt(before);
  const replies = new Set(step?.move === moves[moves.length - 1] ? step.replies : []);
  if (step?.rest[1]) replies.add(step.rest[1]);
  const start = moves.join("");
  for (const key of proof.answers.keys()) {
    if (key.startsWith(start) && key.length > start.length) replies.add(/^[a-z]+[0-9]+/.exec(key.slice(start.length))[0]);
  }
  return [...replies];
}

/** Stands at a place of the proof; on the winner's turn his move is found and added. */
export async function walkTo(moves) {
  proof.at = moves;
  show();
  if (moves.length % 2 === 1) return;
  if (!stepAt(moves)) await solve(moves);
  const step = stepAt(moves);
  if (step?.move && proof.at === moves) proof.at = [...moves, step.move];
  show();
}

/** One reply of the proof back, or forward along the first reply; back from the first move ends the walk. */
export function stepProof(step) {
  const { at } = proof;
  const reply = step > 0 && at.length % 2 === 1 ? knownReplies(at)[0] : null;
  if (reply) {
    walkTo([...at, reply]);
  } else if (step < 0 && at.length > 2) {
    walkTo(at.slice(0, at.length % 2 ? -3 : -2));
  } else if (step < 0) {
    proof.at = [];
    show();
  }
}

function show() {
  preview(proof.at.length ? proof.at : null);
  emit("solve");
}

/** The whole win from where the board stands, shown until a walk begins; null where there is none. */
export function foundLine() {
  return app.tab === "analyse" && proof.result?.win && proof.node === app.node && !proof.at.length ? proof.result.line : null;
}

/** True while the board's clicks try defences. */
export function walking() {
  return Boolean(proof.result?.win && proof.node === app.node && proof.at.length > 0);
}

/** A defence clicked on the board. */
export function tryDefence(point) {
  const last = proof.at.length % 2 === 1 ? proof.at : proof.at.slice(0, -1);
  if (!last.includes(point) && !app.tree.stones(app.node).has(point)) walkTo([...last, point]);
}

export function watchProof() {
  on("node", () => proof.node && proof.node !== app.node && clearProof());
}
