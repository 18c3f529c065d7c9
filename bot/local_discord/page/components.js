// Components as Discord draws them: rows, buttons, selects, and Components V2.
import { bytes, link, make, webAddress } from "./dom.js";
import { markdown } from "./markdown.js";
import { entities, select } from "./select.js";

const ROW = 1, BUTTON = 2, STRING_SELECT = 3, SECTION = 9, TEXT = 10, THUMBNAIL = 11, GALLERY = 12, FILE = 13, SEPARATOR = 14, CONTAINER = 17;
const SELECTS = [3, 5, 6, 7, 8];
const LINK = 5;
const STYLES = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "secondary" };

/** The elements of a message's components; `use(data)` starts the interaction of one. */
export function components(given, context) {
  return given.map((component) => one(component, context)).filter(Boolean);
}

function one(component, context) {
  switch (component.type) {
    case ROW: return make("div", { class: "row" }, ...components(component.components, context));
    case BUTTON: return buttonOf(component, context);
    case SECTION: return section(component, context);
    case TEXT: return make("div", { class: "text" }, markdown(component.content, context.names));
    case THUMBNAIL: return picture(component, "thumbnail");
    case GALLERY: return make("div", { class: `gallery of${Math.min(component.items.length, 4)}` }, ...component.items.map((item) => picture(item, "item")));
    case FILE: return file({ url: component.file.url, name: component.name, size: component.size });
    case SEPARATOR: return make("hr", { class: `${component.divider === false ? "blank" : ""} ${component.spacing === 2 ? "wide" : ""}` });
    case CONTAINER: return container(component, context);
  }
  return SELECTS.includes(component.type) ? selectOf(component, context) : unknown(component);
}

function unknown(component) {
  return make("p", { class: "hint" }, `A component of type ${Number(component.type)}, which this page can't draw.`);
}

function buttonOf(component, { use }) {
  const label = `${component.emoji?.name ? `${component.emoji.name} ` : ""}${component.label ?? ""}`;
  if (component.style === LINK) {
    const made = link(component.url, label, make("span", { "aria-hidden": "true" }, " ↗"));
    made.className = "button secondary";
    return made;
  }
  return make("button", {
    type: "button", class: `button ${STYLES[component.style] ?? "secondary"}`, disabled: component.disabled,
    "data-custom-id": component.custom_id, onclick: () => use({ component_type: BUTTON, custom_id: component.custom_id }),
  }, label);
}

function selectOf(component, { use, client, label }) {
  const fixed = component.type === STRING_SELECT;
  const preset = new Set((component.default_values ?? []).map((value) => value.id));
  const options = fixed ? component.options : entities(component.type, client, component.channel_types).map((option) => ({ ...option, default: preset.has(option.value) }));
  return select({
    label, placeholder: component.placeholder || (fixed ? "Make a selection" : "Choose"), options, customId: component.custom_id,
    min: component.min_values ?? 1, max: component.max_values ?? 1, disabled: component.disabled,
    onchoose: (values) => use({ component_type: component.type, custom_id: component.custom_id, values }),
  });
}

function section(component, context) {
  return make("div", { class: "section" },
    make("div", { class: "said" }, ...components(component.components, context)),
    make("div", { class: "accessory" }, one(component.accessory, context)));
}

function container(component, context) {
  const made = make("div", { class: "container" }, ...components(component.components, context));
  if (component.accent_color !== null && component.accent_color !== undefined) {
    made.style.borderInlineStartColor = `#${Number(component.accent_color).toString(16).padStart(6, "0")}`;
  }
  return made;
}

function picture({ media, description, spoiler }, kind) {
  const own = media.url.startsWith(`${location.origin}/`) || new URL(media.url, location).pathname.startsWith("/attachments/");
  if (!own) return make("p", { class: "hint" }, link(media.url, description || "A picture elsewhere"));
  const source = new URL(media.url, location).pathname;
  return shown(source, description, kind, spoiler);
}

function shown(source, description, kind, spoiler) {
  const made = make("button", { type: "button", class: `picture ${kind} ${spoiler ? "covered" : ""}`, "aria-label": `${description || "Picture"}; enlarge` },
    make("img", { src: source, alt: "", loading: "lazy" }));
  made.addEventListener("click", () => (made.classList.contains("covered") ? made.classList.remove("covered") : enlarge(source, description)));
  return made;
}

function enlarge(source, description) {
  const close = make("button", { type: "button", class: "button secondary", onclick: () => dialog.close() }, "Close");
  const dialog = make("dialog", { class: "viewer", "aria-label": description || "Picture", onclose: () => dialog.remove() },
    make("img", { src: source, alt: description || "" }), description ? make("p", {}, description) : null, close);
  document.body.append(dialog);
  dialog.showModal();
}

/** A file that can be downloaded. */
export function file({ url, name, size }) {
  const path = webAddress(url) ? new URL(url).pathname : "";
  const shownName = name || decodeURIComponent(path.split("/").at(-1) || "file");
  return make("p", { class: "file" },
    make("a", { href: path, download: shownName }, shownName),
    size ? make("span", { class: "hint" }, ` ${bytes(size)}`) : null);
}

/** A file of a message: a picture is shown, anything else can be downloaded. */
export function attachment(given) {
  if (/^image\/(png|jpeg|gif|webp)$/.test(given.content_type ?? "")) {
    return shown(new URL(given.url).pathname, given.description || given.filename, "item", false);
  }
  return file({ url: given.url, name: given.filename, size: given.size });
}

/** An embed, as older bots and link previews have them. */
export function embed(given, names) {
  const made = make("div", { class: "container embed" },
    given.author?.name ? make("p", { class: "hint" }, given.author.name) : null,
    given.title ? make("div", { class: "heading h3" }, given.url ? link(given.url, given.title) : given.title) : null,
    given.description ? make("div", { class: "text" }, markdown(given.description, names)) : null,
    ...(given.fields ?? []).map((field) => make("div", { class: "text" }, make("strong", {}, field.name), make("br"), markdown(field.value, names))),
    given.image ? picture({ media: given.image }, "item") : null,
    given.footer?.text ? make("small", {}, given.footer.text) : null);
  if (given.color) made.style.borderInlineStartColor = `#${Number(given.color).toString(16).padStart(6, "0")}`;
  return made;
}
