// A short knock when a stone is placed; off unless switched on.

import { on } from "./bus.js";
import { settings } from "./settings.js";

let context = null;

function knock() {
  context ??= new AudioContext();
  const start = context.currentTime;
  const tone = context.createOscillator();
  const gain = context.createGain();
  tone.type = "triangle";
  tone.frequency.setValueAtTime(420, start);
  tone.frequency.exponentialRampToValueAtTime(140, start + 0.06);
  gain.gain.setValueAtTime(0.25, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + 0.09);
  tone.connect(gain).connect(context.destination);
  tone.start(start);
  tone.stop(start + 0.1);
}

export function watchSound() {
  on("stone", () => settings.sound && knock());
}
