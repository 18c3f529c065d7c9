"""Replies about digests: their list, settings and history, and the members' own view of a posting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from commands.cards.digest import place, summary
from commands.cards.follows import names_of
from commands.cards.text import day, listed, moment, plural, shown
from data.records import Paper
from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest
from data.stores.members import Follow
from data.stores.notices import DigestNotice
from index.digest.description import CheckedDescription

NO_DIGESTS = "There are no digests here yet. /digest create sets one up; /digest mine sets up your own."
NONE_TO_CHANGE = (
    "I found no such digest that you can change. /digest list shows this server's digests and yours."
)
NONE_OF_YOURS = (
    "You have no digest of your own; /digest mine sets one up. Only members who manage this server can "
    "change its digests; /digest list shows them."
)
NOTHING_NEW = (
    "Nothing was announced since the last posting, or today's was posted already. /digest history shows it."
)
NOT_A_PLACE = "Set up the digest in the text channel or thread that it should post to."
NOT_SEEN = "I can't see this channel. Let me see it, or choose another one."
PLACE_GONE = (
    "The channel is gone, so choose another one: /digest edit, *When and where*. All other settings stay as "
    "they are."
)
NO_TAG = (
    "This forum requires a tag, and only moderators may set those that it has. Add a tag that anybody may "
)
NO_TAG += "set, allow me Manage Threads, or choose another place."
NO_PICTURE = "Pictures are left out: I'm missing the permission Attach Files there."
NO_LISTING = "I haven't read a listing yet, so there is nothing to post."
NO_ZONE = (
    "Choose a time zone first: it is in the digest's settings (/digest edit, *When and where*). "
    "Without one, I don't know when to post."
)
BEGUN = "You began this digest earlier. To begin another one here, press *Start* or *Delete* first."
STATES = {
    "posted": "posted",
    "empty": "no match",
    "missed": "missed",
    "failed": "failed",
    "written": "not posted yet",
}
OPINIONS = {"save": "Saved to your library", "like": "Liked", "dislike": "Noted as not for you here"}
ALREADY = {
    "save": "Already in your library",
    "like": "You liked this already",
    "dislike": "You said already that this is not for you here",
}
STILL = {
    "save": "It stays saved.",
    "like": "You still like it.",
    "dislike": "It's still marked *Not for us* here.",
}
WORDS_SHOWN = 12
NAMES_SHOWN = 10
FORMS_COUNT = (
    "-# Other forms of these words count too (*agent*, *agents*). To match a word exactly, put it in quotes."
)


def may_not_post(place: int, permissions: Sequence[str]) -> str:
    """What has to be allowed in a channel before a digest can be posted there."""
    wanted = permissions_named(permissions)
    return f"I'm not allowed to post in <#{place}>. Give me the {wanted} there, or choose another channel."


def permissions_named(names: Sequence[str]) -> str:
    """``permission Send Messages``."""
    return f"permission{'' if len(names) == 1 else 's'} {listed(names)}"


def name_of(digest: Digest, most: int = 80) -> str:
    """A digest's name in bold."""
    return f"**{shown(digest.name, most)}**"


def several_meant(digests: Sequence[Digest], command: str) -> str:
    """Which digests a name could mean, and how to name one; numbers tell those of one name apart."""
    alike = len({digest.name.casefold() for digest in digests}) < len(digests)
    names = [
        f"{shown(digest.name, 40)} {where(digest)}" + (f" (#{digest.id})" if alike else "")
        for digest in digests[:10]
    ]
    add, typed = ("number", f"#{digests[0].id}") if alike else ("name", shown(digests[0].name, 40))
    return (
        f"Which digest do you mean: {', '.join(names[:-1])} or {names[-1]}? "
        f"Add its {add}: /{command} digest:{typed}."
    )


def where(digest: Digest) -> str:
    """``in #reading``, or ``by direct message``."""
    return (
        "by direct message" if digest.is_own else f"in {place(digest)}" if digest.channel else place(digest)
    )


