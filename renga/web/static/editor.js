// The position editor: free set-up of stones, either side to move. The result is the root of a new game tree.

import { stopAnalysis } from "./analysis.js";
import { app, setTree } from "./app.js";
import { emit, on } from "./bus.js";
import { h, replace } from "./dom.js";
import { button, choice, group, section } from "./parts.js";
import { leaveGame } from "./play.js";
import { drawOn } from "./tabs.js";
import { say } from "./texts.js";
import { GameTree } from "./tree.js";

export const editor = {
  active: false,
  tool: "black", // "black", "white", "erase"
  turn: "black",
  before: null, // { tree, node } to go back to
  tree: null, // what is being set up
};

function stones() {
  const found = app.tree.stones(app.node);
  const of = (side) => [...found].filter(([, stone]) => stone.colour === side).map(([name]) => name);
  return { black: of("black"), white: of("white") };
}

function show(black, white) {
  const { width, height, rule } = app.tree;
  editor.tree = new GameTree({ width, height, rule, black, white, turn: editor.turn });
  setTree(editor.tree);
  emit("editor");
}

export function startEditor() {
  stopAnalysis();
  leaveGame();
  const { black, white } = stones();
  Object.assign(editor, { active: true, turn: app.tree.toMove(app.node), before: { tree: app.tree, node: app.node } });
  show(black, white);
}

/** A click on the board while editing. */
export function editPoint(point) {
  const { black, white } = stones();
  const had = black.includes(point) ? "black" : white.includes(point) ? "white" : null;
  const without = (names) => names.filter((name) => name !== point);
  const put = had === editor.tool || editor.tool === "erase" ? null : editor.tool;
  show([...without(black), ...(put === "black" ? [point] : [])], [...without(white), ...(put === "white" ? [point] : [])]);
}

function turnTo(turn) {
  editor.turn = turn;
  const { black, white } = stones();
  show(black, white);
}

function close() {
  editor.active = false;
  emit("editor");
}

function finish(keep) {
  close();
  if (keep) setTree(app.tree);
  else setTree(editor.before.tree, editor.before.node);
}

export function makeEditorPanel(box) {
  const draw = () => replace(box, section(
    say("editorTitle"),
    h("p", { class: "hint" }, say("editorHow")),
    choice(say("editorTitle"), [["black", say("editBlack")], ["white", say("editWhite")], ["erase", say("editErase")]], editor.tool, (tool) => {
      editor.tool = tool;
      emit("editor");
    }),
    group(say("editTurn"), choice(say("editTurn"), [["black", say("black")], ["white", say("white")]], editor.turn, turnTo)),
    h("div", { class: "actions" },
      button(say("editDone"), () => finish(true), { kind: "main", id: "edit-done" }),
      button(say("editClear"), () => show([], []), { id: "edit-clear" }),
      button(say("cancel"), () => finish(false), { id: "edit-cancel" }))));
  drawOn("game", "editor", draw);
  // Who goes elsewhere, or brings another game, is done with the editor: clicks on the board are moves again.
  on("tab", (name) => editor.active && name !== "game" && finish(true));
  on("tree", () => editor.active && app.tree !== editor.tree && close());
}
