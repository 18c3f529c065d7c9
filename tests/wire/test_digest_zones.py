"""The time zone of a digest, as it is typed and shown."""


async def test_offsets_are_shown_as_typed_and_abbreviations_suggest_a_city(scene):
    panel = await scene.user.slash("/digest create")
    for typed, told in (
        ("GMT+8", "at 09:00 UTC+8"),
        ("PST", "Name a large city in yours, such as America/Los_Angeles"),
        ("UTC+5:30", "I take only whole hours"),
    ):
        form = await panel.press("Name, time, zone")
        panel = await scene.user.submit(form.message["modal"], {"name": "N", "at": "9", "zone": typed})
        assert told in panel.text
        assert "09:00 UTC+8" in panel.text, "what can't be read changes nothing"
    zone = next(s for s in panel.selects if s["custom_id"].startswith("dgs:z"))
    [chosen] = [option for option in zone["options"] if option.get("default")]
    assert (chosen["label"], chosen["value"]) == ("UTC+8", "Etc/GMT-8")
    panel = await panel.choose("Etc/GMT-8", zone)
    assert "09:00 UTC+8" in panel.text
    form = await panel.press("Name, time, zone")
    panel = await scene.user.submit(form.message["modal"], {"name": "N", "at": "10", "zone": "UTC+8"})
    assert "10:00 UTC+8" in panel.text
