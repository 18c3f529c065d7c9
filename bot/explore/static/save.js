// The graph as a picture: SVG with its texts as texts, and PNG.
import { colours, sizeOf } from "./view.js";

const SPACE = "http://www.w3.org/2000/svg";

function element(name, attributes, text) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

// What stands in the window now, as an SVG document.
export function svgOf(view) {
  const { sigma, model } = view;
  const { width, height } = sigma.getDimensions();
  const paint = colours();
  const root = element("svg", { xmlns: SPACE, width, height, viewBox: `0 0 ${width} ${height}` });
  root.append(element("rect", { width, height, fill: paint.paper }));
  const at = (key) => sigma.framedGraphToViewport(sigma.getNodeDisplayData(key));
  const scale = sigma.scaleSize(1);
  model.graph.forEachEdge((edge, _, one, other) => {
    const hidden = [sigma.getEdgeDisplayData(edge), sigma.getNodeDisplayData(one), sigma.getNodeDisplayData(other)];
    if (hidden.some((data) => !data || data.hidden)) return;
    const [a, b] = [at(one), at(other)];
    const line = { x1: a.x.toFixed(1), y1: a.y.toFixed(1), x2: b.x.toFixed(1), y2: b.y.toFixed(1) };
    root.append(element("line", { ...line, stroke: sigma.getEdgeDisplayData(edge).color }));
  });
  const labelled = sigma.getNodeDisplayedLabels();
  model.graph.forEachNode((key, node) => {
    const data = sigma.getNodeDisplayData(key);
    if (!data || data.hidden) return;
    const { x, y } = at(key);
    root.append(element("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: (sizeOf(node) * scale).toFixed(1), fill: data.color }));
    if (!labelled.has(key) && !data.forceLabel) return;
    const text = { x: (x + sizeOf(node) * scale + 3).toFixed(1), y: (y + 4).toFixed(1), fill: paint.ink };
    root.append(element("text", { ...text, "font-family": "sans-serif", "font-size": 13 }, data.label));
  });
  return new XMLSerializer().serializeToString(root);
}

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveSvg(view, name) {
  save(new Blob([svgOf(view)], { type: "image/svg+xml" }), `${name}.svg`);
}

export async function savePng(view, name) {
  const { width, height } = view.sigma.getDimensions();
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([svgOf(view)], { type: "image/svg+xml" }));
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(picture.src);
  canvas.toBlob((blob) => save(blob, `${name}.png`), "image/png");
}
