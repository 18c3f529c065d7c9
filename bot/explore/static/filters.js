// Which nodes and lines are shown: by kind, years and category.
export const KINDS = { person: "people", paper: "papers", topic: "topics" };

export class Filters {
  constructor() {
    this.kinds = new Set(Object.keys(KINDS));
    this.from = null;
    this.to = null;
    this.category = "";
  }

  shows(node) {
    if (!this.kinds.has(node.kind)) return false;
    if (this.category && node.category && node.category !== this.category) return false;
    return this.during(node);
  }

  // Whether something of some years lies within those chosen; what has no year always does.
  during({ first, last }) {
    if (first == null || last == null) return true;
    return (this.from === null || last >= this.from) && (this.to === null || first <= this.to);
  }

  get query() {
    const query = [];
    if (this.kinds.size < Object.keys(KINDS).length) for (const kind of this.kinds) query.push(["kind", kind]);
    if (this.from !== null) query.push(["since", this.from]);
    if (this.to !== null) query.push(["until", this.to]);
    if (this.category) query.push(["category", this.category]);
    return query;
  }

  read(query) {
    const kinds = query.getAll("kind").filter((kind) => kind in KINDS);
    if (kinds.length) this.kinds = new Set(kinds);
    const year = (name) => (/^\d{4}$/.test(query.get(name) ?? "") ? Number(query.get(name)) : null);
    this.from = year("since");
    this.to = year("until");
    this.category = (query.get("category") ?? "").slice(0, 40);
  }
}
