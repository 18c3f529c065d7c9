// Discord's markdown as elements. The parser gives a tree; nothing of a message becomes HTML.
import { parse } from "./vendor/discord-markdown-parser.js";
import { button, link, make, webAddress } from "./dom.js";
import { timeElement } from "./times.js";

const ITEM = /^( *)([-*]|\d{1,9}\.) +(.*)$/;
const WRAPPED = { strong: "strong", em: "em", underline: "u", strikethrough: "s", blockQuote: "blockquote", subtext: "small" };

/** The elements of a text; `names` knows users, roles and channels, and `go` opens a channel or command. */
export function markdown(text, names) {
  const made = document.createDocumentFragment();
  for (const block of blocks(String(text ?? ""))) {
    made.append(...(block.items ? [list(block.items, names)] : nodes(parse(block.text, "extended"), names)));
  }
  return made;
}

/** The text in pieces: lists, which the parser does not know, and what lies between them. */
function blocks(text) {
  const found = [];
  let fenced = false;
  for (const line of text.split("\n")) {
    const item = fenced ? null : ITEM.exec(line);
    const last = found.at(-1);
    if ((line.split("```").length - 1) % 2) fenced = !fenced;
    if (item) {
      const entry = { depth: Math.floor(item[1].length / 2), mark: item[2], text: item[3] };
      if (last?.items) last.items.push(entry);
      else found.push({ items: [entry] });
    } else if (last?.items && /^ {2,}\S/.test(line)) {
      last.items.at(-1).text += `\n${line.trimStart()}`;
    } else if (last && !last.items) {
      last.text += `\n${line}`;
    } else {
      found.push({ text: line });
    }
  }
  return found;
}

function list(items, names) {
  const root = listElement(items[0]);
  const open = [{ depth: items[0].depth, element: root }];
  for (const item of items) {
    while (open.length > 1 && item.depth < open.at(-1).depth) open.pop();
    if (item.depth > open.at(-1).depth) {
      const inner = listElement(item);
      (open.at(-1).element.lastElementChild ?? open.at(-1).element).append(inner);
      open.push({ depth: item.depth, element: inner });
    }
    open.at(-1).element.append(make("li", {}, ...nodes(parse(item.text, "extended"), names)));
  }
  return root;
}

function listElement(item) {
  return /\d/.test(item.mark) ? make("ol", { start: parseInt(item.mark, 10) }) : make("ul");
}

/** The elements of the parser's nodes; text in pieces is put together. */
function nodes(tree, names) {
  const made = [];
  for (const node of tree) {
    const one = element(node, names);
    if (typeof one === "string" && typeof made.at(-1) === "string") made[made.length - 1] += one;
    else made.push(one);
  }
  return made;
}

function element(node, names) {
  const inner = () => (Array.isArray(node.content) ? nodes(node.content, names) : [String(node.content ?? "")]);
  if (node.type in WRAPPED) return make(WRAPPED[node.type], {}, ...inner());
  switch (node.type) {
    case "text": return String(node.content);
    case "br":
    case "newline": return make("br");
    case "heading": return make("div", { role: "heading", "aria-level": 2, class: `heading h${node.level}` }, ...inner());
    case "inlineCode": return make("code", {}, String(node.content));
    case "codeBlock": return make("pre", { tabindex: 0 }, make("code", {}, String(node.content)));
    case "link":
    case "url":
    case "autolink": return webAddress(node.target) ? link(node.target, ...inner()) : make("span", {}, ...inner());
    case "spoiler": return spoiler(inner());
    case "user": return make("span", { class: "mention" }, names.of("@", node.id));
    case "role": return make("span", { class: "mention" }, names.of("&", node.id));
    case "channel": return channel(node.id, names);
    case "everyone":
    case "here": return make("span", { class: "mention" }, `@${node.type}`);
    case "timestamp": return timeElement(Number(node.timestamp), node.format);
    case "slashCommand": return button(`/${node.fullName}`, () => names.type(`/${node.fullName} `), { class: "mention" });
    case "emoji": return `:${node.name}:`;
    case "twemoji":
    case "emoticon": return String(node.name ?? node.content);
    default: return typeof node.content === "string" ? node.content : make("span", {}, ...inner());
  }
}

function channel(id, names) {
  if (!names.knows(id)) return make("span", { class: "mention" }, "#unknown");
  return button(names.of("#", id), () => names.go(id), { class: "mention" });
}

function spoiler(children) {
  const cover = make("button", { type: "button", class: "spoiler", "aria-label": "Spoiler; show it", "aria-expanded": "false" });
  const hidden = make("span", { class: "spoiled", hidden: true }, ...children);
  cover.addEventListener("click", () => {
    hidden.hidden = false;
    cover.remove();
  });
  return make("span", {}, cover, hidden);
}

/** A text without its marks, for labels. */
export const plain = (text) => String(text ?? "").replace(/[*_~|`#>]/g, "").replace(/\s+/g, " ").trim();
