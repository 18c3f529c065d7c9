"""A wire to a PostgreSQL server of a test that can be cut: then nothing arrives, not even a refusal."""

from __future__ import annotations

import asyncio
import ctypes
import socket
from asyncio.trsock import TransportSocket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.helpers.own_postgres import OwnServer

_SO_ATTACH_FILTER, _SO_DETACH_FILTER = 26, 27
_KEEP_NOTHING = ctypes.create_string_buffer((6).to_bytes(2, "little") + bytes(6))  # BPF: return 0 bytes


class Wire:
    """A port of this machine that leads to a server's socket."""

    def __init__(self, server: OwnServer) -> None:
        self._to = f"{server.place.rpartition(':')[0]}/.s.PGSQL.5432"
        self._ends: list[TransportSocket] = []
        self._is_cut = False

    async def lay(self) -> asyncio.Server:
        """Listen."""
        listening = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self._ends.append(listening.sockets[0])
        return listening

    @property
    def place(self) -> str:
        """As a host of DATABASE_URL, with its port."""
        return f"127.0.0.1:{self._ends[0].getsockname()[1]}"

    def cut(self) -> None:
        """The system drops what arrives at these ends, before it acknowledges it."""
        program = (1).to_bytes(8, "little") + ctypes.addressof(_KEEP_NOTHING).to_bytes(8, "little")
        for end in self._ends:
            if end.fileno() >= 0:
                end.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)
        self._is_cut = True

    def mend(self) -> None:
        """Let everything through again."""
        for end in self._ends:
            if self._is_cut and end.fileno() >= 0:
                end.setsockopt(socket.SOL_SOCKET, _SO_DETACH_FILTER, 0)
        self._is_cut = False

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ends.append(writer.get_extra_info("socket"))
        there, back = await asyncio.open_unix_connection(self._to)
        await asyncio.gather(_copy(reader, back), _copy(there, writer), return_exceptions=True)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while part := await source.read(65_536):
            target.write(part)
            await target.drain()
    finally:
        target.close()


@asynccontextmanager
async def wire_to(server: OwnServer) -> AsyncIterator[Wire]:
    """A wire that is whole."""
    wire = Wire(server)
    listening = await wire.lay()
    try:
        yield wire
    finally:
        wire.mend()
        listening.close()
