"""Every button, select and form, with who may use it and what everybody else is told: the table of test_strangers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.wire.stranger_world import World

ALL = ""
"""They may: what they get is no refusal, and changes nothing that is another's."""
MANAGERS = "!Only those who manage this server"
SOMEBODY = "!belongs to somebody else"
YOURS = "!not yours"
MINE = "!(not|no longer) in your library"
GONE_HERE = "!This list is gone"
CORRECT = "!Only those who manage this server can correct"
SETTLE = "!Only somebody who is no party to it"
WIDEN = "!Only"
CLAIM_FIRST = "!claimed their papers"
NOTHING = "There was nothing to keep"

Built = Callable[[World], Awaitable[str]]


@dataclass(frozen=True)
class Row:
    """One thing to press: its custom id, and for whom it is.

    Attributes
    ----------
    owner, member, stranger
        What each sees, as a pattern: the one it belongs to, another member of the server, the manager of another
        server. With ``!`` it is a refusal: private, and nothing in the store changes.
    """

    custom_id: Built
    owner: str
    member: str
    stranger: str
    kind: int = 2
    value: str | Callable[[World], str] = "0"
    whose: str = "you"
    private: bool = False
    """It is its owner's alone: nobody else sees a word that its owner wrote."""


def fixed(text: str) -> Built:
    """A custom id with numbers of the world put in: ``{paper}``, ``{person}`` and so on."""

    async def build(world: World) -> str:
        ids = {"you": world.id("you"), "eve": world.id("eve"), "paper": world.papers[0]}
        return text.format(**ids, **_people(world))

    return build


def _people(world: World) -> dict[str, int]:
    return {"person": world.people["eve"], "one": world.people["one"], "two": world.people["two"]}


def of(what: Built | Callable[..., Awaitable[object]], text: str, **more: object) -> Built:
    """A custom id with the number of something that the world makes afresh."""

    async def build(world: World) -> str:
        made = await what(world, **more)
        number = getattr(made, "id", made)
        return text.format(n=number, paper=world.papers[0], last=world.papers[-1])

    return build


def person(name: str) -> Callable[[World], str]:
    return lambda world: str(world.people[name])


def paper(world: World) -> str:
    return str(world.papers[0])


def open_to_all(custom_id: str, kind: int = 2, value: str | Callable[[World], str] = "0") -> Row:
    """What anybody may press, wherever they are."""
    return Row(fixed(custom_id), ALL, ALL, ALL, kind, value)


def _digests() -> dict[str, Row]:
    rows = {}
    names = {
        "w": "words",
        "o": "name",
        "v": "preview",
        "a": "start",
        "t": "about",
        "z": "when",
        "x": "delete",
    }
    for letter, name in (names | {"p": "pause", "r": "resume", "n": "post_now"}).items():
        server, own = (
            of(World.digest, f"dgb:{letter}:{{n}}"),
            of(World.digest, f"dgb:{letter}:{{n}}", own=True),
        )
        rows[f"digest.{name}"] = Row(server, ALL, MANAGERS, MANAGERS)
        rows[f"digest.{name} own"] = Row(own, ALL, SOMEBODY, SOMEBODY, private=True)
    values = {
        "h": ("set_time", "10:00"),
        "t": ("set_days", "1111111"),
        "f": ("set_form", "thread"),
        "n": ("set_count", "8"),
        "c": ("set_categories", "cs.CL"),
        "q": ("set_quiet", "silent"),
        "s": ("set_style", "full"),
        "p": ("set_authors", "yes"),
    }
    for letter, (name, value) in values.items():
        server = of(World.digest, f"dgs:{letter}:{{n}}")
        rows[f"digest.{name}"] = Row(server, ALL, MANAGERS, MANAGERS, 3, value)
    own = of(World.digest, "dgs:h:{n}", own=True)
    rows["digest.set_time own"] = Row(own, ALL, SOMEBODY, SOMEBODY, 3, "10:00", private=True)
    channel = lambda world: str(world.discord.channel["id"])  # noqa: E731
    rows["digest.set_place"] = Row(of(World.digest, "dgc:{n}"), ALL, MANAGERS, MANAGERS, 8, channel)
    asked = {"y": "want", "n": "not_want", "s": "skip", "b": "ask", "e": "enough", "f": "learned"}
    for letter, name in asked.items():
        server = of(World.digest, f"dt:{letter}:{{n}}:1:{{paper}}")
        rows[f"digest.{name}"] = Row(server, ALL, MANAGERS, MANAGERS)
    rows["digest.unlearn"] = Row(of(World.digest, "du:{n}"), ALL, MANAGERS, MANAGERS, 3, paper)
    for letter, name, end in (("h", "how", ""), ("p", "page", ":5")):
        server = of(World.delivery, f"dg:{letter}:{{n}}{end}")
        own = of(World.delivery, f"dg:{letter}:{{n}}{end}", own=True)
        rows[f"digest.{name}"] = Row(server, ALL, ALL, SOMEBODY)
        rows[f"digest.{name} own"] = Row(own, ALL, SOMEBODY, SOMEBODY, private=True)
        looked = of(World.digest, f"dgv:{letter}:{{n}}{end}")
        rows[f"digest.preview_{name}"] = Row(looked, ALL, MANAGERS, MANAGERS)
    opinions = {"s": "save", "l": "like", "d": "dislike", "u": "take_back", "m": "similar"}
    for letter, name in opinions.items():
        rows[f"digest.{name}"] = open_to_all(f"dg:{letter}:{{paper}}")
    return rows


