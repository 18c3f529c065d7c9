"""Which author names are those of groups, and which are halves of a name that a source split."""

import pytest

from index.people.no_person import are_halves, is_group


@pytest.mark.parametrize(
    "name",
    [
        "Qwen Team", "NLLB Team", "Team OLMo", "LearnLM Team Google", "OpenAI", "DeepSeek-AI",
        "YuanLab.ai", "Shanghai AI Lab", "XPeng Inc", "IsoQuest, Inc.", "The LOLITA Group",
        "National Research Council",
    ],
)  # fmt: skip
def test_groups_are_known_by_their_words(name):
    assert is_group(name)


@pytest.mark.parametrize(
    "name",
    [
        "Bo Ai", "Bo AI", "BO AI", "Ai Ti Aw", "Mausam", "Juan Soler Company", "Research Pratim Maity",
        "DiHu", "XingYu", "YangLiu", "Xi bai", "Vinod P.", "Charles W. ONeill", "Tianyu Liu 28", "",
        "Joan of Arc Xavier",
    ],
)  # fmt: skip
def test_people_are_not(name):
    assert not is_group(name)


def test_halves_are_a_single_word_beside_another_or_beside_initials():
    assert are_halves("Yi R.", "Fung")
    assert are_halves("Chen", "Tse-Hsun")
    assert not are_halves("Mausam", "Ada Lovelace")
    assert not are_halves("Thenmozhi D.", "Kayalvizhi S.")
    assert not are_halves("Botong.Zhao", "Xubin.Wang")
