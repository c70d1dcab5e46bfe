// Every English text of the page. A translation is another table with the same keys; {names} are filled in.

const TEXTS = {
  title: "Renga board",
  black: "Black", white: "White",
  tabPlay: "Play", tabAnalyse: "Analyse", tabReview: "Review", tabGame: "Game",
  boardLabel: "Board {width} by {height}, {number} moves. {last}", boardLast: "Last: {colour} {move}", boardEmpty: "No move yet",

  // Bars
  first: "To the start (Home)", back: "Back (left arrow, right click)", forward: "Forward (right arrow)", last: "To the end (End)",
  moveCount: "Move {number}", toMove: "{colour} to move", won: "{colour} has won", drawn: "Draw",
  theme: "Light or dark", sound: "Sound", help: "Keys and mouse", numbers: "Move numbers (m)", coordinates: "Coordinates (c)",
  connecting: "The server does not answer. Trying again …",
  engineRestarted: "The engine was started again; nothing of the game is lost.",
  engineBroken: "The engine does not start. The terminal says why.",
  refused_occupied: "There is a stone on {point}.", refused_over: "The game is over.",
  refused_forbidden: "{point} is forbidden to Black.", refused_wait: "It is Renga's turn.",
  close: "Close", cancel: "Cancel",
  rule_freestyle: "Freestyle", rule_standard: "Standard (exactly five)", rule_renju: "Renju", rule_caro: "Caro (exactly five)",
  "rule_caro-overline": "Caro (five or more)",

  // Play
  newGame: "New game", rule: "Rule", size: "Size", sizeColumns: "Columns", sizeRows: "Rows", colour: "You play", colourEither: "Random",
  colourBoth: "Both sides", opening: "Opening", openingFree: "Free", openingSwap2: "Swap2",
  swapFirst_black: "You place the first three stones, Renga chooses.",
  swapFirst_white: "Renga places the first three stones, you choose.",
  swapFirst_either: "One of you places the first three stones, the other chooses.",
  strength: "Renga plays", strengthLevel: "At a level", strengthTime: "By seconds a move", strengthClock: "With a clock",
  level: "Level", levelHint: "1 is for a first game, {most} is full strength.", seconds: "Seconds a move",
  minutes: "Minutes each", increment: "Seconds added a move", startGame: "Start the game",
  yourMove: "Your move", thinking: "Renga is thinking …", undo: "Undo", hint: "Hint", resign: "Resign", leaveGame: "New game …",
  youWon: "You have won.", rengaWon: "Renga has won.", sideWon: "{colour} has won.",
  why_five: "Five in a row.", why_resigned: "By resignation.", why_time: "On time.", why_draw: "The game is drawn: no move is left.",
  againEngine: "Ask Renga again", interrupted: "Renga was interrupted: {why}.", interruptedBySearch: "you asked for another search",
  hintComing: "Renga looks for a hint …", hintIs: "Hint: {move} ({value})", reviewIt: "Review this game", freeBoard: "Free board: click to place stones, or start a game.",
  player_you: "You", player_level: "Renga, level {level}", player_time: "Renga, {seconds} s a move", player_clock: "Renga",
  swapTitle: "Swap2", swapPlace3: "Place the opening: black, white, black ({left} left).",
  swapPlace2: "Place two more: white, then black ({left} left).", swapChoose: "Choose your side.",
  swapThinking: "Renga considers the opening …", swapBlack: "Take Black", swapWhite: "Take White", swapMore: "Place two more",
  swapSaid_black: "Renga takes Black.", swapSaid_white: "Renga takes White.", "swapSaid_two more": "Renga placed two more. Choose your side.",

  // Analyse
  startAnalysis: "Analyse", stopAnalysis: "Stop", lines: "Moves shown", prior: "Prior", threats: "Threats", forbidden: "Forbidden",
  priorHint: "What the network expects before any search, in percent; on candidates in place of the visits (p)", threatsHint: "Fours and open threes; 5 and 4: where the next stone makes a five or an open four (t)",
  forbiddenHint: "Points forbidden to Black (f)", columnMove: "Move", columnValue: "Win %", columnVisits: "Visits", columnLine: "Line",
  whoseValue: "Win rates are those of the side to move ({colour}).", analysisIdle: "Space starts and stops the analysis.",
  analysisWaiting: "Waiting for the engine …", analysisOver: "The game is over here.",
  analysisDied: "Stopped: the engine's process ended again and again here.",
  analysisElsewhere: "Stopped: another tab uses the engine.", totals: "Visits {visits} · {speed}/s · depth {depth} · {seconds} s",
  forcedWin: "Forced win", findWin: "Find a forced win", method: "By", method_vcf: "fours only", method_vct: "threes and fours",
  method_search: "any moves", solving: "Looking for a forced win of {colour} …", noWin: "No forced win found for {colour}.",
  noWinLimit: "{nodes} positions looked at.", winFound: "{colour} wins in {plies} plies.", solveStopped: "Stopped.",
  proofHow: "Choose a reply, or click any defence on the board.", proofStart: "Start", proofAdopt: "Play this line",
  proofReplies: "Replies", proofWins: "Five: {colour} has won.", proofOpen: "Not answered: no forced win was found after this reply.",
  proofWalk: "Walk through the proof", proofClose: "Close the proof",
  certify: "Certificate", certifying: "Writing the proof and checking it …", noCertificate: "The win could not be written as a certificate.",
  verified: "Verified", verifiedHow: "by the rules alone: {lines} lines, {positions} positions, the longest game has {plies} plies.",
  certificateHint: "Anyone can check the file:", saveCertificate: "Save the certificate",
  balance: "Balance", balance1: "Next move (b)", balance2: "Next two moves (B)", balancing: "Looking for even moves …",
  balanceHint: "Moves that leave the game most even.", balanceRate: "leaves {colour} {value} %.", balancePlay: "Play it",

  // Review
  startReview: "Review this game", stopReview: "Stop", reviewSeconds: "Seconds",
  reviewProgress: "{done} of {total} positions, about {left} left", reviewWaits: "Waiting for another search to end …",
  reviewEmpty: "Play or open a game, then review it.", reviewNone: "No mistakes found in this line.", reviewSoFar: "None so far.",
  reviewNotYet: "Not reviewed yet.", graphLabel: "Black's win rate over the moves", graphTitle: "Black's win rate",
  mistakes: "Mistakes", previousMistake: "Previous mistake (N)", nextMistake: "Next mistake (n)",
  grade_blunder: "Blunder", grade_mistake: "Mistake", grade_inaccuracy: "Inaccuracy", grade_missed: "Missed win",
  lost: "−{percent} %", better: "better {move}", missedIn: "won in {plies} by {move}", showBetter: "Show on the board",
  puzzles: "Puzzles", puzzlesHint: "Missed wins of this game, to be solved against the defending engine.",
  puzzleNone: "No missed win in this line.", puzzleOpen: "Solve {number} of {count}", puzzleTitle: "Puzzle {number} of {count}",
  puzzle_yours: "{colour} to move and win.", puzzle_checking: "Renga defends …", puzzle_solved: "Solved.",
  puzzle_interrupted: "The defender was interrupted.",
  puzzle_slipped: "The win has slipped away.", puzzle_shown: "This was the win.", puzzleAgain: "Try again", puzzleShow: "Show the win",
  puzzleNext: "Next puzzle", puzzleLeave: "Back to the game", evaluation: "{colour} {value}",

  // Game
  comment: "Comment", commentHint: "What do you think of this move?", variations: "Moves", marks: "Marks", mark_none: "Place stones",
  mark_triangle: "Triangle", mark_square: "Square", mark_circle: "Circle", mark_cross: "Cross", mark_letter: "Letter",
  promote: "Make main line", remove: "Delete from here", files: "Files", open: "Open …", saveSgf: "Save SGF", savePsq: "Save .psq",
  openHint: "SGF or .psq; or drop a file on the board.", position: "Position", code: "Position code or link", copyCode: "Copy code", copyLink: "Copy link",
  load: "Load", rotate: "Rotate", mirror: "Mirror", picture: "Picture", savePng: "Save PNG", saveSvg: "Save SVG",
  edit: "Edit position", editorTitle: "Position editor", editorHow: "Click places a stone; a click on a stone removes it.",
  editBlack: "Black stones", editWhite: "White stones", editErase: "Eraser", editTurn: "To move", editDone: "Use this position",
  editClear: "Clear", copied: "Copied.", copyFailed: "The browser does not allow copying: {text}", loaded: "{name} loaded.",
  tooLarge: "{name} is too large for a game: at most {most} MB.",
  rootMove: "Start",

  // Help
  keysTitle: "Keys and mouse",
  keys: [
    ["Click", "places a stone; on touch screens a second tap confirms"], ["Right click, wheel", "back one move; back and forward"],
    ["Hover over a candidate", "shows its line; the wheel walks it; a double click plays it"],
    ["← → Home End", "back, forward, start, end"], ["↑ ↓", "variations of the same move"],
    ["Shift + arrows, Enter", "a cursor on the board, and a stone there"],
    ["Space, Esc", "analysis on and off; stop"], ["n, N", "next and previous mistake"], ["b, B", "balance with one and two moves"],
    ["t, f, p", "threats, forbidden points, prior"], ["m, c", "move numbers, coordinates"], ["z, h", "undo, hint"],
  ],
  twoTabs: "Every tab is a game of its own. The engine is shared: a search in one tab ends the live analysis in another.",
};

/** The text of a key with its {names} filled in. */
export function say(key, values = {}) {
  const text = TEXTS[key];
  if (typeof text !== "string") return text ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
