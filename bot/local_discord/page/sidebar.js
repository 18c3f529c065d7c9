// The places to go: channels with their threads, posts, direct messages; and who one is.
import { DM, FORUM, THREADS } from "./client.js";
import { byId, make } from "./dom.js";
import { avatar, nameOf } from "./message.js";

/** Draw the places of a user; `go(id)` opens one, `become(person)` switches users. */
export function drawSidebar(client, people, current, { go, become }) {
  const all = [...client.channels.values()];
  const threads = all.filter((channel) => THREADS.includes(channel.type) && !channel.thread_metadata?.archived);
  const guild = all.filter((channel) => channel.guild_id && !THREADS.includes(channel.type))
    .sort((one, other) => (one.position ?? 0) - (other.position ?? 0));
  byId("server").textContent = client.guild.name;
  byId("channels").replaceChildren(
    group("Channels", guild.flatMap((channel) => [
      place(channel, client, current, go),
      ...threads.filter((thread) => thread.parent_id === channel.id).map((thread) => place(thread, client, current, go)),
    ])),
    group("Direct messages", all.filter((channel) => channel.type === DM).map((channel) => place(channel, client, current, go))));
  byId("me").replaceChildren(who(client, people, become));
}

function group(title, rows) {
  return make("section", { "aria-label": title }, make("p", { class: "group", "aria-hidden": "true" }, title), make("ul", {}, ...rows));
}

/** A channel's name as it is shown. */
export function titleOf(channel) {
  if (channel.type === DM) return channel.recipients?.map(nameOf).join(", ") || "Direct message";
  return channel.name;
}

function place(channel, client, current, go) {
  const isThread = THREADS.includes(channel.type);
  const unread = client.unread.has(channel.id);
  const sign = channel.type === DM ? avatar(channel.recipients?.[0] ?? client.session.bot) : make("span", { class: "sign", "aria-hidden": "true" }, channel.type === FORUM ? "▤" : isThread ? "↳" : "#");
  return make("li", { class: isThread ? "thread" : "" },
    make("button", { type: "button", class: "place", "data-channel": channel.id, "aria-current": channel.id === current ? "page" : null, onclick: () => go(channel.id) },
      sign, make("span", { class: "name" }, titleOf(channel)), unread ? make("span", { class: "unread" }, make("span", { class: "unseen" }, "unread")) : null));
}

function who(client, people, become) {
  const chooser = make("select", { id: "who", onchange: () => become(people.find((person) => person.id === chooser.value)) },
    ...people.map((person) => make("option", { value: person.id, selected: person.id === client.person.id }, person.name)));
  return make("div", { class: "who" }, avatar(client.users.get(client.person.id)), make("label", { for: "who" }, "You are"), chooser);
}
