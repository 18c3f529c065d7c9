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
