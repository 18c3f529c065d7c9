// The channel that is shown: its messages as they come, change and go, or a forum's posts.
import { FORUM, THREADS } from "./client.js";
import { button, byId, make } from "./dom.js";
import { messageElement } from "./message.js";
import { titleOf } from "./sidebar.js";
import { stamp } from "./times.js";

const NEAR = 80;

export class Room {
  constructor() {
    this.log = byId("log");
    this.list = make("div", { class: "list" });
    this.log.append(this.list);
    this.stuck = true;
    this.round = 0;
    let before = 0;
    this.log.addEventListener("scroll", () => {
      const { scrollTop, scrollHeight, clientHeight } = this.log;
      // What grew is no reason to stay behind; only a person scrolls up.
      if (scrollTop < before - 2) this.stuck = false;
      if (scrollHeight - scrollTop - clientHeight < NEAR) this.stuck = true;
      before = scrollTop;
    }, { passive: true });
    const sizes = new ResizeObserver(() => this.stuck && this.toEnd());
    sizes.observe(this.list);
    sizes.observe(this.log);
  }

  /** Follow what comes, as after something that one has sent. */
  follow() {
    this.stuck = true;
    this.toEnd();
  }

  toEnd() {
    this.log.scrollTop = this.log.scrollHeight;
  }

  /** Show a channel; `context` is what messages need. */
  async open(channel, context) {
    const round = ++this.round;
    this.channel = channel;
    this.context = context;
    byId("title").textContent = titleOf(channel);
    byId("topic").textContent = channel.topic ?? (THREADS.includes(channel.type) ? "Thread" : "");
    document.title = `${titleOf(channel)} · Try Labmate`;
    byId("composer").hidden = channel.type === FORUM;
    byId("line").placeholder = `Message ${titleOf(channel)}, or / for commands`;
    if (channel.type === FORUM) return this.forum();
    const messages = await context.client.history(channel.id);
    if (round !== this.round) return;
    this.list.replaceChildren(...(messages.length ? [] : [welcome(channel)]), ...messages.map((one) => this.element(one)));
    this.follow();
  }

  element(message) {
    const made = messageElement(message, { ...this.context, channel: this.channel });
    made.dataset.id = message.id;
    return made;
  }

  find(id) {
    return [...this.list.children].find((one) => one.dataset.id === id);
  }

  /** A new or a changed message. */
  take(message) {
    if (message.channel_id !== this.channel?.id || this.channel.type === FORUM) return;
    this.list.querySelector(".welcome")?.remove();
    const before = this.find(message.id);
    const made = this.element(message);
    if (!before) {
      const next = [...this.list.children].find((one) => one.dataset.id && BigInt(one.dataset.id) > BigInt(message.id));
      this.list.insertBefore(made, next ?? null);
      return;
    }
    const focused = before.contains(document.activeElement) ? document.activeElement : null;
    const wanted = focused?.closest(".selecting")?.querySelector(".select")?.dataset.customId ?? focused?.dataset.customId;
    before.replaceWith(made);
    if (focused) {
      const again = [...made.querySelectorAll("[data-custom-id]")];
      const target = again.find((one) => one.dataset.customId === wanted && !one.disabled) ?? again.find((one) => !one.disabled);
      if (target) target.focus();
      else this.log.focus();
    }
  }

  /** Show nothing, since what one user sees is not for the next. */
  clear() {
    this.round++;
    this.channel = null;
    this.list.replaceChildren();
  }

  gone(id) {
    this.find(id)?.remove();
  }

  /** Say something of a message's interaction, such as that it failed. */
  failed(id, text) {
    const place = this.find(id)?.querySelector(".failed");
    if (place) place.textContent = text;
  }

  busy(id, is) {
    this.find(id)?.setAttribute("aria-busy", is);
  }

  /** A line between messages that only this page shows. */
  note(text) {
    const made = make("p", { class: "note" }, text, " ", button("Dismiss", () => made.remove(), { class: "plain" }));
    this.list.append(made);
    this.follow();
  }

  forum() {
    const { client, names, newPost } = this.context;
    const posts = [...client.channels.values()].filter((one) => one.parent_id === this.channel.id);
    this.list.replaceChildren(
      make("div", { class: "row" }, button("New post", () => newPost(this.channel), { class: "button primary" })),
      ...(posts.length ? [] : [make("p", { class: "hint" }, "There are no posts yet.")]),
      ...posts.reverse().map((post) => make("article", { class: "post" },
        button(post.name, () => names.go(post.id), { class: "plain title" }),
        make("p", { class: "hint" }, `${post.message_count ?? 0} messages · `, post.thread_metadata ? stamp(post.thread_metadata.create_timestamp) : null))));
    this.log.scrollTop = 0;
  }
}

function welcome(channel) {
  return make("div", { class: "welcome" },
    make("p", { class: "heading h2" }, `This is ${titleOf(channel)}.`),
    make("p", {}, "Type / for Labmate's commands, such as /papers, /similar or /search, or @Labmate and a question."));
}
