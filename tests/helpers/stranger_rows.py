"""Every button, select and form: who may use it, and what others are told; read by test_strangers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tests.helpers.stranger_world import World

ALL = ""
"""They may: what they get is no refusal, and changes nothing that is another's."""
MANAGERS = "!Only those who manage this server"
SOMEBODY = "!belongs to somebody else"
YOURS = "!not yours"
MINE = "!(not|no longer) in your library"
GONE_HERE = "!This list is gone"
CORRECT = "!Only those who manage this server can correct"
SETTLE = "!Only somebody who is not a party to it"
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
        What each sees, as a pattern: the one it belongs to, another member of the server, the manager of
        another server. With ``!`` it is a refusal: private, and nothing in the store changes.
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
        ids["guild"] = world.guild
        return text.format(**ids, **_people(world))

    return build


def _people(world: World) -> dict[str, int]:
    return {"person": world.people["eve"], "one": world.people["one"], "two": world.people["two"]}


def of(what: Built | Callable[..., Awaitable[object]], text: str, **more: object) -> Built:
    """A custom id with the number of something that the world makes afresh."""

    async def build(world: World) -> str:
        made = await what(world, **more)
        number = getattr(made, "id", made)
        return text.format(n=number, paper=world.papers[0], last=world.papers[-1], **_people(world))

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
        "c": "correct",
        "o": "name",
        "v": "preview",
        "a": "start",
        "t": "about",
        "z": "when",
        "x": "delete",
        "d": "ask_delete",
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
        "z": ("set_zone", "Asia/Tokyo"),
    }
    for letter, (name, value) in values.items():
        server = of(World.digest, f"dgs:{letter}:{{n}}")
        rows[f"digest.{name}"] = Row(server, ALL, MANAGERS, MANAGERS, 3, value)
    own = of(World.digest, "dgs:h:{n}", own=True)
    rows["digest.set_time own"] = Row(own, ALL, SOMEBODY, SOMEBODY, 3, "10:00", private=True)
    channel = lambda world: str(world.discord.channel["id"])  # noqa: E731
    rows["digest.list"] = open_to_all("dgl:0")
    rows["digest.set_place_named"] = Row(of(World.digest, "dgk:{n}"), ALL, MANAGERS, MANAGERS, 3, channel)
    rows["digest.move"] = Row(of(World.digest, "dgb:m:{n}"), ALL, MANAGERS, MANAGERS)
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
    rows["digest.undo"] = open_to_all("dg:z:{paper}:l:n")
    rows["digest.undo_press"] = open_to_all("dgz:{paper}:l:7:n:0")
    return rows


def _setup() -> dict[str, Row]:
    """The pages of `/setup`, and what digests are given to learn from."""
    draft = {"state": "draft"}
    rows = {
        f"setup.{name}": Row(fixed(f"su:{letter}:{{guild}}"), ALL, MANAGERS, MANAGERS)
        for letter, name in (("g", "begin"), ("a", "another"))
    }
    pressed = {
        "p:2": "page",
        "n:4": "next",
        "w": "describe",
        "r": "correct",
        "z": "other_zone",
        "l": "give",
        "x": "forget",
        "s": "start",
        "t": "start_too",
    }
    for letter, name in pressed.items():
        rows[f"setup.{name}"] = Row(of(World.digest, f"su:{letter}:{{n}}", **draft), ALL, MANAGERS, MANAGERS)
    channel = lambda world: str(world.discord.channel["id"])  # noqa: E731
    values = {
        "c": ("place", channel, 8),
        "n": ("place_named", channel, 3),
        "f": ("fields", "cs.CL", 3),
        "z": ("zone", "Asia/Tokyo", 3),
        "h": ("hour", "10:00", 3),
        "d": ("days", "1111111", 3),
    }
    for letter, (name, value, kind) in values.items():
        custom_id = of(World.digest, f"su{letter}:{{n}}", **draft)
        rows[f"setup.{name}"] = Row(custom_id, ALL, MANAGERS, MANAGERS, kind, value)
    rows["digest.forget_given"] = Row(of(World.taught, "dge:x:{n}"), ALL, MANAGERS, MANAGERS)
    gone = "!taken back already"
    rows["digest.take_back_given"] = Row(of(World.taught, "dge:u:{n}:1"), gone, MANAGERS, MANAGERS)
    none = "!You have no digest"
    rows["digest.teach_person"] = Row(of(World.digest, "dge:p:{one}"), ALL, none, none)
    return rows


