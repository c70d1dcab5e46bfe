// The Play tab: the form of a new game, the game in progress, swap2 by dialogue, the clock.

import { app } from "./app.js";
import { h, replace } from "./dom.js";
import { clockText, otherSide, valuePhrase } from "./notation.js";
import { button, choice, field, group, numberInput, section, select, swatch } from "./parts.js";
import { askHint, hint } from "./hints.js";
import { game, leaveGame, mayUndo, newGame, opponent, resign, retry, undo, usersTurn } from "./play.js";
import { startReview } from "./review.js";
import { change, settings } from "./settings.js";
import { choose, engineDecides, stonesLeft, swap2 } from "./swap2.js";
import { drawOn, openTab } from "./tabs.js";
import { say } from "./texts.js";

const CLOCK_MS = 100;

function form() {
  const limits = app.hello ?? { rules: ["freestyle"], sizes: [5, 32], levels: [1, 12] };
  const [low, high] = limits.sizes;
  const rules = limits.rules.map((rule) => [rule, say("rule_" + rule)]);
  const [least, most] = limits.levels;
  return section(
    say("newGame"),
    field(say("rule"), select(rules, settings.rule, (rule) => change({ rule }), "rule")),
    group(say("size"), h("div", { class: "pair" },
      numberInput(settings.width, low, high, (width) => change({ width, height: settings.height === settings.width ? width : settings.height }), { id: "width", label: say("sizeColumns") }),
      h("span", { class: "times" }, "×"),
      numberInput(settings.height, low, high, (height) => change({ height }), { id: "height", label: say("sizeRows") }))),
    group(say("colour"), choice(say("colour"), [
      ["black", say("black")], ["white", say("white")], ["either", say("colourEither")], ["both", say("colourBoth")],
    ], settings.colour, (colour) => change({ colour }))),
    settings.colour !== "both" && group(say("opening"),
      choice(say("opening"), [["free", say("openingFree")], ["swap2", say("openingSwap2")]], settings.opening, (opening) => change({ opening })),
      settings.opening === "swap2" && h("span", { class: "hint" }, say("swapFirst_" + settings.colour))),
    settings.colour !== "both" && field(say("strength"), select(
      [["level", say("strengthLevel")], ["time", say("strengthTime")], ["clock", say("strengthClock")]],
      settings.strength, (strength) => change({ strength }), "strength")),
    settings.colour !== "both" && strengthFields(least, most),
    h("div", { class: "actions" }, button(say("startGame"), () => newGame(), { kind: "main", id: "start-game", symbol: "play" })),
  );
}

function strengthFields(least, most) {
  if (settings.strength === "level") {
    const shown = h("output", { class: "figure" }, String(settings.level));
    return field(say("level"), h("div", { class: "pair" }, h("input", {
      type: "range", id: "level", min: least, max: most, value: settings.level,
      oninput: (event) => replace(shown, event.target.value),
      onchange: (event) => change({ level: Number(event.target.value) }),
    }), shown), say("levelHint", { most }));
  }
  if (settings.strength === "time") {
    return field(say("seconds"), numberInput(settings.seconds, 0.1, 600, (seconds) => change({ seconds }), { id: "seconds", step: 0.1 }));
  }
  return h("div", { class: "two" },
    field(say("minutes"), numberInput(settings.clockMinutes, 0.1, 180, (clockMinutes) => change({ clockMinutes }), { id: "minutes", step: 0.1 })),
    field(say("increment"), numberInput(settings.clockIncrement, 0, 60, (clockIncrement) => change({ clockIncrement }), { id: "increment" })));
}

function player(colour) {
  const mover = !game.result && app.tree.toMove(game.tip ?? app.node) === colour;
  const who = game.human === "both" ? say(colour) : game.human === colour ? say("player_you") : opponent();
  return h("div", { class: `player ${mover ? "moving" : ""}`, "data-player": colour },
    swatch(colour),
    h("span", { class: "who" }, who),
    h("span", { class: "clock", "data-clock": colour }, game.clock ? clockText(game.clock.left(colour)) : ""));
}

