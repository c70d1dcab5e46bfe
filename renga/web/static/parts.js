// Controls that more than one panel uses.

import { h } from "./dom.js";
import { icon } from "./icons.js";

export function button(text, onclick, { kind = "", id, symbol, disabled, title, pressed } = {}) {
  return h(
    "button",
    { type: "button", class: `button ${kind}`, id, disabled, title, onclick, "aria-pressed": pressed === undefined ? null : String(pressed) },
    symbol && icon(symbol),
    text && h("span", {}, text),
  );
}

/** A button that shows an icon only; its label is read and shown on hover. */
export function iconButton(symbol, label, onclick, { id, pressed, disabled } = {}) {
  return h(
    "button",
    { type: "button", class: "button icon-only", id, title: label, "aria-label": label, disabled, onclick, "aria-pressed": pressed === undefined ? null : String(pressed) },
    icon(symbol),
  );
}

export function toggle(text, title, pressed, onclick, id) {
  return h("button", { type: "button", class: "chip", id, title, "aria-pressed": String(pressed), onclick }, text);
}

/** One of a few: options are [value, text]. */
export function choice(name, options, value, onchange) {
  return h(
    "div",
    { class: "segments", role: "radiogroup", "aria-label": name },
    options.map(([key, text]) =>
      h("button", {
        type: "button", role: "radio", class: "segment", "data-value": key,
        "aria-checked": String(key === value), onclick: () => onchange(key),
      }, text)),
  );
}

export function field(label, control, hint) {
  return h("label", { class: "field" }, h("span", { class: "field-label" }, label), control, hint && h("span", { class: "hint" }, hint));
}

/** Like a field, for controls that are not one input. */
export function group(label, ...controls) {
  return h("div", { class: "field", role: "group", "aria-label": label }, h("span", { class: "field-label" }, label), ...controls);
}

export function select(options, value, onchange, id) {
  return h(
    "select",
    { id, onchange: (event) => onchange(event.target.value) },
    options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
  );
}

/** A whole number within bounds; anything else goes back to what it was. */
export function numberInput(value, low, high, onchange, { id, step = 1, label } = {}) {
  return h("input", {
    type: "number", id, min: low, max: high, step, value, inputmode: "decimal", "aria-label": label,
    onchange: (event) => {
      const typed = Number(event.target.value);
      const fits = event.target.value !== "" && Number.isFinite(typed);
      const found = fits ? Math.min(high, Math.max(low, step === 1 ? Math.round(typed) : typed)) : value;
      event.target.value = found;
      onchange(found);
    },
  });
}

export function section(title, ...content) {
  return h("section", { class: "section" }, title && h("h2", {}, title), ...content);
}

/** A colour as a small stone, with its name for those who cannot see it. */
export function swatch(colour) {
  return h("span", { class: `swatch ${colour}`, "aria-hidden": "true" });
}
