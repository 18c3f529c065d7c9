// The card beside the graph: the text of a node's own page, taken from there.

// Fetch a page's card. The browser parses it as a document of its own, where nothing runs.
function cardOf(address) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", address);
    request.responseType = "document";
    request.onload = () => {
      const card = request.response?.getElementById("card");
      if (request.status === 200 && card) resolve({ card, title: request.response.title });
      else reject(new Error("This card could not be loaded."));
    };
    request.onerror = () => reject(new Error("Labmate can't be reached."));
    request.send();
  });
}

export class Panel {
  constructor(place, path, { onFollow }) {
    this.place = place;
    this.path = path;
    this.wanted = null;
    place.tabIndex = -1;
    place.addEventListener("click", (event) => {
      const link = event.target.closest("a[href]");
      const key = link && !event.ctrlKey && !event.metaKey && !event.shiftKey ? this.keyOf(link) : null;
      if (key === null) return;
      event.preventDefault();
      onFollow(key);
    });
  }

  // The key of the node that a link leads to; null for other pages.
  keyOf(link) {
    const { pathname, search, origin } = new URL(link.href);
    if (origin !== location.origin || search || !pathname.startsWith(`${this.path}/`)) return null;
    const [kind, what] = pathname.slice(this.path.length + 1).split(/\/(.*)/s);
    if (kind === "person") return `p${what}`;
    if (kind === "paper") return what.endsWith(".bib") ? null : `w${what}`;
    return kind === "topic" ? `t:${decodeURIComponent(what)}` : null;
  }

  async show(node, focus) {
    this.wanted = node.key;
    const { card, title } = await cardOf(this.path + node.path);
    if (this.wanted !== node.key) return; // another node was chosen meanwhile
    this.place.replaceChildren(...document.importNode(card, true).childNodes);
    this.place.scrollTop = 0;
    document.title = title;
    if (focus) this.place.focus({ preventScroll: true });
  }
}
