// Games in and out: files through the server (which knows the formats), position codes and links, the clipboard.

import { stopAnalysis } from "./analysis.js";
import { app, setTree } from "./app.js";
import { emit } from "./bus.js";
import { $, h } from "./dom.js";
import { leaveGame } from "./play.js";
import { readFragment } from "./storage.js";
import { say } from "./texts.js";
import { GameTree } from "./tree.js";

const LARGEST_FILE = 8e6; // bytes; a long game with all its variations has a hundredth of that

/** Offers a blob to the user as a file. */
export function download(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function show(record) {
  stopAnalysis();
  leaveGame();
  const tree = GameTree.fromRecord(record);
  setTree(tree, tree.tip(tree.root));
}

/** The bytes of a file in base64: what their encoding is, is for the reader to find out. */
async function bytesOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 4096) binary += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(binary);
}

async function openFile(file) {
  if (file.size > LARGEST_FILE) {
    emit("problem", say("tooLarge", { name: file.name, most: LARGEST_FILE / 1e6 }));
    return;
  }
  try {
    const answer = await app.link.ask("read", { name: file.name, data: await bytesOf(file) });
    show(answer.game);
    emit("notice", say("loaded", { name: file.name }));
  } catch (error) {
    emit("problem", error.message);
  }
}

export function chooseFile() {
  $("#file").click();
}

/** A position code, or a link that carries one. */
export async function loadText(text) {
  const { rule, width, height } = app.tree;
  const wanted = text.includes("#") ? readFragment(text) : { code: text, rule, size: `${width}x${height}` };
  if (!wanted) return;
  try {
    show((await app.link.ask("code", wanted)).game);
  } catch (error) {
    emit("problem", error.message);
  }
}

export async function saveGame(format) {
  try {
    const answer = await app.link.ask("write", { format, game: app.tree.toRecord() });
    download(new Blob([answer.text], { type: "application/octet-stream" }), `game.${format}`);
  } catch (error) {
    emit("problem", error.message);
  }
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    emit("notice", say("copied"));
  } catch {
    emit("problem", say("copyFailed", { text }));
  }
}

export function acceptFiles() {
  $("#file").addEventListener("change", (event) => {
    if (event.target.files[0]) openFile(event.target.files[0]);
    event.target.value = "";
  });
  const area = document.body;
  area.addEventListener("dragover", (event) => event.preventDefault());
  area.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
  });
  area.addEventListener("paste", (event) => {
    if (event.target.closest("input, textarea")) return;
    const text = event.clipboardData.getData("text").trim();
    if (text.startsWith("(;")) openFile(new File([text], "pasted.sgf"));
    else if (text) loadText(text);
  });
}
