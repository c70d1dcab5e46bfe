// The state of the page (one tree, one node of it) and the ways to move in it. Everything else listens to `tree` and `node`.

import { emit } from "./bus.js";
import { Link } from "./link.js";
import { GameTree } from "./tree.js";

export const app = {
  tree: new GameTree({ width: 15, height: 15, rule: "freestyle" }),
  node: null,
  link: null,
  hello: null, // what the server said about itself
  tab: "play",
  aside: null, // { tree, node } of the game while a puzzle is on the board
  hover: null, // { line, shown, colour } a line previewed on the board
  facts: new WeakMap(), // node -> what the rules say of its position
};
app.node = app.tree.root;

export function connect(address) {
  app.link = new Link(address);
}

/** What the rules say at a node: { turn, winner, over, five, forbidden, threats }. */
export function factsOf(node) {
  if (!app.facts.has(node)) {
    const answer = app.link.ask("facts", { position: app.tree.position(node) });
    app.facts.set(node, answer);
    answer.then(
      (facts) => {
        node.facts = facts;
        emit("facts", node);
      },
      () => app.facts.delete(node),
    );
  }
  return app.facts.get(node);
}

export function setTree(tree, node = tree.root) {
  app.tree = tree;
  app.hover = null;
  emit("tree");
  goTo(node, true);
}

export function goTo(node, fresh = false) {
  if (!fresh && node === app.node) return;
  app.node = node;
  app.hover = null;
  factsOf(node).catch((error) => emit("problem", error.message));
  emit("node", node);
}

export function back() {
  if (app.node.parent) {
    app.node.parent.lastChild = app.node;
    goTo(app.node.parent);
  }
}

export function forward() {
  const { children, lastChild } = app.node;
  if (children.length) goTo(children.includes(lastChild) ? lastChild : children[0]);
}

export function toStart() {
  for (let at = app.node; at.parent; at = at.parent) at.parent.lastChild = at;
  goTo(app.tree.root);
}

export function toEnd() {
  const line = lineThrough(app.node);
  goTo(line[line.length - 1]);
}

/** From the root through `node` to an end, along the children seen last. */
export function lineThrough(node) {
  const line = app.tree.path(node);
  for (let at = node; at.children.length; line.push(at)) at = at.children.includes(at.lastChild) ? at.lastChild : at.children[0];
  return line;
}

/** The next variation of the same move, up or down. */
export function sideways(step) {
  const siblings = app.node.parent?.children ?? [];
  const to = siblings[siblings.indexOf(app.node) + step];
  if (to) goTo(to);
}

/** Why a stone cannot be placed on a point, or null. */
function whyNot(node, facts, point) {
  if (app.tree.stones(node).has(point)) return "occupied";
  if (facts.winner) return "over";
  if (facts.turn === "black" && facts.forbidden.includes(point)) return "forbidden";
  return null;
}

/** Plays a move at the current node; where the rules are not known yet, as soon as they are. True if it was possible. */
export async function playMove(point) {
  const node = app.node;
  const facts = node.facts ?? (await factsOf(node));
  if (node !== app.node) return false;
  const reason = whyNot(node, facts, point);
  if (reason) emit("refused", { reason, point });
  else advance(point);
  return !reason;
}

/** A move that is known to be possible. */
export function advance(point) {
  const known = app.node.children.length;
  const child = app.tree.add(app.node, point);
  app.node.lastChild = child;
  if (app.node.children.length !== known) emit("tree");
  goTo(child);
  emit("stone", child);
}

/** Plays a whole line and stands at its end. */
export function adoptLine(node, moves) {
  const end = app.tree.addLine(node, moves);
  for (let at = end; at.parent; at = at.parent) at.parent.lastChild = at;
  emit("tree");
  goTo(end);
}

/** Shows a line from the current node on the board, `shown` stones of it; null shows none. */
export function preview(line, shown = line?.length ?? 0) {
  app.hover = line ? { line, shown } : null;
  emit("hover");
}
