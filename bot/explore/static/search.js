// Completion below a search field: a combobox, as ARIA describes it.
const PAUSE = 120; // milliseconds without typing before Labmate is asked

export function complete(field, path) {
  const list = document.createElement("ul");
  list.id = "offers";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  list.hidden = true;
  field.form.append(list);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-controls": "offers", "aria-expanded": "false", "aria-autocomplete": "list" }))
    field.setAttribute(name, value);
  let timer = 0;
  let asked = 0;
  let at = -1;

  function close() {
    list.hidden = true;
    at = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  }

  function mark(place) {
    at = place;
    [...list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === at)));
    if (at >= 0) field.setAttribute("aria-activedescendant", list.children[at].id);
    else field.removeAttribute("aria-activedescendant");
    list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  function show(offers) {
    list.replaceChildren(
      ...offers.map((offer, index) => {
        const item = document.createElement("li");
        const detail = document.createElement("span");
        detail.className = "small";
        detail.textContent = ` ${[offer.kind, offer.detail].filter(Boolean).join(" · ")}`;
        item.append(offer.label, detail);
        item.id = `offer-${index}`;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        item.dataset.href = offer.href;
        return item;
      }),
    );
    list.hidden = offers.length === 0;
    field.setAttribute("aria-expanded", String(offers.length > 0));
    at = -1;
  }

  async function ask() {
    const number = (asked += 1);
    const typed = field.value.trim();
    if (typed.length < 2) return close();
    const reply = await fetch(`${path}/complete.json?${new URLSearchParams({ q: typed })}`, { credentials: "omit" });
    if (number === asked && reply.ok) show(await reply.json());
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => ask().catch(close), PAUSE);
  });
  field.addEventListener("keydown", (event) => {
    const count = list.hidden ? 0 : list.children.length;
    if (event.key === "Escape") close();
    else if (count && event.key === "ArrowDown") mark((at + 1) % count);
    else if (count && event.key === "ArrowUp") mark((at + count - (at < 0 ? 0 : 1)) % count);
    else if (count && event.key === "Enter" && at >= 0) location.assign(list.children[at].dataset.href);
    else return;
    event.preventDefault();
  });
  list.addEventListener("mousedown", (event) => {
    const item = event.target.closest("li");
    event.preventDefault();
    if (item) location.assign(item.dataset.href);
  });
  field.addEventListener("blur", close);
}
