// A small menu below a button.
import { freshId, make } from "./dom.js";

/** A button that opens a menu; `entries()` gives `[text, action]` pairs when it opens. */
export function menu(label, face, entries) {
  const id = freshId("menu");
  const opener = make("button", {
    type: "button", class: "plain more", "aria-label": label, "aria-haspopup": "menu", "aria-expanded": "false", onclick: () => (opened() ? close() : open()),
  }, make("span", { "aria-hidden": "true" }, face));
  const whole = make("div", { class: "menu" }, opener);
  const opened = () => whole.querySelector("[role=menu]");

  function open() {
    const items = entries().map(([text, action]) =>
      make("button", { type: "button", role: "menuitem", tabindex: -1, onclick: () => { close(); action(); } }, text));
    const list = make("div", { role: "menu", id, "aria-label": label, class: "popup", onkeydown: (event) => keys(event, items) }, ...items);
    whole.append(list);
    opener.setAttribute("aria-expanded", "true");
    items[0]?.focus();
    whole.addEventListener("focusout", left);
  }

  function left(event) {
    if (!whole.contains(event.relatedTarget)) close(false);
  }

  function close(back = true) {
    whole.removeEventListener("focusout", left);
    opened()?.remove();
    opener.setAttribute("aria-expanded", "false");
    if (back) opener.focus();
  }

  function keys(event, items) {
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) items[(to + items.length) % items.length].focus();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  }

  return whole;
}