function resultText({ winner, why }) {
  if (!winner) return say("why_draw");
  const who = game.human === "both" ? say("sideWon", { colour: say(winner) }) : say(winner === game.human ? "youWon" : "rengaWon");
  return `${who} ${say("why_" + why)}`;
}

function status() {
  if (game.result) return resultText(game.result);
  if (game.trouble) {
    return say("interrupted", { why: game.trouble === "interrupted" ? say("interruptedBySearch") : game.trouble });
  }
  if (game.thinking) return say("thinking");
  if (game.human === "both") return say("toMove", { colour: say(app.tree.toMove(app.node)) });
  return usersTurn() ? say("yourMove") : say("thinking");
}

function playing() {
  const over = Boolean(game.result);
  return section(
    null,
    !game.opening && h("div", { class: "players" }, player("black"), player("white")),
    game.opening ? opening() : h("p", { class: "status", id: "game-status", role: "status" }, status()),
    hint.running && h("p", { role: "status" }, say("hintComing")),
    hint.line && h("p", { id: "hint-text", role: "status" },
      say("hintIs", { move: hint.line.move, value: valuePhrase(hint.line.win_rate, hint.line.mate) })),
    h("div", { class: "actions" },
      game.trouble && button(say("againEngine"), retry, { kind: "main", id: "retry" }),
      over && button(say("reviewIt"), () => { openTab("review"); startReview(); }, { kind: "main", id: "review-it" }),
      button(say("undo"), undo, { symbol: "undo", id: "undo", disabled: !mayUndo() }),
      !over && button(say("hint"), askHint, { symbol: "hint", id: "hint", disabled: game.opening || game.thinking || hint.running }),
      !over && game.human !== "both" && button(say("resign"), resign, { symbol: "flag", id: "resign", disabled: game.opening }),
      button(say("leaveGame"), leaveGame, { id: "leave-game", symbol: "fresh" })),
  );
}

/** The swap2 dialogue: what to place, or what to choose. */
function opening() {
  const { phase, said, trouble } = swap2;
  const left = stonesLeft();
  const asks = {
    place3: say("swapPlace3", { left }), place2: say("swapPlace2", { left }),
    choose3: say("swapChoose"), choose5: say("swapSaid_two more"), engine: trouble || say("swapThinking"),
  };
  const choices = phase === "choose3" || phase === "choose5";
  return h("div", { class: "dialogue", id: "swap2", "data-phase": phase },
    h("h3", {}, say("swapTitle")),
    said && said !== "two more" && h("p", {}, say("swapSaid_" + said)),
    h("p", { role: "status" }, asks[phase] ?? ""),
    choices && h("div", { class: "actions" },
      button(say("swapBlack"), () => choose("black"), { id: "take-black" }),
      button(say("swapWhite"), () => choose("white"), { id: "take-white" }),
      phase === "choose3" && button(say("swapMore"), () => choose("two more"), { id: "two-more" })),
    trouble && h("div", { class: "actions" }, button(say("againEngine"), engineDecides, { kind: "main" })));
}

export function makePlayPanel(panel) {
  const draw = () => {
    const notice = game.active && swap2.said && !game.opening && app.node.depth <= 6 && swap2.said !== "two more"
      ? h("p", { class: "note" }, say("swapSaid_" + swap2.said)) : null;
    replace(panel, game.active ? [playing(), notice] : [form(), h("p", { class: "note" }, say("freeBoard"))]);
  };
  drawOn("play", "game node hello settings facts hint", draw);
  setInterval(() => {
    if (!game.clock) return;
    for (const side of ["black", otherSide("black")]) {
      const element = panel.querySelector(`[data-clock=${side}]`);
      if (element) element.textContent = clockText(game.clock.left(side));
    }
  }, CLOCK_MS);
}
