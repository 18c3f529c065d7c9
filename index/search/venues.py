"""Where papers appeared: what a query says of it, and what a paper's record does.

A record says it in arXiv's comment ("Accepted at ICLR 2025"), its journal reference, its venue, or an id of
the ACL Anthology.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from data.anthology import full_year, place_of
from index.search.wishes import is_frame, without_frame

_FULL_NAMES = {
    "AAAI": "AAAI Conference on Artificial Intelligence",
    "ACL": "Annual Meeting of the Association for Computational Linguistics",
    "CVPR": "Computer Vision and Pattern Recognition",
    "ECCV": "European Conference on Computer Vision",
    "EMNLP": "Empirical Methods in Natural Language Processing",
    "ICCV": "International Conference on Computer Vision",
    "ICLR": "International Conference on Learning Representations",
    "ICML": "International Conference on Machine Learning",
    "ICRA": "International Conference on Robotics and Automation",
    "IROS": "Intelligent Robots and Systems",
    "JMLR": "Journal of Machine Learning Research",
    "KDD": "Knowledge Discovery and Data Mining",
    "NAACL": "Chapter of the Association for Computational Linguistics: Human Language",
    "NeurIPS": "Neural Information Processing Systems",
    "PNAS": "Proceedings of the National Academy of Sciences",
    "TACL": "Transactions of the Association for Computational Linguistics",
    "TMLR": "Transactions on Machine Learning Research",
    "USENIX Security": "USENIX Security Symposium",
    "WWW": "Web Conference",
}
_OLD_NAMES = {"NIPS": "NeurIPS", "The Web Conference": "WWW", "TheWebConf": "WWW"}
_OTHERS = """
    3DV AACL AAMAS AISTATS ASPLOS BMVC CIKM COLING COLM COLT CoNEXT CoNLL CoRL CSCW DSN EACL ECAI ECIR EuroSys
    FAccT FOCS HPCA ICAPS ICASSP ICCAD ICDE ICDM ICSE IJCAI INFOCOM Interspeech ISMIR ISSTA LREC MICCAI MLSys
    MobiCom MobiSys NDSS NSDI OOPSLA OSDI PLDI PODC PODS POPL PPoPP RecSys SIGCOMM SIGGRAPH SIGIR SIGMOD SOSP
    STOC TPAMI UAI UIST VLDB WACV WSDM
