// The game is kept in the browser: in this tab (for a reload) and for the next tab (the last game seen).
// The address carries the position too: #rule=renju&size=15&code=h8h7i9

import { app, setTree } from "./app.js";
import { on } from "./bus.js";
import { GameTree } from "./tree.js";

const KEY = "renga.game";
const SAVE_MS = 300;

let timer = 0;
export const extras = {}; // name -> () => what a module wants kept with the game

/** The fragment that restores the current position in any tab. */
export function fragment() {
  const { tree, node } = app.aside ?? app;
  const size = tree.width === tree.height ? tree.width : `${tree.width}x${tree.height}`;
  return `#rule=${tree.rule}&size=${size}&code=${codeOf(tree, node)}`;
}

/** The position code: black and white in turn, "--" for a turn without a stone. */
export function codeOf(tree, node) {
  const cells = [];
  const put = (cell, colour) => {
    if (cells.length % 2 !== (colour === "white" ? 1 : 0)) cells.push("--");
    if (cell) cells.push(cell);
  };
  for (let index = 0; index < Math.max(tree.black.length, tree.white.length); index += 1) {
    if (tree.black[index]) put(tree.black[index], "black");
    if (tree.white[index]) put(tree.white[index], "white");
  }
  put(null, tree.turn);
  return cells.join("") + tree.moves(node).join("");
}

function save() {
  const { tree, node } = app.aside ?? app; // a puzzle is not the game
  const record = { tree: tree.toRecord(), route: tree.route(node), fragment: fragment() };
  for (const [name, keep] of Object.entries(extras)) record[name] = keep();
  const text = JSON.stringify(record);
  for (const store of [() => sessionStorage, () => localStorage]) {
    try {
      store().setItem(KEY, text);
    } catch {
      // Full or switched off: the game is still on the page.
    }
  }
  history.replaceState(null, "", record.fragment);
}

function read(store) {
  try {
    const record = JSON.parse(store.getItem(KEY));
    return record && { ...record, tree: GameTree.fromRecord(record.tree) };
  } catch {
    return null;
  }
}

/** What was kept: of this tab, or the last game of any tab; null where there is nothing. */
export function kept() {
  return read(sessionStorage);
}

export function keptElsewhere() {
  return read(localStorage);
}

export function restore(record) {
  setTree(record.tree, record.tree.follow(record.route));
}

/** The record of a position from an address; null where the fragment holds none. */
export function readFragment(text) {
  const values = new URLSearchParams(text.replace(/^.*#/, ""));
  if (!values.has("code") && !values.has("rule")) return null;
  return { code: values.get("code") ?? "", size: values.get("size") ?? "15", rule: values.get("rule") ?? "freestyle" };
}

export function keepSaving() {
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_MS);
  };
  on("tree node review game comment", soon);
  addEventListener("pagehide", save);
}
