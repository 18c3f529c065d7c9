"""Pictures: no label covers a mark or another label, whatever is drawn, and both themes can be read."""

import random

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from commands.cards.day_map_picture import day_map_figure
from commands.cards.graph_picture import graph_figure
from commands.cards.label_places import overlaps
from commands.cards.picture_style import THEMES, wrapped
from commands.cards.pictures import activity_png, trends_png, worth_a_picture
from index.people.graph import Graph, GraphNode

WORDS = "aggregation of gradients in switches Ωmega 漢字 Wolfeschlegelsteinhausenbergerdorff".split()
DAY = [(seed, theme) for seed in range(12) for theme in THEMES]


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def graph(seed):
    """Nodes of every kind with names of any length, joined at random."""
    chance = random.Random(seed)
    kinds = ("person", "paper", "topic", "institution")
    nodes = []
    for number in range(chance.choice((1, 2, 5, 12, 25, 29, 40))):
        kind = kinds[min(number % 5, 3)]
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, 9)))
        nodes.append(GraphNode(f"{'pwti'[kinds.index(kind)]}{number}", text, kind))
    edges = [(node.key, chance.choice(nodes[:place]).key, 1.0) for place, node in enumerate(nodes) if place]
    people = [node.key for node in nodes if node.kind == "person"]
    if len(people) > 1:
        edges += [(*chance.sample(people, 2), float(chance.randint(1, 40))) for _ in people]
    return Graph(tuple(nodes), tuple(edges))


def boxes(figure, gid):
    found = [text.get_window_extent() for text in figure.axes[0].texts if text.get_gid() in gid]
    return np.array([[box.x0, box.y0, box.x1, box.y1] for box in found]).reshape(-1, 4)


def marks(figure, *, gid=None):
    """Boxes of what was drawn as marks: half of a mark's width around its place."""
    found = []
    for drawn in figure.axes[0].collections:
        if gid is None or drawn.get_gid() == gid:
            half = np.sqrt(drawn.get_sizes()[0]) / 2 * figure.dpi / 72
            found += [[x - half, y - half, x + half, y + half] for x, y in drawn.get_offsets()]
    return np.array(found).reshape(-1, 4)


def assert_apart(figure, *gids, taken):
    labels = boxes(figure, gids)
    width, height = figure.get_size_inches() * figure.dpi
    assert (labels[:, :2] >= 0).all()
    assert (labels[:, 2] <= width).all()
    assert (labels[:, 3] <= height).all()
    among = overlaps(labels, labels)
    np.fill_diagonal(among, False)
    assert not among.any(), "labels stand on each other"
    assert not overlaps(labels, taken).any(), "labels cover marks"
    return labels


@pytest.mark.parametrize("seed", range(40))
def test_no_label_of_a_graph_covers_a_mark_or_another_label(seed):
    drawn = graph(seed)
    figure = graph_figure(drawn, THEMES["dark"])
    labels = assert_apart(figure, "label", "number", taken=marks(figure))
    assert len(boxes(figure, ("label",))) >= min(len(drawn.nodes), 25), "and hardly any is left out"
    assert len(labels) > 0


def test_the_more_papers_people_wrote_together_the_thicker_their_line_and_it_says_how_many():
    nodes = tuple(GraphNode(f"p{n}", f"Person {n}", "person") for n in range(4))
    figure = graph_figure(
        Graph(nodes, (("p0", "p1", 1.0), ("p0", "p2", 2.0), ("p0", "p3", 7.0))), THEMES["light"]
    )
    widths = [line.get_linewidth() for line in figure.axes[0].lines[:3]]
    assert widths == sorted(set(widths))
    assert {t.get_text() for t in figure.axes[0].texts if t.get_gid() == "number"} == {"2", "7"}


@pytest.mark.parametrize(
    ("edges", "says"),
    [
        ((("w0", "w1", 0.5), ("w0", "p0", 1.0)), {"person", "paper", "similar"}),
        ((("w0", "p0", 1.0), ("p0", "p1", 3.0)), {"person", "paper", "papers together"}),
        ((("w0", "p0", 1.0),), {"person", "paper"}),
    ],
)
def test_the_legend_explains_the_marks_and_lines_that_are_there(edges, says):
    keys = dict.fromkeys(key for edge in edges for key in edge[:2])
    kinds = {"w": "paper", "p": "person"}
    nodes = tuple(GraphNode(key, key, kinds[key[0]]) for key in keys)
    figure = graph_figure(Graph(nodes, edges), THEMES["dark"])
    assert {text.get_text() for text in figure.axes[0].texts if text.get_gid() == "legend"} == says


