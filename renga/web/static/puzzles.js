// Puzzles made of one's own missed wins: the position before the slip, to be won against the defending engine.
// A puzzle has a tree of its own; the game waits aside and comes back untouched.

import { stopAnalysis } from "./analysis.js";
import { advance, app, factsOf, goTo, setTree } from "./app.js";
import { emit, on } from "./bus.js";
import { leaveGame } from "./play.js";
import { mistakes } from "./review.js";
import { GameTree } from "./tree.js";

const DEFENCE_S = 0.5;

export const puzzle = {
  active: false,
  index: 0,
  list: [], // { node, colour, mate, line }
  status: "", // "yours", "checking", "interrupted", "solved", "slipped", "shown"
  message: "",
  tree: null,
  asked: null, // the node after the user's move that the defender was asked about
};

export function missedWins() {
  return mistakes().filter((one) => one.missed);
}

export function startPuzzle(index, list = missedWins()) {
  if (!list[index]) return;
  stopAnalysis();
  leaveGame();
  app.aside ??= { tree: app.tree, node: app.node };
  const home = app.aside;
  const { node, colour } = list[index];
  Object.assign(puzzle, { active: true, index, list, status: "yours", message: "" });
  const stones = home.tree.stones(node.parent);
  const of = (side) => [...stones].filter(([, stone]) => stone.colour === side).map(([name]) => name);
  const { width, height, rule } = home.tree;
  puzzle.tree = new GameTree({ width, height, rule, black: of("black"), white: of("white"), turn: colour });
  setTree(puzzle.tree);
  emit("review");
}

export function leavePuzzle() {
  if (!puzzle.active) return;
  puzzle.active = false;
  const { tree, node } = app.aside;
  app.aside = null;
  setTree(tree, node);
  emit("review");
}

function status(to, message = "") {
  Object.assign(puzzle, { status: to, message });
  emit("review");
}

/** After the user's move: won, or the defender answers and the win must still be there. */
async function answer(node) {
  puzzle.asked = node;
  status("checking");
  const tree = app.tree;
  const here = () => puzzle.active && app.tree === tree;
  try {
    if ((await factsOf(node)).winner) {
      if (here()) status("solved");
      return;
    }
    const reply = await app.link.ask("move", { position: tree.position(node), level: null, seconds: DEFENCE_S });
    if (!here()) return;
    if (!reply.move) {
      status("interrupted");
      return;
    }
    const next = tree.add(node, reply.move);
    const facts = await factsOf(next);
    const proof = facts.winner ? { win: false } : await app.link.ask("solve", { position: tree.position(next), method: "vct" });
    if (!here()) return;
    if (proof.stopped) {
      status("interrupted");
      return;
    }
    if (app.node === node) advance(reply.move);
    status(proof.win ? "yours" : "slipped");
  } catch (error) {
    if (here()) status("interrupted", error.message);
  }
}

/** Asks the defender again, after another search or a fault came between. */
export function askDefender() {
  answer(puzzle.asked);
}

/** Is the defender to move? Then the board takes no stone. */
export function defenderToMove() {
  return puzzle.active && (puzzle.status === "checking" || puzzle.status === "interrupted");
}

export function tryAgain() {
  goTo(app.tree.root);
  status("yours");
}

/** Shows the solution as moves on the board. */
export function showSolution() {
  const { line } = puzzle.list[puzzle.index];
  const end = app.tree.addLine(app.tree.root, line);
  emit("tree");
  goTo(end);
  status("shown");
}

/** Another game has come in the place of the puzzle. */
function forgetPuzzle() {
  puzzle.active = false;
  app.aside = null;
  emit("review");
}

export function watchPuzzles() {
  on("tree", () => puzzle.active && app.tree !== puzzle.tree && forgetPuzzle());
  on("tab", (name) => (name === "play" || name === "game") && leavePuzzle());
  on("stone", (node) => {
    const { list, index } = puzzle;
    if (puzzle.active && !defenderToMove() && app.tree.colour(node) === list[index].colour) answer(node);
  });
}