def same_here(digest: Digest) -> str:
    """A channel has a digest of this name already."""
    return (
        f"There is a digest called {name_of(digest)} {where(digest)} already, and this is a second one. To "
        f"change the first: /digest edit digest:#{digest.id}. *Name, time, zone* gives this one another name."
    )


def when_next(due: datetime | None, now: datetime) -> str:
    """When a digest is due next, in each reader's own time zone; or that it is due and waits."""
    if due is not None and due <= now:
        return f"was due {moment(due, 'f')}; it comes as soon as its papers are ready"
    return f"next {moment(due, 'F')}" if due else "no posting is scheduled"


def history(digest: Digest, deliveries: Sequence[Delivery], due: datetime | None, now: datetime) -> str:
    """The last postings of a digest."""
    if digest.state == "draft":
        return f"{name_of(digest)} is not started yet. /digest edit shows its settings."
    if not deliveries:
        return f"{name_of(digest)} has posted nothing yet. {_first(digest, due, now)}"
    return "\n".join([f"## {shown(digest.name, 80)}", *map(_posting, deliveries)])


def _first(digest: Digest, due: datetime | None, now: datetime) -> str:
    """When a digest that has posted nothing begins."""
    if digest.state != "active":
        return f"It is {'paused' if digest.state == 'paused' else 'stopped'}; /digest resume starts it again."
    if due is None:
        return "No post is scheduled."
    if due <= now:
        return f"The first post was due {moment(due, 'F')}; it comes as soon as its papers are ready."
    return f"The first post is due {moment(due, 'F')}."


def _posting(delivery: Delivery) -> str:
    late = ", late" if delivery.late else ""
    why = f"\n-# {shown(delivery.why, 160)}" if delivery.why and delivery.state != "posted" else ""
    state = STATES.get(delivery.state, delivery.state)
    shares = (
        "" if delivery.state == "missed" else f", {len(delivery.papers)} of {plural(delivery.read, 'paper')}"
    )
    at = f" {moment(delivery.posted, 'f')}" if delivery.posted is not None else ""
    return f"- {day(delivery.slot)}: {state}{at}{late}{shares}{why}"


def delete_question(digest: Digest) -> str:
    """Asks whether to delete a digest."""
    return f"Delete {name_of(digest)} and its history? To stop it for a while, use /digest pause."


def settings(
    digest: Digest,
    people: Iterable[str],
    read: CheckedDescription | None = None,
    follows: Sequence[Follow] = (),
) -> str:
    """A digest's settings, above the selects that change them, and how its description was read.

    ``people`` are names ready to show; ``follows`` is what the owner of a digest by direct message follows.
    """
    lines = [summary(digest), *description_lines(read)]
    if watched := ", ".join(people):
        lines.append(f"**Watches** {watched}")
    if follows:
        rest = len(follows) - NAMES_SHOWN
        told = [*names_of(follows, 60).values()][:NAMES_SHOWN]
        lines.append(f"**You follow** {listed([*told, f'{rest} more'] if rest > 0 else told)}")
    if words := words_lines(digest):
        typed = (*digest.required, *digest.excluded)
        lines += [*words, *([] if all(word[0] in '"“' for word in typed) else [FORMS_COUNT])]
    if digest.state == "broken":
        other = "" if digest.is_own else ", or choose another channel under *When and where*"
        lines.append(f"To start it again, fix this and press *Resume*{other}.")
    if digest.state == "draft":
        first = "" if digest.zone else "choose a time zone. "
        lines.append(f"Not started yet: {first}*Preview* shows the post, *Start* turns it on.")
    return "\n".join(lines)


def words_lines(digest: Digest) -> list[str]:
    """The words that papers need or may not have."""
    return [
        f"**{name}** {', '.join(shown(word, 40) for word in words[:WORDS_SHOWN])}{_more(len(words))}"
        for name, words in (("Needs one of", digest.required), ("None of", digest.excluded))
        if words
    ]