def _library() -> dict[str, Row]:
    rows = {}
    for letter, verb, says in (
        ("m", "manage", MINE),
        ("n", "write_note", MINE),
        ("r", "remove", MINE),
        ("b", "put_back", "!too late"),
        ("u", "undo_import", "!undone already"),
    ):
        owner = says if letter == "u" else ALL
        rows[f"library.{verb}"] = Row(of(World.kept, f"lb:{letter}:{{n}}"), owner, says, says, private=True)
    rows["library.choose_state"] = Row(of(World.kept, "lbs:{n}"), ALL, MINE, MINE, 3, "read", private=True)
    empty = "Your library"
    for letter, way in (("p", "newer"), ("n", "older")):
        rows[f"library.{way}"] = Row(of(World.kept, f"lb:p:0:0:{letter}"), ALL, empty, empty, private=True)
        rows[f"list.{way}"] = Row(of(World.shared_list, f"ls:p:{{n}}:0:{letter}"), ALL, ALL, GONE_HERE)
    began, put = "!Only the member who started", "!Only the member who put it"
    rows["list.delete"] = Row(of(World.shared_list, "ls:x:{n}"), ALL, began, GONE_HERE)
    rows["list.take_off"] = Row(of(World.shared_list, "ls:u:{n}:{paper}"), ALL, put, GONE_HERE)
    rows["list.put_back"] = Row(of(World.shared_list, "ls:b:{n}:{last}"), ALL, ALL, GONE_HERE)
    for letter, verb in (("n", "make"), ("e", "end")):
        mine = fixed(f"fd:{letter}:s:{{you}}")
        rows[f"feed.{verb}_library"] = Row(mine, ALL, SOMEBODY, SOMEBODY, private=True)
        server = of(World.digest, f"fd:{letter}:d:{{n}}")
        rows[f"feed.{verb}_digest"] = Row(server, ALL, SOMEBODY, SOMEBODY)
        own = of(World.digest, f"fd:{letter}:d:{{n}}", own=True)
        rows[f"feed.{verb}_digest own"] = Row(own, ALL, SOMEBODY, SOMEBODY, private=True)
        rows[f"feed.{verb}_list"] = Row(
            of(World.shared_list, f"fd:{letter}:l:{{n}}"), ALL, SOMEBODY, SOMEBODY
        )
    return rows


def _members() -> dict[str, Row]:
    rows = {}
    answers = {"a": "accept", "n": "decline", "b": "block", "u": "unblock", "r": "read"}
    for letter, verb in answers.items():
        owner = ALL if letter != "u" else "!not blocked"
        sent = of(World.invitation, f"in:{letter}:{{n}}")
        rows[f"invite.{verb}"] = Row(sent, owner, YOURS, YOURS, whose="cee", private=True)
    sent = of(World.invitation, "in:w:{n}")
    rows["invite.withdraw"] = Row(sent, ALL, YOURS, YOURS, private=True)
    rows["invite.why"] = Row(of(World.invitation, "in:o:{n}"), ALL, SOMEBODY, SOMEBODY, private=True)
    for letter, verb in (("i", "preview"), ("s", "send"), ("t", "letter")):
        rows[f"invite.{verb}"] = Row(fixed(f"in:{letter}:{{person}}"), ALL, CLAIM_FIRST, CLAIM_FIRST)
    cee = lambda world: str(world.id("cee"))  # noqa: E731
    rows["invite.choose_unblock"] = Row(fixed("in:x"), "!not blocked", "!not blocked", "!not blocked", 3, cee)
    rows["claim.ask_vouch"] = Row(of(World.open_claim, "cv:a:{n}"), ALL, SOMEBODY, SOMEBODY, whose="eve")
    vouchers = "!Only members who have claimed"
    rows["claim.vouch"] = Row(of(World.open_claim, "cv:v:{n}"), ALL, vouchers, "!not open here")
    for letter, verb in (("l", "look"), ("u", "end_claim"), ("d", "keep_claim")):
        rows[f"contest.{verb}"] = Row(of(World.contest, f"cc:{letter}:{{n}}"), ALL, SETTLE, SETTLE)
    for letter, verb in (("k", "keep_all"), ("p", "keep_publications"), ("d", "keep_nothing")):
        owner = of(World.own_work, f"cvi:{letter}", state="read")
        rows[f"cv.{verb}"] = Row(owner, ALL, NOTHING, NOTHING, private=True)
    follow = of(World.follow, "fu:{n}")
    rows["follow.end"] = Row(follow, ALL, "!don't follow this", "!don't follow this", private=True)
    corrected = of(World.follow, "fo:c:{n}")
    rows["follow.correct"] = Row(corrected, ALL, "!don't follow this", "!don't follow this", private=True)
    rows["follow.page"] = Row(_then(of(World.follow, "{n}"), "fl:t:0"), ALL, ALL, ALL, private=True)
    rows["me.forget"] = Row(fixed("mf:{eve}"), ALL, SOMEBODY, SOMEBODY, whose="eve")
    rows["follow.person"] = open_to_all("fo:p:{person}")
    rows["follow.paper"] = open_to_all("fo:w:{paper}")
    return rows


