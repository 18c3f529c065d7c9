// Draws the graph with sigma.js, and lays it out step by step.
import { EdgeLineProgram, NodePointProgram, Sigma, forceAtlas2 } from "./vendor/graph.js";

const STEPS = 140; // of the layout after each change; fewer in a large graph, where each takes longer
const LONGEST = 32; // characters of a label, unless the pointer is on it
const AT_ONCE = 250; // milliseconds that a layout without motion may take
const MARKS = { person: "", paper: "▪ ", topic: "# " }; // kinds are told apart without colours, too
const COLOURS = ["person", "work", "topic", "edge", "ink", "paper", "raised", "accent", "focus", "quiet"];

export function colours() {
  const style = getComputedStyle(document.documentElement);
  const found = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return { ...found, of: { person: found.person, paper: found.work, topic: found.topic } };
}

function cut(label) {
  return label.length <= LONGEST ? label : `${label.slice(0, LONGEST - 1).trimEnd()}…`;
}

export function sizeOf(node) {
  return node.kind === "paper" ? 5 : Math.min(4 + 1.6 * Math.log2(1 + node.papers), 13);
}

export class View {
  constructor(model, filters, place, { onStep, onHover }) {
    this.model = model;
    this.filters = filters;
    this.chosen = null;
    this.hovered = null;
    this.way = new Set(); // nodes of a path that is pointed out
    this.left = 0; // steps of the layout still to make
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.colours = colours();
    this.sigma = new Sigma(model.graph, place, {
      allowInvalidContainer: true,
      defaultEdgeType: "line",
      edgeProgramClasses: { line: EdgeLineProgram },
      nodeProgramClasses: { circle: NodePointProgram },
      labelFont: "system-ui, sans-serif",
      labelSize: 13,
      labelDensity: 0.9,
      labelGridCellSize: 90,
      labelRenderedSizeThreshold: 5,
      minCameraRatio: 0.05,
      maxCameraRatio: 8,
      zIndex: true,
      labelColor: { color: this.colours.ink },
      nodeReducer: (key, node) => this.node(key, node),
      edgeReducer: (_, line) => this.line(line),
      defaultDrawNodeHover: (context, node, settings) => this.ring(context, node, settings),
    });
    this.sigma.on("clickNode", ({ node }) => onStep(node));
    this.sigma.on("enterNode", ({ node }) => this.hover(node, onHover));
    this.sigma.on("leaveNode", () => this.hover(null, onHover));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.colours = colours();
      this.sigma.setSetting("labelColor", { color: this.colours.ink });
      this.sigma.refresh();
    });
    this.tick = this.tick.bind(this);
  }

  node(key, node) {
    const near = this.hovered === null || key === this.hovered || this.model.graph.areNeighbors(key, this.hovered);
    return {
      x: node.x,
      y: node.y,
      size: sizeOf(node) * (key === this.chosen ? 1.4 : 1),
      label: MARKS[node.kind] + (key === this.hovered ? node.label : cut(node.label)),
      color: this.way.has(key) ? this.colours.focus : near ? this.colours.of[node.kind] : this.colours.edge,
      hidden: !this.filters.shows(node),
      forceLabel: key === this.chosen || this.way.has(key) || (this.hovered !== null && near),
      zIndex: this.way.has(key) || near ? 1 : 0,
    };
  }

  line(line) {
    const onWay = this.way.has(line.one) && this.way.has(line.other);
    const near = this.hovered !== null && (line.one === this.hovered || line.other === this.hovered);
    return {
      color: onWay ? this.colours.focus : near ? this.colours.accent : this.colours.edge,
      hidden: !this.filters.during(line),
      zIndex: onWay || near ? 1 : 0,
    };
  }

  ring(context, node, settings) {
    const text = node.label ?? "";
    context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
    const wide = context.measureText(text).width;
    context.fillStyle = this.colours.paper;
    context.strokeStyle = this.colours.focus;
    context.lineWidth = 2;
    context.beginPath();
    context.roundRect(node.x + node.size + 1, node.y - 11, wide + 10, 22, 4);
    context.fill();
    context.beginPath();
    context.arc(node.x, node.y, node.size + 2, 0, 7);
    context.stroke();
    context.fillStyle = this.colours.ink;
    context.fillText(text, node.x + node.size + 6, node.y + settings.labelSize / 3);
  }

  hover(key, onHover) {
    this.hovered = key;
    this.sigma.refresh({ skipIndexation: true });
    onHover(key);
  }

  choose(key) {
    this.chosen = key;
    this.sigma.refresh({ skipIndexation: true });
  }

  // Lay the graph out anew, a step a frame, or at once for those who want no motion.
  settle() {
    if (this.calm.matches) {
      const end = performance.now() + AT_ONCE;
      for (let step = 0; step < STEPS && performance.now() < end; step += 5) this.layOut(5);
      return;
    }
    const rests = this.left === 0;
    this.left = Math.max(30, STEPS - Math.round(this.model.graph.order / 15));
    if (rests) requestAnimationFrame(this.tick);
  }

  tick() {
    if (this.left === 0) return;
    this.left -= 1;
    this.layOut(1);
    if (this.left > 0) requestAnimationFrame(this.tick);
  }

  layOut(iterations) {
    const { graph } = this.model;
    if (graph.order < 2) return;
    forceAtlas2.assign(graph, {
      iterations,
      settings: { ...forceAtlas2.inferSettings(graph), gravity: 0.6, barnesHutOptimize: graph.order > 250, slowDown: 2 },
    });
  }

  fit() {
    this.sigma.getCamera().animatedReset({ duration: this.calm.matches ? 0 : 300 });
  }
}