def _more(words: int) -> str:
    return f" and {words - WORDS_SHOWN} more" if words > WORDS_SHOWN else ""


def description_lines(read: CheckedDescription | None, *, followed: bool = False) -> list[str]:
    """How a description or a followed topic was read, and what may be wrong with it, in small print."""
    if read is None:
        return []
    lines = []
    if read.foreign:
        lines.append(
            f"-# This looks like {read.foreign}. The papers that I read are in English, so please "
            "write this in English."
        )
    if read.subject or read.without:
        unwanted = listed([f"“{shown(what, 60)}”" for what in read.without], "or")
        parts = [f"look for “{shown(read.subject, 120)}”" if read.subject else ""]
        parts.append(f"leave out papers that mention {unwanted}" if unwanted else "")
        lines.append(f"-# I {' and '.join(filter(None, parts))}.")
    if read.may_decline:
        form = "" if followed else ", or put the words under *None of these words*"
        lines.append(
            f"-# “{shown(read.may_decline, 20)}” leaves nothing out here. To leave papers out, write “but "
            f"not robots or games”{form}."
        )
    if read.typos:
        typed, meant = (
            listed([f"“{shown(word, 60)}”" for word in words]) for words in zip(*read.typos, strict=True)
        )
        those = "it" if len(read.typos) == 1 else "them"
        lines.append(f"-# Did you mean {meant}? I look for {typed}, as you typed {those}.")
    if read.unwanted_people:
        names = listed([shown(name, 60) for name in read.unwanted_people[:3]], "or")
        lines.append(f"-# I can't leave out papers by {names} here; I look for the subject alone.")
    if read.people:
        instead = "follow the person" if followed else "name them among the people to watch"
        lines.append(f"-# To get papers by {shown(read.people[0], 60)}, {instead}.")
    return lines


def with_problem(text: str, problem: str) -> str:
    """A page or reply, followed in bold by what wasn't saved; lists stay plain."""
    told = [line if line.startswith("- ") else f"**{line}**" for line in problem.splitlines()]
    return "\n".join([text, *told])


def started(digest: Digest, ahead: str) -> str:
    """A digest has begun; ``ahead`` says when it posts next."""
    return f"Started.\n{summary(digest, ahead)}"


def paused(digest: Digest) -> str:
    """A digest stops for now."""
    return f"Paused: {name_of(digest)}. Once resumed, it covers at most the last week."


def runs_already(digest: Digest, ahead: str) -> str:
    """A digest that shall be resumed has not stopped."""
    return f"This digest is running already: {summary(digest, ahead)}"


COMES_NEXT = "These papers come with the next posting; /digest now posts them at once."
WAITED = "This posting waited for more than a week, so the next one covers the last week instead."
SHOWN_BESIDE = "Another digest has posted these papers there."
MISSED_COMES = "The post that I couldn't send comes in the next few minutes."
STILL_CLOSED = (
    "If direct messages are still closed to me, it stops again. Open them in the privacy settings of a "
    "server that we share."
)


def resumed(digest: Digest, ahead: str) -> str:
    """A digest posts again."""
    return f"Resumed: {summary(digest, ahead)}"


def not_posted(digest: Digest) -> str:
    """`/digest now` could not post, and the digest has stopped."""
    return f"I couldn't post: {stopped(digest, shown(digest.why, 160))}"


def missed(delivery: Delivery) -> str:
    """`/digest now` has nothing to post, for the reason for which the last posting was missed."""
    return f"There is nothing to post yet. {shown(delivery.why, 300)}"


def not_yet_posted(delivery: Delivery) -> str:
    """`/digest now` has not posted yet; Labmate keeps trying."""
    if not delivery.why:
        return "The posting is on its way."
    return f"I couldn't post it yet: {shown(delivery.why, 160)}. I'll keep trying."


