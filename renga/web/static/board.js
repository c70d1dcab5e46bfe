// The board as an SVG: grid, coordinates, stones and marks. One cell is 40 units wide; every point is an element of its own.

import { app } from "./app.js";
import { on } from "./bus.js";
import { $, oncePerFrame, replace, s } from "./dom.js";
import { cellOf, column, nameOf } from "./notation.js";
import { settings } from "./settings.js";
import { say } from "./texts.js";

const CELL = 40;
const EDGE = 26;
const RIM = 24; // beyond the edge, for the coordinates of a board of 15
const CROWDED = 24; // columns or rows beyond which every second one is named, and candidates have one number

let size = "";
const lying = new Map(); // name -> { element, key } of the stones that are drawn

export const layers = {};

/** Where a named cell is, in units. */
export function place(name) {
  const { x, y } = cellOf(name, app.tree.width, app.tree.height);
  return { x: x * CELL, y: y * CELL };
}

/** Black dots that help the eye: the centre and the 4th lines, where the board is large enough. */
function dots(width, height) {
  const along = (length) => {
    if (length < 9) return length % 2 ? [(length - 1) / 2] : [];
    const off = length < 13 ? 2 : 3;
    return length % 2 ? [off, (length - 1) / 2, length - 1 - off] : [off, length - 1 - off];
  };
  const found = [];
  for (const x of along(width)) for (const y of along(height)) found.push([x, y]);
  // The middles of the sides are left out: five dots are calmer than nine.
  const middle = (at, length) => length % 2 === 1 && at === (length - 1) / 2;
  return found.filter(([x, y]) => middle(x, width) === middle(y, height));
}

/** How much larger the coordinates are drawn on a large board, where the units are smaller. */
function labelScale() {
  return Math.max(1, Math.max(app.tree.width, app.tree.height) / 15);
}

function drawGrid() {
  const { width, height } = app.tree;
  const right = (width - 1) * CELL;
  const bottom = (height - 1) * CELL;
  const rim = EDGE + (settings.coordinates ? RIM * labelScale() : 0);
  const board = $("#board");
  board.classList.toggle("crowded", Math.max(width, height) > CROWDED);
  board.setAttribute("viewBox", `${-rim} ${-EDGE} ${right + rim + EDGE} ${bottom + EDGE + rim}`);
  let lines = "";
  for (let x = 0; x < width; x += 1) lines += `M${x * CELL} 0V${bottom}`;
  for (let y = 0; y < height; y += 1) lines += `M0 ${y * CELL}H${right}`;
  replace(
    layers.grid,
    s("rect", { class: "wash", x: -EDGE + 2, y: -EDGE + 2, width: right + 2 * EDGE - 4, height: bottom + 2 * EDGE - 4, rx: 10 }),
    s("path", { class: "lines", d: lines }),
    dots(width, height).map(([x, y]) => s("circle", { class: "dot", cx: x * CELL, cy: y * CELL, r: 3.2 })),
    settings.coordinates && drawCoordinates(width, height, bottom),
  );
  const points = [];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      points.push(s("rect", {
        class: "point", "data-point": nameOf(x, y, height),
        x: x * CELL - CELL / 2, y: y * CELL - CELL / 2, width: CELL, height: CELL,
      }));
    }
  }
  replace(layers.points, points);
}

function drawCoordinates(width, height, bottom) {
  const scale = labelScale();
  const step = Math.max(width, height) > CROWDED ? 2 : 1;
  const label = (text, x, y) => s("text", { class: "coordinate", transform: `translate(${x} ${y}) scale(${scale})` }, text);
  const texts = [];
  for (let x = 0; x < width; x += step) texts.push(label(column(x), x * CELL, bottom + EDGE + 16 * scale));
  for (let row = 1; row <= height; row += step) {
    texts.push(label(String(row), -EDGE - 12 * scale, (height - row) * CELL + 5 * scale));
  }
  return texts;
}

