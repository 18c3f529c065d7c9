"""How people ask for things: the patterns by which :mod:`index.search.routing` reads what is said."""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
COMMAND = re.compile(r"/([a-z-]{2,20})\b\s*(.*)", re.DOTALL)
HELP = re.compile(
    r"(?:(?:hi|hello|hey)\b.{0,20}|help(?: me)?|commands?|who are you"
    r"|what (?:can|do|could) (?:you|i) (?:do|know|ask|type)\b.{0,40}"
    r"|how (?:do|can|should|does) (?:i|we|you|this|labmate) (?:use|ask|work|talk)\b.{0,40})[?!. ]*",
    re.IGNORECASE,
)
THANKS = re.compile(
    r"(?:(?:ok(?:ay)?|great|perfect|cool|nice|wow|many|oh)\b[,!. ]*)*(?:thanks?|thank you|thx|cheers)\b"
    r"(?:[\s,!.:;)]+(?:a|again|all|and|answer|bot|everything|for|great|help(?:s|ed|ful)?|is|it|labmate|lot|lots"
    r"|much|of|perfect|really|so|that|that's|that’s|the|this|useful|very|was|works?|you|your))*[\s!.:;)]*",
    re.IGNORECASE,
)
SUMMARY = re.compile(
    r"(?:please |can you |could you )*(?:give me )?(?:a )?"
    r"(?:summari[sz]e|summary of|sum up|tl;?dr(?: of| for)?)(?: of)?:?\s+(?:the paper )?(.+?)[?!. ]*",
    re.IGNORECASE | re.DOTALL,
)
_EXPERT = r"(?:(?:an?|the|some|any|good|leading|top|best) )*(?:experts?|specialists?|reviewers?|referees?)"
_FOR_IT = r"(?: for (?:an?|the|my|this|our) (?:paper|manuscript|submission|proposal|project))?"
_SOMEBODY = r"(?:people|researchers|(?:some|any)(?:body|one))"
_WORKING = r"(?:works?|working|stud(?:y|ies|ying)|researches|researching)"
_SEEKS = (
    r"(?:(?:please |can you |could you )*(?:find|show|give|list|suggest|recommend|name)(?: me| us)?"
    r"|(?:(?:i|we)(?: am|['’]m| are|['’]re)? )?(?:look(?:ing)?|search(?:ing)?)(?: for)?"
    r"|(?:i|we) (?:need|want|seek)|do you know)"
)
_KNOWS_ABOUT = (
    r"knows?(?= (?:about|anything about|much about|a lot about) )"
    r"(?! (?:\w+ )?about (?:\w+ ){0,3}?(?:papers?|publications|articles|studies|literature)\b)"
)
WHO_KNOWS = re.compile(
    r"(?:who (?:here )?(?:(?:can|could) help(?: me| us)?(?= (?:with|on) )|knows?|works|worked"
    r"|is working|studies|researches"
    rf"|(?:is|are) {_EXPERT}{_FOR_IT})"
    r"|who (?:should|could|can) review (?:this|it|an?|the|my|our)"
    r"(?: (?:paper|manuscript|submission|proposal))?(?=:| (?:on|about) )"
    r"|(?:experts|specialists|reviewers|referees)(?= (?:on|in|for) )"
    r"|(?:people|ppl|researchers) (?:who (?:work on|study)|working on)(?= )"
    rf"|(?:(?:does|do|is|are|is there) )?(?:some|any)(?:body|one)(?: here| who| that| is)* "
    rf"(?:{_WORKING}(?= (?:on|in|with) )|{_KNOWS_ABOUT})"
    rf"|{_SEEKS} "
    rf"(?:{_EXPERT}{_FOR_IT}(?= (?:on|in|for|about|of) )"
    rf"|(?:some |a |any )?{_SOMEBODY} (?:(?:who|that) (?:is |are )?(?:{_WORKING}|knows?)|working(?= on ))"
    r"(?: much| a lot)?"
    r"|(?:a |some )?(?:collaborators?|people to (?:work|collaborate|talk) (?:with|to))(?: for (?:me|us))?"
    r"(?= (?:on|about|in) ))"
    r"|who(?:m)? (?:(?:should|can|could|do) (?:i|we)|(?:i|we) (?:should|can|could|may))"
    r" (?:talk|speak|write|turn|ask|contact|meet|collaborate|partner|team up|work)(?: to| with)?"
    r"(?= (?:about|on|for|regarding) ))(?: anything| a lot| much| best)?"
    r"(?::| about| on| in| of| for| regarding| with)?\s+(.+?)[?!. ]*",
    re.IGNORECASE | re.DOTALL,
)
PEOPLE_LIKE = re.compile(
    rf"(?:{_SEEKS} )?(?:who (?:is|are|works?) "
    r"|(?:(?:some|more|other) )*(?:people|researchers|authors|somebody|someone) "
    r"(?:who (?:is|are|work) )?)(?:most )?(?:like|similar to) ((?-i:[^\W\d_a-z])[\w.'’ -]{2,80}?)[?!. ]*",
    re.IGNORECASE,
)
TOGETHER = re.compile(
    r"(?:what |which papers )?(?:do|does|did|have|has|are|were|is)\b.*"
    r"\b(?:with|together|each other|co-?authors?|collaborat\w+)\b",
    re.IGNORECASE,
)
SHARED = re.compile(r"\b(?:share[ds]?|(?:have )?in common)\b", re.IGNORECASE)
COAUTHORS = re.compile(
    r"\b(?:co-?authors?|collaborators?|(?:work(?:s|ed|ing)?|writ(?:es?|ing|ten)|wrote|publish(?:es|ed|ing)?"
    r"|collaborat(?:es?|ed|ing))\s+with|worked\s+together)\b",
    re.IGNORECASE,
)
_ARCHIVES = (
    "acl|astro-ph|cond-mat|cs|econ|eess|gr-qc|hep-(?:ex|lat|ph|th)|math|math-ph|nlin|nucl-(?:ex|th)|physics"
    "|q-bio|q-fin|quant-ph|stat"
)
"""The archives of arXiv, and the ACL Anthology's only category."""
NEW = re.compile(
    r"(?:what(?:['’]?s| is) new|anything new|new papers|what was announced"
    r"|(?:(?:what (?:is|are)|show me|give me) )?(?:the )?(?:newest|latest|most recent) papers?)"
    rf"(?: (?:today|yesterday))?(?: (?:in|for) (?P<category>(?:{_ARCHIVES})(?:\.[a-z-]+)?))?[?!. ]*",
    re.IGNORECASE,
)
TRENDING = re.compile(
    r"(?:(?:what(?:['’]?s| is| are)?|which topics? (?:is|are)|show me(?: what(?:['’]?s| is))?|any) )?"
    r"(?:trending|trends|hot|popular|up and coming)(?: topics?)?"
    r"(?: (?:right now|now|today|lately|these days|this "
    r"(?:week|month|year)|at the moment|here))*"
    rf"(?: (?:in|for) (?P<category>(?:{_ARCHIVES})(?:\.[a-z-]+)?))?"
    r"(?: (?:right now|now|today|lately))?[?!. ]*",
    re.IGNORECASE,
)
NEWS = re.compile(r"(?:what(?:['’]?s| is)|anything) new (?:in|on|about|for|with) ", re.IGNORECASE)
SHOW = re.compile(
    rf"^(?:(?:{_SEEKS} )?(?:(?:a|the) )?(?:bibtex|bib|ris|citation|reference)(?: entry)? (?:of|for)"
    r"(?: the paper)?"
    r"|(?:how (?:do|can|should) (?:i|we) )?cite(?: the paper)?"
    r"|(?:please |can you |could you )*(?:show|open|find|get|look up|give|follow)(?: me| us)?(?: the)?"
    r"(?: (?:paper|card)(?: of| called| named)?)?:?"
    r"|who (?:wrote|published|(?:is|are) the (?:(?:first|lead|last|senior) )?authors? of)"
    r"(?: the(?: paper)?)?)\s+",
    re.IGNORECASE,
)
ON_CARD = re.compile(
    r"(?:when|where|(?:in )?(?:what|which) (?:year|venue|journal|conference)) (?:was|were|is|did|has|have) "
    r"(?:the )?(?:paper )?(?P<paper>.+?)(?: paper)? (?:first )?(?:been )?"
    r"(?:published|released|appear|come out|submitted|announced|posted|presented)(?: (?:at|in|on))?[?!. ]*",
    re.IGNORECASE,
)
"""What a paper's card says: its day and its venue."""
THE_PAPER = re.compile(r" paper$", re.IGNORECASE)
INITIALS = re.compile(
    r"(?:[^\W\d_a-z]\.[\s-]?)+(?:[^\W\d_]+ ){0,2}[^\W\d_a-z][^\W\d_]+(?:-[^\W\d_]+)*[?!. ]*"
)
"""A name of initials, such as ``D. Rückert``, that is all that somebody says."""
WHO_IS = re.compile(
    r"(?i:who(?:'s|’s| is))\s+((?:[^\W\d_a-z][^\W\d_]*[.]?[\s-]+)+(?:(?:de|del|der|la|van|von) )*"
    r"[^\W\d_a-z][^\W\d_]+)[?!. ]*"
)
"""Somebody asked for by a name of two words or more that the library doesn't print so."""
TOLD = re.compile(
    r"(?:[^.,;:!?]{0,60}[.,;:!]\s+)?(?:(?:please|pls|plz|so|and|but|just|hi|hello|hey)\W+)*"
    r"(?:(?:(?:can|could|would|will) (?:you|(?:some|any)(?:body|one)) )?(?:please |pls )?"
    r"(?:explain|tell|show)(?: to)?(?: me| us)(?: please)?"
    r"|(?:i|we)(?: just| only| really)?(?: want| need|['’]d like| would like| try| wish)(?: to)?"
    r" (?:know|learn|understand|find out))\s+"
    r"(?P<question>(?:what|why|how|when|where|whether|if|which|who)\s.+)",
    re.IGNORECASE | re.DOTALL,
)
"""A question within a sentence: "I am tired, I just want to know what RLHF is"."""
PLEASE = re.compile(r"[\s,]+(?:please|pls|plz|thanks?(?: you)?)[\s.!]*$", re.IGNORECASE)
FEW_WORDS = 10
"""Up to so many words around an identifier say only what to do with its paper."""
LIKE_IT = re.compile(r"\b(?:like|similar|related)\b", re.IGNORECASE)
WHO = re.compile(
    r"(?:who(?:'s|’s| is| are)|tell (?:me|us) (?:more )?about|(?:the )?(?:card|profile) of|about|author:?)\s",
    re.IGNORECASE,
)
COMPARED = re.compile(
    r"\b(?:compar(?:e|es|ing|ison)(?: of)?|versus|vs\b\.?|(?:the )?differences? between)", re.IGNORECASE
)
_NAME_PART = r"(?-i:[^\W\d_a-z])[^\W\d_]*\.?"
# In small letters only: a "Van" that could be either would be tried as both, in every combination.
_A_NAME = rf"({_NAME_PART}(?:[ -](?-i:(?:de|del|der|la|van|von) )*{_NAME_PART}){{1,3}})"
COMPARE_BOTH = re.compile(
    rf"(?:please )?compare {_A_NAME} (?:and|with|to|vs\.?|versus) {_A_NAME}[?!. ]*", re.IGNORECASE
)
COMPARE_TWO = re.compile(
    r"(?:please |can you |could you )*compare (?:the papers? )?(\S.{1,200}?) (?:and|with|to|vs\.?|versus)"
    r" (?:the paper )?(\S.{1,200}?)[?!. ]*",
    re.IGNORECASE,
)
WROTE = re.compile(
    r"\b(?:publish(?:ed|es|ing)?|publications?|papers?|articles?|wrote|written|writes?|work(?:s|ed|ing)?"
    r"|research|preprints?|released?|done|doing|up to)\b",
    re.IGNORECASE,
)
APPEARED = re.compile(rf"{WROTE.pattern}|\b(?:proposed|introduced|presented|announced)\b", re.IGNORECASE)
HOW = re.compile(r"(?:please |so |and |but |ok(?:ay)?,? )*(?:how(?! (?:many|much)\b)|why)\b", re.IGNORECASE)
ASKS = re.compile(
    r"(?:please |so |and |but |ok(?:ay)?,? )*"
    r"(?:what|which|who|whose|when|where|why|how|is|are|was|were|does|do|did|can|could|should|would|will|has|have|explain|compare)\b",
    re.IGNORECASE,
)
PAPERS_WANTED = re.compile(
    r"(?:(?:hi|hello|hey|please|so|ok(?:ay)?)\W+)*"
    r"(?:what|which|are there|is there|any|do you (?:know|have)|have you (?:got|read)|how (?:many|much)"
    r"|where (?:can|could|do) (?:i|we) find"
    r"|(?:(?:does|do) (?:any|some)(?:body|one) (?:know|have)"
    r"|(?:can|could|would|will) (?:you|i|we|(?:some|any)(?:body|one))(?: please)? (?:find|get|give|have|list"
    r"|look|name|point|recommend|search|see|send|share|show|suggest|tell))"
    r"(?!(?: me| us)? (?:how|if|when|where|whether|why)\b))\b"
    r"(?:\W+\w+){0,4}?\W+(?:papers?|publications|articles|studies|literature|(?:related|recent|new) work)\b"
    r"(?!\W+(?:say|show|find|claim|report|use|argue|conclude|suggest)s?\b)",
    re.IGNORECASE,
)
FRAME = re.compile(
    r"show|list|give|tell|follow|please|new|newest|latest|recent|all|everything|anything|who's|what's|lately|ever"
    r"|he|she|they|him|her|them|his|their|together|where"
)
IS_THERE = re.compile(r"(?:is|are)\s+there\s|(?:do|does)\s+any(?:one|body)?\s|any\s|which\s", re.IGNORECASE)
"""What asks for things of a kind: "is there RL that doesn't need a reward model?"."""
