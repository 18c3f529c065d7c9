// Times as Discord shows them, on the clock of the local Discord, which can be moved ahead.
import { make } from "./dom.js";

let ahead = 0;

/** How many seconds the local Discord's clock is ahead of this machine's. */
export function setAhead(seconds) {
  ahead = seconds;
  refreshTimes();
}

export const now = () => Date.now() + ahead * 1000;

const FORMATS = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
  s: { dateStyle: "short", timeStyle: "short" },
  S: { dateStyle: "short", timeStyle: "medium" },
};
const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];

/** A timestamp of a message: `<t:1700000000:R>`. */
export function timeElement(seconds, style) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return make("span", {}, `<t:${seconds}>`);
  const made = make("time", { datetime: date.toISOString(), title: shown(date, "F"), "data-style": style || "f" });
  made.textContent = shown(date, style || "f");
  return made;
}

function shown(date, style) {
  if (style !== "R") return new Intl.DateTimeFormat("en", FORMATS[style] ?? FORMATS.f).format(date);
  const seconds = Math.round((date.getTime() - now()) / 1000);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS.at(-1);
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

/** The time of a message: the hour today, else also the day. */
export function stamp(iso) {
  const date = new Date(iso);
  const today = new Date(now()).toDateString() === date.toDateString();
  const made = make("time", { datetime: iso, title: shown(date, "F"), class: "stamp" });
  made.textContent = today ? shown(date, "t") : shown(date, "s");
  return made;
}

export function refreshTimes() {
  for (const time of document.querySelectorAll('time[data-style="R"]')) {
    time.textContent = shown(new Date(time.dateTime), "R");
  }
}

setInterval(refreshTimes, 15_000);
