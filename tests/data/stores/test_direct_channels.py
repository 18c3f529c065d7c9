"""Direct message channels are kept for each member, and forgotten with them."""

from data.stores.store import Store
from tests.helpers import databases


async def test_a_member_s_channel_is_kept_replaced_shown_and_forgotten(tmp_path):
    store = await Store.open(databases.url_of(tmp_path / "labmate.db"))
    channels = store.direct_channels
    assert await channels.of(7) is None
    assert await channels.held(7) == {"direct_messages": []}
    await channels.keep(7, 2**62)
    await channels.keep(7, 71)
    await channels.keep(8, 81)
    assert (await channels.of(7), await channels.of(8)) == (71, 81)
    assert await channels.held(7) == {"direct_messages": ["71"]}
    assert channels in store.about_members
    assert await channels.forget(7) == 1
    assert (await channels.of(7), await channels.of(8)) == (None, 81)
    await store.close()
