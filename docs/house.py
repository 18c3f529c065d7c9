"""The picture and the table of rooms in docs/architecture.md, read from the code: python docs/house.py"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import grimp
import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "pictures" / "architecture.png"
BEGIN, END = "<!-- rooms: python docs/house.py -->\n", "<!-- end of rooms -->"

PURPOSES = {
    "bot": "starts the program and keeps it running: settings, client, scheduler, workers, health",
    "bot.explore": "the research graph as web pages: a person, a paper, a topic, and steps from each",
    "bot.doctor": "finds what is wrong with an installation, and says what to do",
    "bot.cli": "the command line: `python -m bot ...`",
    "bot.local_discord": "a Discord on loopback with a page, to test and try Labmate; knows nothing of it",
    "bot.terminal": "the local Discord's prompt in a terminal",
    "commands.cards": "turns records into Discord views; the only room that writes Discord's text",
    "commands.digests": "`/digest` and its panel, choosing, posting, `/top`",
    "commands.general": "`/help`, `/about`, `/admin`, and mentions of Labmate",
    "commands.kit": "what every command uses: replies, buttons, options, limits, services",
    "commands.members": "claims, profiles, CVs, invitations, following, `/me`",
    "commands.papers": "`/papers`, `/similar`, `/search`, `/ask`, `/paper`, `/summary`, `/new`, `/trending`",
    "commands.people": "`/author`, `/collaborators`, `/compare`, `/graph`, corrections",
    "commands.library": "`/save`, `/library`, `/list`, feeds",
    "index.answers": "answers questions with sentences quoted from papers, and says how sure it is",
    "index.batch": "does long work on the machines of a Ray cluster; the one room that knows Ray",
    "index.claims": "judges the proofs of claims: domains, mailboxes, ORCID records, OpenAlex",
    "index.digest": "learns a taste and chooses the papers of a digest; the day's map",
    "index.documents": "reads CVs, reference files and papers in a confined process; finds passages",
    "index.evaluate": "one file a task: measures Labmate beside baselines, trains the shipped models",
    "index.identity": "decides which authorships belong to one person",
    "index.models": "the shipped weights, each with its recipe and checksum",
    "index.people": "the coauthor network, topics, scores, suggestions, reviewers",
    "index.search": "embeds, indexes and finds papers; reads new ones in",
    "index.library": "finds works in a library or a list, and says who may change them",
    "index.trust": "corrections, what each server sees, the operator's decisions",
    "data": "the records that cross every border, and keyed hashes",
    "data.calendar": "announcement days, local times, the clock",
    "data.database": "opens, locks, copies and protects the database",
    "data.migrations": "brings an older database up to date",
    "data.sample": "the seven papers of a fresh install",
    "data.sources": "bytes from outside in, records out: arXiv, files, OpenAlex, the web, mail",
    "data.stores": "reads and writes the tables; one file a subject",
    "data.tables": "the tables",
}
LAYERS = ("bot", "commands", "index", "data")
WAYS = {
    "in": ("bot.cli", "data.sources", "data.stores", "index.search"),
    "ask": ("bot", "commands.kit", "commands.papers", "index.search", "data.stores", "commands.cards"),
    "out": ("bot", "commands.digests", "index.digest", "data.stores", "commands.cards"),
}
"""The rooms that each of the three ways passes, in order."""
COLOURS = {"in": "#0072b2", "ask": "#b34700", "out": "#007a55"}
OWN = "(own files)"
"""What the files that lie in a layer's own folder are called."""
SHADES = {"bot": "#e8eef7", "commands": "#f7efe6", "index": "#e9f4ec", "data": "#f1ecf5"}


def uses() -> dict[str, list[str]]:
    """Each room, and the other rooms that it imports from. Imports for type checking alone do not count."""
    graph = grimp.build_graph(*LAYERS, cache_dir=None, exclude_type_checking_imports=True)

    def room_of(module: str) -> str:
        first, *rest = module.split(".")
        inside = rest and (ROOT / first / rest[0]).is_dir()
        return f"{first}.{rest[0]}" if inside else first

    rooms: dict[str, set[str]] = {}
    for module in graph.modules:
        if module in LAYERS:  # an empty __init__ is not a room
            continue
        targets = map(room_of, graph.find_modules_directly_imported_by(module))
        rooms.setdefault(room_of(module), set()).update(targets)
    return {room: sorted(rooms[room] & set(rooms) - {room}, key=_place) for room in sorted(rooms, key=_place)}


def _place(room: str) -> tuple[int, str]:
    return LAYERS.index(_layer(room)), room


def table(rooms: dict[str, list[str]]) -> str:
    """The rooms as a table in Markdown."""
    lines = ["| room | what it does | imports |", "|---|---|---|"]
    for room, used in rooms.items():
        by_layer = [(layer, [_name(other) for other in used if _layer(other) == layer]) for layer in LAYERS]
        imports = "; ".join(f"**{layer}** {', '.join(names)}" for layer, names in by_layer if names)
        lines.append(f"| `{room.replace('.', '/')}/` | {PURPOSES[room]} | {imports or '–'} |")
    return "\n".join(lines) + "\n"


