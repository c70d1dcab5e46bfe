// Who is told when something has changed. Events: tree, node, facts, stone, analysis, hint, balance, solve, review, game,
// settings, link, hover, tab, editor, marks, comment.

const listeners = new Map();

export function on(events, listener) {
  for (const event of events.split(" ")) {
    if (!listeners.has(event)) listeners.set(event, []);
    listeners.get(event).push(listener);
  }
}

export function emit(event, detail) {
  for (const listener of listeners.get(event) ?? []) listener(detail);
}
