"""What has to hold of the people in a store after each pass."""

from __future__ import annotations

from data.stores.store import Store


async def whole_store(store: Store) -> None:
    """Nothing is lost, doubled or dangling, and everybody who is led to has papers."""
    rows = await store.people.all_memberships()
    places = [(row.paper_id, row.position) for row in rows]
    assert len(places) == len(set(places)) == (await store.people.standing())[0]
    stored = await store.people.people_rows()
    held = {row.person_id for row in rows}
    for number in held:
        name, papers, merged = stored[number]
        assert merged is None
        assert papers == sum(row.person_id == number for row in rows), name
    for number, (_, _, merged) in stored.items():
        assert number in held or merged in held, "who is no more leads to somebody who is"
    async with store.people._read() as connection:
        if connection.dialect.name == "sqlite":  # PostgreSQL never lets a row point nowhere
            broken = await connection.exec_driver_sql("PRAGMA foreign_key_check")
            assert broken.fetchall() == []
