// Behind the scenes: the clock, misbehaviour, and the wire.
import { button, byId, freshId, make } from "./dom.js";
import { now, setAhead } from "./times.js";

const HOUR = 3600, DAY = 24 * HOUR;
const LOOK_MS = 1000;
const MOST = 200;
const TOKEN = /[\w-]{40,}/g;
const REPLIES = "(POST /interactions/.+/callback|(POST|PATCH) /webhooks/)", POSTS = "POST /channels/\\d+/messages";
const FAULTS = [
  ["Rate limit: 429 for the bot's replies", { route: REPLIES, status: 429, retry_after: 2 }],
  ["Error 500 for the bot's replies", { route: REPLIES, status: 500 }],
  ["Done, but the answer is lost (502)", { route: REPLIES, status: 502, after: true }],
  ["Slow: replies take two seconds longer", { route: REPLIES, delay: 2 }],
  ["Error 503 for what is posted in channels", { route: POSTS, status: 503 }],
  ["Cut the bot's gateway now", { close: 1006 }],
  ["Ask the bot to reconnect (4000)", { close: 4000 }],
];

/** Ask what lies under /local. */
export async function local(path, body) {
  const sent = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(`/local/${path}`, sent);
  const data = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(data?.message ?? `Error ${answer.status}`);
  return data;
}

/** The buttons that open the drawer's panels. */
export function drawerButtons() {
  const panels = { Clock: clock, Faults: faults, Wire: wire };
  const buttons = Object.entries(panels).map(([name, panel]) =>
    button(name, () => toggle(name, panel), { class: "plain", "aria-expanded": "false", "aria-controls": "drawer", "data-panel": name }));
  let stop = () => {};

  function toggle(name, panel) {
    const drawer = byId("drawer");
    const opens = drawer.hidden || drawer.dataset.panel !== name;
    stop();
    stop = () => {};
    drawer.hidden = !opens;
    document.body.classList.toggle("drawn", opens);
    for (const one of buttons) one.setAttribute("aria-expanded", opens && one.dataset.panel === name);
    if (!opens) return drawer.replaceChildren();
    drawer.dataset.panel = name;
    const close = button("Close", () => {
      toggle(name, panel);
      buttons.find((one) => one.dataset.panel === name).focus();
    }, { class: "plain" });
    const made = panel();
    stop = made.stop ?? stop;
    drawer.replaceChildren(make("div", { class: "row" }, make("h2", {}, name), close), ...made.parts);
    drawer.querySelector("h2").tabIndex = -1;
    drawer.querySelector("h2").focus();
  }
  return buttons;
}

function clock() {
  const shown = make("p", { class: "big", id: "clock-now" });
  const said = make("p", { role: "status", class: "hint" });
  const draw = () => {
    const at = new Date(now());
    shown.textContent = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "medium" }).format(at);
  };
  const move = async (seconds, text) => {
    try {
      setAhead((await local("clock", { seconds })).ahead);
      draw();
      said.textContent = text;
    } catch (error) {
      said.textContent = error.message;
    }
  };
  const until = make("input", { type: "datetime-local", id: freshId("until") });
  const form = make("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    if (until.value) move((new Date(until.value).getTime() - now()) / 1000, "The clock was moved.");
  } }, make("label", { for: until.id }, "Or go to"), until, make("button", { type: "submit", class: "button primary" }, "Go"));
  const step = (text, seconds) => button(text, () => move(seconds, `The clock was moved: ${text}.`));
  draw();
  const timer = setInterval(draw, LOOK_MS);
  return {
    stop: () => clearInterval(timer),
    parts: [
      make("p", {}, "Labmate's clock, and this Discord's:"), shown,
      make("div", { class: "row" }, step("+1 minute", 60), step("+1 hour", HOUR), step("+1 day", DAY), step("+1 week", 7 * DAY)),
      form, said,
      make("p", { class: "hint" }, "Whatever is due by then happens now, such as a digest. The clock never goes back; a restart of Labmate sets it right."),
    ],
  };
}

function faults() {
  const kind = make("select", { id: freshId("fault") }, ...FAULTS.map(([text], place) => make("option", { value: place }, text)));
  const times = make("input", { type: "number", id: freshId("times"), min: 1, max: 100, value: 1 });
  const said = make("p", { role: "status", class: "hint" });
  const planned = make("ul");
  const draw = async () => {
    const left = await local("faults");
    planned.replaceChildren(...left.map((fault) => make("li", {}, `${fault.status ?? fault.close ?? "slow"} · ${fault.times} more · `, make("code", {}, fault.route ?? "gateway"))));
  };
  const send = async (list, text) => {
    try {
      await local("faults", list);
      said.textContent = text;
    } catch (error) {
      said.textContent = error.message;
    }
    await draw();
  };
  const form = make("form", { class: "stack", onsubmit: async (event) => {
    event.preventDefault();
    const [text, fault] = FAULTS[Number(kind.value)];
    const left = (await local("faults")).filter((one) => one.times > 0);
    await send([...left, { ...fault, times: Number(times.value) || 1 }], `Switched on: ${text}`);
  } }, make("label", { for: kind.id }, "What goes wrong"), kind, make("label", { for: times.id }, "How many times"), times,
  make("button", { type: "submit", class: "button danger" }, "Switch on"));
  draw();
  const timer = setInterval(draw, LOOK_MS);
  return {
    stop: () => clearInterval(timer),
    parts: [make("p", {}, "Discord sometimes fails. See what Labmate does then."), form, button("End all faults", () => send([], "Everything works again.")), said, make("h3", {}, "Still to come"), planned],
  };
}

function wire() {
  const list = make("ol", { class: "wire", "aria-label": "Requests and events, newest first" });
  let last = 0;
  const look = async () => {
    for (const entry of await local(`wire?after=${last}`)) {
      last = entry.n;
      list.prepend(exchange(entry));
    }
    while (list.children.length > MOST) list.lastElementChild.remove();
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return {
    stop: () => clearInterval(timer),
    parts: [make("p", {}, "Each request with its answer, and each event sent to the bot, newest first."), list],
  };
}

function exchange(entry) {
  const what = entry.event ? [`→ ${entry.who} `, make("strong", {}, entry.event)] : [`${entry.who} `, make("strong", {}, entry.method), ` ${entry.path.replace(TOKEN, "…")}`];
  const status = entry.event ? null : make("span", { class: entry.status >= 400 ? "status bad" : "status" }, ` ${entry.status} · ${Math.round(entry.ms)} ms`);
  const summary = make("summary", {}, ...what, status);
  const whole = make("details", { ontoggle: () => {
    if (!whole.open || whole.children.length > 1) return;
    if (entry.request) whole.append(make("p", { class: "hint" }, "Request"), make("pre", { tabindex: 0 }, entry.request));
    if (entry.answer) whole.append(make("p", { class: "hint" }, entry.event ? "Event" : "Answer"), make("pre", { tabindex: 0 }, entry.answer));
  } }, summary);
  return make("li", {}, whole);
}
