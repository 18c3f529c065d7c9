// Forms that a bot opens: Discord's modals, with texts, selects and files.
import { button, freshId, make } from "./dom.js";
import { markdown } from "./markdown.js";
import { entities, select } from "./select.js";

const ROW = 1, STRING_SELECT = 3, TEXT_INPUT = 4, TEXT = 10, LABEL = 18, FILE_UPLOAD = 19;
const SELECTS = [3, 5, 6, 7, 8];
const LONG = 2;

/** Show a modal; resolves with `{components, uploads}` for the bot, or null where its user closes it. */
export function showModal(modal, client, names) {
  return new Promise((done) => {
    const fields = modal.components.map((part) => field(part, client, names));
    const title = freshId("title");
    const problem = make("p", { role: "alert", class: "problem" });
    const form = make("form", { method: "dialog", novalidate: true },
      make("h2", { id: title }, modal.title),
      ...fields.map((one) => one.element),
      problem,
      make("div", { class: "row end" },
        button("Cancel", () => dialog.close()),
        make("button", { type: "submit", class: "button primary" }, "Submit")));
    const dialog = make("dialog", { class: "modal", "aria-labelledby": title }, form);
    let sent = null;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const wrong = fields.map((one) => one.problem()).find(Boolean);
      problem.textContent = wrong?.text ?? "";
      if (wrong) return wrong.at.focus();
      const uploads = (await Promise.all(fields.map((one) => one.uploads()))).flat();
      sent = { components: fields.map((one) => one.value()), uploads };
      dialog.close();
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      done(sent);
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("input, textarea, .select")?.focus();
  });
}

/** A part of the form: its element, what is wrong with it, its value in the modal's own shape, its files. */
function field(part, client, names) {
  if (part.type === LABEL) return labelled(part, field(part.component, client, names), "component");
  if (part.type === ROW) return labelled(part.components[0], field(part.components[0], client, names), "row", part);
  if (part.type === TEXT_INPUT) return textInput(part);
  if (part.type === FILE_UPLOAD) return fileInput(part);
  if (SELECTS.includes(part.type)) return choice(part, client);
  const element = part.type === TEXT ? make("div", { class: "text" }, markdown(part.content, names)) : make("p", { class: "hint" }, `A part of type ${Number(part.type)}, which this page can't draw.`);
  return { element, problem: () => null, value: () => only(part), uploads: async () => [] };
}

const only = (part) => Object.fromEntries(["type", "id", "custom_id"].filter((name) => name in part).map((name) => [name, part[name]]));

function labelled(part, inner, shape, row) {
  const text = part.label || part.custom_id || "";
  inner.name?.(text);
  const hint = part.description ? make("p", { class: "hint", id: freshId("hint") }, part.description) : null;
  if (hint) inner.control?.setAttribute("aria-describedby", hint.id);
  const name = inner.control?.id ? make("label", { for: inner.control.id }, text) : make("p", { class: "label" }, text);
  if (inner.required) name.append(make("span", { class: "star", "aria-hidden": "true" }, " *"));
  const value = () => (shape === "row" ? { ...only(row), components: [inner.value()] } : { ...only(part), component: inner.value() });
  return { ...inner, element: make("div", { class: "field" }, name, hint, inner.element), value };
}

function textInput(part) {
  const long = part.style === LONG;
  const control = make(long ? "textarea" : "input", {
    id: freshId("field"), maxlength: part.max_length ?? 4000, placeholder: part.placeholder, rows: long ? 6 : null,
    type: long ? null : "text", "aria-required": part.required !== false, "data-custom-id": part.custom_id,
  });
  control.value = part.value ?? "";
  return {
    element: control, control, required: part.required !== false,
    problem() {
      const length = control.value.trim().length;
      if (part.required !== false && !length) return { at: control, text: `${labelOf(control)} is required.` };
      if (length && control.value.length < (part.min_length ?? 0)) return { at: control, text: `${labelOf(control)} needs ${part.min_length} characters or more.` };
      return null;
    },
    value: () => ({ ...only(part), value: control.value }),
    uploads: async () => [],
  };
}

const labelOf = (control) => control.labels?.[0]?.firstChild?.textContent ?? "This";

function fileInput(part) {
  const control = make("input", { type: "file", id: freshId("field"), multiple: (part.max_values ?? 1) > 1, "data-custom-id": part.custom_id });
  const required = part.required !== false;
  return {
    element: control, control, required,
    problem: () => (required && !control.files.length ? { at: control, text: `${labelOf(control)}: choose a file.` } : null),
    value: () => ({ ...only(part), values: [...control.files].map((one) => one.name) }),
    uploads: () => Promise.all([...control.files].map(upload)),
  };
}

/** A file as the local Discord takes it with a command or a form. */
export async function upload(file) {
  const url = await new Promise((done, failed) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => done(reader.result));
    reader.addEventListener("error", () => failed(reader.error));
    reader.readAsDataURL(file);
  });
  return { id: file.name, filename: file.name, content: url.slice(url.indexOf(",") + 1) };
}

function choice(part, client) {
  const options = part.type === STRING_SELECT ? part.options : entities(part.type, client, part.channel_types);
  let values = options.filter((option) => option.default).map((option) => option.value);
  const required = part.required !== false;
  const element = make("div");
  const draw = (label) => element.replaceChildren(select({
    label, placeholder: part.placeholder, options, min: part.min_values ?? 1, max: part.max_values ?? 1, customId: part.custom_id,
    onchoose: (chosen) => (values = chosen),
  }));
  draw("");
  return {
    element, required, name: draw,
    problem: () => (required && !values.length ? { at: element.querySelector("button"), text: "Make a choice." } : null),
    value: () => ({ ...only(part), values }),
    uploads: async () => [],
  };
}
