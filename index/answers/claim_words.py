"""Words by which a sentence judges things, denies or only considers something."""

from __future__ import annotations


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


GOOD = _words(
    "improve improves improved improving improvement improvements better enhance enhances enhanced",
    "boost boosts boosted outperform outperforms outperformed surpass surpasses surpassed gain gains",
    "effective beneficial benefit benefits helps helped helpful useful robust robustly reliable",
    "reliably succeed succeeds succeeded successful successfully able possible sufficient suffices",
    "adequate excel excels",
)
BAD = _words(
    "harming hurting worsening worsen worsens worsened worse degrade degrades degraded degrading degradation",
    "deteriorate deteriorates deteriorated deterioration harm harms harmed harmful hurt hurts underperform",
    "underperforms underperformed impair impairs impaired weaken weakens weakened suffer suffers",
    "suffered ineffective useless brittle fragile unreliable unreliably unable impossible insufficient",
    "inadequate inferior poor poorly limited limitation limitations fail fails failed failing failure",
    "failures struggle struggles struggled struggling lack lacks lacked lacking cannot unsuccessful",
)
MORE = _words(
    "increase increases increased increasing higher rise rises rose raise raises raised greater grow",
    "grows grew positive positively",
)
LESS = _words(
    "reducing decrease decreases decreased decreasing lower lowers lowered fall falls fell drop drops",
    "dropped reduce reduces reduced reduction fewer decline declines declined shrink shrinks negative",
    "negatively",
)
MERITS = _words(
    "accuracy performance quality robustness generalization generalisation ability reliability",
    "effectiveness utility efficiency",
)
"""What is good if there is more of it."""
NEGATIONS = _words("not no never neither nor without cannot hardly barely rarely less")
FAILS = _words(
    "fail fails failed failing failure unable unlikely struggle struggles struggled lack lacks lacking",
)
DENIES = _words("not cannot never fail fails failed failing unable")
"""Words that deny what is done, behind them."""
NOT_ONLY = _words("only just merely")
NOT_TOLD = _words(
    "as when if where unless whether than how why unlike despite contrary contradict contradicts",
    "contradicting believed assumed thought hypothesized hypothesised supposed question questions unclear",
    "unknown",
)
"""Behind these stands a condition, a purpose or what others say: no claim, up to the end of the clause."""
TELLS = _words(
    "find findings show shown reveal results experiments experimental demonstrate suggest indicate conclude",
    "study evidence observe report",
)
"""Words that say no more than that something follows."""
AIMS = _words("to for")
STATES = _words(
    "shown found proven able lead leads led leading tend tends continue continues appear appears seem",
    "seems known likely observed fail fails failed failing unable unlikely struggle struggles struggled",
)
"""Behind one of these, "to" leads to what is told."""
LACKING = _words("without absence")
LIMITS = (
    ("large", "small"),
    ("high", "low"),
    ("long", "short"),
    ("strong", "weak"),
    ("early", "late"),
    ("simple", "complex"),
)
"""Where one sentence speaks of the one and another of the other, they don't speak of the same case."""