def _shelf() -> dict[str, Row]:
    rows = {}
    for letter, says in (("m", MINE), ("n", MINE), ("r", MINE), ("b", "!too late"), ("u", "!undone already")):
        owner = says if letter == "u" else ALL
        rows[f"ShelfButton.{letter}"] = Row(
            of(World.kept, f"lb:{letter}:{{n}}"), owner, says, says, private=True
        )
    rows["StateSelect"] = Row(of(World.kept, "lbs:{n}"), ALL, MINE, MINE, 3, "read", private=True)
    empty = "library is empty"
    rows["ShelfPage"] = Row(of(World.kept, "lb:p:0:0:n"), ALL, empty, empty, private=True)
    rows["ListPage"] = Row(of(World.shared_list, "ls:p:{n}:0:n"), ALL, ALL, GONE_HERE)
    rows["ListButton.x"] = Row(of(World.shared_list, "ls:x:{n}"), ALL, "!Only who began", GONE_HERE)
    rows["ListButton.u"] = Row(of(World.shared_list, "ls:u:{n}:{paper}"), ALL, "!Only who put it", GONE_HERE)
    rows["ListButton.b"] = Row(of(World.shared_list, "ls:b:{n}:{last}"), ALL, ALL, GONE_HERE)
    for letter in "ne":
        mine = fixed(f"fd:{letter}:s:{{you}}")
        rows[f"FeedButton.{letter}s"] = Row(mine, ALL, SOMEBODY, SOMEBODY, private=True)
        server = of(World.digest, f"fd:{letter}:d:{{n}}")
        rows[f"FeedButton.{letter}d"] = Row(server, ALL, SOMEBODY, SOMEBODY)
        own = of(World.digest, f"fd:{letter}:d:{{n}}", own=True)
        rows[f"FeedButton.{letter}d own"] = Row(own, ALL, SOMEBODY, SOMEBODY, private=True)
        rows[f"FeedButton.{letter}l"] = Row(
            of(World.shared_list, f"fd:{letter}:l:{{n}}"), ALL, SOMEBODY, SOMEBODY
        )
    return rows


def _members() -> dict[str, Row]:
    rows = {}
    for letter in "anbur":
        owner = ALL if letter != "u" else "!not blocked"
        sent = of(World.invitation, f"in:{letter}:{{n}}")
        rows[f"InviteButton.{letter}"] = Row(sent, owner, YOURS, YOURS, whose="cee", private=True)
    sent = of(World.invitation, "in:w:{n}")
    rows["InviteButton.w"] = Row(sent, ALL, YOURS, YOURS, private=True)
    rows["InviteButton.o"] = Row(of(World.invitation, "in:o:{n}"), ALL, SOMEBODY, SOMEBODY, private=True)
    for letter in "ist":
        rows[f"InviteButton.{letter}"] = Row(fixed(f"in:{letter}:{{person}}"), ALL, CLAIM_FIRST, CLAIM_FIRST)
    cee = lambda world: str(world.id("cee"))  # noqa: E731
    rows["UnblockSelect"] = Row(fixed("in:x"), "!not blocked", "!not blocked", "!not blocked", 3, cee)
    rows["AskVouchButton"] = Row(of(World.open_claim, "cv:a:{n}"), ALL, SOMEBODY, SOMEBODY, whose="eve")
    vouchers = "!Only members who have claimed"
    rows["VouchButton"] = Row(of(World.open_claim, "cv:v:{n}"), ALL, vouchers, "!not open here")
    for letter in "lud":
        rows[f"SettleButton.{letter}"] = Row(of(World.contest, f"cc:{letter}:{{n}}"), ALL, SETTLE, SETTLE)
    for letter in "kpd":
        owner = of(World.own_work, f"cvi:{letter}", state="read")
        rows[f"ImportButton.{letter}"] = Row(owner, ALL, NOTHING, NOTHING, private=True)
    follow = of(World.follow, "fu:{n}")
    rows["UnfollowButton"] = Row(follow, ALL, "!do not follow this", "!do not follow this", private=True)
    rows["ForgetButton"] = Row(fixed("mf:{eve}"), ALL, SOMEBODY, SOMEBODY, whose="eve")
    for letter in "pw":
        rows[f"FollowButton.{letter}"] = open_to_all(
            f"fo:{letter}:{{{'person' if letter == 'p' else 'paper'}}}"
        )
    for letter in "lwnb":
        rows[f"PairButton.{letter}"] = open_to_all(f"cp:{letter}:{{person}}:{{one}}")
    return rows


