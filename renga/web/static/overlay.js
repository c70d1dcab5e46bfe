// What is drawn over and under the stones: candidates of the analysis, prior, threats, forbidden points, a previewed line.

import { analysis } from "./analysis.js";
import { app } from "./app.js";
import { layers, place, stone } from "./board.js";
import { on } from "./bus.js";
import { oncePerFrame, replace, s } from "./dom.js";
import { otherSide, shortCount, valueText } from "./notation.js";
import { balance, evenMoves } from "./balance.js";
import { hint } from "./hints.js";
import { gradeOf } from "./review.js";
import { settings } from "./settings.js";
import { foundLine } from "./solving.js";

const FAINT_BELOW = 0.02; // share of the best move's visits

/** `share`: the prior, written in place of the visits where it is asked for. */
function candidate(line, index, most, share) {
  const { x, y } = place(line.move);
  const faint = line.mate === null && line.visits < most * FAINT_BELOW ? " faint" : "";
  const value = valueText(line.win_rate, line.mate);
  return s(
    "g",
    { class: `candidate${index === 0 ? " best" : ""}${faint}`, "data-candidate": line.move },
    s("circle", { class: "disc", cx: x, cy: y, r: 18 }),
    index === 0 && s("circle", { class: "halo", cx: x, cy: y, r: 20 }),
    s("text", { class: value.length > 4 ? "value tight" : "value", x, y: y + 2 }, value),
    s("text", { class: "visits", x, y: y + 12 }, share === undefined ? shortCount(line.visits) : `${Math.round(share * 100)} %`),
  );
}

function prior(point, share) {
  const { x, y } = place(point);
  const side = 6 + 26 * Math.sqrt(share);
  return s(
    "g",
    { class: "prior", "data-prior": point },
    s("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 3 }),
    share >= 0.02 && s("text", { x, y: y + 4 }, String(Math.round(share * 100))),
  );
}

/** Fours and open threes: a bar through the stones, and a badge where the next stone makes a five or an open four. */
function threats(facts) {
  const bars = [];
  const badges = new Map();
  for (const { kind, colour, stones, cells } of facts.threats) {
    const ends = [...stones, ...cells].map(place).sort((one, other) => one.x - other.x || one.y - other.y);
    const [from, to] = [ends[0], ends[ends.length - 1]];
    bars.push(s("line", { class: `threat-bar ${kind}`, x1: from.x, y1: from.y, x2: to.x, y2: to.y }));
    for (const cell of cells) {
      const key = `${colour} ${cell}`;
      if (badges.get(key) !== "5") badges.set(key, kind === "four" ? "5" : "4");
    }
  }
  const drawn = [...badges].map(([key, digit]) => {
    const [colour, cell] = key.split(" ");
    const { x, y } = place(cell);
    const at = x + (badges.has(`${colour === "black" ? "white" : "black"} ${cell}`) ? (colour === "black" ? -9 : 9) : 0);
    return s(
      "g",
      { class: `threat ${colour}`, "data-threat": `${colour} ${digit} ${cell}` },
      s("rect", { x: at - 8, y: y - 9, width: 16, height: 18, rx: 4 }),
      s("text", { x: at, y: y + 5 }, digit),
    );
  });
  return [...bars, ...drawn];
}

function foul(point) {
  const { x, y } = place(point);
  return s("path", { class: "foul", "data-foul": point, d: `M${x - 6} ${y - 6}l12 12M${x + 6} ${y - 6}l-12 12` });
}

/** `label`: the rate that a single move leaves, the number of one of two. */
function evenPoint(move, label) {
  const { x, y } = place(move);
  return s(
    "g",
    { class: "even", "data-even": move },
    s("rect", { x: x - 17, y: y - 12, width: 34, height: 24, rx: 6 }),
    s("text", { x, y: y + 5 }, label),
  );
}

/** Where a graded move should have gone. */
function better(node) {
  const best = gradeOf(node)?.best;
  if (!best || app.tree.stones(node).has(best)) return null;
  const { x, y } = place(best);
  return s("circle", { class: `better ${app.tree.colour(node)}`, "data-better": best, cx: x, cy: y, r: 15 });
}

/** The sign of a graded move, at the corner of its stone. */
function verdict(node) {
  const graded = gradeOf(node);
  if (!graded) return null;
  const { x, y } = place(node.move);
  return s(
    "g",
    { class: `verdict ${graded.grade.name}`, "data-sign": node.move },
    s("circle", { cx: x + 14, cy: y - 14, r: 11 }),
    s("text", { x: x + 14, y: y - 9.5 }, graded.grade.sign),
  );
}

function previewed({ line, shown }) {
  const stones = [];
  const first = app.tree.toMove(app.node);
  const taken = app.tree.stones(app.node);
  line.slice(0, shown).forEach((move, index) => {
    if (taken.has(move)) return;
    taken.set(move, {});
    stones.push(stone(move, index % 2 ? otherSide(first) : first, String(index + 1), "ghost"));
  });
  return stones;
}

function draw() {
  const { node, hover } = app;
  const facts = node.facts;
  const live = analysis.node === node ? analysis.report : null;
  const over = [];
  const under = [];
  if (facts && settings.threats && !facts.winner) under.push(...threats(facts));
  if (facts && settings.forbidden && !facts.winner) under.push(...facts.forbidden.map(foul));
  if (app.tab === "review" && !hover) {
    under.push(better(node));
    over.push(verdict(node));
  }
  if (hover) {
    over.push(...previewed(hover));
  } else if (foundLine() && !analysis.on) {
    over.push(...previewed({ line: foundLine() }));
  } else {
    const shown = new Set();
    if (hint.line) {
      over.push(candidate(hint.line, 0, hint.line.visits));
      shown.add(hint.line.move);
    }
    const even = evenMoves() ?? [];
    for (const [index, move] of even.entries()) {
      if (!shown.has(move)) over.push(evenPoint(move, even.length > 1 ? String(index + 1) : valueText(balance.rate, null)));
      shown.add(move);
    }
    if (live) {
      const most = Math.max(1, ...live.lines.map((line) => line.visits));
      for (const [index, line] of live.lines.entries()) {
        const share = settings.prior && live.prior ? (live.prior[line.move] ?? 0) : undefined;
        if (!shown.has(line.move)) over.push(candidate(line, index, most, share));
        shown.add(line.move);
      }
    }
    if (live?.prior && settings.prior) {
      for (const [point, share] of Object.entries(live.prior)) if (!shown.has(point)) over.push(prior(point, share));
    }
  }
  replace(layers.under, under);
  replace(layers.over, over);
}

export function makeOverlay() {
  on("tree node facts analysis settings hover balance hint review solve tab", oncePerFrame(draw));
}