def _chosen_numbers() -> dict[str, Row]:
    """Selects whose value is the number of something of the chooser's own, or of their server's."""
    rows = {}

    def chosen(what: Callable[..., Awaitable[Any]], **more: object) -> tuple[Built, Callable[[World], str]]:
        made: list[int] = []

        async def build(world: World) -> str:
            one = await what(world, **more)
            made.append(getattr(one, "id", one))
            return ""

        return build, lambda _: str(made[-1])

    for state, letter, verb in (("read", "r", "leave_out"), ("kept", "k", "remove")):
        build, value = chosen(World.own_work, state=state)
        rows[f"cv.{verb}"] = Row(
            _then(build, f"cvo:{letter}"), ALL, "!gone already", "!gone already", 3, value, private=True
        )
    build, value = chosen(World.follow)
    says = "!don't follow this"
    rows["follow.choose_end"] = Row(_then(build, "fs"), ALL, says, says, 3, value, private=True)
    build, value = chosen(World.digest)
    rows["digest.teach"] = Row(_then(build, "dgp:{one}"), ALL, MANAGERS, MANAGERS, 3, value)
    return rows


def _then(build: Built, custom_id: str) -> Built:
    async def built(world: World) -> str:
        await build(world)
        return custom_id.format(**_people(world))

    return built


def _people_rows() -> dict[str, Row]:
    rows = {}
    rows["correction.others"] = open_to_all("k:n:{person}")
    rows["correction.papers"] = Row(fixed("k:p:{person}"), ALL, CORRECT, ALL)
    rows["correction.choose_other"] = open_to_all("ko:{person}", 3, person("one"))
    # What a manager of another server says of people is theirs to say; what that changes is tested with
    # corrections.
    rows["correction.choose_same"] = Row(fixed("ks:{two}"), ALL, CORRECT, "", 3, person("three"))
    rows["correction.choose_paper"] = Row(fixed("kp:{person}"), ALL, CORRECT, "", 3, paper)
    rows["correction.widen"] = Row(of(World.correction, "kg:{n}"), ALL, WIDEN, WIDEN)
    rows["correction.undo"] = Row(of(World.correction, "ku:{n}"), ALL, CORRECT, "!another server")
    for letter, name in (("a", "card"), ("c", "coauthors"), ("s", "similar"), ("w", "why")):
        rows[f"person.{name}"] = open_to_all(f"a:{letter}:{{person}}")
    chosen = {"a": "card", "p": "papers", "g": "graph", "s": "similar", "f": "follow", "k": "collaborators"}
    for letter, name in chosen.items():
        rows[f"person.choose_{name}"] = open_to_all(f"who:{letter}", 3, person("person"))
    rows["person.choose_claim"] = Row(fixed("who:m"), "!hold another person", ALL, ALL, 3, person("one"))
    rows["person.choose_invite"] = Row(fixed("who:i"), ALL, CLAIM_FIRST, CLAIM_FIRST, 3, person("one"))
    for letter, name in (("l", "list"), ("w", "why"), ("n", "dismiss"), ("b", "bring_back")):
        rows[f"pair.{name}"] = open_to_all(f"cp:{letter}:{{person}}:{{one}}")
    rows["pair.choose_why"] = open_to_all("cw:{person}", 3, person("one"))
    rows["compare.choose"] = open_to_all("cmp:{one}:1", 3, person("person"))
    rows["graph.person"] = open_to_all("g:p:{person}")
    rows["graph.paper"] = open_to_all("g:w:{paper}")
    rows["graph.move"] = open_to_all("gs", 3, lambda world: f"p{world.people['one']}")
    return rows


