"""Where authors work ("papers from Stanford on agents", "papers by OpenAI"), which Labmate doesn't know.

Abstracts rarely say it, so the words would find papers about these places, or look for a person of that name.
They are taken out of the subject, and the reply says so.
"""

from __future__ import annotations

import re

from index.search.places_said import read_place_after
from index.search.wishes import is_frame

_NAMES = """
    Adobe, AI2, Alibaba, Allen AI, Allen Institute, Amazon, Anthropic, Apple, Baidu, Berkeley, Bosch,
    Bloomberg, ByteDance, Caltech, Cambridge, Carnegie Mellon, CERN, CMU, CNRS, Columbia, Cornell,
    DeepMind, Edinburgh, EleutherAI, EPFL, ETH, ETH Zurich, ETH Zürich, Facebook, Fudan, Georgia Tech,
    Google, Google Brain, Google DeepMind, Google Research, Harvard, Huawei, Hugging Face, HuggingFace,
    IBM, IBM Research, IIT, Imperial College, Inria, Intel, Johns Hopkins, KAIST, KU Leuven, Max Planck,
    McGill, Meta, Meta AI, Meta FAIR, Microsoft, Microsoft Research, Mila, MIT, MSR, Naver, NTU, Nvidia,
    NUS, NYU, OpenAI, Oxford, Peking University, Princeton, Qualcomm, Salesforce, Samsung, SJTU,
    Snowflake, Spotify, Stanford, Tencent, Tsinghua, TUM, UC Berkeley, UC San Diego, UCL, UCLA, UCSD,
    UIUC, UMass, USC, USTC, UT Austin, UW, UWaterloo, xAI, Yale, Zhejiang
"""
_WORD = r"[^\W\d_]+(?:[-'’][^\W\d_]+)*"
_KNOWN = "|".join(sorted((name.strip() for name in _NAMES.split(",")), key=len, reverse=True))
_PLACE = (
    r"(?:(?:the\s+)?(?i:(?:technical\s+)?university|institute|college|academy)\s+of\s+"
    rf"{_WORD}(?:\s+[A-Z]{_WORD})*"
    rf"|(?:the\s+)?(?:[A-Z]{_WORD}\s+){{1,2}}(?:University|Institute\s+of\s+Technology|College)"
    rf"|TU\s+[A-Z]{_WORD}"
    rf"|(?:the\s+)?(?i:{_KNOWN})"
    r"(?:\s+(?i:University|Labs?|Research(?:\s+Asia)?|Inc\.?))?)(?![\w-])"
)
_PLACES = rf"{_PLACE}(?:(?:,\s+|,?\s+(?:and|or|&)\s+){_PLACE})*"
_PAPERS = r"(?i:papers?|articles?|works?|publications?|preprints?)"
_NOUN = rf"(?:{_PAPERS}|(?i:research|stud(?:y|ies)|anything|something))"
_ENDS = (
    r"(?=\s*(?:$|[,.;?!])|\s+(?i:about|after|at|before|but|by|concerning|for|from|in|not|on|published|regarding|since|that"
    r"|this|using|which|with|without|w/o|until)\b)"
)
_BY = (
    r"(?i:by|from|at|out\s+of)\s+(?:(?i:researchers|people|authors|groups?|scientists|someone|students|teams?)"
    r"\s+(?i:at|from|in|of)\s+|(?i:any(?:one|body|where)|everyone)\s+(?i:but|except|other\s+than|outside)\s+)?"
)
_NOT = r"(?:(?i:but\s+)?(?i:not|nothing|none|no\s+papers)\s+)"
_PERSON = rf"{_WORD}\.?(?:\s+{_WORD}\.?){{1,2}}(?:['’]s\s+(?i:group|lab|students|team))?"
_SOMEBODY = (
    r"(?i:who|(?:any|some)(?:one|body)|people|ppl|researchers|authors|experts?|groups?|scientists|students"
    r"|teams?)"
)
_DOES = (
    r"(?i:who|that|is|are|can|could|does|do|knows?|works?|working|worked|stud(?:y|ies|ying|ied)|researches"
    r"|researching)"
)
_REFUSED = (
    r"(?i:(?:i|we)\s+(?:really\s+)?(?:do\s+not|don['’]?t)\s+(?:want|need|like)"
    r"|(?:any|every)thing\s+(?:but|except(?:\s+for)?|other\s+than))\s+(?i:any\s+)?"
)
_SAID = re.compile(
    rf"(?:^|[,;.]\s+)(?P<refused>{_REFUSED}(?:{_NOUN}\s+)?{_BY}{_PLACES}){_ENDS}"
    rf"|\b{_NOUN}\s+(?i:(?:written|published|done|released)\s+)?(?P<said>{_NOT}?{_BY}{_PLACES}){_ENDS}"
    rf"|\b{_NOUN}\s+(?i:by|from|of)\s+{_PERSON}\s+(?P<theirs>(?i:at|from|of)\s+{_PLACES}){_ENDS}"
    rf"|\b{_NOUN}\s+(?i:by|from|of)\s+{_PERSON}\s+(?P<aside>\({_PLACES}\))"
    rf"|\s(?P<none>{_NOT}(?i:by|from)\s+{_PLACES}){_ENDS}"
    rf"|\s(?P<last>(?i:by|from)\s+{_PLACES})(?=\s*(?:$|[,.;?!])|\s+(?i:after|before|since|until|without|w/o)\b)"
    rf"|\b{_SOMEBODY}\s+(?P<whose>(?i:at|from|in)\s+{_PLACES})(?=\s+{_DOES}\b)"
    rf"|^(?i:who|(?:does|do|is)\s+anyone)\s+(?i:here\s+)?{_DOES}\b.*?\s(?P<who>(?i:at|in)\s+{_PLACES})(?=\s*[?.!]*$)"
    rf"|^(?i:(?:new|recent|latest|newest)\s+)?(?P<own>{_PLACE}(?:['’]s)?)\s+(?={_PAPERS}\b)"
    rf"|^(?P<asked>(?i:what(?:['’]?s|\s+(?:has|have|did|is|are)))\s+{_PLACE}\s+(?i:been\s+)?"
    r"(?i:publish(?:ed|ing)?|releas(?:ed?|ing)|writ(?:e|ten|ing)|wrote|work(?:ed|ing)?|done|doing)"
    r"(?:\s+(?i:recently|lately))?(?:\s+(?i:on|about))?)(?![\w-])"
)
_OF_PEOPLE = re.compile(rf"(?P<topic>.*\S)\s+(?P<place>(?P<how>(?i:at|from))\s+{_PLACES})[\s.?!]*")
_NONE = re.compile(rf"{_NOT}|{_REFUSED}")
_ABOUT = re.compile(r"^(?:on|about)\s+(?=\S)", re.IGNORECASE)
_NEWS = re.compile(r"(?:what(?:['’]s|\s+is)|anything|something)\s+new|news", re.IGNORECASE)
_LOOSE = re.compile(r" (?=[,;.?!])")
_FORMS = ("refused", "said", "theirs", "aside", "whose", "who", "none", "last", "own", "asked")
_ENGLISH = frozenset("amazon apple eth intel meta uw".split())
"""Names that are something else without a capital, too."""
_SITES = frozenset(("amazon", "facebook", "hugging face", "huggingface", "spotify"))
"""What posts, reviews and data come from, as papers do."""


