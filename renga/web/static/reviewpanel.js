// The Review tab: progress, graph, mistakes, puzzles.

import { app, goTo, preview } from "./app.js";
import { h, replace } from "./dom.js";
import { makeGraph } from "./graph.js";
import { clockText, valuePhrase } from "./notation.js";
import { button, field, iconButton, numberInput, section, swatch } from "./parts.js";
import { askDefender, leavePuzzle, missedWins, puzzle, showSolution, startPuzzle, tryAgain } from "./puzzles.js";
import { mistakeFrom, mistakes, review, reviewedLine, startReview, stopReview } from "./review.js";
import { change, settings } from "./settings.js";
import { drawOn } from "./tabs.js";
import { say } from "./texts.js";

function controls() {
  const empty = reviewedLine().length < 2;
  if (review.running) {
    const bar = h("progress", { max: Math.max(1, review.total), value: review.done, id: "review-progress" });
    return h("div", { class: "stack" },
      h("div", { class: "row spread" }, bar, button(say("stopReview"), stopReview, { kind: "stop", symbol: "stop", id: "stop-review" })),
      h("p", { class: "hint", role: "status", id: "review-status" }, review.waits ? say("reviewWaits") : say("reviewProgress", {
        done: review.done, total: review.total, left: clockText(Math.max(10, review.secondsLeft ?? 0)),
      })));
  }
  return h("div", { class: "stack" },
    h("div", { class: "row spread" },
      button(say("startReview"), startReview, { kind: "main", id: "start-review", symbol: "play", disabled: empty }),
      field(say("reviewSeconds"), numberInput(settings.reviewSeconds, 0.1, 60, (reviewSeconds) => change({ reviewSeconds }), { step: 0.1, id: "review-seconds" }))),
    empty && h("p", { class: "hint" }, say("reviewEmpty")));
}

function now() {
  const { evaluation } = app.node;
  if (!evaluation) return null;
  return h("p", { class: "now", id: "node-evaluation" }, say("evaluation", { colour: say("black"), value: valuePhrase(evaluation.win_rate, evaluation.mate) }));
}

function mistakeRow({ node, colour, loss, missed, grade, best, mate, line }) {
  const here = node === app.node;
  return h("li", {},
    h("button", {
      type: "button", class: `graded ${grade.name} ${here ? "here" : ""}`, "data-ply": node.depth, "aria-current": here ? "true" : null,
      onclick: () => goTo(node),
    },
    swatch(colour),
    h("span", { class: "which" }, `${node.depth}. ${node.move}`, h("b", { class: "sign" }, grade.sign)),
    h("span", { class: "grade" }, say("grade_" + grade.name)),
    h("span", { class: "cost" }, say("lost", { percent: (Math.max(0, loss) * 100).toFixed(1) })),
    h("span", { class: "why" }, missed ? say("missedIn", { plies: mate, move: best }) : best && say("better", { move: best }))),
    here && line.length > 0 && h("button", {
      type: "button", class: "better-line", id: "better-line", title: say("showBetter"), onclick: () => showBetter(node, line),
    }, line.slice(0, 10).join(" ")));
}

/** The line that should have been played, as numbered stones, from where the mistake was made. */
function showBetter(node, line) {
  goTo(node.parent);
  preview(line.slice(0, 10));
}

function list() {
  const found = mistakes();
  const known = reviewedLine().some((node) => node.evaluation);
  return section(
    null,
    h("div", { class: "row spread" }, h("h2", {}, say("mistakes")), h("div", { class: "row" },
      iconButton("back", say("previousMistake"), () => jump(-1), { id: "previous-mistake" }),
      iconButton("forward", say("nextMistake"), () => jump(1), { id: "next-mistake" }))),
    found.length
      ? h("ol", { class: "mistakes", id: "mistakes" }, found.map(mistakeRow))
      : h("p", { class: "hint", id: "no-mistakes" }, say(review.running ? "reviewSoFar" : known ? "reviewNone" : "reviewNotYet")));
}

export function jump(step) {
  const to = mistakeFrom(app.node, step);
  if (to) goTo(to.node);
}

function puzzles() {
  const wins = missedWins();
  return section(
    say("puzzles"),
    h("p", { class: "hint" }, say(wins.length ? "puzzlesHint" : review.running ? "reviewSoFar" : "puzzleNone")),
    wins.length > 0 && h("div", { class: "chips" }, wins.map((win, index) =>
      h("button", { type: "button", class: "chip", "data-puzzle": index, onclick: () => startPuzzle(index) },
        say("puzzleOpen", { number: index + 1, count: wins.length })))));
}

function puzzleDialogue() {
  const { index, list: all, status, message } = puzzle;
  return section(
    say("puzzleTitle", { number: index + 1, count: all.length }),
    h("p", { class: "status", role: "status", id: "puzzle-status", "data-status": status }, say("puzzle_" + status, { colour: say(all[index].colour) }), message && ` ${message}`),
    h("div", { class: "actions" },
      status === "interrupted" && button(say("againEngine"), askDefender, { kind: "main", id: "puzzle-ask" }),
      status !== "yours" && status !== "checking" && button(say("puzzleAgain"), tryAgain, { id: "puzzle-again" }),
      status !== "solved" && status !== "shown" && button(say("puzzleShow"), showSolution, { id: "puzzle-show", disabled: status === "checking" }),
      index + 1 < all.length && button(say("puzzleNext"), () => startPuzzle(index + 1, all), { id: "puzzle-next" }),
      button(say("puzzleLeave"), leavePuzzle, { id: "puzzle-leave", kind: status === "solved" ? "main" : "" })));
}

export function makeReviewPanel(panel) {
  const top = h("div", {});
  const graph = section(say("graphTitle"), makeGraph());
  const rest = h("div", {});
  replace(panel, top, graph, rest);
  let drawn = "";
  const draw = () => {
    graph.hidden = puzzle.active;
    const key = JSON.stringify([review.running, review.done, review.total, review.waits, review.secondsLeft, settings.reviewSeconds, puzzle.active, reviewedLine().length < 2]);
    if (puzzle.active || key !== drawn) replace(top, puzzle.active ? puzzleDialogue() : h("section", { class: "section" }, controls()));
    drawn = key;
    replace(rest, puzzle.active ? [] : [now(), list(), puzzles()]);
  };
  drawOn("review", "review node tree settings facts", draw);
}
