"""Members of the local Discord: who joins, who holds which person, what was said in a channel."""

import asyncio
from contextlib import asynccontextmanager


async def hold(store, member, name, guild):
    """Let a member hold a person."""
    author = await store.author_names.find(name)
    [(person, _), *_] = await store.people.named([author])
    claim = await store.claims.begin(int(member), person, int(guild), "labmate-x")
    await store.claims.prove(claim.id, "page", "https://harvard.edu/x of the institution")
    await store.claims.seen(int(member), int(guild))
    return person


def joins(discord, name):
    user = discord.state.add_user(name)
    discord.state.add_member(discord.guild["id"], user["id"])
    return user


async def until(is_so):
    """Wait for something that nothing tells of."""
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def of_kind(discord, kind):
    return [channel for channel in discord.state.channels.values() if channel["type"] == kind]


def said(discord, channel):
    return list(discord.state.messages[channel["id"]].values())


async def of_institution(services, name, page):
    """Let OpenAlex have named a person's institution, and its home page."""
    author = await services.store.author_names.find(name)
    [(person, _), *_] = await services.store.people.named([author])
    await services.store.facts.put(
        "person", "openalex", {str(person): '{"ror": "https://ror.org/03vek6s52"}'}
    )
    await services.store.facts.put("place", "openalex", {"03vek6s52": f'{{"page": "{page}"}}'})
    return person


async def claimed(services, member, name, guild=1):
    """A member who holds a person, by words that the database takes."""
    author = await services.store.author_names.find(name)
    [(person, _), *_] = await services.store.people.named([author])
    claim = await services.store.claims.begin(member, person, guild, "labmate-x")
    await services.store.claims.prove(claim.id, "page", "https://harvard.edu/x of the institution")
    await services.store.claims.seen(member, guild)
    return claim


@asynccontextmanager
async def heard_by(bot, event):
    """Do something that a bot hears of, and go on when it has: discord.py's name of the event."""
    heard = asyncio.create_task(bot.wait_for(event, timeout=60))
    await asyncio.sleep(0)
    yield
    await heard


async def pressed(discord, user, custom_id):
    """What somebody gets for a button of an older message, planted here."""
    row = {"type": 1, "components": [{"type": 2, "style": 2, "label": "x", "custom_id": custom_id}]}
    bot, channel = discord.state.application["bot"]["id"], discord.state.channels[user.channel_id]
    message = await discord.messages.create(channel, bot, {"flags": 1 << 15, "components": [row]})
    return await user.component(message, {"component_type": 2, "custom_id": custom_id})
