// A message as Discord shows it: who, when, what it answers, its text, components and files.
import { attachment, components, embed } from "./components.js";
import { button, make } from "./dom.js";
import { markdown, plain } from "./markdown.js";
import { menu } from "./menu.js";
import { EPHEMERAL, LOADING } from "./client.js";
import { stamp } from "./times.js";

const PINNED = 6;
const EXCERPT = 90;

/** The element of a message; `context` has the client, names, and what can be done with it. */
export function messageElement(message, context) {
  const { client } = context;
  const author = nameOf(message.author);
  const isBot = Boolean(message.author.bot);
  const hidden = message.flags & EPHEMERAL;
  const by = `by-${message.id}`;
  return make("article", { class: `message ${hidden ? "private" : ""}`, id: `message-${message.id}`, "aria-labelledby": by },
    avatar(message.author),
    make("div", { class: "body" },
      above(message, context),
      make("p", { class: "by", id: by },
        make("strong", { class: isBot ? "app" : "" }, author),
        isBot ? make("span", { class: "tag" }, "APP") : null,
        stamp(message.timestamp),
        message.edited_timestamp && !isBot ? make("span", { class: "hint" }, "(edited)") : null),
      content(message, context),
      reactions(message, client),
      thread(message, context),
      hidden ? make("p", { class: "hint only" }, "Only you can see this · ", button("Dismiss", () => context.dismiss(message), { class: "plain" })) : null,
      make("p", { class: "failed", role: "alert" })),
    message.flags & LOADING ? null : menu(`More for this message by ${author}`, "⋯", () => entries(message, context)));
}

export const nameOf = (user) => user.global_name || (user.bot ? user.username.replace(/^./, (first) => first.toUpperCase()) : user.username);

/** A round picture with a letter: this Discord's users have no other. */
export function avatar(user) {
  return make("span", { class: `avatar ${user.bot ? "bot" : `tone${Number(BigInt(user.id) % 4n)}`}`, "aria-hidden": "true" }, nameOf(user).slice(0, 1).toUpperCase());
}

function above(message, { names }) {
  const used = message.interaction;
  if (used) {
    return make("p", { class: "above" }, `${nameOf(used.user)} used `, make("span", { class: "mention" }, `/${used.name}`));
  }
  if (message.type === 19) {
    const to = message.referenced_message;
    if (!to) return make("p", { class: "above" }, "replies to a deleted message");
    const text = plain(to.content.replace(/<@(\d+)>/g, (_, id) => names.of("@", id))) || "a card";
    return make("p", { class: "above" }, `replies to ${nameOf(to.author)}: ${text.slice(0, EXCERPT)}${text.length > EXCERPT ? "…" : ""}`);
  }
  return null;
}

function content(message, context) {
  if (message.flags & LOADING) {
    return make("p", { class: "thinking" }, make("span", { class: "dots", "aria-hidden": "true" }), `${nameOf(message.author)} is thinking…`);
  }
  const use = (data) => context.use(message, data);
  return make("div", { class: "content" },
    message.type === PINNED ? make("p", { class: "hint" }, "pinned a message to this channel.") : null,
    message.content ? make("div", { class: "text" }, markdown(message.content, context.names)) : null,
    ...(message.attachments ?? []).map(attachment),
    ...(message.embeds ?? []).map((one) => embed(one, context.names)),
    ...components(message.components ?? [], { ...context, use }));
}

function reactions(message, client) {
  if (!message.reactions?.length) return null;
  return make("div", { class: "row" }, ...message.reactions.map(({ emoji, count, me }) =>
    button(`${emoji.name} ${count}`, () => react(message, client, emoji.name, me), { class: "button secondary small", "aria-pressed": Boolean(me) })));
}

function react(message, client, emoji, off) {
  const path = `/channels/${message.channel_id}/messages/${message.id}/reactions/${encodeURIComponent(emoji)}/@me`;
  return client.rest(off ? "DELETE" : "PUT", path);
}

function thread(message, { client, names }) {
  const started = client.channels.get(message.id);
  return started ? make("p", { class: "started" }, button(`Thread: ${started.name}`, () => names.go(started.id))) : null;
}

/** What can be done with a message: the application's menu commands, and what any client offers. */
function entries(message, context) {
  const { client, channel } = context;
  const offered = client.commands.filter((command) => client.offers(command, channel));
  const menuOf = (kind, target) => offered.filter((command) => command.type === kind)
    .map((command) => [`Apps: ${command.name}`, () => context.command({ id: command.id, name: command.name, type: kind, target_id: target })]);
  const mine = message.author.id === client.person.id;
  const place = `/channels/${message.channel_id}/messages/${message.id}`;
  const canThread = channel.type === 0 && !(message.flags & EPHEMERAL) && !client.channels.has(message.id);
  return [
    ...menuOf(3, message.id),
    ...menuOf(2, message.author.id).map(([text, action]) => [`${text} (${nameOf(message.author)})`, action]),
    message.flags & EPHEMERAL ? null : ["Reply", () => context.answer(message)],
    ["React 👍", () => react(message, client, "👍", false)],
    canThread ? ["Start a thread", () => context.startThread(message)] : null,
    mine ? ["Edit", () => context.edit(message)] : null,
    mine ? ["Delete", () => client.rest("DELETE", place)] : null,
  ].filter(Boolean);
}
