"""What a query wishes besides its subject: an order, likeness, something left out; and polite words.

Each function takes a text and returns what it read and the text without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from index.search.doing_without import is_of_papers, is_thing, read_done_without

Order = Literal["best", "newest", "oldest", "cited"]

_PAPERS = r"(?:papers?|articles?|works?|publications?|preprints?|stud(?:y|ies)|literature)"
_SAID = (
    r"(?:research|results?|references?|reports?|descriptions?|discussions?|information|material|anything"
    r"|something|everything)"
)
NOUN = rf"(?:{_PAPERS}|{_SAID})"
"""What people call what they look for."""
_GREETING = (
    r"(?:(?:hi|hello|hey|please|pls|plz|kindly|thanks?)[,!.]?\s+|(?:ok|okay|so|and|also|currently|now|well)"
    r"(?:[,!.]\s+|\s+(?=(?:i|we|can|could|what|which|is|are|please|find|show|give|any|interested|looking|searching"
    r"|working)\b)))"
)
_CAN_YOU = r"(?:(?:can|could|would|will)\s+(?:you|someone|anyone|anybody|we|i)(?:\s+please)?\s+)"
_I_AM = (
    r"(?:(?:i|we)(?:\s+am|\s+are|['’]m|['’]re)?"
    r"(?:\s+(?:also|especially|particularly|mainly|very|really|currently|just))?\s+)"
)
_I_WOULD = (
    r"(?:(?:i|we)(?:['’]d|\s+would|\s+want|\s+need|\s+wish)?\s+(?:also\s+)?"
    r"(?:like|love|want|need|wish|prefer|hope)?\s*)"
)
_INTERESTED = (
    r"(?:(?:\w+ly\s+)?(?:interested|interest)\s+(?:in|by)\s+"
    r"|interested\s+to\s+(?:find|read|see|know|learn)\s+)"
)
_LOOKING = (
    r"(?:(?:looking|searching|hunting|asking)\s+(?:for|at)\s+|(?:working|reading)\s+on\s+"
    r"|trying\s+to\s+find\s+)"
)
_FIND = (
    r"(?:(?:to\s+)?(?:find|search(?:\s+for)?|look(?:\s+for)?|show|list|give|get|have|see|read|know|learn|retrieve"
    r"|recommend|suggest|tell|point|bring)\s+(?:me\s+|us\s+)?(?:(?:more\s+)?about\s+|to\s+)?)"
)
_ALL = r"(?:(?:all|any|some|the|a|an|more|many|other|good|of|few|several|relevant|useful|new)\s+)"
_THAT = (
    r"(?:(?:which|that|who)\s+)?(?:(?:are|is|were|have\s+been|exist)\s+)?"
    r"(?:deal(?:s|ing)?\s+with|describ(?:e|es|ing)|discuss(?:es|ing)?|concern(?:s|ing|ed\s+with)|cover(?:s|ing)?"
    r"|address(?:es|ing)?|regarding|relat(?:ed|ing)\s+to|pertaining\s+to|explain(?:s|ing)?|report(?:s|ing)?(?:\s+on)?"
    r"|treat(?:s|ing)?|about|on|of|for|in|with|into|written\s+(?:on|about)|devoted\s+to)"
)
_COUNTED = (
    r"(?:the\s+)?(?:(?:top|best|first)[\s-]+)?(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|a\s+dozen)\s+"
    rf"(?:(?:best|top|important|interesting)\s+|{_ALL})*(?={NOUN}\b)"
)
_FRAMES = tuple(
    re.compile(rf"^{part}", re.IGNORECASE)
    for part in (
        _GREETING,
        _COUNTED,
        _CAN_YOU,
        rf"{_I_AM}(?={_INTERESTED}|{_LOOKING})",
        rf"{_I_WOULD}(?={_FIND}|{_ALL}*{NOUN}\b|to\s)",
        _INTERESTED,
        _LOOKING,
        rf"{_FIND}(?={_ALL}*{NOUN}\b)",
        r"(?:to\s+)?(?:read|learn|know)\s+(?:more\s+)?about\s+",
        r"(?:to\s+)?(?:find|list|search\s+for|look\s+for|(?:show|give|get|tell|recommend)\s+(?:me|us))\s+(?:about\s+)?",
        rf"(?:what|which)\s+(?:\w+\s+)?{NOUN}\s+(?:exist|are\s+there|do\s+you\s+(?:have|know))(?:\s+{_THAT})?\s+",
        r"(?:what|which\s+\w+|how\s+many\s+\w+)\s+(?:did|has|have|does|do|is|are)\s+(?:\w+ly\s+)?(?:publish|writ|wrot|author|work|do(?:ne|ing)?\b)"
        r"\w*\s*(?:on|about)?[\s?]*",
        r"(?:has|have|did|does|do)\s+(?:ever\s+)?(?:written|write|published|publish|worked|work|done)\s+"
        r"(?:(?:anything|something|much|a\s+lot|any\s+\w+)\s+)?(?:on|about|with|in|regarding)\s+",
        rf"how\s+(?:many|much)\s+(?:\w+\s+)?{_PAPERS}\s+{_THAT}\s+",
        r"(?:is|are)\s+there\s+(?:any\s+)?",
        rf"{_ALL}*{_PAPERS}\s+{_THAT}\s+",
        rf"{_ALL}+{_SAID}\s+{_THAT}\s+",
        rf"{_SAID}\s+(?:on|about|concerning|regarding)\s+",
        rf"{_ALL}+{NOUN}\s+(?={_THAT})",
        r"(?:what(?:['’]s|\s+is)\s+(?:known|new)|what\s+do\s+we\s+know)\s+(?:about|on|in)\s+",
    )
)
_TAIL = re.compile(
    r"[,;]?\s+(?:papers|articles|publications|preprints|please|pls|plz|thanks?(?:\s+you)?|would\s+be\s+(?:great|nice|useful)"
    r"|(?:(?:is|are|was|were)\s+there|(?:was|were|has\s+been|have\s+been)\s+(?:published|written|announced)))[.!?]*$",
    re.IGNORECASE,
)
_ONLY = re.compile(
    rf"(?:{_ALL}*{NOUN}|(?:what|which)(?:['’]s|\s+(?:is|are|was|were))(?:\s+(?:the|{NOUN}))*|(?:what|how\s+many\s+\w+)\s+(?:did|does|do|has|have)(?:\s+\w+)?)(?:\s+(?:published|written|from|in|on|of))*",
    re.IGNORECASE,
)
_DECLINED = re.compile(
    r"\b(?:not|n['’]t|no\s+longer|nor)\s+(?:\w+\s+){0,2}(?:interested|looking|want|care|concerned|include)\b|"
    r"\b(?:don['’]?t|do\s+not)\s+(?:\w+\s+){0,1}(?:want|care|include)\b|"
    r"\b(?:i|we)\s+(?:\w+\s+){0,2}(?:not|n['’]?t|don['’]?t|no\s+longer)\s+(?:\w+\s+){0,2}need\b",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?:many\s+)?(?:thank(?:s|\s+you)|thx|cheers)"
    r"(?:\s+(?:(?:so|very)\s+much|a\s+(?:lot|million)|in\s+advance|for\s+(?:your|any)\s+\w+))*(?:,\s+\w+)?[\s.!:)]*",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?=\S*(?:[a-z].*[A-Z]|[A-Z].*[A-Z]|\d))\S+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=\S)")

_ORDERS: tuple[tuple[Order, str], ...] = (
    ("cited", r"(?:the\s+)?(?:most|highly|top|best|widely|heavily)[\s-]+(?:cited|influential)(?=\s|$)"),
    ("cited", r"\b(?:sort(?:ed)?\s+by\s+citations?|sort:cited)"),
    (
        "newest",
        r"\b(?:(?:sort(?:ed)?|order(?:ed)?)\s+by\s+(?:date|newest|recency|time)|newest\s+first|sort:new(?:est)?)",
    ),
    ("oldest", r"\b(?:oldest\s+first|sort:old(?:est)?)"),
    ("newest", rf"(?:the\s+)?\b(?:newest|latest|most\s+recent)(?=\s+(?:[\w-]+\s+){{0,3}}?{NOUN}\b)"),
    ("newest", r"^(?:the\s+)?(?:newest|latest|most\s+recent)\s+(?=\S)"),
    ("newest", rf"\b(?:new|recent)(?=\s+(?:[\w-]+\s+){{0,1}}?{NOUN}\b)"),
    ("newest", r"^(?:(?:what(?:['’]s|\s+is)\s+new|anything\s+new|news)\s+(?:on|in|about)\s+)"),
    ("newest", r"^(?:recent|latest|new)\s+(?:advances?|progress|developments?)\s+(?:in|on)\s+"),
    ("newest", r"^(?:new|newest|latest|recent)$"),
    ("oldest", rf"(?:the\s+)?\b(?:oldest|earliest|first)(?=\s+(?:[\w-]+\s+){{0,1}}?{NOUN}\b)"),
)
_ORDERED = tuple((order, re.compile(pattern, re.IGNORECASE)) for order, pattern in _ORDERS)

_THING = r"(?P<like>[^,;?]{2,200}?)"
_BUT = r"(?:\s*,?\s*\bbut\s+(?:(?:applied\s+)?(?:for|on|in|about|with|using|to)\s+)?(?P<but>[^,;?]{2,200}?))?"
_DECLINED_FIRST = re.compile(r"(?:no|not|nothing|neither|without)\b", re.IGNORECASE)
_LIKE = re.compile(
    rf"^(?:{_ALL}*(?:{NOUN}|methods?|systems?|models?)\s+)?(?:(?:that|which)\s+(?:is|are)\s+)?(?:very\s+|more\s+)?"
    rf"(?:like|similar\s+to|related\s+to|close\s+to|akin\s+to|alternatives?\s+to)\s+{_THING}{_BUT}\s*[.?!]*$",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    rf"^(?:(?:which|what)\s+)?(?:{_ALL}*{NOUN}\s+)?(?:(?:that|which|what|who)\s+)?"
    r"(?:(?:has|have)\s+(?:(?:anyone|anybody)\s+)?)?(?:follow[\s-]?ups?\s+(?:work\s+)?(?:of|to|on)"
    r"|follow(?:ing|s|ed)?(?:\s+up)?(?:\s+on)?|buil(?:d|ds|ding|t)\s+(?:up)?on(?:\s+top\s+of)?|extend(?:s|ing)?"
    r"|improv(?:e|es|ing)\s+(?:up)?on|successors?\s+(?:of|to)|cit(?:e|es|ing|ed(?!\s+by\b))|after)"
    r"\s+(?P<like>[^,;?]{2,200}?)\s*[.?!]*$",
    re.IGNORECASE,
)
_ONE_OF_SEVERAL = (
    r"(?!(?:with|for|in|on|using|from|of|by|at|to|that|which|about|such|like|but|also|please|e\.g"
    r"|since|before|after|until|during|between)\b)"
    r"[^\s,;.?!]+(?:\s+[^\s,;.?!]+){0,2}?"
)
OFTEN = 0.005
"""The share of the papers with Y from which "no Y" is a subject: "no regret" is, "no surveys" isn't."""
OFTEN_WITHOUT = 0.001
"""The same for "without Y": "without labels" is a subject, "without LLMs" isn't."""
TITLED = 0.75
"""The share of a title's longer words with a capital."""
LONG = 18
"""From this many words on, a text was probably pasted, and declines less."""
_NO_WISH = (
    r"(?!(?:limited|restricted|confined|only|just|merely|necessarily|exclusively|solely|simply|always|matter|idea|less"
    r"|more|later|longer|even|yet)\b)"
)
"""What is not declined by "not": "not only", "including but not limited to", "no matter"."""
_THAT_DOES_NOT = r"(?:that|which)\s+(?:do|does)(?:\s+not|n['’]?t)"
_WORD_OF = r"\s+(?:the\s+(?:words?|terms?|phrases?)|(?:any\s+)?mention(?:s|ing)?(?:\s+of)?)(?=\s)"
_WITHOUT = re.compile(
    rf"(?:(?:[,;]?\s+|\s*(?P<open>\()\s*)(?P<how>(?:without(?P<words>{_WORD_OF})?|{_THAT_DOES_NOT}\s+(?:use|involve|mention))(?:\s+(?:using|any|the))?"
    r"|(?:but\s+)?neither(?:\s+(?:about|on|using|with))?"
    r"|but\s+(?:not|no|nothing)(?:\s+(?:about|on|for|in|using|with))?"
    r"|excluding|except(?:\s+for)?|not\s+(?:about|on|using|for)|other\s+than)"
    r"|(?:[,;]\s+|\s+[-–—]\s+|\s*(?P<bracket>\()\s*)(?:(?:and|but|also|please)\s+)?"
    r"(?P<no>(?:not|no)(?:\s+(?:about|on|using|for|in|with))?|nothing\s+(?:about|on|in|with))"
    r"|\.\s+(?P<sentence>no)(?=(?:\s+[^\s,;.?!]+){1,3}\s*(?:$|[,.?!]))"
    r"|\s+(?P<asked>no)(?=(?:\s+[^\s,;.?!]+){1,3}?\s+please\b))"
    rf"\s+{_NO_WISH}(?P<what>[^,;:.?!()]{{2,60}}?"
    rf"(?:(?:,\s+{_ONE_OF_SEVERAL}){{0,12}},?\s+(?:or|and|nor)\s+{_ONE_OF_SEVERAL}"
    rf"|(?:,\s+{_ONE_OF_SEVERAL}){{1,12}}(?=\s*(?:$|[.;?!)])))?)"
    r"(?:,?\s+please)?(?(bracket)[\s!.]*\))(?(open)[\s!.]*\))(?:(?<=\))|\s*(?=$|[,;:.?!()]|\s[-–—]\s))",
    re.IGNORECASE,
)
_PLEASE_NO = re.compile(
    r"^(?:no\s+(?P<what>[^;.:?!]{2,60}?),?\s+please\s*[:;,.!]?|please,?\s+no\s+(?P<first>[^;.:?!]{2,60}?)\s*[:;.!])"
    r"\s+(?=\S)",
    re.IGNORECASE,
)
_ONLY_PAPERS = re.compile(
    rf"(?:\w+\s+)?{_PAPERS}(?:\s+(?:from|since|before|after|in|of|published|until|older|newer)\b.*)?",
    re.IGNORECASE,
)
"""Papers or days, which are no subject."""
_OF_A_KIND = re.compile(
    rf"^(surveys?|reviews?|overviews?|tutorials?|benchmarks?)\s+{_PAPERS}$", re.IGNORECASE
)
_LEADS = re.compile(r"^(?:nor|about|on|using|for|in|with|an?|any|the)\s+", re.IGNORECASE)
_UNWANTED = re.compile(
    r"(?:^|(?<=[.;!?]\s))(?:i|we)\s+(?:really\s+)?(?:do\s+not|don['’]?t)\s+(?:want|need)\s+(?:any(?:thing)?\s+)?"
    rf"(?:{_PAPERS}\s+)?(?:(?:about|on|with|that\s+(?:use|mention))\s+)?(?!to\b)(?P<what>[^,;.:?!]{{2,40}}?)"
    rf"(?:\s+{_PAPERS})?\s*(?:[.;!]+\s*|$)",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"\b(?:no|not|nothing|none|neither|nor|never|without|exclud(?:e|ing)|except|other\s+than|(?:do|does)n['’]?t"
    r"|(?:any|every)(?:thing|one|body)\s+but)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_LOOSE = re.compile(r" (?=[,;.?!](?:\s|$))")
_NO_MORE = re.compile(r",\s+(?:no|not)\s", re.IGNORECASE)
_EITHER = re.compile(r"\bwith\s+(?:and|or)$", re.IGNORECASE)
_BOTH = re.compile(r"[^,]+\sand\s[^,]+", re.IGNORECASE)
_SEVERAL = re.compile(
    r",\s*(?:(?:or|and|nor)\s+)?(?:(?:not|no)\s+)?|\s+(?:or|and|nor)\s+(?:(?:not|no)\s+)?", re.IGNORECASE
)


def read_order(text: str) -> tuple[Order | None, str]:
    """The order that a query asks for."""
    for order, pattern in _ORDERED:
        if match := pattern.search(text):
            return order, _cut(text, match)
    return None, text


def read_likeness(text: str) -> tuple[str | None, bool, str]:
    """(X, whether its follow-ups are meant, Y) of "papers like X but for Y" or "follow-ups of X".

    Whether X is a paper is for others to find out; where it is none, the text means what it says.
    """
    if match := _FOLLOWS.match(text):
        return match["like"].strip(" \"“”'"), True, ""
    if match := _LIKE.match(text):
        but = (match["but"] or "").strip()
        # "But no Y" is for read_without.
        return match["like"].strip(" \"“”'"), False, f" but {but}" if _DECLINED_FIRST.match(but) else but
    return None, False, text


def may_decline(text: str) -> bool:
    """Whether a text has any of the words by which people decline something; a quick check."""
    return _DECLINES.search(text) is not None


def is_title_case(text: str) -> bool:
    """Whether a text is written like a title, which declines nothing: "Policy Selection, Not Capability"."""
    words = [word for word in text.split() if len(word) > 3 and word[0].isalpha()]
    return len(words) > 2 and sum(word[0].isupper() for word in words) >= TITLED * len(words)


def read_without(
    text: str, together: Callable[[str], int], *, lacking: bool = True
) -> tuple[tuple[str, ...], str]:
    """What papers shall not be about: "but not Y", "excluding Y or Z", "X without Y".

    "Without Y" stays in the subject where papers print it themselves ("training without labels"), unless what
    comes before is a system's name. So does ", not Y" where that is often what those with Y print
    ("correlation, not causation"), and "Y and Z" stays whole where papers print that ("search and rescue").

    Parameters
    ----------
    together
        How many papers have some words side by side.
    lacking
        Whether "without Y" can say what is unwanted at all.
    """
    if not may_decline(text):
        return (), text
    for pattern in (_PLEASE_NO, _UNWANTED):
        if (match := pattern.search(text)) and (left := _cut(text, match).strip(" .;:")):
            text = f"{left}, no {next(filter(None, match.groups()))}"
    is_long = len(text.split()) >= LONG
    unwanted: list[str] = []
    for match in reversed(_declining(text, lacking=lacking)):
        what = " ".join(match["what"].split())
        parts = [_OF_A_KIND.sub(r"\1", _LEADS.sub("", part)) for part in _SEVERAL.split(what) if part]
        plain = match["no"] or match["sentence"] or match["asked"]
        begins = (match["how"] or plain).lower().split()[0]
        before = _WORDS.findall(text[: match.start()])[-1:]
        if before and together(f"{before[0]} {match[0]}"):  # a title, or how papers put it
            continue
        if begins == "without" and _EITHER.search(text, 0, match.start()):  # "with or without fur"
            continue
        if begins in ("without", "that", "which") and not match["words"]:
            often = 0 if is_long or len(what.split()) > 2 else OFTEN_WITHOUT
            printed = together(f"without {what}")
            if begins == "without" and (is_long or not all(map(is_thing, parts))):
                continue  # "without hurting answers"
            if not lacking:
                continue
            if printed and printed >= often * together(what) and not _is_name(text[: match.start()]):
                continue
        elif plain and (printed := together(f"{begins} {what}")):
            if is_long or printed >= OFTEN * together(what):
                continue
        elif begins == "neither" and is_long:
            continue
        if any(_ONLY_PAPERS.fullmatch(part) for part in parts):
            continue
        unwanted += [what] if _BOTH.fullmatch(what) and together(what) else reversed(parts)
        text = _cut(text, match)
    return tuple(reversed(unwanted)), _LOOSE.sub("", text) if unwanted else text


def _declining(text: str, *, lacking: bool) -> list[re.Match[str]]:
    """Where a text declines something; of "without fur, no surveys" only surveys where not ``lacking``."""
    found = []
    for match in _WITHOUT.finditer(text):
        first = (match["how"] or "").lower().split()[:1]
        more = _NO_MORE.search(match["what"]) if not lacking and first == ["without"] else None
        only = _WITHOUT.match(text, match.start("what") + more.start()) if more else None
        found.append(only or match)
    return found


def _is_name(text: str) -> bool:
    """Whether a text asks for a system by its name: "papers on PrismLLM"."""
    return _NAME.fullmatch(without_frame(text)) is not None


def likely_subject(text: str, *, as_text: bool = False) -> str:
    """What a query probably searches for, told by its words alone, which takes much less time."""
    short = len(text.split()) < LONG and '"' not in text
    if short and not (as_text or is_title_case(text) or is_of_papers(text)):
        text = read_done_without(text)[1]
    return without_frame(text).strip(" ,;:")


def without_frame(text: str) -> str:
    """A text without words that only ask: greetings, "I am interested in", "find all articles describing".

    Sentences that decline something ("I am not interested in hardware") or give thanks are dropped. A text of
    nothing else stays as it is.
    """
    sentences = _SENTENCE.split(text)
    parts = [part for part in sentences if not _DECLINED.search(part) and not _THANKS.fullmatch(part)]
    left = " ".join(filter(None, (_bare(part) for part in parts)))
    return left or text


def is_frame(text: str) -> bool:
    """Whether a text has no subject: only "papers", "what did they publish"."""
    bare = _bare(text).strip(" ?.!,")
    return bare.lower() in ("", "the", "all", "any", "some") or _ONLY.fullmatch(bare) is not None


def _bare(text: str) -> str:
    begun = None
    while begun != text:
        begun = text
        for frame in _FRAMES:
            rest = frame.sub("", text, count=1).lstrip(" ,:")
            if rest:
                text = rest
    return _TAIL.sub("", text) or text


def _cut(text: str, match: re.Match[str]) -> str:
    return " ".join(f"{text[: match.start()]} {text[match.end() :]}".split())
