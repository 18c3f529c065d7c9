"""Members' libraries: what completing a tag reads of them."""

from sqlalchemy import event

from data.stores.store import Store


async def filled(store: Store, member: int, works: int) -> None:
    records = [
        (None, {"type": "article", "title": f"Work {n}", "abstract": "long " * 200}) for n in range(works)
    ]
    more = [("unread", "", ("all", f"of {n % 3}")) for n in range(works)]
    await store.library.add(member, records, more)


async def test_tags_are_counted_without_a_single_work_being_read(store):
    await filled(store, 1, 900)
    await filled(store, 2, 3)
    statements = []

    @event.listens_for(store._engine.sync_engine, "before_cursor_execute")
    def note(connection, cursor, statement, *_):
        statements.append(statement)

    assert await store.library.tags(1) == {"all": 900, "of 0": 300, "of 1": 300, "of 2": 300}
    [statement] = statements
    assert "record" not in statement
    assert "GROUP BY shelf.tags" in statement
    for _ in range(20):
        await store.library.tags(1)
    assert len(statements) == 1, "what did not change is not counted again"


async def test_tags_follow_every_change(store):
    await filled(store, 1, 3)
    assert (await store.library.tags(1))["all"] == 3
    [one, *_] = await store.library.of(1)
    await store.library.change(1, one.id, tags=("new",))
    assert (await store.library.tags(1))["all"] == 2
    assert (await store.library.tags(1))["new"] == 1
    await store.library.drop(1, one.id)
    assert "new" not in await store.library.tags(1)
    await store.library.put_back(1, one.id)
    assert "new" in await store.library.tags(1)
    await store.library.forget(1)
    assert await store.library.tags(1) == {}
    await filled(store, 1, 1)
    assert await store.library.tags(1) == {"all": 1, "of 0": 1}
