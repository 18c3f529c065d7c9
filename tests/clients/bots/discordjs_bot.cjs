// A bot of discord.js with one of everything. Its first argument is the folder that the library is installed in.
const { createRequire } = require("node:module");
const path = require("node:path");

const library = createRequire(path.join(process.argv[2], "package.json"));
const d = library("discord.js");
const Type = d.ApplicationCommandOptionType;

const client = new d.Client({
  rest: { api: process.env.DISCORD_API },
  intents: [
    d.GatewayIntentBits.Guilds,
    d.GatewayIntentBits.GuildMessages,
    d.GatewayIntentBits.GuildMessageReactions,
    d.GatewayIntentBits.DirectMessages,
  ],
});

const option = (name, type, more = {}) => ({ name, type, description: name, required: true, ...more });
const slash = (name, options = []) => ({ name, description: name, options });
const commands = [
  slash("every", [
    option("text", Type.String), option("whole", Type.Integer), option("number", Type.Number),
    option("yes", Type.Boolean), option("user", Type.User), option("channel", Type.Channel),
    option("role", Type.Role), option("mentionable", Type.Mentionable), option("file", Type.Attachment),
  ]),
  slash("group", [{
    name: "inner", description: "inner", type: Type.Subcommand,
    options: [option("choice", Type.Integer, { min_value: 1, max_value: 3 })],
  }]),
  slash("suggest", [option("word", Type.String, { autocomplete: true })]),
  slash("do", [option("what", Type.String), option("argument", Type.String)]),
  ...["buttons", "selects", "form", "formbutton", "secret", "later", "more", "layout"].map((name) => slash(name)),
  { name: "Greet", type: d.ApplicationCommandType.User },
  { name: "Count", type: d.ApplicationCommandType.Message },
];

const row = (...parts) => new d.ActionRowBuilder().addComponents(...parts);
const button = (customId, label) =>
  new d.ButtonBuilder().setCustomId(customId).setLabel(label).setStyle(d.ButtonStyle.Primary);
const form = () => new d.ModalBuilder().setCustomId("form").setTitle("A form").addLabelComponents(
  new d.LabelBuilder().setLabel("Name").setTextInputComponent(
    new d.TextInputBuilder().setCustomId("name").setStyle(d.TextInputStyle.Short)));

const handlers = {
  async every(i) {
    const o = i.options;
    const seen = [
      o.getString("text"), o.getInteger("whole"), o.getNumber("number"), o.getBoolean("yes"),
      o.getUser("user").username, o.getChannel("channel").name, o.getRole("role").name,
      o.getMentionable("mentionable").name, o.getAttachment("file").name,
    ];
    await i.reply(JSON.stringify(seen));
  },
  group: (i) => i.reply(`${i.options.getSubcommand()} ${i.options.getInteger("choice")}`),
  suggest: (i) => i.reply(`you chose ${i.options.getString("word")}`),
  buttons: (i) => i.reply({ content: "press", components: [row(button("press", "Press me"))] }),
  selects: (i) => i.reply({
    content: "choose",
    components: [
      row(new d.StringSelectMenuBuilder().setCustomId("string")
        .addOptions(["a", "b", "c"].map((value) => ({ label: value, value })))),
      row(new d.UserSelectMenuBuilder().setCustomId("user")),
      row(new d.RoleSelectMenuBuilder().setCustomId("role")),
      row(new d.MentionableSelectMenuBuilder().setCustomId("mentionable")),
      row(new d.ChannelSelectMenuBuilder().setCustomId("channel")),
    ],
  }),
  form: (i) => i.showModal(form()),
  formbutton: (i) => i.reply({ content: "a form", components: [row(button("open", "Open"))] }),
  secret: (i) => i.reply({ content: "only for you", flags: d.MessageFlags.Ephemeral }),
  async later(i) {
    await i.deferReply();
    const file = new d.AttachmentBuilder(Buffer.from("a report"), { name: "report.txt" });
    await i.editReply({ content: "done", files: [file] });
  },
  async more(i) {
    await i.reply("reply");
    const one = await i.followUp("one");
    const two = await i.followUp("two");
    await i.editReply({ message: one, content: "one, edited" });
    await i.deleteReply(two);
  },
  layout: (i) => i.reply({
    flags: d.MessageFlags.IsComponentsV2,
    components: [new d.ContainerBuilder()
      .addTextDisplayComponents(new d.TextDisplayBuilder().setContent("# A title"))
      .addSectionComponents(new d.SectionBuilder()
        .addTextDisplayComponents(new d.TextDisplayBuilder().setContent("beside a picture"))
        .setThumbnailAccessory(new d.ThumbnailBuilder().setURL("https://example.org/p.png")))
      .addMediaGalleryComponents(new d.MediaGalleryBuilder()
        .addItems(new d.MediaGalleryItemBuilder().setURL("https://example.org/p.png")))
      .addSeparatorComponents(new d.SeparatorBuilder())
      .addActionRowComponents(row(button("laid", "Laid out")))],
  }),
  Greet: (i) => i.reply(`hello ${i.targetUser.username}`),
  Count: (i) => i.reply(`${i.targetMessage.content.length} characters`),
  async do(i) {
    await i.deferReply();
    const what = i.options.getString("what");
    let said;
    try {
      said = `ok ${JSON.stringify((await actions[what](i.channel, i.options.getString("argument"))) ?? null)}`;
    } catch (error) {
      said = `failed ${String(error.stack).slice(0, 1500)}`;
    }
    await i.editReply(`${what}: ${said}`);
  },
};

