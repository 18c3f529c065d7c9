// The page: who one is, which channel is open, and what is done there.
import { Client, RefusedError, THREADS } from "./client.js";
import { Composer } from "./composer.js";
import { byId } from "./dom.js";
import { drawerButtons, local } from "./drawer.js";
import { nameOf } from "./message.js";
import { showModal } from "./modal.js";
import { Room } from "./room.js";
import { drawSidebar } from "./sidebar.js";
import { themeButton } from "./theme.js";
import { setAhead } from "./times.js";

const COMMAND = 2, COMPONENT = 3, SUBMIT = 5, TEXT = 0;
const clients = new Map();
const room = new Room();
let session, client, current;

const names = {
  of(kind, id) {
    if (kind === "@") return `@${client.users.has(id) ? nameOf(client.users.get(id)) : "unknown"}`;
    if (kind === "&") return `@${(client.roles.get(id)?.name ?? "unknown").replace(/^@/, "")}`;
    return `#${client.channels.get(id)?.name ?? "unknown"}`;
  },
  knows: (id) => client.channels.has(id),
  go,
  type: (text) => composer.type(text),
};

const context = () => ({ client, names, use, command, dismiss, startThread, newPost, edit, answer: (message) => composer.answer(message) });

const composer = new Composer({
  place: () => ({ client, channel: client.channels.get(current) }),
  command: (data, uploads) => {
    room.follow();
    return command(data, uploads);
  },
  say: (text, files, answered) => {
    room.follow();
    const reference = answered ? { message_reference: { message_id: answered.id } } : {};
    return client.rest("POST", `/channels/${current}/messages`, { content: text, ...reference }, files);
  },
});

// -- going places ----------------------------------------------------------------------------------

async function go(id) {
  if (!client.channels.has(id)) return;
  if (current !== id) composer.answer(null);
  current = id;
  client.unread.delete(id);
  showPlaces(false);
  drawPlaces();
  await room.open(client.channels.get(id), context());
  if (!byId("composer").hidden) byId("line").focus();
}

function drawPlaces() {
  drawSidebar(client, session.people, current, { go, become });
}

async function become(person) {
  room.clear();
  if (!clients.has(person.id)) await connect(person);
  client = clients.get(person.id);
  const first = [...client.channels.values()].find((channel) => channel.type === TEXT);
  await go(client.channels.has(current) ? current : first.id);
  byId("who").focus();
}

async function connect(person) {
  const made = new Client(person, session);
  clients.set(person.id, made);
  const shown = () => made === client;
  const arrived = (event) => {
    const message = event.detail;
    if (shown() && message.channel_id === current) room.take(message);
    else if (event.type === "message" && message.isNew) made.unread.add(message.channel_id);
    if (shown()) drawPlaces();
  };
  made.addEventListener("message", arrived);
  made.addEventListener("changed", arrived);
  made.addEventListener("gone", ({ detail }) => shown() && room.gone(detail.id));
  made.addEventListener("places", () => {
    if (!shown() || !current) return;
    drawPlaces();
    if (made.channels.has(current)) refreshPlace();
    else go([...made.channels.values()].find((channel) => channel.type === TEXT).id);
  });
  made.addEventListener("away", () => (byId("state").textContent = "The local Discord can't be reached; trying again…"));
  made.addEventListener("back", () => (byId("state").textContent = ""));
  await made.connect();
}

/** A thread was begun on a message here, or a post in the forum that is shown. */
function refreshPlace() {
  const channel = client.channels.get(current);
  if (channel.type !== TEXT && !THREADS.includes(channel.type)) return room.open(channel, context());
  for (const message of client.here(current).values()) {
    if (client.channels.has(message.id) && !room.find(message.id)?.querySelector(".started")) room.take(message);
  }
}

// -- interactions ----------------------------------------------------------------------------------

async function command(data, uploads = []) {
  const channel = current;
  const ended = await client.interact(channel, { type: COMMAND, data, uploads });
  if (ended.event === "INTERACTION_FAILURE") room.note("The application did not respond.");
  await afterwards(ended, channel);
}

