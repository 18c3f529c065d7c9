// Live suggestions for the line that is typed: commands, their options, and values, which the bot is asked for.
import { nameOf } from "./message.js";
import { findCommand, interactionData, splitValues } from "./slash.js";

const STRING = 3, BOOLEAN = 5, USER = 6, CHANNEL = 7, ROLE = 8, MENTIONABLE = 9, ATTACHMENT = 11;
const MOST = 25;

/**
 * Suggestions for a text: `{label, description, line, picked}`.
 *
 * `line` is the whole line once it is chosen; `picked` is `[option, {text, value}]` where the text stands for
 * another value. A suggestion with `file` asks for a file instead.
 */
export async function suggest(text, known, client, channel) {
  if (text.startsWith("@") || / @\w*$/.test(text)) return people(text, client);
  if (!text.startsWith("/")) return [];
  const found = findCommand(text, known);
  if (!found || found.rest === "") return commands(text, known);
  const values = splitValues(found.rest, found.options);
  const now = values.at(-1) ?? { name: "", text: "", raw: "", start: found.rest.length };
  const option = found.options.find((one) => one.name === now.name) ?? looseOption(found, values);
  const more = others(found, values, text, now, option);
  const chosen = option ? await valuesOf(option, now, { found, values, text, client, channel }) : [];
  return [...chosen, ...more].slice(0, MOST);
}

function people(text, client) {
  const typed = /@(\w*)$/.exec(text);
  if (!typed) return [];
  return [...client.users.values()].filter((user) => nameOf(user).toLowerCase().startsWith(typed[1].toLowerCase()))
    .map((user) => ({ label: `@${nameOf(user)}`, description: user.bot ? "ask in your own words" : "", line: `${text.slice(0, typed.index)}@${nameOf(user)} ` }));
}

function commands(text, known) {
  const typed = text.slice(1).toLowerCase();
  const starts = known.filter((one) => one.text.slice(1).startsWith(typed));
  const contains = known.filter((one) => !starts.includes(one) && one.text.includes(typed));
  return [...starts, ...contains].slice(0, MOST).map((one) => ({ label: one.text, description: one.description, line: `${one.text} ${firstOption(one)}` }));
}

const firstOption = (one) => (one.options[0]?.required ? `${one.options[0].name}:` : "");

/** The option that a text without a name goes to. */
function looseOption(found, values) {
  const first = found.options[0];
  return first && first.type !== BOOLEAN && !values.some((one) => one.name === first.name) ? first : null;
}

/** The options that are not in the line yet, where a new word begins. */
function others(found, values, text, now, option) {
  const word = /(?:^|\s)([\w-]*)$/.exec(found.rest)?.[1] ?? "";
  if (!/(^|\s)[\w-]*$/.test(found.rest) || (now.name && !/\s[\w-]*$/.test(now.raw))) return [];
  const used = new Set(values.map((one) => one.name));
  const kept = text.slice(0, text.length - word.length);
  return found.options.filter((one) => !used.has(one.name) && (one !== option || now.name) && one.name.startsWith(word))
    .map((one) => ({ label: `${one.name}:`, description: `${one.description}${one.required ? "" : " (optional)"}`, line: `${kept}${one.name}:` }));
}

async function valuesOf(option, now, { found, values, text, client, channel }) {
  const start = text.length - now.raw.length + (now.raw.length - now.raw.trimStart().length);
  const place = now.name ? text.slice(0, start) : `${text.slice(0, start).trimEnd()} ${option.name}:`;
  const offer = (label, value, description = "") => {
    const shown = label.replace(/\s+/g, " ").trim();
    return { label: shown, description, line: `${place}${shown} `, picked: [option.name, { text: shown, value }] };
  };
  const typed = now.text.toLowerCase().replace(/^[@#]/, "");
  const matching = (list) => list.filter((one) => one.label.toLowerCase().includes(typed));
  if (option.choices?.length) return matching(option.choices.map((choice) => offer(String(choice.name), choice.value)));
  switch (option.type) {
    case BOOLEAN: return matching([offer("true", true), offer("false", false)]);
    case USER: return matching([...client.users.values()].map((user) => offer(`@${nameOf(user)}`, user.id)));
    case CHANNEL: return matching([...client.channels.values()].filter((one) => one.guild_id && (!option.channel_types || option.channel_types.includes(one.type))).map((one) => offer(`#${one.name}`, one.id)));
    case ROLE:
    case MENTIONABLE: return matching([...client.roles.values()].map((role) => offer(`@${role.name.replace(/^@/, "")}`, role.id)));
    case ATTACHMENT: return [{ label: "Choose a file…", description: option.description, file: option.name, place }];
  }
  if (!option.autocomplete) return [];
  const data = interactionData(found, asked(option, now, found, values));
  const choices = await client.suggestions(channel, data);
  return choices.map((choice) => offer(String(choice.name), choice.value));
}

/** The options typed so far, with the one that is being typed as the focused one. */
function asked(option, now, found, values) {
  const rest = values.filter((one) => one !== now && one.name && one.name !== option.name)
    .map((one) => ({ name: one.name, type: STRING, value: one.text }));
  return [...rest, { name: option.name, type: option.type, value: now.text, focused: true }];
}
