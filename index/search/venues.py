"""Where papers appeared: what a query says of it, and what a paper's record does.

A record says it in arXiv's comment ("Accepted at ICLR 2025"), its journal reference, its venue, or an id of
the ACL Anthology.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

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
_YEAR = r"(?:\s*[,-]?\s*(?P<year>(?:19|20)\d\d)|\s*['’](?P<short>\d\d))"
_NAME = rf"(?:the\s+)?(?:proceedings\s+of\s+(?:the\s+)?)?(?P<name>(?i:{_any_of(_NAMES)})){_ITSELF}"
_SURE_NAME = rf"(?:the\s+)?(?:journal\s+)?(?P<name>(?i:{_any_of(_NAMES)})|{_any_of(_ALSO_WORDS)}){_ITSELF}"
_PAPERS = r"(?i:(?:(?:the|all|any|some|best)\s+){0,3}(?:papers?|articles?|works?|publications?))"
_VERB = (
    r"(?i:(?:(?:that|which)\s+)?(?:(?:was|were|are|is|has\s+been|have\s+been|got)\s+)?"
    r"(?:published|accepted|presented|appeared|appearing|to\s+appear))"
)
_FIRST = r"^(?P<order>(?i:(?:the|newest|latest|recent|oldest|first|most\s+recent|most\s+cited)\s+){0,4})"
_ABOUT = r"(?=\s+(?i:on|about|for|that|which|with|in|of|by)\b)"
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
    r"|shared\s+tasks?)\b|[@#]|\b(?:of|on|about|by)[\s.?!]*$",
    re.IGNORECASE,
)
"""What a text asks for if it asks for papers about a conference, or for those of an event beside it."""
_UNSURE = re.compile(
    r"\b(?:submitted|submission|submit|under\s+(?:[\w-]+\s+)?review|in\s+review|rejected|withdrawn)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:workshops?|co-?located|challenge|competition|tutorial|template|style)\b", re.IGNORECASE
)
_ANTHOLOGY = re.compile(
    r"(?P<year>(?:19|20)\d\d)\.(?:findings-)?(?P<venue>[a-z]+)-|(?P<letter>[A-Z])(?P<short>\d\d)-"
)
"""An id of the ACL Anthology, of the present form (``2021.acl-short.116``) or the old one (``P19-1531``)."""
_LETTERS = {
    "P": "ACL",
    "D": "EMNLP",
    "N": "NAACL",
    "E": "EACL",
    "C": "COLING",
    "K": "CoNLL",
    "Q": "TACL",
    "L": "LREC",
}
_CENTURY = 60
"""Two digits from here on are years of the last century."""
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
        """Whether the comment, journal reference, venue or id of a paper says that it appeared there.

        A paper that was only submitted did not, and neither did one of a workshop beside the conference.
        """
        names = [self.name, *(old for old, name in _OLD_NAMES.items() if name == self.name)]
        exactly = "" if self.name in _ALSO_WORDS else "(?i)"
        full = _FULL_NAMES.get(self.name)
        name = re.compile(
            rf"{exactly}(?<![^\W\d_])(?:{_any_of([*names, *([full] if full else [])])})(?![^\W\d_])"
        )
        if any(
            self == venue or (self.name == venue.name and self.year is None)
            for venue in map(_of_id, facts)
            if venue
        ):
            return True
        clauses = [clause for fact in facts if fact for clause in _CLAUSE.split(fact[:_LONGEST])]
        return any(
            (self.year is None or self._year_in(clause, clause[found.end() :]))
            and not _UNSURE.search(clause)
            and not _BESIDE.search(clause)
            for clause in clauses
            if (found := name.search(clause))
        )

    def _year_in(self, clause: str, after: str) -> bool:
        short = f"{(self.year or 0) % 100:02d}"
        return bool(
            re.search(rf"(?<!\d){self.year}(?!\d)", clause) or re.match(rf"\s?['’`]?{short}(?!\d)", after)
        )


def _of_id(fact: str | None) -> Venue | None:
    """Where a paper with an id of the ACL Anthology appeared."""
    found = _ANTHOLOGY.match(fact or "")
    if found is None:
        return None
    if found["letter"]:
        name, short = _LETTERS.get(found["letter"], ""), int(found["short"])
        return Venue(name, short + (1900 if short >= _CENTURY else 2000)) if name else None
    name = _BY_KEY.get(found["venue"], "")
    return Venue(name, int(found["year"])) if name else None


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
        subject = without_frame(left)
        if not re.search(r"[^\W\d_]{2}", subject) or is_frame(f"{left} papers") or _OF_IT.search(left):
            return None, text
        year = groups.get("year") or (f"20{groups['short']}" if groups.get("short") else None)
        return Venue(_BY_KEY[" ".join(groups["name"].lower().split())], int(year) if year else None), left
    return None, text