def given_up(why: str, *, comes: bool) -> str:
    """Discord did not take a posting for a day; whether its papers come with the next one."""
    goes_on = COMES_NEXT if comes else "The digest goes on; its next posting comes at the usual time."
    return f"I tried to post for a day and failed: {why}. {goes_on}"


def deleted(digest: Digest) -> str:
    """A digest is gone."""
    return f"Deleted: {name_of(digest)}."


def opinion_kept(paper: Paper, kind: str | None, *, already: bool = False) -> str:
    """What a member said of a paper is kept, or taken back."""
    title = f"**{shown(paper.title, 120)}**"
    if kind is None:
        return f"Taken back: {title}."
    return f"{(ALREADY if already else OPINIONS)[kind]}: {title}."


def opinion_undone(paper: Paper, *, taken_back: bool, now: str | None, dropped: bool | None) -> str:
    """What an undo has changed, and what holds now.

    ``dropped`` says whether the paper left the library; None if it wasn't to, or wasn't there.
    """
    title = f"**{shown(paper.title, 120)}**"
    if dropped:
        done = f"Removed from your library: {title}."
    elif taken_back:
        done = f"Taken back: {title}."
    else:
        done = f"There was nothing left to take back: {title}."
    if dropped is False:
        done += " It stays in your library, because you have saved it again or worked on it since."
    return f"{done} {STILL[now]}" if now in STILL else done


def stopped(digest: Digest, why: str) -> str:
    """Why a digest has stopped, and what starts it again."""
    if digest.is_own:
        return f"{why}, so it has stopped. /digest resume starts it again."
    return (
        f"{why}, so the digest has stopped. Its settings are kept. Fix this and use /digest resume in the "
        "server, or choose another channel; the digest then posts what it missed."
    )


def place_question(digest: Digest, *, direct: bool) -> str:
    """Asks for another channel of a server's digest; ``direct`` where it is asked in a direct message."""
    why = f"\n-# stopped: {shown(digest.why, 160)}" if digest.state == "broken" else ""
    more = "\n-# If the channel isn't in the menu, use /digest edit in the server." if direct else ""
    return f"Where should {name_of(digest)} post? All other settings stay as they are.{why}{more}"


def moved(digest: Digest, due: datetime | None) -> str:
    """A digest posts in another place."""
    ahead = f" Next post: {moment(due, 'F')}." if digest.state == "active" and due else ""
    still = f" It is still {digest.state}." if digest.state == "paused" else ""
    return f"{name_of(digest)} posts in {place(digest)} from now on.{ahead}{still}"


def happened(digest: Digest, notice: DigestNotice) -> str:
    """What happened to a digest."""
    if notice.kind == "stopped":
        return stopped(digest, notice.why)
    return notice.why if notice.kind == "missed" else given_up(notice.why, comes=notice.kind == "failed")


def owner_told(digest: Digest, why: str, server: str = "", *, instead: bool = False) -> str:
    """Tells a digest's owner about a problem, or the owner of its server ``instead``."""
    begins, ends = _around_server(digest, why, instead)
    return f"{begins} ({shown(server, 100)}){ends}" if server else f"{begins}{ends}"


def is_owner_told(text: str, digest: Digest, why: str, *, instead: bool = False) -> bool:
    """Whether a text is :func:`owner_told`, whatever its server was called then, and with or without that."""
    begins, ends = _around_server(digest, why, instead)
    server = text[len(begins) : len(text) - len(ends)]
    named = not server or (server.startswith(" (") and server.endswith(")"))
    return named and text == f"{begins}{server}{ends}"


def _around_server(digest: Digest, why: str, instead: bool) -> tuple[str, str]:
    """What stands before and after the server's name."""
    where = "" if digest.is_own else f" in <#{digest.channel}>"
    unreached = "\n-# You own this server. I couldn't reach the person who set it up." if instead else ""
    return f"{name_of(digest, 100)}{where}", f": {shown(why, 400)}{unreached}"
