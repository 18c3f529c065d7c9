"""Where authors work ("papers from Stanford on agents", "papers by OpenAI"), which Labmate doesn't know.

Abstracts rarely say it, so the words would find papers about these places, or look for a person of that name.
They are taken out of the subject, and the reply says so.
"""

from __future__ import annotations

import re

from index.search.wishes import is_frame

_NAMES = """
    Adobe, AI2, Alibaba, Allen AI, Allen Institute, Amazon, Anthropic, Apple, Baidu, Berkeley, Bosch,
    ByteDance, Caltech, Cambridge, Carnegie Mellon, CERN, CMU, CNRS, Columbia, Cornell, DeepMind, EPFL, ETH,
    ETH Zurich, ETH Zürich, Facebook, Fudan, Georgia Tech, Google, Google Brain, Google DeepMind, Google
    Research, Harvard, Huawei, Hugging Face, HuggingFace, IBM, IBM Research, IIT, Imperial College, Inria,
    Intel, Johns Hopkins, KAIST, Max Planck, Meta, Meta AI, Meta FAIR, Microsoft, Microsoft Research, Mila,
    MIT, MSR, Naver, NTU, Nvidia, NUS, NYU, OpenAI, Oxford, Peking University, Princeton, Qualcomm,
    Salesforce, Samsung, SJTU, Snowflake, Spotify, Stanford, Tencent, Tsinghua, UC Berkeley, UC San Diego,
    UCL, UCLA, UCSD, UIUC, UMass, USC, USTC, UT Austin, UW, UWaterloo, xAI, Yale, Zhejiang
"""
_WORD = r"[^\W\d_]+(?:[-'’][^\W\d_]+)*"
_PLACE = (
    rf"(?:the\s+)?(?:(?:University|Institute|College|Academy)\s+of\s+{_WORD}(?:\s+[A-Z]{_WORD})*"
    rf"|(?:[A-Z]{_WORD}\s+){{1,2}}(?:University|Institute\s+of\s+Technology|College)"
    rf"|(?i:{'|'.join(sorted((name.strip() for name in _NAMES.split(',')), key=len, reverse=True))})"
    r"(?:\s+(?i:University|Labs?|Research|Inc\.?))?)(?![\w-])"
)
_PAPERS = r"(?i:papers?|articles?|works?|publications?|preprints?)"
_NOUN = rf"(?:{_PAPERS}|(?i:research|stud(?:y|ies)|anything|something))"
_ENDS = (
    r"(?=\s*(?:$|[,.;?!])|\s+(?i:about|after|before|concerning|for|in|on|published|regarding|since|that|using|which"
    r"|with|without|until)\b)"
)
_BY = r"(?i:by|from|at|out\s+of)\s+(?i:(?:researchers|people|authors|groups?)\s+(?:at|from|in|of)\s+)?"
_SAID = re.compile(
    rf"\b{_NOUN}\s+(?i:(?:written|published|done|released)\s+)?(?P<said>{_BY}{_PLACE}){_ENDS}"
    rf"|\s(?P<last>(?i:by|from)\s+{_PLACE})[\s.?!]*$"
    rf"|^(?i:(?:new|recent|latest|newest)\s+)?(?P<own>{_PLACE}(?:['’]s)?)\s+(?={_PAPERS}\b)"
    rf"|^(?P<asked>(?i:what\s+(?:has|have|did|is|are))\s+{_PLACE}\s+(?i:been\s+)?"
    r"(?i:publish(?:ed|ing)?|releas(?:ed?|ing)|writ(?:e|ten|ing)|wrote|work(?:ed|ing)?|done|doing)"
    r"(?:\s+(?i:recently|lately))?(?:\s+(?i:on|about))?)(?![\w-])"
)
_ENGLISH = frozenset("amazon apple eth intel meta uw".split())
"""Names that are something else without a capital, too."""


def read_workplace(text: str) -> tuple[str, str]:
    """The words of a text that say where authors work, and the text without them; "" for none.

    Of a text of nothing else, the place stays.
    """
    match = _SAID.search(text)
    if match is None:
        return "", text
    form = next(name for name in ("said", "last", "own", "asked") if match[name])
    start, end = match.span(form)
    place = next(re.finditer(_PLACE, match[form]))[0]
    if place in _ENGLISH and form != "said":
        return "", text
    left = " ".join(f"{text[:start]} {text[end:]}".split()).strip(" ,;?")
    return place if form == "asked" else match[form], place if is_frame(left) else left
