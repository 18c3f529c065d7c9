// Brings the page to life: completion everywhere, and the graph where the page has a centre.
import { Filters } from "./filters.js";
import { Model } from "./model.js";
import { Panel } from "./panel.js";
import { savePng, saveSvg } from "./save.js";
import { complete } from "./search.js";
import { Tools } from "./tools.js";
import { View } from "./view.js";

const path = document.body.dataset.path;
const walk = document.getElementById("walk");
complete(document.getElementById("q"), path);
if (walk) begin(walk).catch((error) => console.error(error));

async function begin(place) {
  const state = document.getElementById("state");
  const query = new URLSearchParams(location.search);
  const [model, filters] = [new Model(path), new Filters()];
  filters.read(query);
  place.hidden = false;
  document.querySelector("main").classList.add("grown");
  const say = (text) => (state.textContent = text);
  const count = () => {
    const { graph } = model;
    const one = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
    return `${one(graph.order, "node")}, ${one(graph.size, "link")}. Click a node to see what lies around it.`;
  };
  const view = new View(model, filters, document.getElementById("graph"), {
    onStep: (key) => step(key, { focus: false }),
    onHover: (key) => key === null || say(told(model.graph.getNodeAttributes(key))),
  });
  const panel = new Panel(document.getElementById("card"), path, { onFollow: (key) => step(key, { focus: true }) });
  const tools = new Tools(document.getElementById("tools"), filters, {
    filter: () => { view.sigma.refresh({ skipIndexation: true }); remember(); },
    fit: () => view.fit(),
    back: async () => { await model.back(); view.way.clear(); changed(); },
    path: (to) => trying(() => pathTo(to)),
    take: (what) => trying(() => take(what)),
  });

  function changed() {
    tools.follow(model.graph, model.opened.length);
    view.settle();
    view.sigma.refresh();
    say(count());
    remember();
  }

  // The address tells what is open and shown, so that it can be shared and kept.
  function remember() {
    const ends = ["from", "to"].filter((end) => query.has(end)).map((end) => [end, query.get(end)]); // of a path's page
    const open = model.opened.length > 1 ? model.opened.map((key) => ["open", key]) : [];
    const chosen = view.chosen && model.graph.hasNode(view.chosen) ? model.graph.getNodeAttributes(view.chosen) : null;
    const at = ends.length || !chosen ? location.pathname : path + chosen.path;
    const told = new URLSearchParams([...ends, ...open, ...filters.query]).toString();
    history.replaceState(null, "", told ? `${at}?${told}` : at);
  }

  async function trying(work) {
    try {
      place.setAttribute("aria-busy", "true");
      await work();
    } catch (error) {
      say(error.message);
    } finally {
      place.removeAttribute("aria-busy");
    }
  }

  function step(key, { focus }) {
    return trying(async () => {
      const asked = performance.now();
      if (!model.ended.has(key) || !model.graph.hasNode(key)) await model.open(key);
      view.chosen = key;
      view.way.clear();
      changed();
      performance.measure("labmate step", { start: asked });
      if (model.graph.hasNode(key)) await panel.show(model.graph.getNodeAttributes(key), focus);
    });
  }

  async function pathTo(to) {
    const from = view.chosen?.startsWith("p") ? view.chosen : model.opened.find((key) => /^p\d+$/.test(key));
    if (!from) throw new Error("Choose a person first: the path begins there.");
    const found = await model.open(`${from}~${to}`);
    view.way = new Set(found.nodes);
    changed();
    const papers = found.nodes.filter((key) => key.startsWith("w")).length;
    say(`The path has ${papers} paper${papers === 1 ? "" : "s"}.`);
  }

  async function take(what) {
    const name = `labmate-${(view.chosen ?? "graph").replace(/[^a-z0-9]+/gi, "-")}`;
    if (what === "png") await savePng(view, name);
    else if (what === "svg") saveSvg(view, name);
    else if (what === "link") {
      await navigator.clipboard.writeText(location.href);
      say("Link copied.");
    } else {
      const files = { graphml: "/export.graphml", nodes: "/nodes.csv", edges: "/links.csv" };
      const open = model.opened.map((key) => ["open", key]);
      location.assign(`${path}${files[what]}?${new URLSearchParams([...open, ...filters.query])}`);
    }
  }

  const start = place.dataset.centre;
  const steps = query.getAll("open").slice(0, 40);
  view.chosen = start.split("~")[0];
  await trying(async () => {
    for (const key of steps.length ? steps : [start]) await model.open(key);
    if (start.includes("~")) view.way = new Set(model.graph.nodes().filter((key) => !key.startsWith("t:")));
    changed();
  });
  globalThis.labmate = { model, view, step }; // for tests and measurements
}

function told(node) {
  const years = node.first == null ? "" : node.first === node.last ? `, ${node.first}` : `, ${node.first}–${node.last}`;
  const papers = node.kind === "paper" ? "" : `, ${node.papers} paper${node.papers === 1 ? "" : "s"}`;
  return `${node.label} (${node.kind}${papers}${years}${node.category ? `, ${node.category}` : ""})`;
}
