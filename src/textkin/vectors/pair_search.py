"""The search from texts with vectors to the requested pairs, best first, each pair once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Floats32
from textkin.base.files import sha256_of_json
from textkin.base.text_equality import Equal, key_of
from textkin.vectors.compute_engine import THIS_MACHINE, WorkEngine
from textkin.vectors.groups.linkage import Edges
from textkin.vectors.join.all_pairs import JoinedPairs
from textkin.vectors.join.pair_list import best_first, either_way, forget, hash_of_rows, made
from textkin.vectors.long_texts import rescored
from textkin.vectors.pair_limits import PairChoice
from textkin.vectors.unique_texts import Numbers, UniqueTexts
from textkin.vectors.unknown_token_report import Coverage, UnknownTexts

_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The texts to pair.

    Attributes:
        left: texts of one side.
        right: texts of the other side; None for pairs within ``left``.
        unknown: treatment of texts with too many unknown tokens.
        equal: texts that count as equal.
    """

    left: UniqueTexts
    right: UniqueTexts | None = None
    unknown: UnknownTexts = UnknownTexts.ACCEPT
    equal: Equal = Equal.EXACT

    @classmethod
    def of(
        cls,
        left: UniqueTexts,
        right: UniqueTexts | None,
        *,
        unknown: UnknownTexts = UnknownTexts.ACCEPT,
        equal: Equal = Equal.EXACT,
    ) -> Self:
        """Two sets, or one, with equal texts merged."""
        return cls(left.merged(equal), None if right is None else right.merged(equal), unknown, equal)

    @property
    def coverage(self) -> Coverage | None:
        """The encoder's coverage of all texts; None for vectors given by the user."""
        found = [one.coverage for one in (self.left, self.right) if one is not None and one.coverage]
        return reduce(add, found) if found else None

    @property
    def withheld_texts(self) -> int:
        """The number of texts that are paired only with equal ones."""
        coverage = self.coverage
        return coverage.noticeable if coverage and self.unknown is UnknownTexts.WITHHOLD else 0


