// What `make vendor` bundles into discord-markdown-parser.js.
export { parse } from "discord-markdown-parser";