"""
_NAMES = (*_FULL_NAMES, *_OLD_NAMES, *_OTHERS.split())
_ALSO_WORDS = tuple("ALT CAV CCS CHI DAC FAST FSE HRI IMC ISCA Nature RSS SC Science".split())
"""Names that mean other things, too: venues only as printed, and where the frame leaves no doubt."""
_BY_KEY = {name.lower(): _OLD_NAMES.get(name, name) for name in (*_NAMES, *_ALSO_WORDS)}


def _any_of(names: Iterable[str]) -> str:
    return "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in sorted(names, key=len, reverse=True))


_ITSELF = r"\b(?!\s+(?i:anthology|communit(?:y|ies)|conferences|members|venues)\b)"
_DONE = r"(?=\s*(?:$|[,.;?!)]|['’]?\d|(?i:on|about|for|that|which|with|in|by|since|from|papers?)\b))"
_YEAR = r"(?:\s*[,-]?\s*(?P<year>(?:19|20)\d\d)|\s*['’](?P<short>\d\d))"
_SOME_YEAR = r"(?:\s*[,-]?\s*(?:19|20)\d\d|\s*['’]\d\d)"
_NAME = rf"(?:the\s+)?(?:proceedings\s+of\s+(?:the\s+)?)?(?P<name>(?i:{_any_of(_NAMES)})){_ITSELF}"
_ANY_NAME = rf"(?i:{_any_of(_NAMES)}){_ITSELF}|(?:{_any_of(_ALSO_WORDS)})\b{_DONE}"
_SURE_NAME = rf"(?:the\s+)?(?:journal\s+)?(?P<name>{_ANY_NAME})"
_PAPERS = r"(?i:(?:(?:the|all|any|some|best)\s+){0,3}(?:papers?|articles?|works?|publications?))"
_VERB = (
    r"(?i:(?:(?:that|which)\s+)?(?:(?:was|were|are|is|has\s+been|have\s+been|got)\s+)?"
    r"(?:published|accepted|presented|appeared|appearing|to\s+appear))"
)
_ASKS = r"(?i:(?:(?:please|show|find|give|list|get|me|us|which|what|are\s+there|any|all)\s+){0,5})"
_FIRST = (
    rf"^{_ASKS}(?P<order>(?i:(?:the|newest|latest|recent|oldest|first|most\s+recent|most\s+cited)\s+){{0,4}})"
)
CERTAIN = rf"(?:(?i:{_any_of(_NAMES)}){_ITSELF}(?:{_SOME_YEAR})?)"
"""A venue's name that means nothing else, perhaps with a year."""
WITH_YEAR = rf"(?:(?i:the\s+)?(?:{_any_of(_ALSO_WORDS)}){_SOME_YEAR})"
"""A venue's name that means other things without a year."""
_ABOUT = (
    r"(?=\s+(?i:on|about|for|that|which|with|in|of|by|stud(?:y|ies)|discuss(?:es)?|us(?:e|es|ing)|address(?:es)?"
    r"|propos(?:e|es|ing)|deal(?:s|ing)?)\b)"
)
_LAST = r"(?:,\s*|\s+|\s*\()"
_END = rf"\)?(?:\s+{_PAPERS})?[\s.?!]*$"
_FRAMES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:{_PAPERS}\s+)?{_VERB}\s+(?i:in|at|by|to|for)\s+{_SURE_NAME}{_YEAR}?(?:\s+(?i:conference|proceedings)\b)?",
        rf"\b{_PAPERS}\s+(?i:from|at|in|of)\s+{_NAME}{_YEAR}?",
        rf"\b{_PAPERS}\s+(?i:from|at|in|of)\s+{_SURE_NAME}{_YEAR}",
        rf"{_FIRST}{_NAME}{_YEAR}?\s+{_PAPERS}{_ABOUT}",
        rf"{_FIRST}{_SURE_NAME}{_YEAR}\s+{_PAPERS}{_ABOUT}",
        rf"{_LAST}(?i:at|from)\s+{_NAME}{_YEAR}?{_END}",
        rf"{_LAST}(?i:in)\s+{_NAME}{_YEAR}{_END}",
        rf"{_LAST}(?i:at|from)\s+{_SURE_NAME}{_YEAR}{_END}",
        rf"{_LAST}{_NAME}{_YEAR}{_END}",
    )
)
_OF_IT = re.compile(
    r"\b(?:peer|review(?:s|ers?|ing)?|submissions?|challenge|competition|workshops?|tutorials?|keynotes?|tracks?"
    r"|datasets?|shared\s+tasks?)\b|[@#]|\b(?:of|on|about|by)[\s.?!]*$",
    re.IGNORECASE,
)
"""What a text asks for if it asks for papers about a conference, or for those of an event beside it."""
_DECLINED = re.compile(
    r"(?:\b(?:not|no|never|nor|without|except|excluding|besides|but)|n['’]t)(?:\s+\w+){0,2}[\s,(]*$",
    re.IGNORECASE,
)
_ANOTHER = rf"(?:,|/|&|\b(?:and|or)\b)\s*(?:at\s+|in\s+)?(?i:{_any_of((*_NAMES, *_ALSO_WORDS))})\b"
_AND_THEN, _AFTER_ONE = (
    re.compile(rf"^\s*{_ANOTHER}"),
    re.compile(
        rf"(?i:\b(?:{_any_of((*_NAMES, *_ALSO_WORDS))}))\b\W*(?:\d+\W*)?(?:,|/|&|\b(?:and|or))\s*(?:at|in)?$"
    ),
)
_UNSURE = re.compile(
    r"\b(?:(?:re-?)?submi\w+|not\s+(?:yet\s+)?accepted|review|revision|rejected|withdrawn)\b", re.IGNORECASE
)
_BESIDE = re.compile(
    r"\b(?:workshops?|co-?located|challenge|competition|tutorial|template|style|dataset|(?:fall|spring)\s+symposium)\b",
    re.IGNORECASE,
)
_OTHER_PLACES = re.compile(
    r"https?://\S+|www\.\S+|\bfindings\s+of\s+(?:the\s+)?\w+:|\b(?:Pacific-Asia|Asia-Pacific)\s[^,.;]*"
    r"|\bSemantic\s+Web\s+Conference|\bMachine\s+Learning\s+and\s+Applications|\bAAAI\s*/\s*ACM[^.;]*",
    re.IGNORECASE,
)
"""What looks like a venue's name and is not, or another's."""
_LONGEST = 2_000
"""How many letters of a record's comment are read."""
_CLAUSE = re.compile(r"[.;](?=\s|$)|\n")
_LEADING = re.compile(r"^\s*(?:on|about|for|that|which|with|in|of|concerning)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Venue:
    """A conference or journal, and perhaps its year."""

    name: str
    year: int | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.year}" if self.year else self.name

    def named_in(self, *facts: str | None) -> bool:
        """Whether the comment, journal reference or venue of a paper says that it appeared there.

        A paper that was only submitted did not, and neither did one of a workshop beside the conference.
        """
        names = [self.name, *(old for old, name in _OLD_NAMES.items() if name == self.name)]
        full = _FULL_NAMES.get(self.name)
        any_of = _any_of([*names, *([full] if full else [])])
        if self.name in _ALSO_WORDS:
            begins = (
                r"^\W*(?i:(?:published|accepted|presented|to\s+appear|appear(?:s|ed))\s+(?:in|at|by)\s+)?"
            )
            name = re.compile(rf"{begins}(?:{any_of})(?=\s*(?:$|[,(:]|['’]?\d|(?i:vol)))")
        else:
            name = re.compile(rf"(?i)(?<![^\W\d_])(?:{any_of})(?![^\W\d_])")
        clauses = [
            clause
            for fact in facts
            if fact
            for clause in _CLAUSE.split(_OTHER_PLACES.sub(" ", fact[:_LONGEST]))
        ]
        return any(
            (self.year is None or self._year_in(clause, clause[found.end() :])) and _is_there(clause, found)
            for clause in clauses
            if (found := name.search(clause))
        )

    def _year_in(self, clause: str, after: str) -> bool:
        short = f"{(self.year or 0) % 100:02d}"
        return bool(
            re.search(rf"(?<!\d){self.year}(?!\d)", clause) or re.match(rf"\s?['’`]?{short}(?!\d)", after)
        )

    def has_id(self, identifier: str) -> bool:
        """Whether an id of the ACL Anthology is that of a paper there."""
        venue = appeared(identifier)
        return venue is not None and venue.name == self.name and self.year in (None, venue.year)