/** A stone; `label` is written on it. */
export function stone(name, colour, label = "", kind = "") {
  const { x, y } = place(name);
  const long = label.length > 2 ? " long" : "";
  return s(
    "g",
    { class: `stone ${colour} ${kind}`, "data-stone": name },
    s("circle", { cx: x, cy: y, r: 18 }),
    label && s("text", { class: "number" + long, x, y: y + 5.5 }, label),
  );
}

function drawStones() {
  const { tree, node } = app;
  const wanted = tree.stones(node);
  const label = ({ number }) => (settings.numbers && number ? String(number) : "");
  // Most steps change one stone of two hundred: those that stay are left alone. Their order is that of the moves.
  const keys = new Map([...wanted].map(([name, one]) => [name, `${one.colour} ${label(one)} ${tree.width}x${tree.height}`]));
  for (const [name, { element, key }] of lying) {
    if (keys.get(name) === key) continue;
    element.remove();
    lying.delete(name);
  }
  for (const [name, one] of wanted) {
    if (!lying.has(name)) lying.set(name, { element: stone(name, one.colour, label(one)), key: keys.get(name) });
  }
  let before = null;
  for (const name of wanted.keys()) {
    const { element } = lying.get(name);
    const place = before ? before.nextSibling : layers.stones.firstChild;
    if (element !== place) layers.stones.insertBefore(element, place);
    before = element;
  }
  replace(layers.marks, node.move && lastMark(node), drawMarks(node), drawFive(node.facts));
  $("#board").setAttribute("aria-label", describe(node));
}

function describe(node) {
  const { tree } = app;
  const last = node.move ? say("boardLast", { colour: say(tree.colour(node)), move: node.move }) : say("boardEmpty");
  return say("boardLabel", { width: tree.width, height: tree.height, number: node.depth, last });
}

function lastMark(node) {
  const { x, y } = place(node.move);
  const on = app.tree.colour(node);
  return settings.numbers
    ? s("circle", { class: `last ring on-${on}`, cx: x, cy: y, r: 15 })
    : s("circle", { class: `last on-${on}`, cx: x, cy: y, r: 5 });
}

const SHAPES = {
  triangle: (x, y) => s("path", { d: `M${x} ${y - 11}L${x + 10} ${y + 7}H${x - 10}Z` }),
  square: (x, y) => s("rect", { x: x - 8, y: y - 8, width: 16, height: 16 }),
  circle: (x, y) => s("circle", { cx: x, cy: y, r: 9 }),
  cross: (x, y) => s("path", { d: `M${x - 8} ${y - 8}l16 16M${x + 8} ${y - 8}l-16 16` }),
};

function drawMarks(node) {
  const stones = app.tree.stones(node);
  return Object.entries(node.marks).map(([name, mark]) => {
    const { x, y } = place(name);
    const on = stones.get(name)?.colour ?? "board";
    const shape = SHAPES[mark]?.(x, y) ?? [
      on === "board" && s("circle", { class: "clear", cx: x, cy: y, r: 12 }),
      s("text", { x, y: y + 6 }, mark),
    ];
    return s("g", { class: `mark on-${on}`, "data-mark": name }, shape);
  });
}

/** The winning five is struck through. */
function drawFive(facts) {
  if (!facts?.five?.length) return null;
  const from = place(facts.five[0]);
  const to = place(facts.five[facts.five.length - 1]);
  return s("line", { class: "five", x1: from.x, y1: from.y, x2: to.x, y2: to.y });
}

export function makeBoard() {
  const board = $("#board");
  for (const name of ["grid", "under", "stones", "marks", "over", "ghost", "points"]) {
    layers[name] = s("g", { class: `layer-${name}` });
    board.append(layers[name]);
  }
  const draw = oncePerFrame(() => {
    const wanted = `${app.tree.width}x${app.tree.height} ${settings.coordinates}`;
    if (wanted !== size) {
      size = wanted;
      drawGrid();
    }
    drawStones();
  });
  on("tree node facts settings marks", draw);
  draw();
}
