// The forced win: the question, the line, and a walk through the proof.

import { adoptLine, app, preview } from "./app.js";
import { h, replace } from "./dom.js";
import { download } from "./files.js";
import { otherSide, shortCount } from "./notation.js";
import { button, section, select } from "./parts.js";
import { change, settings } from "./settings.js";
import { answerTo, certify, clearProof, findWin, knownReplies, proof, stopSolving, walkTo } from "./solving.js";
import { drawOn } from "./tabs.js";
import { say } from "./texts.js";

const CERTIFICATE = "win.proof";

function question() {
  const methods = (app.hello?.methods ?? ["vcf", "vct"]).map((method) => [method, say("method_" + method)]);
  return h("div", { class: "row spread" },
    proof.running
      ? button(say("stopAnalysis"), stopSolving, { kind: "stop", id: "stop-solving", symbol: "stop" })
      : button(say("findWin"), findWin, { id: "find-win" }),
    select(methods, settings.method, (method) => change({ method }), "method"));
}

function outcome(winner) {
  const { result, running } = proof;
  if (running && !result) return h("p", { role: "status" }, say("solving", { colour: winner }));
  if (!result) return null;
  if (result.stopped) return h("p", { role: "status" }, say("solveStopped"));
  if (!result.win) {
    return h("p", { role: "status", id: "no-win" }, say("noWin", { colour: winner }), " ",
      result.nodes > 0 && say("noWinLimit", { nodes: shortCount(result.nodes) }));
  }
  return h("div", { class: "stack" },
    h("p", { class: "strong", role: "status", id: "win-found" }, say("winFound", { colour: winner, plies: result.plies })),
    h("p", { class: "moves", id: "win-line" }, result.line.map((move, index) => h("span", {
      class: "step", tabindex: 0,
      onmouseenter: () => preview(result.line.slice(0, index + 1)), onmouseleave: () => preview(proof.at.length ? proof.at : null),
    }, h("i", {}, String(index + 1)), move))),
    h("div", { class: "actions" },
      proof.at.length === 0 && button(say("proofWalk"), () => walkTo([]), { id: "walk-proof" }),
      !proof.certificate && button(say("certify"), certify, { id: "certify", disabled: running || proof.certifying }),
      button(say("proofAdopt"), () => adoptLine(proof.node, proof.at.length ? proof.at : result.line), { id: "adopt-proof" }),
      button(say("proofClose"), () => { preview(null); clearProof(); }, { id: "close-proof" })));
}

/** The proof as a file: what its check has said, and the file. */
function certificate() {
  if (proof.certifying) return h("p", { role: "status" }, say("certifying"));
  if (!proof.certificate) return null;
  const { text, plies, lines, positions } = proof.certificate;
  if (!text) return h("p", { role: "status" }, say("noCertificate"));
  return h("div", { class: "walk", id: "certificate" },
    h("p", { role: "status" }, h("b", {}, say("verified")), " ", say("verifiedHow", { lines, positions, plies })),
    h("p", { class: "hint" }, say("certificateHint"), " ", h("code", {}, `renga verify ${CERTIFICATE}`)),
    h("div", { class: "actions" },
      button(say("saveCertificate"), () => download(new Blob([text], { type: "text/plain" }), CERTIFICATE), { id: "save-certificate" })));
}

/** Where the reader stands: the moves so far, and the replies that lead on. */
function walk(winner, loser) {
  const { at, running } = proof;
  if (!at.length) return null;
  const onReply = at.length % 2 === 1;
  const replies = onReply ? knownReplies(at) : [];
  const answer = proof.answers.get(at.join(""));
  return h("div", { class: "walk", id: "proof-walk" },
    h("div", { class: "moves", id: "proof-path" },
      h("button", { type: "button", class: "step link", onclick: () => walkTo([]) }, say("proofStart")),
      at.map((move, index) => h("button", {
        type: "button", class: `step link ${index % 2 ? "loser" : "winner"}`, "data-step": index,
        onclick: () => walkTo(at.slice(0, index % 2 ? index + 1 : index)),
      }, h("i", {}, String(index + 1)), move))),
    running && h("p", { role: "status" }, say("solving", { colour: winner })),
    onReply && h("p", { class: "hint" }, say("proofHow")),
    onReply && replies.length > 0 && h("div", { class: "chips", "aria-label": say("proofReplies"), id: "replies" },
      replies.map((reply) => h("button", {
        type: "button", class: "chip", "data-reply": reply, onclick: () => walkTo([...at, reply]),
        onmouseenter: () => preview([...at, reply]), onmouseleave: () => preview(proof.at),
      }, reply, answerTo(at, reply) && h("span", { class: "answer" }, " → ", answerTo(at, reply))))),
    onReply && replies.length === 0 && !running && h("p", { id: "proof-end" }, say("proofWins", { colour: winner })),
    !onReply && !running && answer && !answer.win && h("p", { role: "status", id: "proof-open" }, say("proofOpen", { colour: loser })));
}

export function makeProofPanel(box) {
  const draw = () => {
    const mover = app.tree.toMove(proof.node ?? app.node);
    replace(box, section(say("forcedWin"), question(), outcome(say(mover)), walk(say(mover), say(otherSide(mover))), certificate()));
  };
  drawOn("analyse", "solve node settings hello tree", draw);
}