async function use(message, data) {
  room.failed(message.id, "");
  room.busy(message.id, true);
  try {
    const ended = await client.interact(message.channel_id, { type: COMPONENT, data, message_id: message.id });
    if (ended.event === "INTERACTION_FAILURE") room.failed(message.id, "This interaction failed.");
    room.busy(message.id, false);
    await afterwards(ended, message.channel_id);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    room.failed(message.id, error.message);
  } finally {
    room.busy(message.id, false);
  }
}

/** Show a form where one came, and send it. */
async function afterwards({ event, data: modal }, channel) {
  if (event !== "INTERACTION_MODAL_CREATE") return;
  const who = client;
  const filled = await showModal(modal, client, names);
  if (!filled) return;
  const data = { id: modal.id, custom_id: modal.custom_id, components: filled.components };
  try {
    const ended = await who.interact(channel, { type: SUBMIT, data, uploads: filled.uploads });
    if (ended.event === "INTERACTION_FAILURE") room.note("Something went wrong with the form. Try again.");
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    room.note(error.message);
  }
}

// -- what any client does --------------------------------------------------------------------------

function dismiss(message) {
  client.here(message.channel_id).delete(message.id);
  room.gone(message.id);
  byId("line").focus();
}

const asked = (title, ...fields) => ({
  title,
  components: fields.map(([label, custom_id, style, max_length, value]) => ({ type: 18, label, component: { type: 4, custom_id, style, max_length, value } })),
});

async function answersTo(form) {
  const filled = await showModal(form, client, names);
  return filled?.components.map((part) => part.component.value);
}

async function startThread(message) {
  const answers = await answersTo(asked("Start a thread", ["Name", "name", 1, 100, ""]));
  if (!answers) return;
  const made = await client.rest("POST", `/channels/${message.channel_id}/messages/${message.id}/threads`, { name: answers[0] });
  client.channels.set(made.id, made);
  await go(made.id);
}

async function newPost(forum) {
  const answers = await answersTo(asked("New post", ["Title", "name", 1, 100, ""], ["Text", "text", 2, 2000, ""]));
  if (!answers) return;
  const made = await client.rest("POST", `/channels/${forum.id}/threads`, { name: answers[0], message: { content: answers[1] } });
  client.channels.set(made.id, made);
  await go(made.id);
}

async function edit(message) {
  const answers = await answersTo(asked("Edit your message", ["Message", "text", 2, 2000, message.content]));
  if (answers) await client.rest("PATCH", `/channels/${message.channel_id}/messages/${message.id}`, { content: answers[0] });
}

// -- the frame -------------------------------------------------------------------------------------

function showPlaces(open) {
  document.body.classList.toggle("places", open);
  byId("menu").setAttribute("aria-expanded", open);
}

function keys(event) {
  const typing = event.target.closest("input, textarea, select, dialog");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    composer.type("/");
  } else if (event.key === "Escape" && document.body.classList.contains("places")) {
    showPlaces(false);
    byId("menu").focus();
  } else if (event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key)) {
    event.preventDefault();
    const places = [...document.querySelectorAll(".place")].map((one) => one.dataset.channel);
    const to = places.indexOf(current) + (event.key === "ArrowDown" ? 1 : -1);
    go(places[(to + places.length) % places.length]);
  }
}

async function begin() {
  byId("menu").addEventListener("click", () => showPlaces(!document.body.classList.contains("places")));
  byId("tools").append(...drawerButtons(), themeButton());
  document.addEventListener("keydown", keys);
  session = await local("session");
  local("clock").then(({ ahead }) => setAhead(ahead));
  await connect(session.people[0]);
  client = clients.get(session.people[0].id);
  await go([...client.channels.values()].find((channel) => channel.type === TEXT).id);
  document.documentElement.dataset.ready = "yes";
  performance.mark("usable");
}

begin().catch((error) => (byId("state").textContent = `The page could not start: ${error.message}`));