def _is_there(clause: str, found: re.Match[str]) -> bool:
    """Whether a clause that names a venue says that the paper appeared there, and not beside it."""
    before, after = clause[: found.start()], clause[found.end() :].split(",")[0]
    near = before.rsplit(",", 1)[-1]
    said = f"{near if near.strip() else before} {after}"
    return not _UNSURE.search(said) and not _BESIDE.search(said)


def appeared(identifier: str) -> Venue | None:
    """Where a paper with an id of the ACL Anthology appeared; None for workshops."""
    place = place_of(identifier)
    name = _BY_KEY.get(place.name.lower(), "") if place else ""
    return Venue(name, place.year) if place and name else None


def read_venue(text: str) -> tuple[Venue | None, str]:
    """Where the papers that a text asks for appeared, and the text without it.

    Only a text that has a subject beside it asks so; "ICLR 2025" alone stays words.
    """
    for frame in _FRAMES:
        found = frame.search(text)
        if found is None:
            continue
        groups = found.groupdict()
        before, after = text[: found.start()].rstrip(" ,"), text[found.end() :]
        left = f"{before} {after}" if before else f"{groups.get('order') or ''}{_LEADING.sub('', after)}"
        left = " ".join(left.split()).strip(" ,;:")
        if _DECLINED.search(before) or _AND_THEN.search(after) or _AFTER_ONE.search(before):
            return None, text  # not there, or there and elsewhere
        subject = without_frame(left)
        if not re.search(r"[^\W\d_]{2}", subject) or is_frame(f"{left} papers") or _OF_IT.search(left):
            return None, text
        typed, short = " ".join(groups["name"].lower().split()), groups.get("short")
        year = int(groups["year"]) if groups.get("year") else full_year(int(short)) if short else None
        if typed == "www" and year is None:
            return None, text
        return Venue(_BY_KEY[typed], year), left
    return None, text
