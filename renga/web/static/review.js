// A review: every position of a line analysed in the background, kept in the tree (and so in the SGF), graded by what each
// move lost. Grading needs the kept evaluations only: a game that was reviewed before is shown without a search.

import { app, lineThrough } from "./app.js";
import { emit, on } from "./bus.js";
import { settings } from "./settings.js";

const GRADES = [ // by the win rate the mover lost
  { name: "blunder", loss: 0.2, sign: "??" },
  { name: "mistake", loss: 0.1, sign: "?" },
  { name: "inaccuracy", loss: 0.05, sign: "?!" },
];

export const review = {
  running: false,
  done: 0,
  total: 0,
  secondsLeft: null,
  waits: false, // another search goes first
};

let run = 0;
let reviewed = null; // the tree under review

/** The line under review: through the current node to its end. */
export function reviewedLine() {
  return lineThrough(app.node);
}

export async function startReview() {
  const mine = ++run;
  const { tree } = app;
  reviewed = tree;
  const line = reviewedLine();
  const wanted = line.filter((node) => !node.evaluation);
  const nodes = wanted.length ? wanted : line;
  Object.assign(review, { running: true, done: 0, total: nodes.length, secondsLeft: nodes.length * settings.reviewSeconds, waits: false });
  emit("review");
  const tip = line[line.length - 1];
  const onUpdate = (update) => {
    if (mine !== run) return;
    if (update.waits) {
      review.waits = true;
    } else {
      line[update.ply].evaluation = update.evaluation;
      Object.assign(review, { done: update.done, total: update.total, secondsLeft: update.seconds_left, waits: false });
    }
    emit("review");
  };
  try {
    const plies = nodes.map((node) => node.depth);
    const position = tree.position(tip);
    await app.link.ask("review", { position, plies, seconds: settings.reviewSeconds }, onUpdate);
  } catch (error) {
    if (mine === run) emit("problem", error.message);
  }
  if (mine === run) {
    review.running = false;
    emit("review");
  }
}

export function stopReview() {
  if (!review.running) return;
  run += 1;
  review.running = false;
  app.link.send({ type: "stop review" });
  emit("review");
}

/** An evaluation from the side of `colour`: { rate, mate }, a proven end counting as 1 or 0. */
function seenBy(evaluation, colour) {
  const sign = colour === "black" ? 1 : -1;
  const mate = evaluation.mate === null || evaluation.mate === undefined ? null : evaluation.mate * sign;
  let rate = colour === "black" ? evaluation.win_rate : 1 - evaluation.win_rate;
  if (mate !== null) rate = mate > 0 ? 1 : 0;
  return { rate, mate };
}

/** What a move cost: { node, colour, loss, grade, missed, best, line }, or null where it cost nothing that counts. */
export function gradeOf(node) {
  const before = node.parent?.evaluation;
  const after = node.evaluation;
  if (!before || !after) return null;
  const colour = app.tree.colour(node);
  const was = seenBy(before, colour);
  const is = seenBy(after, colour);
  // Whole tenths of a percent, rounded down, so that what is shown agrees with the grade.
  const loss = Math.floor(Math.round((was.rate - is.rate) * 1e4) / 10) / 1000;
  const winning = was.mate !== null && was.mate > 0;
  if (before.pv?.[0] === node.move) return null; // the best move known, whatever a short search says after it
  const missed = winning && is.rate < 1;
  const grade = GRADES.find((one) => loss >= one.loss);
  if (!grade && !missed) return null;
  return {
    node, colour, loss, missed,
    grade: missed ? { name: "missed", sign: "W?" } : grade,
    mate: was.mate, best: before.pv?.[0] ?? null, line: before.pv ?? [],
  };
}

/** The graded moves of the line through the current node. */
export function mistakes() {
  return reviewedLine().map(gradeOf).filter(Boolean);
}

/** The next (1) or previous (-1) mistake, seen from the current node. */
export function mistakeFrom(node, step) {
  const found = mistakes();
  return step > 0
    ? found.find((one) => one.node.depth > node.depth)
    : found.reverse().find((one) => one.node.depth < node.depth);
}

export function watchReview() {
  on("tree", () => review.running && reviewed !== (app.aside ?? app).tree && stopReview());
  on("link", ({ connected }) => {
    if (!connected && review.running) {
      run += 1;
      review.running = false;
      emit("review");
    }
  });
}
