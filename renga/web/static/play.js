// A game against Renga: whose turn it is, the clock, undo, hint, resign. The moves themselves are nodes of the tree.

import { stopAnalysis } from "./analysis.js";
import { advance, app, factsOf, goTo, setTree } from "./app.js";
import { emit, on } from "./bus.js";
import { Clock } from "./clock.js";
import { otherSide } from "./notation.js";
import { change, settings } from "./settings.js";
import { extras } from "./storage.js";
import { keptSwap2, resumeSwap2, startSwap2, stopSwap2 } from "./swap2.js";
import { say } from "./texts.js";
import { GameTree } from "./tree.js";

const SHARE = 24; // of the clock's rest, for one move of the engine
const LEAST_S = 0.1;

export const game = {
  active: false,
  human: "black", // "black", "white", or "both" where nobody plays against Renga
  thinking: false,
  tip: null, // the node the game has reached
  first: 0, // stones of the opening, which are not taken back
  clock: null,
  result: null, // { winner, why }: why is "five", "resigned", "time", "draw"
  opening: false, // swap2 is being talked about
  strength: { kind: "level", level: 4 },
  trouble: "", // the engine did not answer; the user may ask again
};

let run = 0;
let diedAt = null; // the node where the engine's process died last

export function newGame() {
  stopAnalysis();
  run += 1;
  game.clock?.stop();
  const { width, height, rule } = settings;
  const human = settings.colour === "either" ? (Math.random() < 0.5 ? "black" : "white") : settings.colour;
  const strength = { kind: settings.strength, level: settings.level, seconds: settings.seconds };
  const clock = settings.strength === "clock"
    ? new Clock(settings.clockMinutes * 60, settings.clockIncrement, outOfTime)
    : null;
  Object.assign(game, {
    active: true, human, thinking: false, clock, result: null, opening: false, first: 0, strength, trouble: "",
  });
  stopSwap2();
  setTree(new GameTree({ width, height, rule }));
  game.tip = app.tree.root;
  if (settings.opening === "swap2" && human !== "both") {
    game.opening = true;
    startSwap2(human, openingOver);
  } else {
    nameSides();
    proceed();
  }
}

function openingOver(colour) {
  Object.assign(game, { opening: false, human: colour, tip: app.node, first: app.node.depth });
  nameSides();
  proceed();
}

/** Who Renga is in this game: "Renga, level 4". */
export function opponent() {
  const { kind, level, seconds } = game.strength;
  return say("player_" + kind, { level, seconds });
}

/** The game's record says who played, and when. */
function nameSides() {
  if (game.human === "both") return;
  app.tree.names = { [game.human]: say("player_you"), [engineSide()]: opponent(), date: new Date().toISOString().slice(0, 10) };
}

const ENDS = { five: "", resigned: "R", time: "T" };

/** The result as an SGF file says it. */
function resultCode({ winner, why }) {
  return winner ? `${winner === "black" ? "B" : "W"}+${ENDS[why]}` : "0";
}

function engineSide() {
  return game.human === "both" ? null : otherSide(game.human);
}

export function usersTurn() {
  return game.human === "both" || app.tree.toMove(app.node) === game.human;
}

/** May the user place a stone here? Where no game is on, always. */
export function mayPlay() {
  if (!game.active || game.result) return true;
  return !game.opening && !game.thinking && usersTurn();
}

/** Called when the game has reached a new position: ends it, runs the clock, or lets Renga move. */
async function proceed() {
  const node = game.tip;
  const mine = ++run;
  game.trouble = "";
  emit("game");
  let facts;
  try {
    facts = await factsOf(node);
  } catch {
    return;
  }
  if (mine !== run || !game.active || game.result) return;
  if (facts.over) {
    finish({ winner: facts.winner, why: facts.winner ? "five" : "draw" });
    return;
  }
  game.clock?.run(facts.turn);
  if (facts.turn === engineSide()) await letEngineMove(node, mine);
}

