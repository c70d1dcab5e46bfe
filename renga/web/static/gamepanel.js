// The Game tab: moves and variations, comment, marks, files, position codes, turning the board, pictures, the editor.

import { app, goTo, setTree } from "./app.js";
import { emit } from "./bus.js";
import { h, replace } from "./dom.js";
import { editor, makeEditorPanel, startEditor } from "./editor.js";
import { chooseFile, copy, loadText, saveGame } from "./files.js";
import { savePicture } from "./picture.js";
import { button, choice, field, section } from "./parts.js";
import { game, leaveGame } from "./play.js";
import { codeOf, fragment } from "./storage.js";
import { drawOn } from "./tabs.js";
import { say } from "./texts.js";
import { makeTreeView } from "./treeview.js";

export const marking = { tool: "none" };

/** The next letter that is not on the board yet. */
function nextLetter(marks) {
  for (let code = 65; code <= 90; code += 1) {
    const letter = String.fromCharCode(code);
    if (!Object.values(marks).includes(letter)) return letter;
  }
  return "*";
}

/** A click on the board while a mark is chosen: sets it, or takes the same mark away. */
export function markPoint(point) {
  const { marks } = app.node;
  const wanted = marking.tool === "letter" ? nextLetter(marks) : marking.tool;
  const same = marking.tool === "letter" ? /^[A-Z*]$/.test(marks[point] ?? "") : marks[point] === wanted;
  if (same) delete marks[point];
  else marks[point] = wanted;
  emit("marks");
  emit("comment");
}

function turn(way) {
  if (game.active) leaveGame();
  const route = app.tree.route(app.node);
  const turned = app.tree.turned(way);
  setTree(turned, turned.follow(route));
}

function removeNode() {
  const { node } = app;
  if (!node.parent) return;
  if (game.active) leaveGame();
  app.tree.remove(node);
  emit("tree");
  goTo(node.parent);
}

function markTools() {
  const options = ["none", "triangle", "square", "circle", "cross", "letter"].map((name) =>
    [name, { none: say("mark_none"), triangle: "△", square: "□", circle: "○", cross: "×", letter: "A" }[name]]);
  const tools = choice(say("marks"), options, marking.tool, (tool) => {
    marking.tool = tool;
    emit("marks");
  });
  for (const one of tools.children) {
    one.title = say("mark_" + one.dataset.value);
    one.setAttribute("aria-label", one.title);
  }
  return tools;
}

function moveTools() {
  return h("div", { class: "actions" },
    button(say("promote"), () => { app.tree.promote(app.node); emit("tree"); }, { id: "promote", symbol: "up", disabled: app.tree.isMainLine(app.node) }),
    button(say("remove"), removeNode, { id: "remove", symbol: "remove", disabled: !app.node.parent }));
}

function files() {
  return section(
    say("files"),
    h("div", { class: "actions" },
      button(say("open"), chooseFile, { id: "open-file" }),
      button(say("saveSgf"), () => saveGame("sgf"), { id: "save-sgf" }),
      button(say("savePsq"), () => saveGame("psq"), { id: "save-psq" })),
    h("p", { class: "hint" }, say("openHint")));
}

function positionPart(input) {
  const load = () => loadText(input.value);
  input.addEventListener("keydown", (event) => event.key === "Enter" && load());
  return section(
    say("position"),
    h("div", { class: "row" }, field(say("code"), input), button(say("load"), load, { id: "load-code" })),
    h("div", { class: "actions" },
      button(say("copyCode"), () => copy(codeOf(app.tree, app.node)), { id: "copy-code", symbol: "copy" }),
      button(say("copyLink"), () => copy(location.href.replace(/#.*$/, "") + fragment()), { id: "copy-link", symbol: "copy" }),
      button(say("edit"), startEditor, { id: "edit", symbol: "edit" }),
      button(say("rotate"), () => turn("rotate"), { id: "rotate", symbol: "rotate" }),
      button(say("mirror"), () => turn("mirror"), { id: "mirror", symbol: "mirror" }),
      button(say("savePng"), () => savePicture("png"), { id: "save-png", symbol: "picture" }),
      button(say("saveSvg"), () => savePicture("svg"), { id: "save-svg", symbol: "picture" })));
}

/** Who played, where and when, as far as the record says it. */
function title() {
  const { black, white, event, date, result } = app.tree.names;
  const players = (black || white) && `${black || say("black")} – ${white || say("white")}`;
  return h("p", { id: "names" }, [players, event, date, result].filter(Boolean).join(" · "));
}

export function makeGamePanel(panel) {
  const comment = h("textarea", { id: "comment", rows: 3, placeholder: say("commentHint"), "aria-label": say("comment") });
  comment.addEventListener("input", () => {
    app.node.comment = comment.value;
    emit("comment");
  });
  const code = h("input", { type: "text", id: "code", spellcheck: "false", autocomplete: "off" });
  const names = h("div", {});
  const tools = h("div", {});
  const marks = h("div", {});
  const usual = h("div", {},
    section(say("variations"), names, makeTreeView(), tools),
    section(say("comment"), comment),
    section(say("marks"), marks),
    files(),
    positionPart(code));
  const editing = h("div", { id: "editor" });
  replace(panel, usual, editing);
  makeEditorPanel(editing);
  const draw = () => {
    usual.hidden = editor.active;
    editing.hidden = !editor.active;
    replace(names, title());
    names.hidden = names.textContent === "";
    replace(tools, moveTools());
    replace(marks, markTools());
    if (comment.value !== app.node.comment) comment.value = app.node.comment;
    if (code !== document.activeElement) code.value = codeOf(app.tree, app.node);
  };
  drawOn("game", "tree node editor marks game", draw);
}

