"""Rules that select negatives for anchors, one block of anchors at a time.

A source (an encoder, BM25, ...) ranks the corpus for an anchor. Texts that are known to mean the same as the
anchor, directly or through others, have no rank and are never taken. A source proposes what stands within the
window of ranks; what stands before the window of any source, or is too similar by the scores of any source,
is dropped. Of several sources the first-ranked proposals come first, in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Floats, Ints
from textkin.base.errors import DataError
from textkin.data.protocols import Scorer
from textkin.kinds.data_coverage import DataCoverage
from textkin.text.baselines.trivial import Random
from textkin.vectors.index.exact_search import Searchable, Space, nearest
from textkin.verbs.negatives.anchors import Anchors
from textkin.verbs.negatives.options import NegativeOptions

FILTERS = (
    "same text as the anchor or a positive",
    "linked to the anchor by gold pairs",
    "known negative",
    "before the window of ranks",
    "margin to the positive",
    "relative margin to the positive",
    "largest score",
    "filter model",
)
"""Why a candidate is dropped; the first reason that holds counts."""

KNOWN = "known"
"""The source of negatives that are known to be such."""

_SAME, _LINKED, _KNOWN, _BEFORE, _MARGIN, _RELATIVE, _LARGEST, _FILTER = range(1, len(FILTERS) + 1)


@dataclass(frozen=True, slots=True)
class Negative:
    """A text that an anchor is to be distinguished from.

    Attributes:
        text: the text.
        source: the name of the source that proposed it, or ``KNOWN``.
        rank: its rank there among texts that are not known to mean the same as the anchor; 0 if known.
        score: by the filter model, if there is one, else by the first source.
    """

    text: str
    source: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Mined:
    """An anchor, its positives and the negatives that were found for it, which may be none.

    Attributes:
        anchor: the anchor.
        positives: its positives.
        scores: of the positives, by what scores the negatives.
        negatives: in the order in which they were taken.
    """

    anchor: str
    positives: tuple[str, ...]
    scores: tuple[float, ...]
    negatives: tuple[Negative, ...]


class DropCounts:
    """Counts of candidates by outcome; ``looked_at == dropped.sum() + taken + spare``.

    Attributes:
        looked_at: combinations of an anchor and a document that a source ranked up to the window's last rank.
        dropped: number of them dropped by each of ``FILTERS``. Shape [filters].
        taken: number of those that became negatives.
        spare: number of those not needed.
    """

    def __init__(self) -> None:
        self.looked_at = 0
        self.dropped = np.zeros(len(FILTERS), dtype=np.int64)
        self.taken = 0
        self.spare = 0

    def add(self, other: DropCounts) -> None:
        """Add those of other anchors."""
        self.looked_at += other.looked_at
        self.dropped += other.dropped
        self.taken += other.taken
        self.spare += other.spare

    def count(self, reasons: Ints, taken: int) -> None:
        """Add candidates: the number from 1 of the filter that dropped each, or 0; the number taken."""
        self.looked_at += len(reasons)
        self.dropped += np.bincount(reasons, minlength=len(FILTERS) + 1)[1:]
        self.taken += taken
        self.spare += int((reasons == 0).sum()) - taken


@dataclass(frozen=True, slots=True, eq=False)
class _Combinations:
    """Distinct combinations of an anchor and a document, by anchor; every array has shape [candidates].

    Attributes:
        anchor: number of the anchor.
        document: number of the document.
        rank: the best rank by any source; 0 for paraphrases and for those that are taken first.
        source: number of the first source that gives it that rank.
        first: whether it is a known negative that is taken before all others.
    """

    anchor: Ints
    document: Ints
    rank: Ints
    source: Ints
    first: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Miner:
    """Chooses negatives.

    Attributes:
        material: anchors and documents.
        spaces: the sources; their queries are the anchors.
        corpora: of each source what negatives may come from, made ready to be searched.
        options: the options of mining.
        judge: the filter model, if any.
        tally: counts of the candidates so far, by outcome.
        accounts: truncated and unknown parts of anchors and documents, by source and filter model.
    """

    material: Anchors
    spaces: Sequence[Space]
    corpora: Sequence[Searchable]
    options: NegativeOptions
    judge: Scorer | None
    tally: DropCounts
    accounts: DataCoverage = field(default_factory=DataCoverage)

    def mine(self, anchors: range) -> Iterator[Mined]:
        """The negatives of some consecutive anchors."""
        found, positives = self._candidates(anchors), self._positives(anchors)
        reasons = self._objections(found, positives)
        order = self._order(found, np.flatnonzero(reasons == 0))
        positive_scores, scores = self._scores(*positives), np.empty(len(reasons))
        limit = self._limit(positive_scores, positives)

        def passes(places: Ints) -> Bools:
            asked = order[places]
            scores[asked] = self._scores(found.anchor[asked], found.document[asked])
            return found.first[asked] | (scores[asked] <= limit[found.anchor[asked] - anchors.start])

        taken, refused = take(found.anchor[order], self.options.each, passes)
        reasons[order[refused]] = _FILTER
        self.tally.count(reasons, int(taken.sum()))
        chosen = order[taken]
        yield from self._rows(anchors, found, chosen, (positive_scores, scores[chosen]))

    def _candidates(self, anchors: range) -> _Combinations:
        """Candidates of the sources up to the last rank, after known negatives if these come first."""
        material, known = self.material, np.empty(0, dtype=np.int64)
        parts = [self._ranked(number, anchors) for number in range(len(self.spaces))]
        if self.options.known == "first":
            bounds = np.array([anchors.start, anchors.stop]) * len(material.documents)
            start, stop = np.searchsorted(material.known, bounds)
            known = material.known[start:stop]
            zeros = np.zeros(len(known), dtype=np.int64)
            parts.append(np.stack([*np.divmod(known, len(material.documents)), zeros, zeros]))
        columns = np.concatenate(parts, axis=1)
        anchor, document, rank, source = columns[:, np.lexsort(columns[::-1])]
        codes = material.codes(anchor, document)
        distinct = np.diff(codes, prepend=-1) != 0
        return _Combinations(
            anchor[distinct],
            document[distinct],
            rank[distinct],
            source[distinct],
            np.isin(codes[distinct], known) & ~self._is_kin(anchor[distinct], document[distinct]),
        )

    def _ranked(self, number: int, anchors: range) -> Ints:
        """Anchors, documents, ranks and the source's number of what a source ranks. Shape [4, ranked]."""
        material, space, last = self.material, self.spaces[number], self.options.ranks[1]
        rows = np.arange(anchors.start, anchors.stop)
        of_corpus = material.document_component[: material.corpus]
        sizes = np.bincount(of_corpus[of_corpus >= 0], minlength=material.anchor_component.max() + 1)
        depth = min(material.corpus, last + int(sizes[material.anchor_component[rows]].max()))
        part = slice(anchors.start, anchors.stop)
        documents = nearest(space.queries[part], self.corpora[number], depth, floor=space.floor[part])
        found = documents >= 0
        kin = self._is_kin(rows[:, None], documents)
        ranks = np.cumsum(found & ~kin, axis=1)
        looked_at = found & (ranks - ~kin < last)
        row, column = np.nonzero(looked_at)
        ranks[kin] = 0
        return np.stack([rows[row], documents[row, column], ranks[looked_at], np.full(len(row), number)])

    def _is_kin(self, anchors: Ints, documents: Ints) -> Bools:
        component = self.material.document_component[documents]
        return component == self.material.anchor_component[anchors]

    def _positives(self, anchors: range) -> tuple[Ints, Ints]:
        """Anchors and documents of the positive pairs of some anchors."""
        offsets = self.material.offsets[anchors.start : anchors.stop + 1]
        rows = np.repeat(np.arange(anchors.start, anchors.stop), np.diff(offsets))
        return rows, self.material.positives[offsets[0] : offsets[-1]]

    def _objections(self, found: _Combinations, positives: tuple[Ints, Ints]) -> Ints:
        """0 for a candidate that passes, else the number from 1 of the first filter that drops it."""
        options, material = self.options, self.material
        codes = material.codes(found.anchor, found.document)
        strangers = ~found.first
        margin, relative, largest = (np.zeros(len(codes), dtype=np.bool_) for _ in range(3))
        for space in self.spaces:
            scores = space.scores(found.anchor, found.document).astype(np.float64)
            lowest = _lowest(space.scores(*positives).astype(np.float64), positives)
            positive = lowest[found.anchor - positives[0][:1]]
            if options.margin is not None:
                margin |= scores > positive - options.margin
            if options.relative_margin is not None:
                relative |= scores > positive - np.abs(positive) * options.relative_margin
            if options.max_score is not None:
                largest |= scores > options.max_score
        held: dict[int, Bools] = {
            _SAME: np.isin(codes, material.same),
            _LINKED: self._is_kin(found.anchor, found.document),
            _KNOWN: np.isin(codes, material.known) & (options.known == "out"),
            _BEFORE: (found.rank < options.ranks[0]) & strangers,
            _MARGIN: margin & strangers,
            _RELATIVE: relative & strangers,
            _LARGEST: largest & strangers,
        }
        return np.select(list(held.values()), list(held), 0)

    def _order(self, found: _Combinations, passing: Ints) -> Ints:
        """Candidates that pass so far, by anchor, in the order in which they are taken.

        That is by rank and source; known negatives, which have no rank, by their scores in the first source.
        """
        options = self.options
        anchor, document, first = found.anchor[passing], found.document[passing], found.first[passing]
        by: tuple[NDArray[Any], ...] = document, found.source[passing], found.rank[passing].astype(np.float64)
        if options.pick == "random":
            by = document, Random(seed=options.seed).score(self._texts(anchor, document))
        else:
            by[-1][first] = -self.spaces[0].scores(anchor[first], document[first])
        return passing[np.lexsort((*by, ~first, anchor))]

    def _texts(self, anchors: Ints, documents: Ints) -> list[tuple[str, str]]:
        material = self.material
        numbers = zip(anchors.tolist(), documents.tolist(), strict=True)
        return [(material.anchors[anchor], material.documents[document]) for anchor, document in numbers]

    def _scores(self, anchors: Ints, documents: Ints) -> Floats:
        """The scores by the filter model, or by the first source."""
        if self.judge is None:
            return self.spaces[0].scores(anchors, documents).astype(np.float64)
        if not len(anchors):
            return np.empty(0)
        scores = self.judge.score(self._texts(anchors, documents)).astype(np.float64)
        if np.isnan(scores).any():
            raise DataError(f"{self.judge.name} gives scores that are not numbers", fix="take another filter")
        return scores

    def _limit(self, scores: Floats, positives: tuple[Ints, Ints]) -> Floats:
        """Maximum score of each anchor's negatives by the filter model. Shape [anchors]."""
        options, lowest = self.options, _lowest(scores, positives)
        limit = np.full_like(lowest, np.inf if options.filter_max is None else options.filter_max)
        return limit if options.filter_margin is None else np.minimum(limit, lowest - options.filter_margin)

    def _rows(
        self, anchors: range, found: _Combinations, chosen: Ints, scores: tuple[Floats, Floats]
    ) -> Iterator[Mined]:
        """Every anchor with its chosen negatives; ``scores`` are those of positives and negatives."""
        material = self.material
        negatives: dict[int, list[Negative]] = {}
        for candidate, score in zip(chosen.tolist(), scores[1].tolist(), strict=True):
            first, source = found.first[candidate], int(found.source[candidate])
            negatives.setdefault(int(found.anchor[candidate]), []).append(
                Negative(
                    text=material.documents[found.document[candidate]],
                    source=KNOWN if first else self.spaces[source].name,
                    rank=int(found.rank[candidate]),
                    score=score,
                )
            )
        base = material.offsets[anchors.start]
        for anchor in anchors:
            start, stop = material.offsets[anchor : anchor + 2].tolist()
            yield Mined(
                anchor=material.anchors[anchor],
                positives=tuple(material.documents[one] for one in material.positives[start:stop]),
                scores=tuple(scores[0][start - base : stop - base].tolist()),
                negatives=tuple(negatives.get(anchor, ())),
            )


