// The line where messages and commands are typed, with its suggestions and files.
import { bytes, button, byId, freshId, make } from "./dom.js";
import { suggest } from "./completion.js";
import { upload } from "./modal.js";
import { nameOf } from "./message.js";
import { findCommand, parse, typeable, TypingError } from "./slash.js";
import { RefusedError } from "./client.js";

const PAUSE_MS = 120;

/** The composer; `place()` gives `{client, channel}`, `command(data, uploads)` and `say(text, files)` send. */
export class Composer {
  constructor({ place, command, say }) {
    Object.assign(this, { place, command, say });
    this.line = byId("line");
    this.list = byId("suggestions");
    this.attach = byId("upload");
    this.picked = new Map();
    this.files = [];
    this.answered = null;
    this.offered = [];
    this.at = -1;
    this.round = 0;
    this.past = [];
    this.line.addEventListener("input", () => this.think());
    this.line.addEventListener("keydown", (event) => this.key(event));
    this.line.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => this.accept([...this.list.children].indexOf(event.target.closest("[role=option]"))));
    this.attach.addEventListener("change", () => this.chosen());
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  known() {
    const { client, channel } = this.place();
    return typeable(client.commands.filter((command) => client.offers(command, channel)));
  }

  /** Put a text into the line, as a click on a command does. */
  type(text) {
    this.line.value = text;
    this.line.focus();
    this.think();
  }

  think() {
    clearTimeout(this.timer);
    this.tell("");
    const round = ++this.round;
    this.timer = setTimeout(async () => {
      const { client, channel } = this.place();
      const text = this.line.value;
      const offered = await suggest(text, this.known(), client, channel.id).catch(() => []);
      if (round === this.round && document.activeElement === this.line) this.show(offered, text);
    }, PAUSE_MS);
  }

  show(offered, text) {
    this.offered = offered;
    const whole = findCommand(text, this.known());
    const typesName = text.startsWith("/") && (!whole || (whole.rest === "" && whole.options[0]?.required));
    this.list.replaceChildren(...offered.map((one) => make("div", { role: "option", id: freshId("suggestion"), class: "option", "aria-selected": "false" },
      make("span", { class: "label" }, one.label), one.description ? make("span", { class: "description" }, one.description) : null)));
    this.list.hidden = !offered.length;
    this.line.setAttribute("aria-expanded", Boolean(offered.length));
    this.mark(offered.length && typesName ? 0 : -1);
  }

  mark(at) {
    this.at = at;
    [...this.list.children].forEach((row, place) => row.setAttribute("aria-selected", place === at));
    const row = this.list.children[at];
    if (row) this.line.setAttribute("aria-activedescendant", row.id);
    else this.line.removeAttribute("aria-activedescendant");
    row?.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.round++;
    this.show([], "");
  }

  accept(place) {
    const one = this.offered[place];
    if (!one) return;
    if (one.file) {
      this.fileFor = one;
      this.attach.click();
      return;
    }
    if (one.picked) this.picked.set(...one.picked);
    this.line.value = one.line;
    this.think();
  }

  key(event) {
    const count = this.offered.length;
    if (event.key === "ArrowDown" && count) this.mark((this.at + 1) % count);
    else if (event.key === "ArrowUp" && count) this.mark((this.at - 1 + count) % count);
    else if (event.key === "ArrowUp" && !this.line.value && this.past.length) this.type(this.past.at(-1));
    else if (event.key === "Tab" && !event.shiftKey && count) this.accept(Math.max(this.at, 0));
    else if (event.key === "Enter" && this.at >= 0) this.accept(this.at);
    else if (event.key === "Escape" && count) this.close();
    else return;
    event.preventDefault();
  }

  chosen() {
    const files = [...this.attach.files];
    this.attach.value = "";
    const { fileFor } = this;
    this.fileFor = null;
    if (fileFor && files[0]) {
      this.picked.set(fileFor.file, { text: files[0].name, value: files[0].name, file: files[0] });
      this.type(`${fileFor.place}${files[0].name} `);
      return;
    }
    this.files.push(...files);
    this.drawFiles();
  }

  /** Let the next message answer one of the channel. */
  answer(message) {
    this.answered = message;
    this.drawFiles();
    this.line.focus();
  }

  drawFiles() {
    const answered = this.answered && make("p", { class: "file" }, `Replying to ${nameOf(this.answered.author)} `,
      button("Cancel", () => this.answer(null), { class: "plain", "aria-label": "Cancel the reply" }));
    byId("files").replaceChildren(...(answered ? [answered] : []), ...this.files.map((file) => make("p", { class: "file" }, `${file.name} `, make("span", { class: "hint" }, bytes(file.size)), " ",
      button("Remove", () => {
        this.files = this.files.filter((one) => one !== file);
        this.drawFiles();
      }, { class: "plain", "aria-label": `Remove ${file.name}` }))));
  }

  tell(text) {
    byId("problem").textContent = text;
  }

  async submit() {
    const text = this.line.value.trim();
    if (!text && !this.files.length) return;
    clearTimeout(this.timer);
    this.close();
    this.tell("");
    try {
      if (text.startsWith("/")) {
        const { data, files } = parse(text, this.known(), this.picked);
        const uploads = await Promise.all(files.map(upload));
        this.done(text);
        await this.command(data, uploads);
      } else {
        const files = this.files;
        const { client } = this.place();
        const answered = this.answered;
        this.files = [];
        this.answered = null;
        this.done(text);
        await this.say(withMentions(text, client), files, answered);
      }
    } catch (error) {
      if (!(error instanceof TypingError || error instanceof RefusedError)) throw error;
      this.tell(error.message);
      if (!this.line.value) this.line.value = text;
    }
  }

  done(text) {
    this.past.push(text);
    this.line.value = "";
    this.picked = new Map();
    this.drawFiles();
  }
}

/** A text whose `@Labmate` and `#general` are mentions, as Discord's client sends them. */
function withMentions(text, client) {
  const users = [...client.users.values()].map((user) => [`@${nameOf(user)}`, `<@${user.id}>`]);
  const channels = [...client.channels.values()].filter((one) => one.name).map((one) => [`#${one.name}`, `<#${one.id}>`]);
  const known = [...users, ...channels].sort((one, other) => other[0].length - one[0].length);
  for (const [shown, sent] of known) {
    const at = text.toLowerCase().indexOf(shown.toLowerCase());
    if (at >= 0 && !/\w/.test(text[at + shown.length] ?? "")) text = text.slice(0, at) + sent + text.slice(at + shown.length);
  }
  return text;
}
