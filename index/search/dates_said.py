"""Dates as people say them ("last week", "since May", "between March and May"), read as spans of days.

Libraries such as dateparser and parsedatetime read a text as one moment. A search needs a first and a last
day, and must not take the verb "may" or the year in "SemEval 2024" for a date, so this grammar reads spans.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from importlib import resources

from index.search.days_said import FLAGS, POINT, YEAR, days_of, kind_of_point
from index.search.seasons_said import Days
from index.search.wishes import may_decline


def _named(prefix: str) -> str:
    """The grammar of a point with its groups under a prefix, so that it can stand twice in a pattern."""
    return POINT.replace("(?P<", f"(?P<{prefix}_")


_OUT = r"(?:published|announced|listed|posted|submitted|released|(?:that\s+)?appear(?:ed|ing)|printed)"
"""What papers do on a day; it says nothing of what they are about."""
_BETWEEN = re.compile(
    rf"\b(?:{_OUT}\s+)?(?:between|from)\s+{_named('a')}\s*(?:and|to|till|until|through|[-–])"
    rf"\s*(?:{_named('b')}|(?P<b_now>now)\b)",
    FLAGS,
)
_YEARS = re.compile(
    rf"(?<![\w.-])(?<!winter\s)(?<!winter\sof\s)(?P<a_year>{YEAR})\s?[-–]\s?(?P<b_year>{YEAR})(?![\w.-])",
    FLAGS,
)
_OPEN = re.compile(
    rf"\b(?:{_OUT}\s+)?(?P<how>since:|since|from|starting(?:\s+(?:in|from))?|after|later\s+than|newer\s+than|before|prior\s+to|"
    rf"older\s+than|until|till|up\s+to)\s*(?<=[\s:]){POINT}(?P<onwards>\s+(?:on(?!\s+\w)|onwards?|and\s+later))?",
    FLAGS,
)
_DURING = re.compile(
    rf"\b(?:year:\s*|(?:(?:{_OUT}\s+)?(?:in|during|of|within|over|on)|{_OUT}|this)\s+){POINT}(?:'s|’s|s['’])?",
    FLAGS,
)
_ALONE = re.compile(rf"(?<![\w.-]){POINT}(?:'s|’s|s['’])?", FLAGS)
_PAPERS = r"(?:papers?|articles?|works?|publications?|preprints?)"
_NONE = (
    r"(?:[,;(]\s*)?(?:\b(?:and|but)\s+)?(?:\bplease\s+)?"
    r"\b(?:not|nothing|none|no|neither|nor|exclud(?:e|ing)|except(?:\s+for)?|without)\s+"
    rf"(?:(?:any|anything|ones?|those|{_PAPERS})\s+)*"
    r"(?:(?:that|which)\s+(?:are|is|were|was)\s+)?"
)
_DECLINED = re.compile(rf"{_NONE}(?:{_OUT}\s+)?$", re.IGNORECASE)
"""What stands before days that are not wanted."""
_FURTHER = re.compile(rf"\s*(?:,|,?\s*(?:and|or|nor)\s+)\s*(?:(?:from|in|during|of)\s+)?{POINT}", FLAGS)
_COUNT_OF = (
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d{1,3})\s+(?:day|week|month|year)s?\b"
)
_NOT_OLDER = re.compile(  # "papers not older than a year", but not "patients not older than 65 years"
    rf"(?:(?<=[,;(])\s*|\b(?P<noun>{_PAPERS})\s+|^|(?=\b(?:nothing|none|no\s+{_PAPERS})\b)){_NONE}"
    rf"(?:older|earlier)\s+than\s+(?={_COUNT_OF}(?!\s+ago))",
    re.IGNORECASE,
)
_AGE = re.compile(  # "older than two years", of papers, but not of patients
    rf"\b(?:(?P<older>older)|newer)\s+than\s+(?P<count>{_COUNT_OF})(?!\s+ago)", re.IGNORECASE
)
_OF_PAPERS = re.compile(
    rf"\b{_PAPERS}\s+(?:(?:that|which)\s+(?:are|is)\s+)?(?:(?:not|and|but|or)\s+)*$", re.IGNORECASE
)
_AGING = frozenset(
    "infants babies toddlers children kids adults women men people persons patients drivers subjects"
    " participants animals mice trees".split()
)
"""Who or what is older than some years in a subject."""
_STOP = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split())
_NOT_BEFORE, _NOT_AFTER = (
    re.compile(rf"{_NONE}(?:(?:from|{_OUT})\s+)?(?:{how})\s+(?={POINT})", FLAGS)
    for how in (r"before|prior\s+to|(?:older|earlier)\s+than", r"since|after|(?:later|newer)\s+than")
)
_BARE = frozenset(
    {"iso", "dmy", "mdy", "my", "quarter", "rolling", "last", "this", "day", "year", "ago"}
    | {"season", "winter", "dated", "part"}
)
"""Points that are a date without a preposition."""
_SEASONAL = frozenset({"season", "bare", "christmas"})
"""Points that may be part of a phrase that papers print, such as "winter wheat"."""
_VAGUE = frozenset({"short"})
"""Points only read after ``since``: "8m" and "3d" mean other things in titles."""
_WITHIN = frozenset({"year", "month", "my", "day", "weekday", "decade"}) | (
    {"season", "bare", "winter", "dated", "part"}
)
"""Points of which "from" means all their days and no later ones."""


@dataclass(frozen=True, slots=True)
class Span:
    """Days from ``since`` to ``until``, both included; None where the span is open."""

    since: date | None
    until: date | None
    said: str
    """The words that said it."""
    from_listing: bool = False
    """Whether it is counted from the newest listing, because nothing is newer."""
    declined: bool = False
    """Whether the words decline days; without a first and a last day, a search can't leave those out."""


