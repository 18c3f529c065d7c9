"""What members chose for themselves is kept, shown and forgotten."""

import pytest

from data.stores.store import Store
from tests.helpers import databases


async def test_a_member_s_theme_is_dark_until_they_choose_and_is_forgotten_with_them(tmp_path):
    store = await Store.open(databases.url_of(tmp_path / "labmate.db"))
    settings = store.member_settings
    assert (await settings.theme(7), await settings.held(7)) == ("dark", {"settings": []})
    await settings.choose_theme(7, "light")
    await settings.choose_theme(8, "dark")
    await settings.choose_theme(7, "light")
    assert (await settings.theme(7), await settings.theme(8)) == ("light", "dark")
    assert await settings.held(7) == {"settings": [{"theme": "light"}]}
    assert settings in store.about_members
    with pytest.raises(ValueError, match="'pink' is not one of dark, light"):
        await settings.choose_theme(7, "pink")
    assert await settings.forget(7) == 1
    assert (await settings.theme(7), await settings.theme(8)) == ("dark", "dark")
    await store.close()
