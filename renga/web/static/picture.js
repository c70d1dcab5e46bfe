// A picture of the board as it is seen: the SVG with its computed looks written into it, or a PNG drawn from that.

import { emit } from "./bus.js";
import { $ } from "./dom.js";
import { download } from "./files.js";

const LOOKS = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "opacity",
  "font-family", "font-size", "font-weight", "text-anchor", "vector-effect", "paint-order", "display",
];
const PIXELS = 1600;

/** The board as SVG text that needs no style sheet. */
function boardSvg() {
  const board = $("#board");
  const copy = board.cloneNode(true);
  const originals = board.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, index) => {
    const looks = getComputedStyle(originals[index]);
    for (const name of LOOKS) {
      const value = looks.getPropertyValue(name);
      if (value) element.setAttribute(name, value);
    }
    element.removeAttribute("class");
  });
  copy.querySelectorAll("[data-point]").forEach((point) => point.remove());
  const [x, y, width, height] = board.getAttribute("viewBox").split(" ").map(Number);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ x, y, width, height, fill: getComputedStyle(document.body).backgroundColor })) {
    ground.setAttribute(name, value);
  }
  copy.prepend(ground);
  for (const name of ["id", "class", "tabindex", "role"]) copy.removeAttribute(name);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy);
}

async function png(svg) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = PIXELS;
    canvas.height = Math.round((PIXELS * image.height) / image.width);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

export async function savePicture(format) {
  try {
    const svg = boardSvg();
    download(format === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await png(svg), `board.${format}`);
  } catch (error) {
    emit("problem", error.message);
  }
}
