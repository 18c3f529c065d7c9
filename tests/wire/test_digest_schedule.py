"""A digest that runs, and its managers: what they change or ask for, and what is then posted, and when."""

from datetime import timedelta

import pytest

from tests.helpers.digests import MONDAY, active, papers
from tests.helpers.lab import fill

DAY = timedelta(days=1)


async def _settings_on_papers(scene):
    return await (await scene.user.slash("/digest edit")).press("Papers")


async def _fewer_papers(scene):
    page = await _settings_on_papers(scene)
    await page.choose("3", next(s for s in page.selects if s["custom_id"].startswith("dgs:n")))


async def _another_description(scene):
    form = await (await _settings_on_papers(scene)).press("Words and people")
    values = {"query": "speech recognition", "people": "", "require": "", "exclude": ""}
    await scene.user.submit(form.message["modal"], values)


async def _same_name_and_time(scene):
    form = await (await scene.user.slash("/digest edit")).press("Name, time, zone")
    await scene.user.submit(form.message["modal"], {"name": "Papers", "at": "9 am", "zone": "UTC"})


async def _resumed(scene):
    assert "running already" in (await scene.user.slash("/digest resume")).text


@pytest.mark.parametrize("change", [_fewer_papers, _another_description, _same_name_and_time, _resumed])
async def test_what_a_manager_changes_while_a_posting_is_due_does_not_cancel_it(scene, change):
    await active(scene)
    scene.at += DAY + timedelta(hours=2)
    assert await scene.poster.tick() == 0, "Tuesday's listing is late"
    await change(scene)
    await fill(scene.bot, papers(MONDAY + DAY, 101))
    assert await scene.poster.tick() == 1


async def test_a_new_time_holds_from_then_on(scene):
    await active(scene)
    await fill(scene.bot, papers(MONDAY + DAY, 101))
    scene.at += DAY + timedelta(minutes=59)
    panel = await scene.user.slash("/digest edit")
    time = next(s for s in panel.selects if s["custom_id"].startswith("dgs:h"))
    await panel.choose("08:00", time)
    scene.at += timedelta(minutes=2)
    assert await scene.poster.tick() == 0, "eight was over when it was chosen"
    await fill(scene.bot, papers(MONDAY + 2 * DAY, 201))
    scene.at += DAY
    assert await scene.poster.tick() == 1
