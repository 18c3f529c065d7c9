"""Text from outside appears as it is: Discord formats nothing in it, and no backslash shows."""

from __future__ import annotations

import os
import re

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.local_discord.markdown import kinds, parse, plain
from commands.cards.text import linked, safe
from data.keys import clean, visible
from data.sources.forms import tex_name
from tests.helpers import slices

pytestmark = pytest.mark.hostile

MANY = 10 if "LABMATE_FUZZ_SECONDS" in os.environ or "LABMATE_HOSTILE" in os.environ else 1
"""`make hostile` and `make fuzz` try ten times as many texts."""

MARKS = st.sampled_from(
    [
        *"\\`*_~|[]()<>#-+.:@!& \n\t\r/^={}$%\"'",
        *("a", "Z", "7", "é", "漢", "😀", "\u00a0", "\u2028", "\u200b", "\u202e", "\x00"),
        *(
            "**",
            "__",
            "~~",
            "||",
            "```",
            "``",
            "***",
            "___",
            "\\\\",
            "> ",
            ">>> ",
            "# ",
            "## ",
            "#### ",
            "-# ",
        ),
        *(
            "- ",
            "* ",
            "1. ",
            "12. ",
            "2.5 ",
            "1.",
            "](",
            "](https://x.org)",
            "[x]",
            "https://x.org/a_b*c",
            "HTTPS://x.org/",
        ),
        *(
            "<@1234567890123456789>",
            "<@&1>",
            "<#2>",
            "<t:0:R>",
            "</say it:12345678901234567>",
            "<id:customize>",
        ),
        *(
            "<a:b_c:12345678901234567>",
            "<:bc:1>",
            ":smile:",
            ":+1:",
            "<https://x.org>",
            "<a@b.org>",
            "<+4912345>",
            "<mailto:a@b>",
        ),
        *("@everyone", "@here", "steam://run", "¯\\_(ツ)_/¯"),
    ]
)
TEXTS = st.lists(MARKS, max_size=14).map("".join) | st.text(max_size=60)


def as_said(text: str) -> str:
    """What a reader should see: `safe` drops invisible characters, folds line ends, breaks mentions."""
    text = visible(re.sub(r"\r\n?", "\n", text)).replace("\t", "    ")
    return re.sub("@(?=everyone|here)", "@\u200b", text)


@given(TEXTS)
@example("2.5 Years in Class: A Multimodal Textbook")
@example("2504.20854")
@example("1. one")
@settings(max_examples=300 * MANY, deadline=None)
def test_discord_shows_a_text_from_outside_as_it_is_and_makes_nothing_of_it(text):
    nodes = parse(safe(text))
    assert kinds(nodes) == set()
    assert plain(nodes) == as_said(text)


@given(TEXTS, TEXTS)
@settings(max_examples=150 * MANY, deadline=None)
def test_it_stays_so_inside_what_cards_put_around_it(one, other):
    """Bold, a link, small print, a list, beside another text: the marks are ours alone."""
    one, other = (" ".join(visible(text).split()) or "?" for text in (one, other))
    first, second = safe(one), safe(other)
    for before, between, after in (
        ("**", "** · **", "**"),
        ("-# ", " · ", ""),
        ("- ", ", ", " and 2 more"),
        ("3. ", " — “", "”"),
        ("## ", " (", ")\nnext"),
    ):
        ours = kinds(parse(f"{before}x{between}x{after}"))
        shown_ = parse(f"{before}{first}{between}{second}{after}")
        assert kinds(shown_) <= ours, (before, first, second)
        frame = plain(parse(f"{before}\ue000{between}\ue001{after}"))
        said = frame.replace("\ue000", as_said(one)).replace("\ue001", as_said(other))
        assert plain(shown_) == said


@given(TEXTS)
@example("[0, 1)-valued ](https://evil.example) [a] [[b] c] [d]")
@example("［wide］ [narrow]")
@settings(max_examples=150 * MANY, deadline=None)
def test_a_linked_title_leads_where_we_say_whatever_brackets_it_has(text):
    text = " ".join(visible(text).split()) or "?"
    [bold] = parse(f"**{linked(safe(text), 'https://arxiv.org/abs/1')}**")
    [link] = bold.children
    assert (bold.kind, link.kind, link.mark) == ("strong", "link", "https://arxiv.org/abs/1")
    assert kinds(link.children) == set()
    narrow = {0xFF3B: "[", 0xFF3D: "]"}  # a link's brackets are shown wide; a text may have wide ones, too
    assert plain([bold]).translate(narrow) == as_said(text).translate(narrow)


AROUND = [
    ("", ""),
    ("- ", ""),
    ("**", "**"),
    ("*x ", ""),
    ("", " x*"),
    ("_x ", ""),
    ("", " x_"),
    ("`", ""),
    ("", "`"),
    ("~~x", ""),
    ("", "x~~"),
    ("||", ""),
    ("", "||"),
    ("[", ""),
    ("", "](https://x.org)"),
    ("[", "](https://x.org)"),
    ("", ":1>"),
    ("", "\\."),
    ("", " x"),
]
"""What may stand around a text: our own marks, and the rest of another text's."""


def needless(text: str) -> list[int]:
    """Where `safe` puts a backslash that changes nothing of what is shown, whatever stands around."""
    made = safe(text)
    found = []
    for place in (match.start() for match in re.finditer(r"\\\\.", made, re.DOTALL)):
        without = made[:place] + made[place + 1 :]
        if all(parse(before + made + after) == parse(before + without + after) for before, after in AROUND):
            found.append(place)
    return found


def test_real_titles_names_and_ids_are_shown_as_they_are_with_no_needless_backslash(shared):
    """All that differ from plain words, of 111,997 titles and 232,480 names, and the papers' identifiers."""
    texts: set[str] = set()
    for line in slices.lines(shared):
        paper = orjson.loads(line)
        texts |= {*map(clean, (paper["title"], *map(tex_name, paper["authors"]))), paper["id"]}
    assert len(texts) > 440_000
    changed = [text for text in texts if safe(text) != text]
    for text in texts.difference(changed):
        assert "\\" not in text or plain(parse(text)) == text
    for text in changed:
        nodes = parse(safe(text))
        assert (kinds(nodes), plain(nodes)) == (set(), as_said(text))
        assert needless(text) == [], safe(text)
    assert not any(re.match(r"[0-9.]+$", text) for text in changed), "ids and numbers stay as they are"
