// One user of the local Discord: a socket for events, requests for the rest, as any client of Discord has them.

const DISPATCH = 0, HEARTBEAT = 1, IDENTIFY = 2, RESUME = 6, RECONNECT = 7, INVALID = 9, HELLO = 10;
export const DM = 1, FORUM = 15, THREADS = [11, 12], EPHEMERAL = 1 << 6, LOADING = 1 << 7;
const AGAIN_MS = 1000;
const UNKNOWN_TOKEN = 4004;

/** Discord refused a request; the message says why, as Discord does. */
export class RefusedError extends Error {}

export class Client extends EventTarget {
  constructor(person, session) {
    super();
    this.person = person;
    this.session = session;
    this.guild = null;
    this.channels = new Map();
    this.messages = new Map(); // channel id -> message id -> message
    this.users = new Map();
    this.roles = new Map();
    this.unread = new Set();
    this.loaded = new Set(); // channels whose history was asked for
    this.waiting = new Map(); // nonce -> what to do with an answer
    this.resume = null;
  }

  /** Connect, and resolve when the server with its channels has arrived. */
  async connect() {
    const ready = new Promise((done) => this.addEventListener("guild", done, { once: true }));
    this.open();
    await ready;
    const dm = await this.rest("POST", "/users/@me/channels", { recipient_id: this.session.bot.id });
    this.channels.set(dm.id, dm);
    this.commands = await this.askCommands();
  }

  open() {
    const socket = new WebSocket(`ws://${location.host}/gateway`);
    let beat = null;
    socket.addEventListener("message", ({ data }) => {
      const { op, d, s, t } = JSON.parse(data);
      if (op === HELLO) {
        beat = setInterval(() => socket.send(JSON.stringify({ op: HEARTBEAT, d: this.sequence ?? null })), d.heartbeat_interval);
        const known = this.resume && { token: this.person.token, session_id: this.resume, seq: this.sequence };
        const first = { token: this.person.token, properties: {}, intents: 0 };
        socket.send(JSON.stringify(known ? { op: RESUME, d: known } : { op: IDENTIFY, d: first }));
      } else if (op === DISPATCH) {
        this.sequence = s;
        this.heard(t, d);
      } else if (op === INVALID) {
        this.resume = null;
        socket.close();
      } else if (op === RECONNECT) {
        socket.close();
      }
    });
    socket.addEventListener("close", ({ code }) => {
      clearInterval(beat);
      if (code === UNKNOWN_TOKEN) return location.reload(); // Labmate was started again, with new tokens.
      this.tell("away");
      setTimeout(() => this.open(), AGAIN_MS);
    });
  }

  tell(kind, detail = {}) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  // -- what the gateway says -------------------------------------------------------------------

  heard(event, data) {
    switch (event) {
      case "READY":
        this.resume = data.session_id;
        this.learn(data.user);
        return;
      case "RESUMED":
        return this.tell("back");
      case "GUILD_CREATE":
        return this.meet(data);
      case "CHANNEL_CREATE":
      case "CHANNEL_UPDATE":
      case "THREAD_CREATE":
      case "THREAD_UPDATE":
        this.channels.set(data.id, data);
        return this.tell("places");
      case "CHANNEL_DELETE":
      case "THREAD_DELETE":
        this.channels.delete(data.id);
        return this.tell("places");
      case "MESSAGE_CREATE":
      case "MESSAGE_UPDATE":
        return this.take(event, data);
      case "MESSAGE_DELETE":
        this.messages.get(data.channel_id)?.delete(data.id);
        return this.tell("gone", data);
      case "MESSAGE_REACTION_ADD":
      case "MESSAGE_REACTION_REMOVE":
        return this.askAgain(data.channel_id, data.message_id);
    }
    if (data?.nonce && this.waiting.has(data.nonce)) this.waiting.get(data.nonce)(event, data);
  }

  meet(guild) {
    this.guild = guild;
    for (const { user } of guild.members) this.learn(user);
    for (const role of guild.roles) this.roles.set(role.id, role);
    for (const channel of [...guild.channels, ...guild.threads]) this.channels.set(channel.id, channel);
    this.member = guild.members.find((member) => member.user.id === this.person.id);
    this.tell("guild");
    this.tell("back");
    this.tell("places");
  }