def read_dates(
    text: str, today: date, newest: date | None = None, is_name: Callable[[str], bool] = lambda words: False
) -> tuple[Span | None, str]:
    """The span that a query speaks of, and the query without those words; None where it speaks of none.

    Parameters
    ----------
    today
        The clock's day.
    newest
        The newest listing. Where a relative span ("this week") begins after it, nothing can be in it, so it
        is counted from that listing instead.
    is_name
        Whether words with a year in them ("semeval 2024") name something; then the year isn't a date.
    """
    asked = text
    if may_decline(text):
        text = _NOT_OLDER.sub(lambda match: f"{match['noun'] or ''} in the last ", text)
        text = _NOT_BEFORE.sub(" since ", text)
        text = _NOT_AFTER.sub(
            lambda m: " before " if m[0].split()[-1].lower() == "since" else " until ", text
        )
    declined = text != asked
    text = _AGE.sub(lambda match: _age(match, is_name), text)
    found = _first(text, today, newest, is_name)
    if found is None:
        return None, asked
    span, text = found
    if (span.since is None) != (span.until is None) and (also := _first(text, today, newest, is_name)):
        other, rest = also
        since, until = span.since or other.since, span.until or other.until
        completes = (span.since is None, span.until is None) == (other.until is None, other.since is None)
        if completes and since and until and since <= until:
            both = f"{span.said}, {other.said}"
            span, text = replace(span, since=since, until=until, said=both), rest
    return replace(span, declined=declined or span.declined), text


def _age(match: re.Match[str], is_name: Callable[[str], bool]) -> str:
    """The age of papers as a time, "before a year ago"; what is said of other things that age stays."""
    before = match.string[: match.start()]
    if not _OF_PAPERS.search(before):
        word = re.search(r"([\w-]+)\s+$", before)
        ages = word and (
            word[1].lower() in _AGING or any(is_name(f"{word[1]} {how}") for how in ("aged", "older"))
        )
        if ages or before.lower().endswith(" not ") or re.match(r"\d\d+\s+year", match["count"]):
            return match[0]
    return f"before {match['count']} ago" if match["older"] else f"in the last {match['count']}"


def _first(
    text: str, today: date, newest: date | None, is_name: Callable[[str], bool]
) -> tuple[Span, str] | None:
    """The first span of a text, and the text without it."""
    for pattern in (_BETWEEN, _YEARS, _OPEN, _DURING, _ALONE):
        for match in pattern.finditer(text):
            if _may_be_date(pattern, match, is_name, text):
                span = _span(pattern, match, today, newest)
                if span is None:
                    continue
                if before := _DECLINED.search(text[: match.start()]):
                    return _but_for(span, text, before.start(), match.end(), newest or today)
                by_clock = _span(pattern, match, today, None)
                return replace(span, from_listing=span != by_clock), _cut(text, match.start(), match.end())
    return None


def _but_for(span: Span, text: str, start: int, end: int, newest: date) -> tuple[Span, str]:
    """What is left of time without a declined span; nothing is left out where it lies between other days."""
    if (further := _FURTHER.match(text, end)) and kind_of_point(further) != "bare":
        end, span = further.end(), replace(span, since=None, until=None)
    said = text[start:end].strip(" ,;(")
    if span.since and (span.until is None or span.until >= newest):
        span = Span(None, span.since - timedelta(1), said, declined=True)
    elif span.until and span.since is None:
        span = Span(span.until + timedelta(1), None, said, declined=True)
    else:
        span = Span(None, None, said, declined=True)
    return span, _cut(text, start, end)


