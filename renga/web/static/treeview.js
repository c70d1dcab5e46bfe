// The moves of the game as text: the main line runs on, variations are indented below the move they replace.

import { app, goTo } from "./app.js";
import { h, replace } from "./dom.js";
import { gradeOf } from "./review.js";
import { drawOn } from "./tabs.js";
import { say } from "./texts.js";

const shown = new Map(); // node -> its element

function moveElement(node) {
  const graded = gradeOf(node);
  const element = h("button", {
    type: "button", class: `ply ${app.tree.colour(node)}`, "data-node": node.depth, onclick: () => goTo(node),
    title: node.comment || null,
  }, h("i", {}, String(node.depth)), node.move, graded && h("b", { class: `sign ${graded.grade.name}` }, graded.grade.sign),
  node.comment && h("span", { class: "talk", "aria-hidden": "true" }, "…"));
  shown.set(node, element);
  return element;
}

/** The line from `node` on, with the variations of its moves in blocks of their own. */
function lineElements(node) {
  const elements = [];
  for (let at = node; at; at = at.children[0]) {
    elements.push(moveElement(at));
    const siblings = at.parent.children;
    if (siblings[0] === at) {
      for (const other of siblings.slice(1)) elements.push(h("div", { class: "variation" }, lineElements(other)));
    }
  }
  return elements;
}

export function makeTreeView() {
  const box = h("div", { class: "tree", id: "tree", role: "group", "aria-label": say("variations") });
  let current = null;
  const follow = () => {
    current?.classList.remove("here");
    current = shown.get(app.node) ?? null;
    if (!current) return;
    current.classList.add("here");
    const [top, bottom] = [current.offsetTop - box.offsetTop, current.offsetTop - box.offsetTop + current.offsetHeight];
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  };
  const redraw = () => {
    shown.clear();
    const { root } = app.tree;
    const start = h("button", { type: "button", class: "ply start", onclick: () => goTo(root) }, say("rootMove"));
    shown.set(root, start);
    replace(box, start, root.children[0] ? lineElements(root.children[0]) : []);
    follow();
  };
  /** Most changes are one move at the end of a line: in a tree of a thousand, all others are left alone. */
  const draw = () => {
    const nodes = app.tree.all();
    const added = nodes.filter((node) => !shown.has(node));
    const grown = added.length === 1 && nodes.length === shown.size + 1 && added[0].parent?.children.length === 1;
    if (!grown) {
      redraw();
      return;
    }
    shown.get(added[0].parent).parentNode.append(moveElement(added[0]));
    follow();
  };
  const drawComment = () => {
    if (app.node.parent) shown.get(app.node)?.replaceWith(moveElement(app.node));
    follow();
  };
  drawOn("game", "tree", draw);
  drawOn("game", "review", redraw);
  drawOn("game", "comment", drawComment);
  drawOn("game", "node tab", follow);
  return box;
}
