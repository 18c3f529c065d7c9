// The part of the research graph that is open, and how it was opened.
import { UndirectedGraph } from "./vendor/graph.js";

export const MOST = 2000; // nodes
const FAR = 40; // how many steps an address tells

export class Model {
  constructor(path) {
    this.path = path;
    this.graph = new UndirectedGraph();
    this.opened = []; // keys in the order of their steps; a path is two keys with ~ between
    this.ended = new Set(); // keys around which nothing more is to be found
    this.waiting = new Map(); // lines to nodes that are not here yet, by the missing key
  }

  get isFull() {
    return this.graph.order >= MOST;
  }

  // Step on a node: fetch what lies around it. Returns how many nodes are new.
  async open(key) {
    if (this.isFull) throw new Error(`The graph is full: it holds at most ${MOST.toLocaleString("en")} nodes.`);
    const path = key.split("~");
    const page = this.opened.filter((one) => one === key).length;
    const query = path.length === 2 ? { from: path[0], to: path[1] } : { key, page };
    const address = `${this.path}/${path.length === 2 ? "path" : "graph"}.json?${new URLSearchParams(query)}`;
    const reply = await fetch(address, { credentials: "omit" });
    if (!reply.ok) throw new Error(await problem(reply));
    const part = await reply.json();
    const before = this.graph.order;
    this.add(part);
    if (this.opened.length < FAR) this.opened.push(path.length === 2 ? key : part.centre);
    if (!part.more) this.ended.add(part.centre);
    return { centre: part.centre, added: this.graph.order - before, nodes: part.nodes.map((node) => node.key) };
  }

  add(part) {
    const near = this.graph.hasNode(part.centre) ? this.graph.getNodeAttributes(part.centre) : { x: 0, y: 0 };
    const fresh = [];
    for (const node of part.nodes) {
      if (this.graph.hasNode(node.key) || this.isFull) continue;
      const turn = fresh.length * 2.4; // the golden angle spreads them around
      const away = node.key === part.centre ? 0 : 3 + Math.sqrt(fresh.length);
      const place = { x: near.x + away * Math.cos(turn), y: near.y + away * Math.sin(turn) };
      this.graph.addNode(node.key, { ...node, ...place });
      fresh.push(node.key);
    }
    for (const line of part.lines) this.join(line);
    for (const key of fresh) {
      const lines = this.waiting.get(key) ?? [];
      this.waiting.delete(key);
      for (const line of lines) this.join(line);
    }
  }

  join(line) {
    const missing = [line.one, line.other].find((key) => !this.graph.hasNode(key));
    if (missing === undefined) this.graph.mergeEdge(line.one, line.other, line);
    else if (this.waiting.has(missing)) this.waiting.get(missing).push(line);
    else this.waiting.set(missing, [line]);
  }

  // Leave out everything that only the last step brought: go all steps but the last again.
  async back() {
    const steps = this.opened.slice(0, -1);
    this.graph.clear();
    this.opened = [];
    this.ended.clear();
    this.waiting.clear();
    for (const key of steps) await this.open(key);
  }
}

async function problem(reply) {
  const wait = Number(reply.headers.get("Retry-After") ?? 60);
  if (reply.status === 429) return `Too many steps. Please wait ${wait} second${wait === 1 ? "" : "s"}.`;
  if (reply.headers.get("Content-Type")?.startsWith("application/json")) return (await reply.json()).problem;
  return reply.status === 404 ? "This no longer exists." : "Labmate could not answer. Please try again.";
}