def test_a_graph_uses_the_whole_picture():
    figure = graph_figure(graph(5), THEMES["dark"])
    places = marks(figure)
    width, height = figure.get_size_inches() * figure.dpi
    assert np.ptp(places[:, 0]) > 0.75 * width
    assert np.ptp(places[:, 1]) > 0.75 * height


@pytest.mark.parametrize(("seed", "theme"), DAY)
def test_no_label_of_a_day_s_map_covers_a_dot_a_number_or_another_label(seed, theme):
    chance = np.random.default_rng(seed)
    count, regions, chosen = (
        int(chance.integers(5, 600)),
        int(chance.integers(1, 11)),
        int(chance.integers(0, 6)),
    )
    region = chance.integers(0, regions, count)
    region[:regions] = np.arange(regions)[:count]
    places = chance.normal(size=(count, 2)) + 3 * chance.normal(size=(regions, 2))[region]
    names = [
        ", ".join([" ".join(chance.choice(WORDS, 2)), str(chance.choice(WORDS))]) for _ in range(regions)
    ]
    figure = day_map_figure(places, region, names, min(chosen, count), THEMES[theme])
    taken = np.vstack([marks(figure, gid="dots"), marks(figure, gid="chosen")])
    assert_apart(figure, "label", taken=taken)


def test_papers_on_one_spot_are_drawn_with_numbers_apart():
    places = np.zeros((40, 2), np.float32)
    places[10:] = np.random.default_rng(0).normal(size=(30, 2))
    for spots, chosen in ((places, 6), (np.zeros((3, 2), np.float32), 3)):
        region = np.zeros(len(spots), np.int64)
        figure = day_map_figure(spots, region, ("everything",), chosen, THEMES["dark"])
        numbers = marks(figure, gid="chosen")
        among = overlaps(numbers, numbers)
        np.fill_diagonal(among, False)
        assert not among.any()


def test_every_colour_can_be_read_on_its_paper():
    """WCAG 2.2 asks for a contrast of 4.5 for text and 3 for marks."""
    for theme in THEMES.values():
        texts = (theme.ink, theme.quiet, theme.person, theme.work, theme.topic, theme.institution)
        for colour in (*texts, *theme.regions):
            assert contrast(colour, theme.paper) >= 4.5, (theme.paper, colour)
        assert contrast(theme.strong, theme.paper) >= 3
        assert contrast(theme.on_chosen, theme.chosen) >= 4.5


def contrast(one, other):
    """https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio"""

    def luminance(colour):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_a_long_title_is_cut_at_a_word_that_can_end_it():
    title = "Towards Easy and Realistic Network Infrastructure Testing for Large-scale Machine Learning"
    lines = wrapped(title, 20, 3).split("\n")
    assert len(lines) == 3
    assert lines[-1].endswith(" …")
    assert not lines[-1].endswith("for …")
    assert wrapped("PrismLLM", 20) == "PrismLLM"


def test_what_the_font_lacks_is_left_out_and_leaves_no_boxes():
    assert wrapped("Yang Liu (刘洋)", 30) == "Yang Liu"
    assert wrapped("刘洋", 30) == "…"
    assert wrapped("Łukasz Žižka, Ève Ünal, Дмитрий", 60) == "Łukasz Žižka, Ève Ünal, Дмитрий"


def test_bars_are_drawn_only_where_they_show_more_than_words():
    assert not worth_a_picture({})
    assert not worth_a_picture({2025: 3, 2026: 9}), "two years are a sentence"
    assert not worth_a_picture(dict.fromkeys(range(2015, 2027), 1)), "one paper each year"
    assert not worth_a_picture({2022: 1, 2023: 0, 2024: 0, 2025: 2, 2026: 2})
    assert worth_a_picture({2019: 1, 2020: 4, 2021: 2, 2022: 7})


@pytest.mark.parametrize("theme", THEMES)
def test_bars_are_pictures_in_both_themes(theme):
    assert activity_png({2019: 1, 2020: 0, 2021: 2, 2022: 700}, theme).startswith(b"\x89PNG")
    trends = [(f"{word} " * 9, 0.1 * n, 1.0 * n) for n, word in enumerate(WORDS)]
    assert trends_png(trends, "before", "now", theme).startswith(b"\x89PNG")
