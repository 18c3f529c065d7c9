"""What to type for a wish that a mention can't do: to stop a digest, to be forgotten, to undo."""

from __future__ import annotations

import re

_POLITE = (
    r"(?:(?:please|hey|hi|ok|and|what about|how about|labmate|can you|could you|would you|i want to"
    r"|i'd like to|how (?:do|can) i)[,:]?\s+)*"
)
_END = r"(?:\s+(?:please|now|thanks|thank you))*[\s.!?]*"
_MINE = r"(?:my|the|this|your|all|all my|these|those)"
_ADVICE: tuple[tuple[str, str], ...] = (
    (
        r"(?:stop|quit|unsubscribe|opt[- ]?out|mute|leave me alone|shut up"
        rf"|(?:stop|cancel|end|delete|disable|turn off)\s+(?:{_MINE}\s+)?(?:daily\s+|weekly\s+)?"
        r"(?:digests?|messages?|dms?|posts?|updates?|alerts?|it|that|this|everything)"
        r"|stop\s+(?:sending|messaging|writing|posting|dm'?ing)\b[^:]{0,40}|unsubscribe\s+(?:me|from)\b[^:]{0,40}"
        r"|(?:no|send me no)\s+more\s+(?:digests?|messages?|dms?|posts?|updates?|alerts?))",
        "To stop a digest for a while, use /digest pause; for good, /digest delete. /unfollow ends what you "
        "follow.",
    ),
    (
        rf"(?:pause|snooze|suspend)(?:\s+{_MINE})?(?:\s+digests?|\s+it)?",
        "To pause a digest, use /digest pause; /digest resume starts it again.",
    ),
    (
        rf"(?:resume|unpause|restart)(?:\s+{_MINE})?(?:\s+digests?|\s+it)?",
        "To start a paused digest again, use /digest resume.",
    ),
    (
        r"(?:forget|delete|erase|remove|wipe)\s+(?:about\s+)?(?:me|(?:all\s+)?(?:of\s+)?my\s+(?:data|account|profile"
        r"|history|information)|(?:all|everything)\s+(?:that\s+)?(?:you\s+(?:know|have|keep|store)\s+)?about\s+me)",
        "/me forget deletes what I keep about you, once you confirm it. /me data shows it first.",
    ),
    (
        r"(?:what\s+(?:do|data do)\s+you\s+(?:know|store|keep|have|remember)\s+(?:about|on|of)\s+me"
        r"|(?:show\s+(?:me\s+)?|export\s+)?my\s+data|what\s+do\s+you\s+know\s+of\s+me|who\s+am\s+i)",
        "/me data shows what I keep about you, and only you see it. /profile shows what others see.",
    ),
    (
        r"(?:do|does|are|is|will)\s+(?:you|labmate|this\s+bot|the\s+bot|it)\s+(?:also\s+|secretly\s+)?"
        r"(?:stor|sav|keep|log|record|read|see|collect|spy|track|shar|sell)(?:e|ing)?(?:\s+on)?\s+"
        r"(?:all\s+|any\s+)?(?:of\s+)?(?:my|our|us|me|everyone's|the|these|private|people's)?\s*"
        r"(?:messages?|chats?|data|conversations?|dms?|questions|what\s+(?:i|we)\s+(?:write|say|type|ask))?",
        "I read direct messages to me and messages that mention me. Where link cards are on, I also look for "
        "links to papers in other messages. /me data shows what I keep about you, and /me forget deletes it.",
    ),
    (
        r"(?:are|r)\s+(?:you|u)\s+(?:an?\s+|the\s+)?(?:real\s+|actual\s+)?(?:chat\s?gpt|gpt(?:[- ]?\d\S*)?"
        r"|claude|gemini"
        r"|bots?|robot|ais?|llm|language\s+model|human|person|real|alive|machine)"
        r"(?:\s+or\s+(?:an?\s+)?(?:bot|robot|ai|human|person|machine|real|llm))?",
        "I'm Labmate, a bot that finds papers and people. My answers quote papers, so you can check them; "
        "/help shows what I can do.",
    ),
    (
        r"(?:how\s+many|what|which)\s+papers\s+(?:do\s+you\s+(?:know|have|hold|cover)|are\s+(?:there\s+)?(?:in\s+"
        r"(?:here|you|your\s+(?:library|index|database)))|have\s+you(?:\s+(?:got|read))?)(?:\s+about)?",
        "/about shows how many papers I know, where they come from and how new they are.",
    ),
    (
        r"(?:claim\s+(?:my|this|a)\s+(?:profile|page|papers?|card|name)|(?:this|that)(?:'s|\s+is)\s+me"
        r"|i\s+am\s+(?:this|that)\s+(?:author|person)|(?:link|connect)\s+me\s+(?:to|with)\s+my\s+(?:papers|profile))",
        "To connect yourself to your papers, use /claim with your name as they print it.",
    ),
    (
        r"(?:post|send|share|drop|announce)\s+(?:us\s+|me\s+)?(?:the\s+|all\s+)?(?:new|newest|latest|daily|today's)\s+"
        r"(?:\S+\s+){0,4}?(?:papers|listings?|preprints|articles)\s+.{0,60}\b(?:here|channel|every|each|daily|weekly"
        r"|mornings?)\b.{0,30}",
        "/setup starts a digest that posts new papers in a channel; /digest mine sends them to you by direct "
        "message.",
    ),
    (
        r"(?:you\s+(?:suck|are\s+(?:useless|bad|stupid|dumb|terrible|wrong|the\s+worst))|you're\s+(?:useless|bad|stupid|dumb"
        r"|terrible|wrong|the\s+worst)|(?:bad|stupid|dumb|useless|terrible)\s+bot|(?:this|that)(?:'s|\s+is)\s+"
        r"(?:useless|wrong|garbage|rubbish|nonsense|bullshit|terrible)|fuck\s+(?:you|off|this))",
        "I'm sorry that I was no help. Try other words, or see /help. /person corrects a wrong author.",
    ),
    (
        r"(?:what|who|which\s+(?:people|papers|topics)|whom)\s+(?:do|am)\s+i\s+follow(?:ing)?"
        r"|(?:show|list)\s+(?:me\s+)?(?:what|who|whom|everything|the\s+(?:people|papers|topics))\s+(?:that\s+)?i\s+follow"
        r"|my\s+follows|following",
        "/following shows what you follow.",
    ),
    (
        r"(?:(?:show|list|open|see)\s+(?:me\s+)?)?my\s+(?:library|saved\s+papers|reading\s+list|bookmarks)"
        r"|(?:what|which)(?:\s+papers?)?\s+(?:did|have)\s+i\s+(?:saved?|keep|kept)"
        r"|(?:what|which)(?:\s+papers)?(?:\s+are|\s+is|'s)\s+in\s+my\s+library",
        "/library show lists what you saved.",
    ),
    (
        r"(?:(?:find|suggest|recommend|show|give)\s+(?:me\s+)?|i\s+need\s+|(?:i'm\s+|i\s+am\s+)?looking\s+for\s+)"
        r"(?:an?\s+|some\s+|new\s+|possible\s+)*(?:collaborators?|co-?authors?|people\s+to\s+work\s+with)"
        r"(?:\s+for\s+me)?|collaborators\s+for\s+me"
        r"|(?:with\s+)?whom?\s+(?:could|can|should|might)\s+i\s+(?:work|collaborate|write(?:\s+papers?)?)(?:\s+with)?",
        "/collaborators suggests people for your name or for a topic, and says why.",
    ),
    (
        r"(?:(?:show|list|find)\s+(?:me\s+)?(?:all\s+(?:of\s+)?)?)?my\s+(?:own\s+)?(?:papers|publications)"
        r"|(?:what|which\s+papers)\s+(?:have|did)\s+i\s+(?:published?|written|write)",
        "/papers with your name, as your papers print it, lists them. /claim connects you to them.",
    ),
    (
        r"(?:(?:show\s+me|give\s+me|any|some|list)\s+)*(?-i:[Mm]ore)"
        r"(?:\s+(?:papers|results|of\s+them|of\s+these))?"
        r"|(?:the\s+|show\s+(?:me\s+)?(?:the\s+)?)?next\s+page",
        "For more, press *Next ▶* below a list, or *More* below an answer.",
    ),
    (
        r"(?-i:ok|okay|Ok|Okay|OK|k|yes|Yes|no|No|yep|yeah|nope|sure|fine|cool|nice|great|wow|lol|hm+|Hm+)"
        r"|got\s+it|i\s+see|never\s*mind|not\s+now|alright|all\s+right|sounds\s+good",
        "OK. Ask me about a paper, a person or a topic; /help shows what else I can do.",
    ),
    (
        r"(?:(?:show|open|see)\s+(?:me\s+)?)?my\s+(?:own\s+)?digests?",
        "/digest mine opens your own digest, or starts one.",
    ),
    (
        r"(?:(?:show|open|see|edit)\s+(?:me\s+)?)?my\s+(?:profile|claims?)",
        "/profile show is what others see of you. /claim connects you to your papers.",
    ),
    (
        r"(?:who(?:'s|\s+is)|what\s+(?:did|has|does)|(?:(?:show|list|find)\s+(?:me\s+)?)?"
        r"(?:papers?|publications|work)\s+(?:by|of|from))\s+<@!?\d{1,20}>"
        r"(?:\s+(?:publish(?:ed)?|writ(?:e|ten)|works?\s+on))?",
        "To see a member's papers, right-click the member (on a phone, hold), then choose *Apps* and "
        "*Papers*. It works if the member allows it.",
    ),
    (r"(?:stop\s+following|unfollow)(?:\s+.{1,200})?", "To stop following something, use /unfollow."),
    (
        r"undo|(?:undo|revert)\s+(?:that|this|it|the\s+last\s+(?:thing|one|change|correction))"
        r"|take\s+(?:that|it|this)\s+back",
        "To undo something, press *Undo* below the reply that did it.",
    ),
    (
        r"(?:save|bookmark|keep)\s+(?:this|that|it)(?:\s+paper)?",
        "To keep a paper, use /save with its title, or the *Save* button below a post.",
    ),
    (
        r"(?:set\s+up|start|create|make|give\s+me|send\s+me|subscribe(?:\s+me)?(?:\s+to)?|i\s+want)\s+"
        r"(?:an?\s+|my\s+|the\s+)?(?:own\s+)?(?:daily\s+|weekly\s+)?(?:digests?|alerts?|updates)",
        "/digest mine starts your own digest by direct message; /setup makes one for a channel.",
    ),
)
_READ = tuple((re.compile(f"{_POLITE}(?:{wish}){_END}", re.IGNORECASE), told) for wish, told in _ADVICE)
_LONGEST = 300


def advice(said: str) -> str | None:
    """The command for a wish about digests, following or one's own data; None for anything else."""
    words = " ".join(said.split())
    if len(words) > _LONGEST:
        return None
    words = words.replace("’", "'")
    return next((told for read, told in _READ if read.fullmatch(words)), None)
