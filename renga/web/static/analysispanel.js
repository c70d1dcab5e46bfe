// The Analyse tab: the switch, the list of candidates, the overlays, the forced win and the balance finder.

import { analysis, toggleAnalysis } from "./analysis.js";
import { adoptLine, app, preview } from "./app.js";
import { balance, evenMoves, findBalance } from "./balance.js";
import { h, replace } from "./dom.js";
import { shortCount, valueText } from "./notation.js";
import { button, field, numberInput, section, toggle } from "./parts.js";
import { makeProofPanel } from "./proofpanel.js";
import { change, settings } from "./settings.js";
import { drawOn } from "./tabs.js";
import { say } from "./texts.js";

function statusText() {
  if (analysis.waiting) return say("analysisWaiting");
  if (analysis.note === "over") return say("analysisOver");
  if (analysis.note === "elsewhere") return say("analysisElsewhere");
  if (analysis.note === "died") return say("analysisDied");
  if (analysis.note) return analysis.note;
  const report = analysis.node === app.node ? analysis.report : null;
  if (!report) return say("analysisIdle");
  return say("totals", {
    visits: shortCount(report.visits), speed: shortCount(report.speed), depth: report.depth, seconds: report.seconds.toFixed(1),
  });
}

function controls() {
  return h("div", { class: "row spread" },
    button(say(analysis.on ? "stopAnalysis" : "startAnalysis"), toggleAnalysis,
      { kind: analysis.on ? "stop" : "main", id: "analyse", symbol: analysis.on ? "stop" : "play", pressed: analysis.on }),
    field(say("lines"), numberInput(settings.lines, 1, 10, (lines) => change({ lines }), { id: "lines" })));
}

function overlays() {
  const flip = (name) => () => change({ [name]: !settings[name] });
  return h("div", { class: "chips" },
    toggle(say("prior"), say("priorHint"), settings.prior, flip("prior"), "show-prior"),
    toggle(say("threats"), say("threatsHint"), settings.threats, flip("threats"), "show-threats"),
    app.tree.rule === "renju" && toggle(say("forbidden"), say("forbiddenHint"), settings.forbidden, flip("forbidden"), "show-forbidden"));
}

function row(line, index) {
  const percent = Math.round(line.win_rate * 100);
  const bar = h("span", { class: "bar" });
  bar.style.width = `${line.mate ? (line.mate > 0 ? 100 : 0) : percent}%`;
  return h("tr", {
    class: index === 0 ? "best" : "", "data-line": line.move, tabindex: 0,
    onmouseenter: () => preview(line.pv), onmouseleave: () => preview(null),
    onfocus: () => preview(line.pv), onblur: () => preview(null),
    ondblclick: () => adoptLine(app.node, line.pv),
    onkeydown: (event) => event.key === "Enter" && adoptLine(app.node, line.pv.slice(0, 1)),
  },
  h("td", { class: "move" }, index === 0 && h("span", { class: "star", "aria-hidden": "true" }, "◉"), line.move),
  h("td", { class: "value" }, valueText(line.win_rate, line.mate), h("span", { class: "track" }, bar)),
  h("td", { class: "visits" }, shortCount(line.visits)),
  h("td", { class: "line" }, line.pv.slice(0, 12).join(" ")));
}

function table(report) {
  return [
    h("div", { class: "scroll" }, h("table", { class: "candidates" },
      h("thead", {}, h("tr", {}, ["columnMove", "columnValue", "columnVisits", "columnLine"].map((key) => h("th", { scope: "col" }, say(key))))),
      h("tbody", {}, report.lines.map(row)))),
    h("p", { class: "hint" }, say("whoseValue", { colour: say(app.tree.toMove(app.node)) })),
  ];
}

function balancePart() {
  const mine = balance.node === app.node;
  const found = evenMoves();
  return section(
    say("balance"),
    h("p", { class: "hint" }, say("balanceHint")),
    h("div", { class: "actions" },
      button(say("balance1"), () => findBalance(1), { id: "balance-1", disabled: balance.running }),
      button(say("balance2"), () => findBalance(2), { id: "balance-2", disabled: balance.running })),
    mine && balance.running && h("p", { role: "status" }, say("balancing")),
    found && h("p", { id: "balance-found", role: "status" },
      h("b", {}, found.join(" ")), " ",
      say("balanceRate", { colour: say(app.tree.toMove(app.node)), value: valueText(balance.rate, null) })),
    found && h("div", { class: "actions" },
      button(say("balancePlay"), () => adoptLine(app.node, found), { id: "balance-play" })));
}

export function makeAnalysisPanel(panel) {
  const top = h("div", { class: "stack" });
  const list = h("div", { id: "candidates" });
  const status = h("p", { class: "hint", id: "analysis-status", role: "status" });
  const proof = h("div", { id: "proof" });
  const even = h("div", { id: "balance" });
  replace(panel, h("section", { class: "section" }, top, status, list), proof, even);
  let drawn = "";
  const drawTop = () => {
    const key = [analysis.on, settings.lines, settings.prior, settings.threats, settings.forbidden, app.tree.rule].join();
    if (key !== drawn) {
      drawn = key;
      replace(top, controls(), overlays());
    }
    status.textContent = statusText();
  };
  const drawList = () => {
    const report = analysis.node === app.node ? analysis.report : null;
    // Rows under the pointer would lose their hover if they were replaced: only their texts change then.
    if (report && list.querySelector("tr:hover, tr:focus") && list.querySelectorAll("tbody tr").length === report.lines.length) {
      const rows = list.querySelectorAll("tbody tr");
      if (report.lines.every((line, index) => rows[index].dataset.line === line.move)) {
        report.lines.forEach((line, index) => {
          rows[index].children[1].firstChild.textContent = valueText(line.win_rate, line.mate);
          rows[index].children[2].textContent = shortCount(line.visits);
        });
        return;
      }
    }
    replace(list, report ? table(report) : []);
  };
  drawOn("analyse", "analysis node settings tree", () => {
    drawTop();
    drawList();
  });
  drawOn("analyse", "balance node tree", () => replace(even, balancePart()));
  makeProofPanel(proof);
}
