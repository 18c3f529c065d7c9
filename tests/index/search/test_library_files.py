"""Facets and names in files: the same as from the store; what is not to be believed is made again."""

import asyncio
import gc
import weakref
import zlib
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from data.keys import name_key
from data.stores import sequences
from index.search import corpus as corpus_module
from index.search import facets_file, name_table, names_file
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.facets import Facets
from index.search.name_table import NameTable
from index.search.names import NameIndex
from index.search.names_file import LibraryNames
from tests.helpers.records import record

GIVEN = ["Ada", "Bo", "Chen", "Dana", "Émile", "Fatima", "Grace", "Hao", "Ines", "J."]
FAMILY = ["Lovelace", "Li", "Zhang", "Zhang Wei", "de la Cruz", "O'Neill", "Müller", "王"]


def counted(count=400):
    """Names with how many papers each has, some many."""
    names = {}
    for n in range(count):
        name = f"{GIVEN[n % 10]} {'ABCDE'[n // 10 % 5]}{'.' * (n % 2)} {FAMILY[n // 7 % 8]}"
        names[name_key(name)] = name
    return [(key, name, 1 + zlib.crc32(key.encode()) % 50) for key, name in sorted(names.items())]


def same(one: NameIndex, other: NameIndex, names) -> None:
    assert len(one) == len(other)
    for name in names:
        for typed in (name, name[:1], name[:2], name[:5], name.split()[-1], name[:3] + "x" + name[4:]):
            assert set(one.complete(typed)) == set(other.complete(typed)), typed
            assert [n.papers for n in one.complete(typed, 7)] == [n.papers for n in other.complete(typed, 7)]
        assert one.get(name) == other.get(name)
        assert set(one.others(name, 50)) == set(other.others(name, 50))
        assert set(one.of_family(name.split()[-1], 500)) == set(other.of_family(name.split()[-1], 500))
        assert set(one.with_middle(name, 500)) == set(other.with_middle(name, 500))
        assert {n.papers for n in one.near(name, 5)} == {n.papers for n in other.near(name, 5)}


async def parts_of(counts, size=37):
    for start in range(0, len(counts), size):
        yield counts[start : start + size]


async def test_names_from_a_file_answer_as_names_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(name_table, "MANY", 16)  # so that beginnings are kept at this size, too
    counts = counted()
    await NameTable.write(tmp_path / "names.map", parts_of(counts), upto=3)
    table, stamp = NameTable.open(tmp_path / "names.map")
    assert stamp == {"upto": 3}
    same(NameIndex(table=table), NameIndex(counts), [name for _, name, _ in counts[::9]])
    assert NameIndex(table=table).complete("") == NameIndex(counts).complete("")


async def test_a_table_that_is_replaced_lets_go_of_its_file(tmp_path):
    """At once: a bot excludes what it has from garbage collection, so a cycle would stay for good."""
    await NameTable.write(tmp_path / "names.map", parts_of(counted()), upto=3)
    table, _ = NameTable.open(tmp_path / "names.map")
    assert table.get("nobody at all") is None
    seen = weakref.ref(table)
    gc.disable()
    try:
        del table
        assert seen() is None
    finally:
        gc.enable()


async def test_newer_names_beside_a_file_answer_as_all_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(name_table, "MANY", 16)
    counts = counted()
    await NameTable.write(tmp_path / "names.map", parts_of(counts[:300]), upto=1)
    table, _ = NameTable.open(tmp_path / "names.map")
    grown = [(key, name, papers + 40) for key, name, papers in counts[:300:20]]
    fresh = [*grown, *counts[300:]]
    present = {key: (key, name, papers) for key, name, papers in [*counts, *grown]}
    whole = NameIndex(list(present.values()))
    same(NameIndex(fresh, table=table), whole, [name for _, name, _ in counts[::9]])


def test_names_looked_up_together_are_found_as_one_by_one():
    long = [f"{'very ' * 12}long collaboration {n}" for n in range(40)]  # alike in the bytes compared
    table = NameTable.of([*counted(), *((name_key(name), name, 1) for name in long)])
    keys = [table.key(place) for place in range(0, len(table), 3)]
    found = table.places([*keys[::-1], *keys[:5], "", "aaa", "nobody at all", "zzz"])
    assert sorted(found) == list(range(0, len(table), 3))
    assert [table.key(place) for place in found] == sorted(keys)
    assert NameTable.of([]).places(keys) == []


@pytest.mark.parametrize("damage", ["torn", "order", "ends"])
async def test_a_damaged_file_of_names_is_refused(tmp_path, damage, monkeypatch):
    path = tmp_path / "names.map"
    if damage == "order":
        monkeypatch.setattr(name_table, "within", lambda values, top: False)
    if damage == "ends":
        monkeypatch.setattr(name_table, "are_ends", lambda ends, rows, total: False)
    await NameTable.write(path, parts_of(counted()), upto=3)
    if damage == "torn":
        path.write_bytes(path.read_bytes()[:-9])
    assert NameTable.open(path) is None


