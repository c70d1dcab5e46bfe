// The win-rate graph of a line: black's win rate over the moves. A click or a drag jumps.

import { app, goTo } from "./app.js";
import { h, replace, s } from "./dom.js";
import { gradeOf, reviewedLine } from "./review.js";
import { drawOn } from "./tabs.js";
import { say } from "./texts.js";

const WIDTH = 400;
const HEIGHT = 140;
const LEFT = 30;
const TOP = 8;
const BOTTOM = 18;

let line = [];

function xOf(index) {
  return LEFT + (index / Math.max(1, line.length - 1)) * (WIDTH - LEFT - 8);
}

function yOf(rate) {
  return TOP + (1 - rate) * (HEIGHT - TOP - BOTTOM);
}

function rateOf({ evaluation }) {
  if (evaluation.mate !== null && evaluation.mate !== undefined) return evaluation.mate > 0 ? 1 : 0;
  return evaluation.win_rate;
}

function curve() {
  let path = "";
  let drawing = false;
  line.forEach((node, index) => {
    if (!node.evaluation) {
      drawing = false;
      return;
    }
    path += `${drawing ? "L" : "M"}${xOf(index).toFixed(1)} ${yOf(rateOf(node)).toFixed(1)}`;
    drawing = true;
  });
  return path;
}

function draw(svg) {
  line = reviewedLine();
  const path = curve();
  const at = line.indexOf(app.node);
  const known = line.filter((node) => node.evaluation);
  const area = known.length === line.length && line.length > 1
    && s("path", { class: "area", d: `${path}L${xOf(line.length - 1)} ${yOf(0)}L${xOf(0)} ${yOf(0)}Z` });
  const marks = line.map((node, index) => {
    const graded = node.evaluation && gradeOf(node);
    if (!graded) return null;
    const [x, y] = [xOf(index), yOf(rateOf(node))];
    return s("g", { class: `slip ${graded.grade.name} ${graded.colour}` },
      graded.colour === "black" ? s("circle", { cx: x, cy: y, r: 4 }) : s("rect", { x: x - 4, y: y - 4, width: 8, height: 8 }));
  });
  const steps = Math.max(1, Math.ceil(line.length / 8 / 5) * 5);
  const numbers = [];
  for (let index = steps; index < line.length; index += steps) {
    numbers.push(s("text", { class: "axis", x: xOf(index), y: HEIGHT - 4, "text-anchor": "middle" }, String(index)));
  }
  replace(
    svg,
    [1, 0.5, 0].map((rate) => [
      s("line", { class: rate === 0.5 ? "middle" : "limit", x1: LEFT, x2: WIDTH - 8, y1: yOf(rate), y2: yOf(rate) }),
      s("text", { class: "axis", x: LEFT - 5, y: yOf(rate) + 4, "text-anchor": "end" }, String(rate * 100)),
    ]).flat(),
    area,
    path && s("path", { class: "curve", d: path }),
    numbers,
    marks,
    at >= 0 && s("line", { class: "now", x1: xOf(at), x2: xOf(at), y1: TOP, y2: HEIGHT - BOTTOM }),
  );
}

/** The graph's element; it redraws itself. */
export function makeGraph() {
  const svg = s("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": say("graphLabel"), id: "graph" });
  const jump = (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const index = Math.round(((x - LEFT) / (WIDTH - LEFT - 8)) * (line.length - 1));
    const to = line[Math.min(line.length - 1, Math.max(0, index))];
    if (to) goTo(to);
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    jump(event);
  });
  svg.addEventListener("pointermove", (event) => event.buttons && jump(event));
  drawOn("review", "tree node review facts", () => draw(svg));
  return h("div", { class: "graph-box" }, svg);
}
