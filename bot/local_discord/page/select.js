// A select as Discord has it: a button that opens a list, of one choice or of several, with descriptions.
import { button, freshId, make } from "./dom.js";

/**
 * A select.
 *
 * `options` are `{value, label, description, default}`; `onchoose` gets the values: at once where there is one
 * to choose, else when the list is closed.
 */
export function select({ label, placeholder, options, min = 1, max = 1, disabled = false, onchoose, customId }) {
  const chosen = new Set(options.filter((option) => option.default).map((option) => option.value));
  const several = max > 1;
  const id = freshId("list");
  const rows = options.map((option) => row(option, several));
  const face = make("button", {
    type: "button", class: "select", "aria-haspopup": "listbox", "aria-expanded": "false", "aria-controls": id, disabled,
    "data-custom-id": customId, onclick: () => (popup.hidden ? open() : close(true)),
  });
  const listed = make("div", {
    id, role: "listbox", tabindex: 0, "aria-label": label || placeholder || "Choices", "aria-multiselectable": several, class: "options",
    onkeydown: keys, onclick: (event) => press(event.target.closest("[role=option]")),
  }, ...rows);
  const popup = make("div", { class: "popup", hidden: true }, listed);
  if (several) popup.append(button("Done", () => close(true), { class: "button primary done" }));
  const whole = make("div", { class: "selecting" }, face, popup);
  let at = 0;
  let before = "";

  function draw() {
    const names = options.filter((option) => chosen.has(option.value)).map((option) => option.label);
    const said = names.join(", ") || placeholder || "Choose";
    face.replaceChildren(make("span", { class: names.length ? "value" : "value hint" }, said));
    face.setAttribute("aria-label", label && label !== said ? `${label}: ${said}` : said);
    rows.forEach((one, place) => {
      one.setAttribute("aria-selected", chosen.has(options[place].value));
      one.classList.toggle("at", place === at);
    });
    if (rows[at]) listed.setAttribute("aria-activedescendant", rows[at].id);
  }

  function open() {
    before = [...chosen].join("\n");
    at = Math.max(0, options.findIndex((option) => chosen.has(option.value)));
    popup.hidden = false;
    face.setAttribute("aria-expanded", "true");
    draw();
    listed.focus();
    rows[at]?.scrollIntoView({ block: "nearest" });
    document.addEventListener("pointerdown", outside);
  }

  function outside(event) {
    if (!whole.contains(event.target)) close(false);
  }

  function close(back) {
    if (popup.hidden) return;
    popup.hidden = true;
    face.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside);
    if (back) face.focus();
    if (several && [...chosen].join("\n") !== before && chosen.size >= min) onchoose([...chosen]);
  }

  function press(element) {
    const place = rows.indexOf(element);
    if (place < 0) return;
    at = place;
    const { value } = options[place];
    if (!several) {
      const off = min === 0 && chosen.has(value);
      chosen.clear();
      if (!off) chosen.add(value);
      draw();
      close(true);
      onchoose([...chosen]);
      return;
    }
    if (chosen.has(value)) chosen.delete(value);
    else if (chosen.size < max) chosen.add(value);
    draw();
  }

  function keys(event) {
    const last = rows.length - 1;
    const to = { ArrowDown: Math.min(at + 1, last), ArrowUp: Math.max(at - 1, 0), Home: 0, End: last }[event.key];
    if (to !== undefined) {
      at = to;
      draw();
      rows[at]?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" || event.key === " ") {
      press(rows[at]);
    } else if (event.key === "Escape") {
      close(true);
      event.stopPropagation();
    } else if (event.key === "Tab") {
      if (!several) close(false);
      return;
    } else {
      const found = options.findIndex((option) => option.label.toLowerCase().startsWith(event.key.toLowerCase()));
      if (event.key.length !== 1 || found < 0) return;
      at = found;
      draw();
    }
    event.preventDefault();
  }

  draw();
  return whole;
}

function row(option, several) {
  return make("div", { role: "option", id: freshId("option"), "aria-selected": "false", class: "option" },
    several ? make("span", { class: "tick", "aria-hidden": "true" }) : null,
    make("span", { class: "words" },
      make("span", { class: "label" }, `${option.emoji?.name ? `${option.emoji.name} ` : ""}${option.label}`),
      option.description ? make("span", { class: "description" }, option.description) : null));
}

/** What the selects of users, roles and channels offer. */
export function entities(kind, client, channelTypes) {
  const users = [...client.users.values()].map((user) => ({ value: user.id, label: user.global_name || user.username }));
  const roles = [...client.roles.values()].map((role) => ({ value: role.id, label: `@${role.name.replace(/^@/, "")}` }));
  const channels = [...client.channels.values()]
    .filter((channel) => channel.guild_id && (!channelTypes?.length || channelTypes.includes(channel.type)))
    .map((channel) => ({ value: channel.id, label: `#${channel.name}` }));
  return { 5: users, 6: roles, 7: [...users, ...roles], 8: channels }[kind] ?? [];
}
