// The bar above the graph: filters, years, path, and what can be taken along.
import { KINDS } from "./filters.js";

function make(name, attributes = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...inside);
  return made;
}

export class Tools {
  constructor(place, filters, actions) {
    this.filters = filters;
    this.category = make("select", { "aria-label": "Category", onchange: () => this.changed() });
    this.from = this.slider("From year");
    this.to = this.slider("To year");
    this.years = make("output", {});
    this.undo = make("button", { type: "button", onclick: actions.back }, "Undo");
    const kinds = Object.entries(KINDS).map(([kind, many]) => {
      const box = make("input", { type: "checkbox", checked: filters.kinds.has(kind), onchange: (event) => {
        if (event.target.checked) filters.kinds.add(kind);
        else filters.kinds.delete(kind);
        this.changed();
      } });
      return make("label", { class: kind }, box, ` ${many}`);
    });
    place.append(
      make("fieldset", {}, make("legend", { class: "small" }, "Show"), ...kinds),
      this.category,
      make("fieldset", {}, make("legend", { class: "small" }, "Years"), this.from, this.to, this.years),
      make("button", { type: "button", onclick: actions.fit }, "Fit"),
      this.undo,
      this.path(actions.path),
      this.take(actions),
    );
    this.changed = () => {
      this.read();
      actions.filter();
    };
  }

  slider(label) {
    return make("input", { type: "range", "aria-label": label, step: 1, oninput: () => this.changed() });
  }

  path(onPath) {
    const to = make("input", { "aria-label": "Path to (a name)", placeholder: "Path to …", size: 14, maxlength: 200 });
    return make("form", { onsubmit: (event) => {
      event.preventDefault();
      if (to.value.trim()) onPath(to.value.trim());
    } }, to);
  }

  take(actions) {
    const names = { link: "Copy link", png: "Picture (PNG)", svg: "Picture (SVG)", graphml: "GraphML", nodes: "Nodes (CSV)", edges: "Links (CSV)" };
    const buttons = Object.entries(names).map(([what, name]) =>
      make("button", { type: "button", onclick: () => actions.take(what) }, name));
    return make("details", {}, make("summary", {}, "Share"), make("div", {}, ...buttons));
  }

  read() {
    const [low, high] = [Number(this.from.min), Number(this.from.max)];
    const [from, to] = [Number(this.from.value), Number(this.to.value)].sort((a, b) => a - b);
    this.filters.from = from > low ? from : null;
    this.filters.to = to < high ? to : null;
    this.filters.category = this.category.value;
    this.years.value = low < high ? `${from}–${to}` : "";
  }

  // Offer the years and categories that the graph has now.
  follow(graph, steps) {
    let [low, high] = [Infinity, -Infinity];
    const counts = new Map();
    graph.forEachNode((_, node) => {
      if (node.first != null) [low, high] = [Math.min(low, node.first), Math.max(high, node.last)];
      if (node.category) counts.set(node.category, (counts.get(node.category) ?? 0) + 1);
    });
    if (low > high) [low, high] = [0, 0];
    for (const slider of [this.from, this.to]) [slider.min, slider.max, slider.disabled] = [low, high, low >= high];
    this.from.value = this.filters.from ?? low;
    this.to.value = this.filters.to ?? high;
    this.years.value = low < high ? `${this.from.value}–${this.to.value}` : "";
    const names = [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
    if (this.filters.category && !counts.has(this.filters.category)) names.unshift(this.filters.category);
    this.category.replaceChildren(make("option", { value: "" }, "All categories"),
      ...names.slice(0, 40).map((name) => make("option", { value: name }, name)));
    this.category.value = this.filters.category;
    this.undo.disabled = steps < 2;
  }
}