def _chosen_numbers() -> dict[str, Row]:
    """Selects whose value is the number of something of the chooser's own."""
    rows = {}

    def chosen(what: Callable[..., Awaitable[int]], **more: object) -> tuple[Built, Callable[[World], str]]:
        made: list[int] = []

        async def build(world: World) -> str:
            made.append(await what(world, **more))
            return ""

        return build, lambda _: str(made[-1])

    for state, letter in (("read", "r"), ("kept", "k")):
        build, value = chosen(World.own_work, state=state)
        rows[f"LeaveOutSelect.{letter}"] = Row(
            _then(build, f"cvo:{letter}"), ALL, "!gone already", "!gone already", 3, value, private=True
        )
    build, value = chosen(World.follow)
    says = "!do not follow this"
    rows["UnfollowSelect"] = Row(_then(build, "fs"), ALL, says, says, 3, value, private=True)
    return rows


def _then(build: Built, custom_id: str) -> Built:
    async def built(world: World) -> str:
        await build(world)
        return custom_id

    return built


def _people_rows() -> dict[str, Row]:
    rows = {}
    rows["CorrectButton.n"] = open_to_all("k:n:{person}")
    rows["CorrectButton.p"] = Row(fixed("k:p:{person}"), ALL, CORRECT, ALL)
    rows["OthersSelect"] = open_to_all("ko:{person}", 3, person("one"))
    # What a manager of another server says of people is theirs to say; what that changes is tested with corrections.
    rows["SamePersonSelect"] = Row(fixed("ks:{two}"), ALL, CORRECT, "", 3, person("three"))
    rows["NotTheirsSelect"] = Row(fixed("kp:{person}"), ALL, CORRECT, "", 3, paper)
    rows["PromoteButton"] = Row(of(World.correction, "kg:{n}"), ALL, WIDEN, WIDEN)
    rows["UndoButton"] = Row(of(World.correction, "ku:{n}"), ALL, CORRECT, "!another server")
    for letter in "acsw":
        rows[f"PersonButton.{letter}"] = open_to_all(f"a:{letter}:{{person}}")
    for letter in "apgsfk":
        rows[f"PersonSelect.{letter}"] = open_to_all(f"who:{letter}", 3, person("person"))
    rows["PersonSelect.m"] = Row(fixed("who:m"), "!hold another person", ALL, ALL, 3, person("one"))
    rows["PersonSelect.i"] = Row(fixed("who:i"), ALL, CLAIM_FIRST, CLAIM_FIRST, 3, person("one"))
    rows["WhySelect"] = open_to_all("cw:{person}", 3, person("one"))
    for letter in "pw":
        rows[f"GraphButton.{letter}"] = open_to_all(
            f"g:{letter}:{{{'person' if letter == 'p' else 'paper'}}}"
        )
    rows["GraphSelect"] = open_to_all("gs", 3, lambda world: f"p{world.people['one']}")
    return rows


def _papers() -> dict[str, Row]:
    rows = {f"PapersButton.{how}": open_to_all(f"p:{how}:~{{person}}:0:n::") for how in "eur"}
    rows |= {f"PaperSelect.{verb}": open_to_all(f"which:{verb}", 3, paper) for verb in "dsg"}
    rows |= {
        "PaperButton": open_to_all("d:{paper}"),
        "CiteButton": open_to_all("c:{paper}"),
        "SimilarButton": open_to_all("s:{paper}"),
        "SimilarPage": open_to_all("sp:{paper}:0"),
        "SearchPage.i": open_to_all("q:0:i:topic1&&&"),
        "SearchPage.k": open_to_all("q:0:k:999999999999"),
        "ListingButton": open_to_all("n:20260105:0::a"),
        "CategorySelect": open_to_all("nc:20260105", 3, "cs.CL"),
        "TrendSelect": open_to_all("tr:30:739000:", 3, "x"),
    }
    return rows


ROWS = _digests() | _shelf() | _members() | _chosen_numbers() | _people_rows() | _papers()


@dataclass(frozen=True)
class Form:
    """A form: the button that opens it for you, and what is written."""

    opened_by: Built
    values: dict[str, str]
    says: str


TIME = {"name": "x", "at": "10:00", "zone": "UTC"}
WORDS = {"query": "x", "people": "", "require": "", "exclude": ""}
FORMS = {
    "NoteForm": Form(of(World.kept, "lb:n:{n}"), {}, MINE),
    "Words": Form(of(World.digest, "dgb:w:{n}"), WORDS, MANAGERS),
    "Words own": Form(of(World.digest, "dgb:w:{n}", own=True), WORDS, SOMEBODY),
    "NameAndTime": Form(of(World.digest, "dgb:o:{n}"), TIME, MANAGERS),
    "NameAndTime own": Form(of(World.digest, "dgb:o:{n}", own=True), TIME, SOMEBODY),
}