def _layer(room: str) -> str:
    return room.partition(".")[0]


def _name(room: str) -> str:
    return room.partition(".")[2] or OWN


def digest(rooms: dict[str, list[str]]) -> str:
    """A checksum of what the picture shows; the picture carries it."""
    return hashlib.sha256(json.dumps([rooms, WAYS]).encode()).hexdigest()[:16]


def draw(rooms: dict[str, list[str]], target: Path) -> None:
    """Draw the layers with their rooms, legible at the width of a phone."""
    mpl.rcParams.update({"font.family": "DejaVu Sans", "svg.hashsalt": "labmate"})
    columns, tall, head = 3, 1.0, 0.55
    heights = {layer: head + tall * -(-len(_of(layer, rooms)) // columns) + 0.1 for layer in LAYERS}
    gap, legend = 0.42, 1.35
    height = sum(heights.values()) + gap * (len(LAYERS) - 1) + legend
    figure = pyplot.figure(figsize=(4.6, height * 0.62), dpi=220)
    axes = figure.add_axes((0.01, 0.005, 0.98, 0.99))
    axes.set(xlim=(0, 6), ylim=(0, height))
    axes.axis("off")
    top = height
    for layer in LAYERS:
        _draw_layer(axes, layer, rooms, top, heights[layer])
        top -= heights[layer]
        if layer != LAYERS[-1]:
            arrow = FancyArrowPatch(
                (3, top), (3, top - gap), arrowstyle="-|>", mutation_scale=16, lw=2.2, color="#444"
            )
            axes.add_patch(arrow)
            axes.text(3.2, top - gap / 2, "may import", va="center", fontsize=8.5, color="#444")
            top -= gap
    _draw_legend(axes, legend)
    target.parent.mkdir(exist_ok=True)
    figure.savefig(target, metadata={"Software": None, "Description": digest(rooms)})
    pyplot.close(figure)


def _of(layer: str, rooms: dict[str, list[str]]) -> list[str]:
    return [room for room in rooms if _layer(room) == layer]


def _draw_layer(
    axes: pyplot.Axes, layer: str, rooms: dict[str, list[str]], top: float, height: float
) -> None:
    box = FancyBboxPatch(
        (0.04, top - height + 0.03), 5.92, height - 0.06, boxstyle="round,pad=0,rounding_size=0.1",
        facecolor=SHADES[layer], edgecolor="#888", lw=0.8,
    )  # fmt: skip
    axes.add_patch(box)
    axes.text(0.18, top - 0.3, f"{layer}/", fontsize=12, weight="bold", va="center")
    for number, room in enumerate(_of(layer, rooms)):
        row, column = divmod(number, 3)
        _draw_room(axes, room, rooms[room], 0.14 + column * 1.93, top - 0.5 - row)


def _draw_room(axes: pyplot.Axes, room: str, used: list[str], left: float, top: float) -> None:
    box = FancyBboxPatch(
        (left, top - 0.92), 1.85, 0.86, boxstyle="round,pad=0,rounding_size=0.06",
        facecolor="white", edgecolor="#aaa", lw=0.7,
    )  # fmt: skip
    axes.add_patch(box)
    axes.text(left + 0.08, top - 0.22, _name(room), fontsize=8.4, weight="bold", va="center")
    beside = [_name(other) for other in used if _layer(other) == _layer(room)]
    text = _wrapped("→ " + ", ".join(beside)) if beside else ""
    axes.text(left + 0.08, top - 0.36, text, fontsize=6.8, va="top", linespacing=1.1, color="#333")
    at = left + 1.74
    for way, passed in WAYS.items():
        if room in passed:
            axes.text(
                at, top - 0.22, str(passed.index(room) + 1), fontsize=6.6, weight="bold", color="white",
                ha="center", va="center",
                bbox={"boxstyle": "circle,pad=0.18", "facecolor": COLOURS[way], "edgecolor": "none"},
            )  # fmt: skip
            at -= 0.24


def _wrapped(text: str, width: int = 24) -> str:
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def _draw_legend(axes: pyplot.Axes, height: float) -> None:
    words = {
        "in": "In: from a source to the indexes",
        "ask": "Ask: from a command to its reply",
        "out": "Out: from the schedule to a posting",
    }
    for number, (way, text) in enumerate(words.items()):
        y = height - 0.32 - number * 0.27
        axes.text(
            0.26, y, "1", fontsize=6.6, weight="bold", color="white", ha="center", va="center",
            bbox={"boxstyle": "circle,pad=0.18", "facecolor": COLOURS[way], "edgecolor": "none"},
        )  # fmt: skip
        axes.text(0.46, y, text, fontsize=8.5, va="center")
    axes.text(0.16, height - 1.16, "→ rooms of the same layer that it imports", fontsize=8.5, va="center")


def page_with(rooms: dict[str, list[str]]) -> str:
    """The page, with the table of rooms as the code has it."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return before + BEGIN + table(rooms) + END + rest.partition(END)[2]


def main() -> None:
    """Draw the picture and write the table."""
    rooms = uses()
    draw(rooms, PICTURE)
    PAGE.write_text(page_with(rooms))
    print(PICTURE)
    print(PAGE)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
