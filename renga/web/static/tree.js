// A game with variations: what the page shows and edits. Positions are judged by the server; this file knows no rules.

import { TURNS, cellOf, nameOf, otherSide } from "./notation.js";

let serial = 0;

class Node {
  constructor(parent, move) {
    this.id = ++serial;
    this.parent = parent;
    this.move = move; // "h8"; null at the root
    this.depth = parent ? parent.depth + 1 : 0;
    this.children = [];
    this.comment = "";
    this.marks = {}; // "h8" -> "triangle", "square", "circle", "cross" or a text
    this.evaluation = null; // { win_rate, mate, visits, pv }: of black, after this move
    this.kept = null; // what else a file said here: handed back when the game is written
  }
}

export class GameTree {
  /** `setup` has width, height and rule, and may have black, white (stones placed beforehand) and turn. */
  constructor(setup) {
    this.width = setup.width;
    this.height = setup.height;
    this.rule = setup.rule;
    this.black = setup.black ?? [];
    this.white = setup.white ?? [];
    this.turn = setup.turn ?? "black";
    this.names = setup.names ?? {};
    this.root = new Node(null, null);
  }

  /** The child of `node` by this move: the one that is there, or a new one at the end. */
  add(node, move) {
    const there = node.children.find((child) => child.move === move);
    if (there) return there;
    const child = new Node(node, move);
    node.children.push(child);
    return child;
  }

  /** Plays a line of moves from `node`; returns the last node. */
  addLine(node, moves) {
    return moves.reduce((at, move) => this.add(at, move), node);
  }

  remove(node) {
    node.parent.children.splice(node.parent.children.indexOf(node), 1);
  }

  /** Makes the line through `node` the main line. */
  promote(node) {
    for (let at = node; at.parent; at = at.parent) {
      const siblings = at.parent.children;
      siblings.splice(siblings.indexOf(at), 1);
      siblings.unshift(at);
    }
  }

  isMainLine(node) {
    return this.path(node).every((at) => !at.parent || at.parent.children[0] === at);
  }

  /** The nodes from the root (included) to `node`. */
  path(node) {
    const nodes = [];
    for (let at = node; at; at = at.parent) nodes.push(at);
    return nodes.reverse();
  }

  moves(node) {
    return this.path(node).slice(1).map((at) => at.move);
  }

  /** The colour of the stone that led to `node`. */
  colour(node) {
    return node.depth % 2 === 1 ? this.turn : otherSide(this.turn);
  }

  /** Who is to move at `node`. */
  toMove(node) {
    return otherSide(this.colour(node));
  }

  /** Every stone at `node`: name -> { colour, number }; stones placed beforehand have number 0. */
  stones(node) {
    const stones = new Map();
    for (const name of this.black) stones.set(name, { colour: "black", number: 0 });
    for (const name of this.white) stones.set(name, { colour: "white", number: 0 });
    for (const at of this.path(node).slice(1)) stones.set(at.move, { colour: this.colour(at), number: at.depth });
    return stones;
  }

  /** What the server is told about a position. */
  position(node, more = []) {
    const { width, height, rule, black, white, turn } = this;
    return { width, height, rule, black, white, turn, moves: [...this.moves(node), ...more] };
  }

  /** The last node of the main line through `node`. */
  tip(node) {
    let at = node;
    while (at.children.length) at = at.children[0];
    return at;
  }

  all() {
    const nodes = [this.root];
    for (let index = 0; index < nodes.length; index += 1) nodes.push(...nodes[index].children);
    return nodes;
  }

  /** A flat record: every node names its parent by number, so that a long game is not a deep record. */
  toRecord() {
    const nodes = this.all();
    const numbers = new Map(nodes.map((node, index) => [node, index]));
    const { width, height, rule, black, white, turn, names } = this;
    return {
      width, height, rule, black, white, turn, names,
      nodes: nodes.map((node) => {
        const record = { parent: node.parent ? numbers.get(node.parent) : null, move: node.move };
        if (node.comment) record.comment = node.comment;
        if (Object.keys(node.marks).length) record.marks = node.marks;
        if (node.evaluation) record.evaluation = node.evaluation;
        if (node.kept) record.kept = node.kept;
        return record;
      }),
    };
  }

  static fromRecord(record) {
    const tree = new GameTree(record);
    const nodes = [];
    for (const entry of record.nodes) {
      const node = entry.parent === null ? tree.root : tree.add(nodes[entry.parent], entry.move);
      node.comment = entry.comment ?? "";
      node.marks = entry.marks ?? {};
      node.evaluation = entry.evaluation ?? null;
      node.kept = entry.kept ?? null;
      nodes.push(node);
    }
    return tree;
  }

  /** The same game on the board turned ("rotate", a quarter clockwise) or mirrored (left and right). */
  turned(way) {
    const place = (name) => {
      const { x, y } = cellOf(name, this.width, this.height);
      const to = TURNS[way](x, y, this.width, this.height);
      return nameOf(to.x, to.y, way === "rotate" ? this.width : this.height);
    };
    const record = this.toRecord();
    if (way === "rotate") [record.width, record.height] = [record.height, record.width];
    record.black = record.black.map(place);
    record.white = record.white.map(place);
    for (const node of record.nodes) {
      if (node.move) node.move = place(node.move);
      if (node.marks) node.marks = Object.fromEntries(Object.entries(node.marks).map(([at, mark]) => [place(at), mark]));
      if (node.evaluation) node.evaluation = { ...node.evaluation, pv: node.evaluation.pv.map(place) };
    }
    return GameTree.fromRecord(record);
  }

  /** The numbers of the children to follow from the root to `node`, for finding it again in a copy. */
  route(node) {
    return this.path(node).slice(1).map((at) => at.parent.children.indexOf(at));
  }

  /** The node at the end of a route, or as far as it leads. */
  follow(route) {
    let at = this.root;
    for (const index of route) {
      if (!at.children[index]) break;
      at = at.children[index];
    }
    return at;
  }
}
