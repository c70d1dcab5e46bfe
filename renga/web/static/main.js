// The start of the page: puts the parts together, and brings back the game that was on the board.

import { followNode } from "./analysis.js";
import { makeAnalysisPanel } from "./analysispanel.js";
import { app, connect, setTree } from "./app.js";
import { watchBalance } from "./balance.js";
import { makeBars } from "./bars.js";
import { makeBoard } from "./board.js";
import { emit, on } from "./bus.js";
import { watchMessages } from "./dialogs.js";
import { acceptFiles, loadText } from "./files.js";
import { makeGamePanel } from "./gamepanel.js";
import { watchHints } from "./hints.js";
import { watchKeys } from "./keys.js";
import { makeOverlay } from "./overlay.js";
import { keepPlaying, resume } from "./play.js";
import { makePlayPanel } from "./playpanel.js";
import { watchPointer } from "./pointer.js";
import { watchPuzzles } from "./puzzles.js";
import { watchReview } from "./review.js";
import { makeReviewPanel } from "./reviewpanel.js";
import { change } from "./settings.js";
import { watchProof } from "./solving.js";
import { watchSound } from "./sound.js";
import { keepSaving, kept, keptElsewhere, readFragment, restore } from "./storage.js";
import { watchSwap2 } from "./swap2.js";
import { makeTabs, openTab } from "./tabs.js";
import { say } from "./texts.js";
import { GameTree } from "./tree.js";

const STARTED = "renga.started"; // the run of the server whose first game was shown in this tab

/** The game to begin with: this tab's, an address's, the one the command named, or the last one seen anywhere. */
async function begin(hello) {
  const address = readFragment(location.hash);
  const mine = kept();
  const named = hello.game && sessionStorage.getItem(STARTED) !== hello.run;
  sessionStorage.setItem(STARTED, hello.run);
  if (named) {
    const tree = GameTree.fromRecord(hello.game);
    setTree(tree, tree.tip(tree.root));
    change({ rule: tree.rule, width: tree.width, height: tree.height });
    if (tree.root.children.length) openTab("analyse");
  } else if (mine && (!address || mine.fragment === location.hash)) {
    restore(mine);
    resume(mine.game);
  } else if (address) {
    await loadText(location.hash);
    openTab("analyse");
  } else {
    const last = keptElsewhere();
    if (last) restore(last);
    else setTree(app.tree);
  }
  keepSaving();
  emit("ready");
  document.documentElement.dataset.ready = "true";
}

function start() {
  document.title = say("title");
  const panels = makeTabs();
  makeBars();
  makeBoard();
  makeOverlay();
  watchMessages();
  connect(new URL("socket", location.href.replace(/^http/, "ws").replace(/#.*$/, "")).href);
  makePlayPanel(panels.play);
  makeAnalysisPanel(panels.analyse);
  makeReviewPanel(panels.review);
  makeGamePanel(panels.game);
  for (const watch of [
    followNode, watchBalance, watchHints, watchProof, keepPlaying, watchSwap2, watchReview, watchPuzzles, watchPointer, watchKeys,
    watchSound, acceptFiles,
  ]) watch();
  let begun = false;
  on("hello", (hello) => {
    app.hello = hello;
    if (!begun) {
      begun = true;
      begin(hello);
    }
  });
  addEventListener("hashchange", () => loadText(location.hash));
}

start();
