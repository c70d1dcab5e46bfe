// Small helpers to make elements; nothing else in the page touches document.createElement.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element: h("button", { class: "main", onclick: go }, "Go"). */
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An SVG element, likewise. */
export function s(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

export function $(selector) {
  return document.querySelector(selector);
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Draws, and gives the focus back to the new form of what had it: the keyboard's place is not lost. */
export function keepFocus(draw) {
  const had = document.activeElement;
  const group = had?.closest("[role=radiogroup]")?.getAttribute("aria-label");
  draw();
  if (!had || had.isConnected) return;
  const same = had.id ? `#${had.id}` : group && `[aria-label="${group}"] [data-value="${had.dataset.value}"]`;
  const now = same && $(same);
  if (!now) return;
  now.focus({ preventScroll: true });
  now.select?.(); // as the Tab key had it: what is typed replaces the number
}

/** Calls `work` once in the next frame, however often it is asked to. */
export function oncePerFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}
