// How people write cells and positions: columns a.. from the left (z, then aa to af), rows from 1 at the bottom.

/** The column's letters. */
export function column(x) {
  return x < 26 ? String.fromCharCode(97 + x) : "a" + String.fromCharCode(97 + x - 26);
}

/** x and y from 0, y downwards, to a name such as "h8". */
export function nameOf(x, y, height) {
  return column(x) + (height - y);
}

/** A name to { x, y }; null if it is no cell of the board. */
export function cellOf(name, width, height) {
  const match = /^(a[a-f]|[a-z])([0-9]{1,2})$/.exec(name);
  if (!match) return null;
  const letters = match[1];
  const x = letters.charCodeAt(letters.length - 1) - 97 + (letters.length === 2 ? 26 : 0);
  const y = height - Number(match[2]);
  return x < width && y >= 0 && y < height ? { x, y } : null;
}

export function otherSide(colour) {
  return colour === "black" ? "white" : "black";
}

/** 1234 -> "1.2k": at most four characters. */
export function shortCount(count) {
  if (count < 1000) return String(count);
  if (count < 1e6) return (count / 1e3).toFixed(count < 1e4 ? 1 : 0) + "k";
  return (count / 1e6).toFixed(count < 1e7 ? 1 : 0) + "M";
}

/** What a win rate and a mate distance of the same side are written as: "54.3", "+M7", "-M12". */
export function valueText(winRate, mate) {
  if (mate !== null && mate !== undefined) return (mate > 0 ? "+M" : "-M") + Math.abs(mate);
  return (winRate * 100).toFixed(1);
}

/** The same within a sentence: "54.3 %", "+M7". */
export function valuePhrase(winRate, mate) {
  return valueText(winRate, mate) + (mate === null || mate === undefined ? " %" : "");
}

/** Seconds as m:ss, below ten seconds with a tenth. */
export function clockText(seconds) {
  const left = Math.max(0, seconds);
  if (left < 10) return left.toFixed(1);
  const whole = Math.ceil(left);
  return Math.floor(whole / 60) + ":" + String(whole % 60).padStart(2, "0");
}

/** The eight symmetries' generators, on a cell of a width x height board. */
export const TURNS = {
  rotate: (x, y, width, height) => ({ x: height - 1 - y, y: x }),
  mirror: (x, y, width) => ({ x: width - 1 - x, y }),
};
