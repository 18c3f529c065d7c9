// Elements made by name, attributes and children; text from outside is only ever text.

/** An element. Attributes that begin with "on" are listeners; null and false ones are left out. */
export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** A button with a text. */
export function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", class: "button secondary", onclick, ...attributes }, text);
}

export const byId = (id) => document.getElementById(id);

let made = 0;
/** An id that no other element has. */
export const freshId = (start) => `${start}-${++made}`;

/** The address if a browser may go there, else null: never javascript: or data:. */
export function webAddress(text) {
  try {
    const url = new URL(text);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
  } catch {
    return null;
  }
}

/** A link to elsewhere, or its text where the address is no web address. */
export function link(address, ...children) {
  const href = webAddress(address);
  if (href === null) return make("span", {}, ...children);
  return make("a", { href, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

/** Bytes as people read them. */
export function bytes(count) {
  return count < 1024 ? `${count} bytes` : count < 1 << 20 ? `${Math.ceil(count / 1024)} kB` : `${(count / (1 << 20)).toFixed(1)} MB`;
}