def _papers() -> dict[str, Row]:
    return {
        "papers.named": open_to_all("pn:1"),
        "papers.open": open_to_all("p:e:~{person}:0:n::"),
        "papers.open_old": open_to_all("p:r:~{person}:0:n::"),
        "papers.turn": open_to_all("p:u:~{person}:0:n::"),
        "paper.choose_card": open_to_all("which:d", 3, paper),
        "paper.choose_similar": open_to_all("which:s", 3, paper),
        "paper.choose_summary": open_to_all("which:u", 3, paper),
        "paper.choose_graph": open_to_all("which:g", 3, paper),
        "paper.card": open_to_all("d:{paper}"),
        "paper.summary": open_to_all("sm:{paper}"),
        "paper.cite": open_to_all("c:{paper}"),
        "paper.similar": open_to_all("s:{paper}"),
        "similar.turn": open_to_all("sp:{paper}:0"),
        "ask.context": open_to_all("ac:{paper}:0:0:9:abcdef"),
        "ask.more": open_to_all("aq:m:i:topic1"),
        "ask.more_kept": open_to_all("aq:m:k:999999999999"),
        "ask.on": open_to_all("aq:o:i:topic1"),
        "ask.on_kept": open_to_all("aq:o:k:999999999999"),
        "ask.follow": Row(of(World.asked, "aq:f"), ALL, ALL, "no longer know what was asked"),
        "ask.choose_paper": open_to_all("aqw:999999999999", 3, paper),
        "search.turn": open_to_all("q:0:i:topic1&&&"),
        "search.turn_kept": open_to_all("q:0:k:999999999999"),
        "said.alone": open_to_all("sa:i:topic1"),
        "said.alone_kept": open_to_all("sa:k:999999999999"),
        "search.change": open_to_all("qc:S:i:topic1&&&&N"),
        "search.change_kept": open_to_all("qc:S:k:999999999999"),
        "paper.open_card": open_to_all("open:d", 3, paper),
        "listing.turn": open_to_all("n:20260105:0::a"),
        "listing.turn_by": open_to_all("nb:t:20260105:0::a"),
        "listing.choose_category": open_to_all("nc:20260105", 3, "cs.CL"),
        "help.goal": open_to_all("help:g", 3, "find"),
        "links.remove": Row(fixed("lc:x:{you}"), "Removed", "!somebody else", "!somebody else"),
        "trend.papers": open_to_all("tr:30:739000:", 3, "x"),
    }


ROWS = _digests() | _setup() | _library() | _members() | _chosen_numbers() | _people_rows() | _papers()


@dataclass(frozen=True)
class Form:
    """A form: the button that opens it for you, and what is written."""

    opened_by: Built
    values: dict[str, str]
    says: str


TIME = {"name": "x", "at": "10:00", "zone": "UTC"}
WORDS = {"query": "x", "people": "", "require": "", "exclude": ""}
GIVEN = {"papers": "About topic3, at length", "orcid": "", "people": ""}
FORMS = {
    "FollowUpForm": Form(of(World.asked, "aq:f"), {}, "!somebody else"),
    "NoteForm": Form(of(World.kept, "lb:n:{n}"), {}, MINE),
    "Describe": Form(of(World.digest, "su:w:{n}"), {"query": "x", "fields": "Robotics"}, MANAGERS),
    "OtherTime": Form(of(World.digest, "su:z:{n}"), {"at": "10:00", "zone": "UTC"}, MANAGERS),
    "GiveForm": Form(of(World.digest, "su:l:{n}"), GIVEN, MANAGERS),
    "Words": Form(of(World.digest, "dgb:w:{n}"), WORDS, MANAGERS),
    "Words own": Form(of(World.digest, "dgb:w:{n}", own=True), WORDS, SOMEBODY),
    "NameAndTime": Form(of(World.digest, "dgb:o:{n}"), TIME, MANAGERS),
    "NameAndTime own": Form(of(World.digest, "dgb:o:{n}", own=True), TIME, SOMEBODY),
}
