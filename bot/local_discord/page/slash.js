// Slash commands as people type them: `/papers author:ChonLam Lao sort:oldest`.

const SUB_COMMAND = 1, GROUP = 2, INTEGER = 4, BOOLEAN = 5, USER = 6, MENTIONABLE = 9, NUMBER = 10, ATTACHMENT = 11;

/** The text is no valid command; the message says what to type. */
export class TypingError extends Error {}

/** Every command that can be typed, subcommands by their whole path: `{path, command, options, description}`. */
export function typeable(commands) {
  const found = [];
  const walk = (command, path, entry) => {
    const options = entry.options ?? [];
    const inner = options.filter((option) => option.type === SUB_COMMAND || option.type === GROUP);
    if (inner.length) inner.forEach((option) => walk(command, [...path, option.name], option));
    else found.push({ path, command, options, description: entry.description, text: `/${path.join(" ")}` });
  };
  commands.filter((command) => (command.type ?? 1) === 1).forEach((command) => walk(command, [command.name], command));
  return found.sort((one, other) => one.text.localeCompare(other.text));
}

/** The command at the start of a text, with the text of its options; null where there is none yet. */
export function findCommand(text, known) {
  const matching = known.filter((one) => text === one.text || text.startsWith(`${one.text} `));
  const found = matching.sort((one, other) => other.text.length - one.text.length)[0];
  return found ? { ...found, rest: text.slice(found.text.length) } : null;
}

/** `" a b sort:oldest"` as `[{name: "", text: "a b"}, {name: "sort", text: "oldest"}]`, in the order typed. */
export function splitValues(text, options) {
  const names = options.map((option) => option.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = [{ name: "", text: "", start: 0 }];
  if (names.length) {
    for (const label of text.matchAll(new RegExp(`(?:^|(?<=\\s))(${names.join("|")}):\\s?`, "g"))) {
      if (found.some((one) => one.name === label[1])) continue;
      found.at(-1).text = text.slice(found.at(-1).start, label.index);
      found.push({ name: label[1], start: label.index + label[0].length });
    }
  }
  found.at(-1).text = text.slice(found.at(-1).start);
  return found.map((one) => ({ ...one, text: one.text.trim(), raw: one.text })).filter((one) => one.name || one.text);
}

/**
 * A command that was typed whole, as the `data` of its interaction and the files that go with it.
 *
 * `picked` knows the values behind texts that were chosen from suggestions: option name -> `{text, value, file}`.
 */
export function parse(text, known, picked) {
  const found = findCommand(text.trim(), known);
  if (!found) throw new TypingError(whatThereIs(text.trim(), known));
  const values = splitValues(found.rest, found.options);
  const loose = values.find((one) => !one.name);
  if (loose) {
    const first = found.options[0];
    if (!first || first.type === BOOLEAN) throw new TypingError(`${found.text} takes no text. Type: ${usage(found)}`);
    if (values.some((one) => one.name === first.name)) throw new TypingError(`“${loose.text}” does not belong to an option. Type: ${usage(found)}`);
    loose.name = first.name;
  }
  const missing = found.options.filter((option) => option.required && !values.some((one) => one.name === option.name && one.text));
  if (missing.length) throw new TypingError(`${missing.map((option) => option.name).join(", ")} ${missing.length > 1 ? "are" : "is"} missing. Type: ${usage(found)}`);
  const given = values.filter((one) => one.text);
  const options = given.map((one) => typedValue(found.options.find((option) => option.name === one.name), one.text, picked.get(one.name)));
  const files = given.map((one) => picked.get(one.name)).filter((one) => one?.file);
  return { data: interactionData(found, options), files: files.map((one) => one.file) };
}

function whatThereIs(text, known) {
  const first = text.split(/\s/)[0];
  const below = known.filter((one) => one.text.startsWith(`${first} `)).map((one) => one.text.slice(first.length + 1));
  return below.length ? `${first} needs one of: ${below.join(", ")}` : `There is no command ${first}. Type / to see them all.`;
}

/** The `data` of an interaction with these options, below the subcommands that they belong to. */
export function interactionData({ command, path }, options) {
  let made = options;
  for (let level = path.length - 1; level > 0; level--) {
    made = [{ name: path[level], type: level === path.length - 1 ? SUB_COMMAND : GROUP, options: made }];
  }
  return { id: command.id, name: command.name, type: 1, options: made };
}

export function usage(found) {
  return [found.text, ...found.options.map((option) => (option.required ? `${option.name}:…` : `[${option.name}:…]`))].join(" ");
}

function typedValue(option, text, picked) {
  return { name: option.name, type: option.type, value: picked?.text === text ? picked.value : converted(option, text) };
}

function converted(option, text) {
  const { name, type, choices } = option;
  if (choices?.length) {
    const chosen = choices.find((choice) => [choice.name, choice.value].some((one) => String(one).toLowerCase() === text.toLowerCase()));
    if (!chosen) throw new TypingError(`${name} must be one of: ${choices.map((choice) => choice.name).join(", ")}`);
    return chosen.value;
  }
  if (type === BOOLEAN) {
    if (!/^(true|false|yes|no)$/i.test(text)) throw new TypingError(`${name} must be true or false`);
    return /^(true|yes)$/i.test(text);
  }
  if (type === INTEGER || type === NUMBER) return number(option, text);
  if (type === ATTACHMENT) throw new TypingError(`${name} takes a file: choose it from the suggestions`);
  if (type >= USER && type <= MENTIONABLE) {
    const id = text.replace(/\D/g, "");
    if (!id) throw new TypingError(`${name}: choose from the suggestions`);
    return id;
  }
  const least = option.min_length ?? 0, most = option.max_length ?? 6000;
  if (text.length < least || text.length > most) throw new TypingError(`${name} must have ${least} to ${most} characters`);
  return text;
}

function number(option, text) {
  const value = Number(text);
  const { name, min_value: least, max_value: most } = option;
  if (!Number.isFinite(value) || (option.type === INTEGER && !Number.isInteger(value))) throw new TypingError(`${name} must be a number`);
  if ((least ?? value) > value || (most ?? value) < value) throw new TypingError(`${name} must be from ${least ?? "−∞"} to ${most ?? "∞"}`);
  return value;
}