const components = {
  press: (i) => i.update({ content: `pressed by ${i.user.username}` }),
  open: (i) => i.showModal(form()),
  laid: (i) => i.reply("pressed in a layout"),
  form: (i) => i.reply(`you are ${i.fields.getTextInputValue("name")}`),
  string: (i) => i.reply(`string: ${i.values[0]}`),
  user: (i) => i.reply(`user: ${i.users.first().username}`),
  role: (i) => i.reply(`role: ${i.roles.first().name}`),
  mentionable: (i) => i.reply(`mentionable: ${(i.users.first() ?? i.roles.first()).username}`),
  channel: (i) => i.reply(`channel: ${i.channels.first().name}`),
};

const actions = {
  dm: async (channel, id) => { await (await client.users.fetch(id)).send("a word in private"); },
  async threads(channel) {
    const start = await channel.send("start here");
    const first = await start.startThread({ name: "on a message" });
    const second = await channel.threads.create({ name: "alone", type: d.ChannelType.PublicThread });
    for (const thread of [first, second]) await thread.send("inside");
    return { [first.name]: first.id, [second.name]: second.id };
  },
  async private(channel, id) {
    const thread = await channel.threads.create({ name: "for two", type: d.ChannelType.PrivateThread });
    await thread.members.add(id);
    return thread.id;
  },
  async archived(channel) {
    const old = await channel.threads.create({ name: "old and public", type: d.ChannelType.PublicThread });
    const hidden = await channel.threads.create({ name: "old and private", type: d.ChannelType.PrivateThread });
    for (const thread of [old, hidden]) await thread.setArchived(true);
    const open = await channel.threads.fetchArchived({ type: "public" });
    const secret = await channel.threads.fetchArchived({ type: "private", fetchAll: true });
    await open.threads.first().setArchived(false);
    return { public: open.threads.map((t) => t.name), private: secret.threads.map((t) => t.name) };
  },
  async forum(channel, id) {
    const forum = await client.channels.fetch(id);
    const tag = forum.availableTags.find((each) => each.name === "question");
    const post = await forum.threads.create({
      name: "A post", message: { content: "the opening" }, appliedTags: [tag.id],
    });
    return post.id;
  },
  async channel(channel, ids) {
    const [role, member] = ids.split(",");
    const made = await channel.guild.channels.create({
      name: "reading", topic: "what we read",
      permissionOverwrites: [{ id: channel.guild.id, deny: [d.PermissionFlagsBits.ViewChannel] }],
    });
    await made.permissionOverwrites.create(role, { ViewChannel: true }, { type: d.OverwriteType.Role });
    await made.permissionOverwrites.create(member, { ViewChannel: true }, { type: d.OverwriteType.Member });
    await made.permissionOverwrites.delete(member);
    return { id: made.id, topic: made.topic };
  },
  async roles(channel, id) {
    const { guild } = channel;
    const done = [];
    const all = () => guild.roles.fetch(undefined, { force: true });
    const fresh = () => guild.members.fetch({ user: id, force: true });
    const role = await guild.roles.create({
      name: "writer", mentionable: true, permissions: [d.PermissionFlagsBits.ViewChannel],
    });
    done.push((await all()).has(role.id) ? "made" : "not made");
    await (await fresh()).roles.add(role);
    done.push((await fresh()).roles.cache.has(role.id) ? "given" : "not given");
    await role.setName("author");
    done.push((await all()).some((each) => each.name === "author") ? "changed" : "not changed");
    await (await fresh()).roles.remove(role);
    done.push((await fresh()).roles.cache.has(role.id) ? "not taken" : "taken");
    await role.delete();
    done.push((await all()).has(role.id) ? "not deleted" : "deleted");
    return done;
  },
  async members(channel, query) {
    const found = await channel.guild.members.search({ query, limit: 10 });
    return found.map((member) => member.user.username);
  },
  async pins(channel) {
    const first = await channel.send("first");
    const second = await channel.send("second");
    await first.pin();
    await second.pin();
    const pinned = await channel.messages.fetchPins();
    await first.unpin();
    return { both: pinned.items.map((item) => item.message.content) };
  },
  async reactions(channel, id) {
    const message = await channel.messages.fetch(id);
    await message.react("👍");
    await message.react("🎉");
    const seen = await channel.messages.fetch({ message: id, force: true });
    const thumb = seen.reactions.resolve("👍");
    const { count } = thumb;
    const users = await thumb.users.fetch();
    await thumb.users.remove(client.user.id);
    await seen.reactions.resolve("🎉").remove();
    return { count, users: users.map((user) => user.username) };
  },
  async poll(channel) {
    const message = await channel.send({
      poll: {
        question: { text: "Read it?" }, answers: [{ text: "Yes" }, { text: "No" }],
        duration: 24, allowMultiselect: false, layoutType: d.PollLayoutType.Default,
      },
    });
    return { id: message.id };
  },
  async pollend(channel, id) {
    const { poll } = await channel.messages.fetch({ message: id, force: true });
    const answer = [...poll.answers.values()].find((each) => each.text === "No");
    const voters = await answer.voters.fetch();
    await poll.end();
    return voters.map((user) => user.username);
  },
  async webhook(channel) {
    await channel.createWebhook({ name: "Herald" });
    const hook = (await channel.fetchWebhooks()).first();
    const kept = await hook.send("posted");
    const gone = await hook.send("gone soon");
    await hook.editMessage(kept.id, "posted, edited");
    await hook.deleteMessage(gone.id);
    await hook.delete();
    return { kept: kept.id, deleted: gone.id };
  },
  async history(channel, id) {
    const seen = {};
    for (const [name, limit] of [["before", 2], ["after", 2], ["around", 3]]) {
      const messages = await channel.messages.fetch({ limit, [name]: id, cache: false });
      seen[name] = messages.map((message) => message.content);
    }
    return seen;
  },
  guilds: async () => (await client.guilds.fetch()).map((guild) => guild.name),
};

client.once(d.Events.ClientReady, () => client.application.commands.set(commands));
client.on(d.Events.InteractionCreate, async (i) => {
  if (i.isAutocomplete()) {
    const word = i.options.getFocused();
    await i.respond(["one", "two"].map((tail) => ({ name: `${word}-${tail}`, value: `${word}-${tail}` })));
  } else {
    await (i.isCommand() ? handlers[i.commandName] : components[i.customId])(i);
  }
});
process.on("unhandledRejection", (error) => console.error(error));
client.login(process.env.DISCORD_TOKEN);