async function letEngineMove(node, mine) {
  stopAnalysis();
  game.thinking = true;
  emit("game");
  const limit = { level: null, seconds: null };
  if (game.strength.kind === "level") limit.level = game.strength.level;
  else if (game.strength.kind === "time") limit.seconds = game.strength.seconds;
  else limit.seconds = Math.max(LEAST_S, game.clock.left(engineSide()) / SHARE + game.clock.increment * 0.7);
  try {
    const answer = await app.link.ask("move", { position: app.tree.position(node), ...limit });
    if (mine !== run) return;
    game.thinking = false;
    if (!answer.move) {
      game.trouble = "interrupted";
    } else {
      const away = app.node !== node;
      game.clock?.press(engineSide());
      if (away) {
        game.tip = app.tree.add(node, answer.move);
        emit("tree");
      } else {
        advance(answer.move);
      }
      proceed();
    }
  } catch (error) {
    if (mine !== run) return;
    game.thinking = false;
    game.trouble = error.message;
    if (error.message === "engine died" && diedAt !== node) {
      diedAt = node; // the new process is asked once by itself, then by the user
      proceed();
    }
  }
  emit("game");
}

/** Asks Renga again for the move it owes. */
export function retry() {
  proceed();
}

function finish(result) {
  run += 1;
  if (game.thinking) app.link.send({ type: "stop" });
  Object.assign(game, { result, thinking: false, trouble: "" });
  app.tree.names.result = resultCode(result);
  game.clock?.stop();
  emit("game");
  emit("finished", result);
}

function outOfTime(side) {
  if (game.active && !game.result) finish({ winner: otherSide(side), why: "time" });
}

export function resign() {
  if (game.active && !game.result && game.human !== "both") finish({ winner: engineSide(), why: "resigned" });
}

/** Where an undo leads: before the user's last move; null where there is none. */
function undoTarget() {
  let at = game.opening ? null : app.node.parent;
  if (!game.active || game.human === "both") return at;
  while (at && app.tree.toMove(at) !== game.human) at = at.parent;
  return at && at.depth >= game.first ? at : null;
}

export function mayUndo() {
  return undoTarget() !== null;
}

/** Takes back the user's last move and what followed; it stays as a variation. */
export function undo() {
  const at = undoTarget();
  if (!at) return;
  if (!game.active) {
    goTo(at);
    return;
  }
  run += 1;
  if (game.thinking) app.link.send({ type: "stop" });
  Object.assign(game, { thinking: false, result: null, tip: at });
  app.tree.names.result = "";
  goTo(at);
  proceed();
}

/** Ends the game's hold on the board: analysis and free play. */
export function leaveGame() {
  run += 1;
  game.clock?.stop();
  if (game.thinking) app.link.send({ type: "stop" });
  if (game.opening) stopSwap2();
  Object.assign(game, { active: false, thinking: false, result: null, opening: false, trouble: "" });
  emit("game");
}

export function keepPlaying() {
  on("stone", (node) => {
    if (!game.active || game.result || game.opening || game.thinking || node === game.tip) return;
    game.clock?.press(app.tree.colour(node));
    game.tip = node;
    proceed();
  });
  on("link", ({ connected }) => {
    if (connected && game.active && !game.result && !game.opening && !game.thinking) retry();
  });
  extras.game = () => game.active && {
    human: game.human, strength: game.strength, result: game.result, tip: app.tree.route(game.tip), first: game.first,
    clock: game.clock?.toRecord(), opening: game.opening && keptSwap2(),
  };
}

/** Takes up a game that was kept by the browser. */
export function resume(record) {
  if (!record) return;
  const clock = record.clock ? Clock.fromRecord(record.clock, outOfTime) : null;
  const { human, strength, result, first } = record;
  const opening = Boolean(record.opening);
  Object.assign(game, { active: true, human, strength, result, clock, opening, first, tip: app.tree.follow(record.tip) });
  change({ rule: app.tree.rule, width: app.tree.width, height: app.tree.height });
  if (opening) resumeSwap2(record.opening, openingOver);
  else proceed();
}
