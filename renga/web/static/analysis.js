// Live analysis of the current position: on until it is stopped, following the node. Late updates are dropped by the link.

import { app } from "./app.js";
import { emit, on } from "./bus.js";
import { settings } from "./settings.js";

const SETTLE_MS = 60; // wheel and arrow keys pass many positions: the engine is asked about the one where they end

export const analysis = {
  on: false,
  waiting: false, // asked, nothing seen yet
  node: null, // the node of the report
  report: null, // { lines, visits, speed, depth, seconds, prior }
  note: "", // why it ended, where nobody asked it to
};

const MOST_DEATHS = 3; // of the engine's process in one position; then the user has to ask again

let run = 0;
let timer = 0;
let deaths = { node: null, count: 0 };

export function startAnalysis() {
  if (!analysis.on) {
    deaths.count = 0;
    analysis.on = true;
    ask();
  }
}

/** Ends whatever the engine is doing for this tab. The report stays on the board. */
export function stopAnalysis(note = "") {
  run += 1;
  clearTimeout(timer);
  const was = analysis.on;
  Object.assign(analysis, { on: false, waiting: false, note });
  if (was) app.link.send({ type: "stop" });
  emit("analysis");
}

export function toggleAnalysis() {
  if (analysis.on) stopAnalysis();
  else startAnalysis();
}

function ask() {
  const mine = ++run;
  const node = app.node;
  Object.assign(analysis, { waiting: true, note: "" });
  if (analysis.node !== node) analysis.report = null;
  emit("analysis");
  const see = (update) => {
    if (mine !== run) return;
    Object.assign(analysis, { waiting: false, node, report: update });
    emit("analysis");
  };
  app.link.ask("analyse", { position: app.tree.position(node), lines: settings.lines, prior: settings.prior }, see).then(
    (last) => {
      if (mine !== run) return;
      if (last.lines?.length) see(last);
      if (last.stopped === "elsewhere") stopAnalysis("elsewhere");
      else if (last.over) Object.assign(analysis, { waiting: false, node, report: null, note: "over" });
      else Object.assign(analysis, { on: false, waiting: false });
      emit("analysis");
    },
    (error) => {
      if (mine !== run) return;
      // The server says on its own that the engine was started again; then the analysis goes on (see `engine`).
      if (error.message === "engine died" || error.message === "disconnected") analysis.waiting = true;
      else stopAnalysis(error.message);
      emit("analysis");
    },
  );
}

/** Asks again: another position, other settings, a new engine. */
function again() {
  if (!analysis.on) return;
  run += 1;
  clearTimeout(timer);
  timer = setTimeout(ask, SETTLE_MS);
}

export function followNode() {
  on("node", again);
  on("settings", (changes) => ("lines" in changes || "prior" in changes) && again());
  on("engine", ({ state }) => {
    if (state !== "restarted" || !analysis.on) return;
    deaths = { node: app.node, count: deaths.node === app.node ? deaths.count + 1 : 1 };
    if (deaths.count < MOST_DEATHS) again();
    else stopAnalysis("died");
  });
  on("link", ({ connected }) => connected && again());
}
