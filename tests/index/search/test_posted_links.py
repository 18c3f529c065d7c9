"""Which links of a chat message count: those to papers that the message does not hide."""

import time

import pytest

from index.search.named_papers import LOOKED_AT
from index.search.posted_links import posted_links

LINK = "https://arxiv.org/abs/2412.12636"


@pytest.mark.parametrize(
    ("text", "values", "alone"),
    [
        (LINK, ["2412.12636"], True),
        (f"see {LINK}v2, and https://dl.acm.org/doi/10.1145/1.2).", ["2412.12636", "10.1145/1.2"], True),
        (f"{LINK} https://arxiv.org/pdf/2412.12636v3.pdf", ["2412.12636"], True),
        (f"{LINK} https://example.org", ["2412.12636"], False),
        (f"[the paper]({LINK})", ["2412.12636"], True),
        (f"<{LINK}> {LINK}x", [], False),
        (f"<{LINK}>", [], True),
        (f"`{LINK}` ```\n{LINK}``` ||{LINK}||", [], True),
        (f"```\n{LINK}", [], True),
        ("arXiv:2412.12636 10.1145/1.2", [], True),
        ("https://aclanthology.org/P18-1207/", ["P18-1207"], True),
        ("https://openreview.net/forum?id=aBc_dEf-12", [], False),
        ("<@1> <:x:2>", [], True),
        ("", [], True),
    ],
)
def test_links_count_where_the_message_shows_them(text, values, alone):
    found = posted_links(text)
    assert [one.value for one in found.papers] == values
    assert found.alone == alone


@pytest.mark.parametrize("part", ["`", "||", "<", "https://", "https://arxiv.org/abs/", "```a"])
def test_hostile_repetition_takes_no_time(part):
    start = time.perf_counter()
    posted_links(part * (2 * LOOKED_AT // len(part)))
    assert time.perf_counter() - start < 2
