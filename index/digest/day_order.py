"""A day's listing in other orders: grouped by topic, or ranked for a channel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.stores.digest_record import Digest
from index.digest.choosing import taste_of
from index.digest.mapped_day import LEAST, MOST, map_of
from index.digest.sources import DigestSources, chooser_of
from index.digest.writers import writers_of

OTHER = "other"


async def by_topic(sources: DigestSources, papers: Sequence[int]) -> list[tuple[str, int]] | None:
    """Papers with the topic of their group, the largest group first; None for too few to group."""
    if len(papers) < LEAST:
        return None
    day = tuple(sorted(papers[:MOST]))
    mapped = await map_of(sources, day)
    region = dict(zip(day, mapped.region.tolist(), strict=True))
    sizes = np.bincount(mapped.region, minlength=len(mapped.names))
    largest = sorted(range(len(mapped.names)), key=lambda number: -sizes[number])
    grouped = [
        (mapped.names[number], paper)
        for number in largest
        for paper in papers[:MOST]
        if region[paper] == number
    ]
    return grouped + [(OTHER, paper) for paper in papers[MOST:]]


async def for_channel(
    sources: DigestSources, guild: int, channel: int, papers: Sequence[int]
) -> list[int] | None:
    """Papers ranked as the channel's digest ranks them, best first; None where it has no digest."""
    digest = await _digest_of(sources, guild, channel)
    if digest is None:
        return None
    chooser = await chooser_of(sources)
    taste = await taste_of(sources, digest, await writers_of(sources, digest, papers))
    return await chooser.ranked(papers, taste)


async def _digest_of(sources: DigestSources, guild: int, channel: int) -> Digest | None:
    digests = await sources.store.digests.of_guild(guild)
    return next((digest for digest in digests if digest.channel == channel), None)