async def test_the_library_keeps_its_names_in_a_file_and_follows_papers(store, tmp_path, monkeypatch):
    monkeypatch.setattr(names_file, "SMALL", 3)
    await store.upsert([record(n) for n in range(6)])
    seen = await store.last_change()
    first = await LibraryNames(store, tmp_path).upto(seen)
    assert (tmp_path / names_file.FILE).exists()
    assert first.get("Ada Lovelace").papers == 6
    made = (tmp_path / names_file.FILE).stat().st_mtime_ns
    await store.upsert([record(n, authors=["Ada Lovelace", "Zoë Newcomer"]) for n in (7, 8)])
    later = await LibraryNames(store, tmp_path).upto(await store.last_change())
    assert (tmp_path / names_file.FILE).stat().st_mtime_ns == made, "a day's papers are read beside the file"
    assert later.get("Ada Lovelace").papers == 8
    assert later.complete("zoe")[0].papers == 2
    assert len(later) == len(NameIndex(await store.author_names.counts()))
    (tmp_path / names_file.FILE).write_bytes(b"torn")
    again = await LibraryNames(store, tmp_path).upto(await store.last_change())
    assert again.get("Zoë Newcomer").papers == 2, "a torn file is made again"
    assert NameTable.open(tmp_path / names_file.FILE) is not None


async def test_names_of_another_store_are_not_taken(store, tmp_path, monkeypatch):
    monkeypatch.setattr(names_file, "SMALL", 3)
    await store.upsert([record(n) for n in range(6)])
    await NameTable.write(tmp_path / names_file.FILE, parts_of(counted()), upto=0)
    names = await LibraryNames(store, tmp_path).upto(await store.last_change())
    assert names.get("Ada Lovelace").papers == 6
    assert names.complete("zhang") == []


async def test_facets_come_from_their_file_and_from_the_store_alike(store, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_module, "_KEEP_FROM", 1)
    await store.upsert([record(n, announced=date(2026, 1, 1 + n)) for n in range(9)])
    first = await Corpus.open(store, tmp_path / "index", Embedder())
    assert (tmp_path / "index" / facets_file.FILE).exists()
    await store.upsert([record(3, abstract="", version=2), record(20, categories=["math.CO"])])
    monkeypatch.setattr(corpus_module, "_KEEP_FROM", 10**9)
    second = await Corpus.open(store, tmp_path / "index", Embedder())
    (tmp_path / "index" / facets_file.FILE).unlink()
    third = await Corpus.open(store, tmp_path / "index", Embedder())
    assert len(second.facets) == len(third.facets) == len(first.facets) + 1
    top = third.facets.top() + 1
    for name in ("days", "bare"):
        one, other = getattr(second.facets, name)[:top], getattr(third.facets, name)[:top]
        assert one.tolist() == other.tolist()
    assert second.facets.category_counts() == third.facets.category_counts()
    assert second.backlog() == third.backlog()
    assert second.seen == third.seen


@pytest.mark.parametrize("damage", ["torn", "other store", "codes"])
async def test_a_file_of_facets_that_is_not_right_is_not_believed(store, tmp_path, damage):
    await store.upsert([record(n) for n in range(9)])
    corpus = await Corpus.open(store, tmp_path / "index", Embedder())
    facets, hashes = corpus.facets, corpus._hashes
    path = tmp_path / "index" / facets_file.FILE
    if damage == "other store":
        hashes = hashes + 1
    if damage == "codes":
        facets = Facets.of(facets.days, facets.codes, facets.bare, facets.names)
        facets.codes[facets.held()[0]] = 99
    facets_file.save(path.parent, facets, hashes, corpus.seen)
    if damage == "torn":
        path.write_bytes(path.read_bytes()[:-1])
    assert await facets_file.load(path.parent, store) is None
    again = await Corpus.open(store, tmp_path / "index", Embedder())
    assert again.facets.codes.tolist() == corpus.facets.codes.tolist() or damage == "codes"
    assert len(again.facets) == 9


async def test_facets_of_papers_that_the_store_never_had_are_not_believed(store, tmp_path):
    await store.upsert([record(n) for n in range(4)])
    async with store._writer.begin() as connection:
        missing = await sequences.take(connection, "papers", 1)
    await store.upsert([record(n) for n in range(4, 9)])
    corpus = await Corpus.open(store, tmp_path / "index", Embedder())
    facets_file.save(tmp_path / "index", corpus.facets, corpus._hashes, corpus.seen)
    assert await facets_file.load(tmp_path / "index", store) is not None
    [(_, fact)] = await store.index_facts_of([missing - 1])
    corpus.facets.update([replace(fact, paper_id=missing)])
    facets_file.save(tmp_path / "index", corpus.facets, corpus._hashes, corpus.seen)
    assert await facets_file.load(tmp_path / "index", store) is None


async def test_a_merged_paper_is_gone_from_facets_that_were_kept(store, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_module, "_KEEP_FROM", 1)
    await store.upsert([record(1), record(2)])
    corpus = await Corpus.open(store, tmp_path / "index", Embedder())
    stale = [np.copy(a) for a in (corpus.facets.days, corpus.facets.codes, corpus.facets.bare)]
    assert len(corpus.facets) == 2
    later = Facets.of(*stale, corpus.facets.names)
    later.drop([corpus.facets.top()])
    await asyncio.to_thread(facets_file.save, tmp_path / "index", later, corpus._hashes, corpus.seen)
    kept = await facets_file.load(tmp_path / "index", store)
    assert kept is not None
    assert len(kept[0]) == 1
