"""Pairs of similar texts, kept in memory."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.counts import count
from textkin.base.results import Result, ResultRow
from textkin.data.readers import TextReading
from textkin.report.notebook_plots import histogram
from textkin.text.truncation_account import note_truncation
from textkin.vectors.compute_engine import THIS_MACHINE, WorkEngine
from textkin.vectors.groups.linkage import Edges
from textkin.vectors.on_ray.location import Workplace, check_recall, engine_of
from textkin.vectors.pair_limits import PairChoice, PairLimits, check_limits
from textkin.vectors.pair_search import Paired, Sides
from textkin.vectors.unique_texts import embedded
from textkin.verbs.inputs import texts_from
from textkin.verbs.mine.mining import Mining, PairCounter, VectorsFrom, advice_on_long

if TYPE_CHECKING:
    from textkin.report.notebook_plots import Plot


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MinedPairs(Result):
    """Pairs of texts, and how they were found.

    Attributes:
        pairs: the places of the two texts and the cosine: pairs of equal texts first, then by score falling,
            then by the two texts. In ``a`` stands the text that comes first in the order of characters, or
            with ``against`` that of ``texts``.
        about: the summary of how they were found.

    Example:
        >>> import textkin as tk
        >>> found = tk.mine(["Hello!", "Hello!", "Goodbye."], threshold=0.9)
        >>> len(found), found.pairs.score.tolist()
        (1, [1.0])
    """

    pairs: Edges
    about: Mining
    _sides: Sides = field(repr=False)
    _withheld: Floats32 = field(repr=False)
    _recall: float | None = field(repr=False)
    _complete_above: float = field(repr=False)
    _ids: tuple[Sequence[Any], Sequence[Any]] = field(repr=False)

    @property
    def threshold(self) -> float:
        """The lowest cosine of the pairs that were asked for."""
        return self.about.threshold

    def _columns(self) -> Sequence[str]:
        return "score", "id_a", "id_b", "text_a", "text_b"

    def _rows(self) -> Iterator[ResultRow]:
        left, right = self._sides.left, self._sides.right or self._sides.left
        (ids_a, ids_b), pairs = self._ids, self.pairs
        texts = left.texts_at(pairs.a), right.texts_at(pairs.b)
        columns = pairs.a.tolist(), pairs.b.tolist(), pairs.score.tolist(), *texts
        for a, b, score, text_a, text_b in zip(*columns, strict=True):
            yield {"score": score, "id_a": ids_a[a], "id_b": ids_b[b], "text_a": text_a, "text_b": text_b}

    def _said(self) -> tuple[str, ...]:
        return self.about.lines()

    def _summary(self) -> str:
        texts, pairs = count(self.about.texts, "text"), count(len(self), "pair")
        return f"{texts}, {pairs}, threshold {self.about.threshold:.4g}"

    def as_dict(self) -> dict[str, Any]:
        """The account of the search, and the pairs."""
        return {**asdict(self.about), "rows": self.rows()}

    def plot(self) -> Plot:
        """A histogram of the pairs' scores, for notebooks and files."""
        return histogram(self.pairs.score, title="Scores of pairs", label="cosine", noun="pair")

    def __len__(self) -> int:
        return len(self.pairs)

    def rethreshold(self, threshold: float) -> MinedPairs:
        """All pairs of the same texts at another threshold, higher or lower; equals a new call.

        The vectors are kept, so nothing is encoded again; above the known threshold nothing is compared.

        Raises:
            UsageError: it is not a cosine.
            DataError: far too many pairs score as much.

        Example:
            >>> import textkin as tk
            >>> found = tk.mine(["Hello!", "Hello!", "Goodbye."], threshold=0.9)
            >>> len(found.rethreshold(-1.0))
            2
        """
        check_limits(PairLimits(threshold=threshold))
        choice = PairChoice(threshold, "given", recall=self._recall)
        if np.float32(threshold) <= self._complete_above:
            return _gathered(self._sides, choice, self.about.vectors, self.about.seconds_vectors, self._ids)
        pairs = self.pairs.where(self.pairs.score >= np.float32(threshold))
        withheld = int((self._withheld >= np.float32(threshold)).sum())
        about = replace(
            self.about, pairs=len(pairs), threshold=threshold, chosen=choice.words, withheld=withheld
        )
        return replace(self, pairs=pairs, about=about)


def mine_texts(
    texts: Any,
    vectors: VectorsFrom,
    wanted: PairLimits,
    *,
    against: Any = None,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> MinedPairs:
    """Find similar pairs, each once. The result doesn't depend on the texts' order.

    A text that occurs several times is paired with others under its first id only: that with the lowest
    number, or the first by its characters. Its other ids are paired with that one, with score 1. With
    ``against`` it is found under its first id only.

    Args:
        texts: texts, or their file, to be paired with each other or with those of ``against``.
        vectors: the source of their vectors.
        wanted: the selection of pairs to find.
        against: other texts, or their file.
        reading: the columns of texts and ids.
        where: the workplace: this process or Ray.

    Raises:
        UsageError: options exclude each other.
        DataError: there are no texts, vectors don't fit them, or far too many pairs were found.
        ModelError: the model can't be read, or gives no vectors.
        PromiseError: it has no threshold for the precision.
    """
    reading, two = reading or TextReading(), against is not None
    one = texts_from(texts, reading, or_text=two, vectors=vectors.embeddings).told_apart()
    other = one
    if two:
        other = texts_from(
            against, reading, name="against", or_text=True, vectors=vectors.against_embeddings
        ).told_apart("against")
    source = vectors.source(one.texts, wanted, two=two)
    check_recall(source.choice.recall, **where)
    start = time.perf_counter()
    long, unknown = source.choice.long, vectors.unknown
    with engine_of(**where) as engine:
        made = partial(embedded, long=long, unknown=unknown, engine=engine)
        left = made(one.texts, source.left, ids=[*map(str, one.ids)])
        right = made(other.texts, source.right, ids=[*map(str, other.ids)]) if two else None
        sides = Sides.of(left, right, unknown=unknown, equal=source.choice.equal)
        seconds = time.perf_counter() - start
        return _gathered(sides, source.choice, source.words, seconds, (one.ids, other.ids), engine)


def _gathered(
    sides: Sides,
    choice: PairChoice,
    vectors: str,
    seconds: float,
    ids: tuple[Sequence[Any], Sequence[Any]],
    engine: WorkEngine = THIS_MACHINE,
) -> MinedPairs:
    tally = PairCounter(sides, choice, vectors, seconds)
    paired = Paired(sides, choice, engine=engine)
    none = np.empty(0, dtype=np.int64)
    blocks = [Edges(none, none, np.empty(0, dtype=np.float32)), *tally.counted(paired)]
    pairs = Edges(
        np.concatenate([block.a for block in blocks]),
        np.concatenate([block.b for block in blocks]),
        np.concatenate([block.score for block in blocks]),
    )
    about = tally.about(paired)
    note_truncation(about.truncation, advice_on_long(choice))
    return MinedPairs(pairs, about, sides, paired.withheld, choice.recall, tally.complete_above(), ids)