class Paired:
    """The requested pairs: equal texts first, then by score, then by the two texts.

    A repeated text is paired under its first id. Within one set, its other ids are paired with the first one
    only. So the number of pairs of equal texts is the number of repetitions. A withheld text is paired with
    equal ones only: one of too many unknown tokens, and for a number of pairs one that was cut.

    Args:
        sides: the texts to pair.
        choice: the requested pairs.
        journal: folder for recording progress, so that the same call resumes after a stop.
        engine: the engine that runs the search.

    Attributes:
        equal: number of pairs of equal texts.
        withheld: scores of pairs above the threshold that are excluded because a text wasn't read to the end;
            none for a number of pairs. Shape [pairs].
        joined: the other pairs, by number of the unique texts; it may contain pairs of equal texts.

    Raises:
        DataError: the vectors differ in dimension, or there are far too many pairs.
        OutputError: the journal can't be written.
    """

    def __init__(
        self,
        sides: Sides,
        choice: PairChoice,
        *,
        journal: Path | None = None,
        engine: WorkEngine = THIS_MACHINE,
    ) -> None:
        self._sides, self._limit = sides, choice.limit
        self._twins = _twins(sides)
        self._equal = _equal(sides, self._twins)
        self.equal = len(self._equal[0])
        joined = _join(sides, choice, self._twins, journal, engine)
        self.joined, self.withheld = _compared_whole(joined, sides, choice, self._twins)

    def blocks(self) -> Iterator[Edges]:
        """Yield the pairs in order, as positions of input texts, in batches of thousands."""
        room = self._limit
        for block in self._all():
            found = block if room is None else block.where(np.arange(len(block)) < room)
            yield found
            if room is not None and (room := room - len(found)) == 0:
                return

    def _all(self) -> Iterator[Edges]:
        one, other = self._equal
        for start in range(0, self.equal, _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            yield Edges(one[part], other[part], np.ones(len(one[part]), dtype=np.float32))
        first, second = self._sides.left.first, (self._sides.right or self._sides.left).first
        for start in range(0, len(self.joined), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            a, b = self.joined.rows[part], self.joined.columns[part]
            found = Edges(first[a], second[b], np.array(self.joined.scores[part]))
            yield found if self._twins is None else found.where(self._twins[a] != b)
            forget(self.joined.scores)


def _twins(sides: Sides) -> Numbers | None:
    """The number of the same text on the right for each text on the left, or -1; None within one set."""
    if sides.right is None:
        return None
    equal = sides.equal
    places = {key_of(text, equal): place for place, text in enumerate(sides.right.texts)}
    return np.array([places.get(key_of(text, equal), -1) for text in sides.left.texts], dtype=np.int64)


def _equal(sides: Sides, twins: Numbers | None) -> tuple[Numbers, Numbers]:
    """The positions of pairs of equal texts."""
    left = sides.left
    if sides.right is None or twins is None:
        again = left.order[left.order != left.first[left.number[left.order]]]
        return left.first[left.number[again]], again
    shared = np.flatnonzero(twins >= 0)
    return left.first[shared], sides.right.first[twins[shared]]


def _join(
    sides: Sides, choice: PairChoice, twins: Numbers | None, journal: Path | None, engine: WorkEngine
) -> JoinedPairs:
    """The pairs of the texts that are compared, by number of the unique texts; equal ones aren't counted."""
    one, left = _compared(sides.left, choice)
    other, right = (one, None) if sides.right is None else _compared(sides.right, choice)
    found = _joined(left, right, choice, journal, engine)
    if twins is not None:
        own = twins if one is None else twins[one]
        equal = own >= 0 if other is None else np.isin(own, other)
        found = replace(found, compared=found.compared - int(equal.sum()))
    if one is not None:
        found = replace(found, rows=one[found.rows])
    return found if other is None else replace(found, columns=other[found.columns])


def _compared(side: UniqueTexts, choice: PairChoice) -> tuple[NDArray[np.int32] | None, Floats32]:
    """The numbers of the texts that are compared, None for all, and their vectors."""
    if choice.threshold > 0:  # the zero vectors of withheld texts reach no such cosine
        return None, side.vectors
    left_out = side.withheld | side.unread if choice.is_number else side.withheld
    if choice.per_text is not None:  # a zero vector is near to none
        left_out = left_out | ~side.vectors.any(axis=1)
    if not left_out.any():
        return None, side.vectors
    numbers = np.flatnonzero(~left_out).astype(np.int32)
    return numbers, side.vectors[numbers]


def _joined(
    left: Floats32, right: Floats32 | None, choice: PairChoice, journal: Path | None, engine: WorkEngine
) -> JoinedPairs:
    if choice.per_text is not None:
        return _nearest(left, right, choice.per_text, engine)
    if choice.recall is not None and right is None:
        return engine.pairs_by_cells(left, choice.threshold, recall=choice.recall)
    if journal is not None:
        # Calls with another threshold or other vectors use another folder.
        about = (hash_of_rows(left), None if right is None else hash_of_rows(right), choice.threshold)
        journal = journal / sha256_of_json((*about, choice.limit))[:16]
    return engine.pairs_above(left, choice.threshold, against=right, limit=choice.limit, journal=journal)


def _compared_whole(
    joined: JoinedPairs, sides: Sides, choice: PairChoice, twins: Numbers | None
) -> tuple[JoinedPairs, NDArray[np.float32]]:
    """The pairs of fully read texts, by windows if requested, and the scores of the others."""
    left, right = sides.left, sides.right or sides.left
    if choice.is_number or not any(len(one.windows.further) or one.unread.any() for one in (left, right)):
        return joined, np.empty(0, dtype=np.float32)
    rows, columns = (np.asarray(numbers, dtype=np.int64) for numbers in (joined.rows, joined.columns))
    scores = rescored(np.asarray(joined.scores), left.windows, right.windows, rows, columns)
    reached = scores >= np.float32(choice.threshold)
    whole = ~(left.unread[rows] | right.unread[columns])
    if twins is not None:
        whole |= twins[rows] == columns
    kept = np.flatnonzero(reached & whole)
    kept = kept[np.lexsort((columns[kept], rows[kept], -scores[kept]))]
    found = replace(joined, rows=joined.rows[kept], columns=joined.columns[kept], scores=scores[kept])
    return found, scores[reached & ~whole]


def _nearest(left: Floats32, others: Floats32 | None, depth: int, engine: WorkEngine) -> JoinedPairs:
    """The pairs of each text on the left with its nearest others."""
    right = left if others is None else others
    floor = np.full(len(left), -np.inf, dtype=np.float32)
    found = engine.nearest(left, right, max(min(depth, len(right)), 1), floor=floor, apart=others is None)
    rows, places = np.nonzero(found.documents >= 0)
    pairs = made(rows, found.documents[rows, places], found.scores[rows, places])
    pairs = either_way(pairs) if others is None else best_first(pairs)
    count = len(left)
    return JoinedPairs(
        rows=pairs["row"],
        columns=pairs["column"],
        scores=pairs["score"],
        threshold=float(pairs["score"][-1]) if len(pairs) else 1.0,
        compared=count * (count - 1) // 2 if others is None else count * len(right),
        recall=None,
        method="exact",
    )