def take(groups: Ints, each: int, passes: Callable[[Ints], Bools]) -> tuple[Bools, Bools]:
    """The first ``each`` items of every group that pass, asking about no more items than needed.

    Args:
        groups: the group of each item; those of one group stand side by side. Shape [items].
        each: number of items to take.
        passes: tests items, given by their places.

    Returns:
        Masks of the items taken, and of those tested that did not pass. Both of shape [items].
    """
    _, start, group = np.unique(groups, return_index=True, return_inverse=True)
    place = np.arange(len(groups)) - start[group]
    taken, refused = np.zeros((2, len(groups)), dtype=np.bool_)
    asked, kept = np.zeros((2, len(start)), dtype=np.int64)
    while True:
        turn = np.flatnonzero((place >= asked[group]) & (place < (asked + each - kept)[group]))
        if not len(turn):
            return taken, refused
        passing = passes(turn)
        taken[turn[passing]], refused[turn[~passing]] = True, True
        asked += np.bincount(group[turn], minlength=len(start))
        kept += np.bincount(group[turn[passing]], minlength=len(start))


def _lowest(scores: Floats, positives: tuple[Ints, Ints]) -> Floats:
    """The lowest score of each anchor's positives. Shape [anchors]."""
    starts = np.flatnonzero(np.diff(positives[0], prepend=-1))
    return np.minimum.reduceat(scores, starts)