def day_from(text: str, today: date, newest: date | None = None) -> date | None:
    """The first day that a ``since`` option means, such as ``1w``, ``last week`` or ``May``; else None."""
    days = days_from(text, today, newest)
    return days[0] if days else None


def days_from(text: str, today: date, newest: date | None = None) -> Days | None:
    """The first and the last day of a point in time, such as ``November 2021``; None for other text."""
    match = re.fullmatch(POINT, text.strip(), FLAGS)
    return days_of(match, "", today, newest) if match else None


def _cut(text: str, start: int, end: int) -> str:
    before, after = text[:start].rstrip(), text[end:].lstrip(" ,;")
    if text[start:end].startswith("("):
        after = after.removeprefix(")")
    return " ".join(f"{before} {after}".split())


def _may_be_date(
    pattern: re.Pattern[str], match: re.Match[str], is_name: Callable[[str], bool], text: str
) -> bool:
    if pattern in (_BETWEEN, _YEARS):
        return True
    kind = kind_of_point(match)
    if kind in _SEASONAL and _is_phrase(match, kind, text, is_name):
        return False
    if pattern is _OPEN:
        return kind not in _VAGUE or match["how"].lower() in ("since", "since:")
    if pattern is _DURING:
        if (
            kind == "month"
            and text[match.start("month")].islower()
            and match["month"].lower() in ("may", "march")
        ):
            return re.search(r"(?:^|\s)(?:in|during|this)\s+\S+$", match[0].lower()) is not None
        if kind == "bare":
            return re.match(rf"(?:in|during|{_OUT})\s", match[0], re.IGNORECASE) is not None
        return kind not in (*_VAGUE, "day", "christmas")
    return kind in _BARE and not (kind == "year" and _is_named_year(match, text, is_name))


def _is_phrase(match: re.Match[str], kind: str, text: str, is_name: Callable[[str], bool]) -> bool:
    """Whether a season is part of what papers print ("winter wheat"), or a noun ("this fall in accuracy")."""
    season, after = match[kind].split()[-1], re.match(r"\s+([\w-]+)", text[match.end() :])
    if after and after[1].lower() not in _STOP and is_name(f"{season} {after[1]}"):
        return True
    if match[kind].lower() == "this fall":
        return after is not None and after[1].lower() in ("in", "of", "from", "to")
    is_sure = re.match(rf"since|{_OUT}", match[0], re.IGNORECASE) or kind != "bare"
    return not is_sure and (season.lower() == "fall" or is_name(match[0]))


def _is_named_year(match: re.Match[str], text: str, is_name: Callable[[str], bool]) -> bool:
    """Whether the year belongs to the word beside it, as in "semeval 2024", and not to the calendar."""
    year = match["year"]
    before = re.findall(r"[\w-]+", text[: match.start("year")])[-1:]
    after = re.findall(r"[\w-]+", text[match.end("year") :])[:1]
    after = [word for word in after if not re.fullmatch(_PAPERS, word, re.IGNORECASE)]
    return any(is_name(f"{word} {year}") for word in before) or any(
        is_name(f"{year} {word}") for word in after
    )


def _span(pattern: re.Pattern[str], match: re.Match[str], today: date, newest: date | None) -> Span | None:
    said = match[0].strip(" ,")
    if pattern in (_BETWEEN, _YEARS):
        last = days_of(match, "b_", today, newest)
        first = days_of(match, "a_", last[1] if last else today, newest)
        return Span(first[0], last[1], said) if first and last and first[0] <= last[1] else None
    days = days_of(match, "", today, newest)
    if days is None:
        return None
    if pattern is not _OPEN:
        open_end = kind_of_point(match) in ("rolling", "this", "ago") or (
            kind_of_point(match) == "last" and days[1] in (today, newest)
        )
        open_end |= kind_of_point(match) in ("season", "bare") and days[1] >= today
        return Span(days[0], None if open_end else days[1], said)
    how = " ".join(match["how"].lower().split())
    if how in ("before", "prior to", "older than"):
        return Span(None, days[0] - timedelta(1), said)
    if how in ("until", "till", "up to"):
        return Span(None, days[0] if kind_of_point(match) == "ago" else days[1], said)
    if how in ("after", "later than", "newer than"):
        return Span(days[1] + timedelta(1), None, said)
    if how == "from" and not match["onwards"] and kind_of_point(match) in _WITHIN:
        return Span(*days, said)
    return Span(days[0], None, said)