def read_workplace(text: str) -> tuple[str, str]:
    """The words of a text that say where authors work, and the text without them; "" for none.

    Of a text of nothing else, the place stays.
    """
    match = _SAID.search(text)
    if match is None:
        return "", text
    form = next(name for name in _FORMS if match[name])
    start, end = match.span(form)
    place = next(re.finditer(_PLACE, match[form]))[0]
    sure = form not in ("last", "own", "asked")
    if (place in _ENGLISH and not sure) or (form == "last" and place.lower() in _SITES):
        return "", text
    left = _LOOSE.sub("", " ".join(f"{text[:start]} {text[end:]}".split())).strip(" ,;?")
    alone = is_frame(left) or _NEWS.fullmatch(left) is not None
    if alone and _NONE.match(match[form]):  # "papers not from Google" are not about Google
        return "", text
    left = _ABOUT.sub("", left) if form == "refused" else left
    return place if form == "asked" else match[form], place if alone else left


def read_place_of_people(topic: str) -> tuple[str, str]:
    """The words of a topic that say where those who know it work, and the topic without them; "" for none."""
    match = _OF_PEOPLE.fullmatch(topic)
    if match is None:
        return read_place_after(topic)
    place = next(re.finditer(_PLACE, match["place"]))[0]
    if match["how"].lower() == "from" and place.lower() in _SITES:
        return "", topic
    return match["place"], match["topic"]
