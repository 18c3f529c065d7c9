"""Of several servers, the next is asked where one takes a call and says nothing."""

from __future__ import annotations

import asyncio

import pytest

from data.database.primary import to_primary

pytest.importorskip("asyncpg")


async def test_a_server_that_hangs_up_is_passed_over_for_the_next():
    called: list[str] = []

    async def server(name: str) -> asyncio.Server:
        async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            called.append(name)
            writer.close()

        return await asyncio.start_server(hang_up, "127.0.0.1", 0)

    async with await server("one") as one, await server("two") as two:
        ports = [each.sockets[0].getsockname()[1] for each in (one, two)]
        with pytest.raises(Exception, match=r".") as caught:
            await to_primary()(host=2 * ["127.0.0.1"], port=ports, user="x", database="x", ssl=False)
    assert called == ["one", "two"]
    assert isinstance(caught.value, OSError) or caught.value.sqlstate.startswith("08")