  async take(event, message) {
    this.learn(message.author);
    for (const user of message.mentions ?? []) this.learn(user);
    if (!this.channels.has(message.channel_id)) {
      this.channels.set(message.channel_id, await this.rest("GET", `/channels/${message.channel_id}`));
      this.tell("places");
    }
    const here = this.here(message.channel_id);
    const known = here.get(message.id);
    here.set(message.id, { ...known, ...message });
    const made = message.interaction_metadata?.id;
    this.tell(known ? "changed" : "message", { ...here.get(message.id), made, isNew: event === "MESSAGE_CREATE" });
  }

  async askAgain(channel, id) {
    const message = await this.rest("GET", `/channels/${channel}/messages/${id}`);
    this.here(channel).set(id, { reactions: undefined, ...message });
    this.tell("changed", message);
  }

  learn(user) {
    this.users.set(user.id, user);
  }

  here(channel) {
    if (!this.messages.has(channel)) this.messages.set(channel, new Map());
    return this.messages.get(channel);
  }

  // -- requests ----------------------------------------------------------------------------------

  async rest(method, path, body, files = []) {
    const headers = { Authorization: this.person.token };
    let sent = body === undefined ? undefined : JSON.stringify(body);
    if (files.length) {
      const form = new FormData();
      form.set("payload_json", sent);
      files.forEach((file, place) => form.set(`files[${place}]`, file, file.name));
      sent = form;
    } else if (sent !== undefined) {
      headers["Content-Type"] = "application/json";
    }
    const answer = await fetch(`/api/v10${path}`, { method, headers, body: sent }).catch(() => {
      throw new RefusedError("The local Discord does not answer. Is it still running?");
    });
    const data = answer.status === 204 ? null : await answer.json();
    if (!answer.ok) throw new RefusedError(`${answer.status}: ${explained(data)}`);
    return data;
  }

  async askCommands() {
    const app = `/applications/${this.session.application_id}`;
    const everywhere = await this.rest("GET", `${app}/commands`);
    return [...everywhere, ...(await this.rest("GET", `${app}/guilds/${this.guild.id}/commands`))];
  }

  /** The messages of a channel, with those before this client connected. */
  async history(channel) {
    const here = this.here(channel);
    if (!this.loaded.has(channel)) {
      this.loaded.add(channel);
      for (const message of await this.rest("GET", `/channels/${channel}/messages?limit=100`)) {
        if (!here.has(message.id)) here.set(message.id, message);
        this.learn(message.author);
      }
    }
    return [...here.values()].sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
  }

  /** Start an interaction. Resolves with the event that ends it: success, failure or a modal. */
  async interact(channel, body) {
    const nonce = crypto.randomUUID();
    const place = { channel_id: channel, guild_id: this.channels.get(channel)?.guild_id ?? null };
    let remember;
    const ended = new Promise((done) => (remember = done));
    this.waiting.set(nonce, (event, data) => {
      if (event === "INTERACTION_CREATE") return;
      this.waiting.delete(nonce);
      remember({ event, data });
    });
    try {
      await this.rest("POST", "/interactions", { ...place, ...body, nonce });
    } catch (error) {
      this.waiting.delete(nonce);
      throw error;
    }
    return ended;
  }

  /** The bot's suggestions for an option; none where it is late. */
  async suggestions(channel, data) {
    const { event, data: answer } = await this.interact(channel, { type: 4, data });
    return event === "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE" ? answer.choices : [];
  }

  /** Whether this user sees a command in a channel, as Discord's client decides. */
  offers(command, channel) {
    const context = channel.guild_id ? 0 : 1;
    if (command.contexts && !command.contexts.includes(context)) return false;
    const needed = BigInt(command.default_member_permissions ?? 0);
    return !channel.guild_id || needed === 0n || (this.permissions() & needed) === needed;
  }

  permissions() {
    if (this.guild.owner_id === this.person.id) return ~0n;
    const mine = [this.guild.id, ...(this.member?.roles ?? [])].map((id) => this.roles.get(id));
    const bits = mine.reduce((sum, role) => sum | BigInt(role?.permissions ?? 0), 0n);
    return bits & 8n ? ~0n : bits;
  }
}

/** Discord's error in words: its message, and those of its tree. */
function explained(data) {
  const found = [];
  const walk = (node) => {
    if (Array.isArray(node?._errors)) found.push(...node._errors.map((error) => error.message));
    else if (node && typeof node === "object") Object.values(node).forEach(walk);
  };
  walk(data?.errors);
  return [data?.message, ...found].filter(Boolean).join(" ");
}
