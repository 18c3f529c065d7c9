"""What has to hold of the people in a store after each pass."""

from __future__ import annotations

from collections.abc import Collection

from data.stores.store import Store


async def whole_store(store: Store, left: Collection[str] = ()) -> None:
    """Check that nothing is lost, doubled or dangling, and that merged people lead to people with papers.

    Parameters
    ----------
    left
        Names of people whom revisions left without papers.
    """
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
        is_left = merged is None and stored[number][0] in left
        assert number in held or merged in held or is_left, (
            "a person without papers is merged into one with papers"
        )
    async with store.people._read() as connection:
        if connection.dialect.name == "sqlite":  # PostgreSQL never lets a row point nowhere
            broken = await connection.exec_driver_sql("PRAGMA foreign_key_check")
            assert broken.fetchall() == []
