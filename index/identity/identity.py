"""Matching authorships to people, with a confidence and the best supporting authorship for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from index.identity import large_names
from index.identity.authorships import Authorships
from index.identity.clusters import Block, batches, estimate_priors, pairs_within, upper
from index.identity.evidence import Evidence
from index.identity.judgement import Judgement
from index.identity.models import Models, ease, expected_namesakes
from index.identity.name_merger import NameMerger
from index.identity.part_merger import PartMerger, grouped
from index.identity.statistics import Statistics
from index.identity.unions import CertainPairs
from index.identity.variants import Variants, find_variants
from index.models.distinct import distinct
from index.models.shipped import margins

_PAIRS_AT_ONCE = 400_000
_PAIRS_HELD = 2_000_000
"""Pairs of authorships whose evidence is held at a time, unless one name has more."""
AT_ONCE = 60_000
"""Authorships that are judged in one go, unless one family name has more."""
Progress = Callable[[int, int], None]


@dataclass
class Judge:
    """Sorts the authorships of a corpus into people.

    A name's authorships are compared in pairs, put into firm groups, and merged by a model that looks at two
    groups at once. Then groups under different names that could be one person are merged if there is
    evidence.
    """

    authorships: Authorships
    models: Models
    certain: CertainPairs = field(default_factory=CertainPairs)
    progress: Progress | None = None
    statistics: Statistics | None = None
    """Of the collection, if they are known already."""

    @cached_property
    def name_odds(self) -> np.ndarray:
        """float64, shape (names,): log-odds by the name alone that two authorships are by one person."""
        return self.authorships.name_odds(self.models.commonness)

    @cached_property
    def _name_priors(self) -> tuple[np.ndarray, np.ndarray]:
        spelled = self.authorships.spelled
        return expected_namesakes(self.name_odds, spelled), ease(
            self.name_odds, spelled, self.authorships.papers
        )

    def _set_priors(self, block: Block) -> None:
        """Give a block the priors of its name."""
        name = self.authorships.name_ids[0][block.authorships[0]]
        block.namesakes, block.ease = (float(values[name]) for values in self._name_priors)

    @cached_property
    def _cut(self) -> float:
        return self.models.cut(self.authorships.papers, self.authorships.slowness)

    @cached_property
    def evidence(self) -> Evidence:
        """The pair features of this corpus."""
        return Evidence(self.authorships, self.statistics)

    def judge(self, wanted: np.ndarray | None = None) -> Judgement:
        """Judge every authorship, or those of the wanted names.

        Parameters
        ----------
        wanted
            Booleans over the numbers of :attr:`Authorships.name_ids`.
        """
        whole = len(self.authorships.name_ids[0])
        judgement = Judgement.blank(whole)
        done = 0
        for names in self.units(wanted):
            self.judge_names(names, judgement)
            done += int(np.diff(self.authorships.by_name[1])[names].sum())
            if self.progress:
                self.progress(done, whole)
        return judgement.numbered()

    def units(self, wanted: np.ndarray | None = None) -> Iterator[np.ndarray]:
        """The (wanted) names, ascending, some at a time; those that one person can print come together."""
        family = self._families()
        chosen = np.arange(len(family)) if wanted is None else np.flatnonzero(wanted)
        order = chosen[np.argsort(family[chosen], kind="stable")]
        if not len(order):
            return
        counts = np.diff(self.authorships.by_name[1])[order]
        cuts = np.flatnonzero(np.diff(family[order])) + 1
        start, size = 0, 0
        for begin, end in zip([0, *cuts.tolist()], [*cuts.tolist(), len(order)], strict=True):
            more = int(counts[begin:end].sum())
            if size and size + more > AT_ONCE:
                yield np.sort(order[start:begin])
                start, size = begin, 0
            size += more
        yield np.sort(order[start:])

    def _families(self) -> np.ndarray:
        """The family of each name; those of two names are one if both are certainly one person's."""
        family = self.authorships.family_ids
        ids = self.authorships.name_ids[0]
        for one, other in self.certain.together:
            first, second = int(family[ids[one]]), int(family[ids[other]])
            if first != second:
                family = np.where(family == max(first, second), min(first, second), family)
        return family

    def judge_names(self, names: np.ndarray, judgement: Judgement) -> None:
        """Judge some whole families; people are written down by the number of their first authorship."""
        printed = np.diff(self.authorships.by_name[1])[names]
        sorted_out: dict[int, list[np.ndarray]] = {}
        several, counts = names[printed > 1], printed[printed > 1]
        # The matrices of a name's pairs are let go before the next names have theirs.
        held = counts * np.minimum(counts, large_names.LARGEST)
        for some in batches(held.tolist(), _PAIRS_HELD):
            for name, blocks in self.blocks(several[some]).items():
                for block in blocks:
                    self._note(block, judgement)
                sorted_out[name] = self._groups(blocks)
        groups: list[np.ndarray] = []
        for name in names.tolist():
            if name in sorted_out:
                groups.extend(sorted_out[name])
                continue
            # Most names occur once. There is nothing to compare, and the authorship is a group by itself.
            alone = self.authorships.of_name(name)
            if len(alone):
                judgement.confidence[alone] = 1.0
                groups.append(alone)
        united, _ = self._across_names.merged(groups, judgement)
        for group in united:
            judgement.person[group] = group[0]

    def place(self, known: np.ndarray) -> Judgement:
        """Judge the unassigned authorships, and leave the others as they are known.

        Parameters
        ----------
        known
            int64, shape (authorships,): the person, -1 for those to judge. Only a full judgement unites or
            splits known people.

        Returns
        -------
        Judgement
            People are known ones or, from ``known.max() + 1`` on, new ones; -1 if nothing was judged.
        """
        ids, _ = self.authorships.name_ids
        judgement = Judgement.blank(len(ids))
        names = distinct(ids[known < 0])
        bounded = [self._bounded(self.authorships.of_name(name), known) for name in names]
        groups: list[np.ndarray] = []
        anchors: list[int] = []
        pairs = [int((known[block] < 0).sum()) * len(block) for block in bounded]
        for some in batches(pairs, _PAIRS_AT_ONCE):
            blocks = self.anchored(bounded[some], known)
            self._merge(blocks)
            for block in blocks:
                self._note(block, judgement)
                for group, anchor in zip(block.groups, block.anchors, strict=True):
                    groups.append(block.authorships[sorted(group)])
                    anchors.append(anchor)
        fresh = {place for place, anchor in enumerate(anchors) if anchor < 0}
        self._add_partners(groups, anchors, {int(name) for name in names}, known)
        united, owners = self._across_names.merged(groups, judgement, anchors, fresh)
        following = int(known.max(initial=-1)) + 1
        for mine, owner in sorted(zip(united, owners, strict=True), key=lambda pair: int(pair[0][0])):
            new = mine[known[mine] < 0]
            if len(new):
                judgement.person[new] = owner if owner >= 0 else following
                following += owner < 0
        return judgement

    def anchored(self, authorships: list[np.ndarray], known: np.ndarray) -> list[Block]:
        """Blocks in which known people are groups and only unassigned authorships are compared."""
        sides = [(block[known[block] < 0], block) for block in authorships]
        features = self.evidence.compare(
            np.concatenate([np.repeat(new, len(block)) for new, block in sides]),
            np.concatenate([np.tile(block, len(new)) for new, block in sides]),
        )
        scores = margins(self.models.pairs, features)
        ids, _ = self.authorships.name_ids
        blocks, start = [], 0
        for new, block in sides:
            stop = start + len(new) * len(block)
            blocks.append(
                Block.anchored(
                    block,
                    known,
                    scores[start:stop],
                    features[start:stop],
                    self.authorships.paper,
                    float(self.name_odds[ids[block[0]]]),
                )
            )
            self._set_priors(blocks[-1])
            for a, b in self._places(blocks[-1], self.certain.apart_among):
                blocks[-1].keep_apart(a, b)
            start = stop
        return blocks

    def _bounded(self, authorships: np.ndarray, known: np.ndarray) -> np.ndarray:
        """A name's authorships, with few enough of each known person to compare all of them."""
        if len(authorships) <= large_names.LARGEST:
            return authorships
        people = np.unique(known[authorships])
        most = max(3, large_names.LARGEST // len(people))
        kept = [
            authorships[known[authorships] == person]
            if person < 0
            else large_names.few(authorships[known[authorships] == person], most)
            for person in people
        ]
        return np.sort(np.concatenate(kept))

    def _add_partners(
        self, groups: list[np.ndarray], anchors: list[int], names: set[int], known: np.ndarray
    ) -> None:
        """Add known people under other names that somebody new could also use."""
        for name in sorted(self.authorships.partners_of(names)):
            places = self.authorships.of_name(name)
            for person in np.unique(known[places]):
                if person >= 0:
                    groups.append(places[known[places] == person])
                    anchors.append(int(person))

    # -- one name --------------------------------------------------------------------------------

    def blocks(self, wanted: np.ndarray) -> dict[int, list[Block]]:
        """The authorships of each wanted name, grouped into people; a large name comes in several blocks."""
        by_name = {name: self.authorships.of_name(name) for name in wanted.tolist()}
        pieces = [(name, part) for name, mine in by_name.items() for part in self._parts(mine)]
        priors = {
            name: self._whole_prior(mine) for name, mine in by_name.items() if len(mine) > large_names.LARGEST
        }
        solved: dict[int, list[Block]] = {}
        for some in batches([len(part) * (len(part) - 1) // 2 for _, part in pieces], _PAIRS_AT_ONCE):
            chosen = pieces[some]
            blocks = self._solve([part for _, part in chosen], [priors.get(name) for name, _ in chosen])
            for (name, _), block in zip(chosen, blocks, strict=True):
                solved.setdefault(name, []).append(block)
        return solved

    def _parts(self, authorships: np.ndarray) -> list[np.ndarray]:
        if len(authorships) <= large_names.LARGEST:
            return [authorships] if len(authorships) else []
        coauthors = self.evidence.coauthors(np.split(authorships, len(authorships)))
        weights = self.evidence.statistics.weights
        features = large_names.work_and_circle(
            self.authorships.vectors[self.authorships.paper[authorships]], coauthors, weights
        )
        return large_names.parts(authorships, features, large_names.teams_of(coauthors, weights))

    def _groups(self, blocks: list[Block]) -> list[np.ndarray]:
        """The groups of a name, also of several blocks."""
        if len(blocks) == 1:
            return grouped(blocks)
        # The model learned from names of one part. A group that meets more others is like some by chance.
        met = sum(len(block.groups) for block in blocks)
        cut = self._cut + max(0.0, math.log(met / large_names.LARGEST))
        merger = PartMerger(self.authorships, self.evidence, self.models, self.certain, cut)
        return merger.merged(blocks)

    def _whole_prior(self, authorships: np.ndarray) -> float:
        """The prior of a large name, from pairs of all its parts: within one part papers are too alike."""
        one, other = large_names.random_pairs(authorships)
        scores = margins(self.models.pairs, self.evidence.compare(one, other))
        odds = float(self.name_odds[self.authorships.name_ids[0][authorships[0]]])
        return estimate_priors([scores], [odds])[0]

    def _solve(self, authorships: list[np.ndarray], known: list[float | None]) -> list[Block]:
        blocks = self.compared(authorships)
        priors = estimate_priors(
            [block.scores[upper(len(block.authorships))] for block in blocks],
            [block.name_odds for block in blocks],
        )
        for block, prior, given in zip(blocks, priors, known, strict=True):
            block.start(prior if given is None else given)
        self._merge(blocks)
        for block in blocks:
            block.join(self._places(block, self.certain.together_among))
        return blocks

    def _merge(self, blocks: list[Block]) -> None:
        """Merge groups round by round, all blocks in step, so that the model runs in few large batches."""
        merging = [block for block in blocks if len(block.groups) > 1]
        while merging:
            candidates = [block.merge_features(self._cut) for block in merging]
            scores = margins(self.models.groups, np.concatenate([features for _, features in candidates]))
            ends = np.cumsum([len(features) for _, features in candidates])
            still = []
            for block, (pairs, _), score in zip(
                merging, candidates, np.split(scores, ends[:-1]), strict=True
            ):
                if block.merge(pairs, score, self._cut) and len(block.groups) > 1:
                    still.append(block)
            merging = still

    def compared(self, authorships: list[np.ndarray]) -> list[Block]:
        """Blocks with their pairs compared but not grouped yet."""
        paired = [pairs_within(block) for block in authorships]
        ends = np.cumsum([len(left) for left, _ in paired])
        features = self.evidence.compare(
            np.concatenate([left for left, _ in paired]), np.concatenate([right for _, right in paired])
        )
        scores = margins(self.models.pairs, features)
        ids, _ = self.authorships.name_ids
        blocks = [
            Block.of(
                block, score, feature, self.authorships.paper[block], float(self.name_odds[ids[block[0]]])
            )
            for block, score, feature in zip(
                authorships, np.split(scores, ends[:-1]), np.split(features, ends[:-1]), strict=True
            )
        ]
        for block in blocks:
            self._set_priors(block)
            for a, b in self._places(block, self.certain.apart_among):
                block.keep_apart(a, b)
        return blocks

    @staticmethod
    def _places(
        block: Block, among: Callable[[Sequence[int]], list[tuple[int, int]]]
    ) -> list[tuple[int, int]]:
        """The certain pairs among a block's authorships, by their places in it."""
        authorships = block.authorships.tolist()
        pairs = among(authorships)
        place = {authorship: at for at, authorship in enumerate(authorships)} if pairs else {}
        return [(place[one], place[other]) for one, other in pairs]

    def _note(self, block: Block, judgement: Judgement) -> None:
        """Write down the confidence and support of each authorship of a block."""
        likely = 1 / (1 + np.exp(-np.clip(block.scores + block.prior, -30, 30)))
        places = np.arange(len(block.authorships)) if block.fresh is None else block.fresh
        group_of = np.zeros(len(block.authorships), np.int64)
        for number, group in enumerate(block.groups):
            group_of[group] = number
        itself = np.arange(len(places)), places
        same = group_of[places][:, None] == group_of[None, :]
        outside = np.where(same, 0.0, likely)
        same[itself] = False
        inside = np.where(same, likely, 0.0)
        best = inside.argmax(axis=1)
        alone = ~same.any(axis=1)
        own = np.where(alone, 1.0, inside.max(axis=1, initial=0.0))
        noted = block.authorships[places]
        judgement.support[noted] = np.where(alone, -1, block.authorships[best])
        judgement.confidence[noted] = own * (1 - 0.5 * outside.max(axis=1, initial=0.0))

    # -- names that one person can print ---------------------------------------------------------

    @property
    def _across_names(self) -> NameMerger:
        return NameMerger(self.authorships, self.evidence, self.models, self.certain, self._cut)

    def variants(self, groups: list[np.ndarray], fresh: set[int] | None = None) -> Variants:
        """Pairs of groups under different names that could be one person's (:func:`find_variants`)."""
        return Variants.joined(find_variants(self.authorships, self.evidence, self.models, groups, fresh))
