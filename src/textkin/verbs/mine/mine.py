"""The pairs of near-equal meaning in a set of texts, or of two sets."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Unpack, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.results import Result, ResultRow
from textkin.data.protocols import Encoder
from textkin.vectors.batched_encoding import Precision
from textkin.vectors.compute_engine import THIS_MACHINE, WorkEngine
from textkin.vectors.groups.linkage import Edges
from textkin.vectors.on_ray.location import Workplace, check_recall, check_where, engine_of
from textkin.vectors.pair_limits import PairChoice, PairLimits, check_limits
from textkin.vectors.pair_search import Paired, Sides
from textkin.vectors.unique_texts import embedded
from textkin.vectors.unknown_token_report import UnknownTexts, unknown_of
from textkin.verbs.mine.mining_account import Mining, PairCounter, Vectors, VectorsFrom


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MinedPairs(Result):
    """Pairs of texts, and how they were found.

    Attributes:
        pairs: the places of the two texts and the cosine: pairs of equal texts first, then by score falling,
            then by the two texts. In ``a`` stands the text that comes first in the order of characters, or
            with ``against`` that of ``texts``.
        about: how they were found.

    Example:
        >>> import textkin as tk
        >>> found = tk.mine(["Hello!", "Hello!", "Goodbye."], options=tk.MineOptions(threshold=0.9))
        >>> len(found), found.pairs.score.tolist()
        (1, [1.0])
    """

    pairs: Edges
    about: Mining
    _sides: Sides = field(repr=False)
    _withheld: NDArray[np.float32] = field(repr=False)
    _recall: float | None = field(repr=False)
    _complete_above: float = field(repr=False)

    def _rows(self) -> Iterator[ResultRow]:
        left, right = self._sides.left, self._sides.right or self._sides.left
        for a, b, score in zip(self.pairs.a.tolist(), self.pairs.b.tolist(), self.pairs.score, strict=True):
            yield {
                "score": float(score),
                "a": a,
                "b": b,
                "text_a": left.text_at(a),
                "text_b": right.text_at(b),
            }

    def _said(self) -> tuple[str, ...]:
        return (f"{len(self):,} pairs that score at least {self.about.threshold:.6g}: {self.about.chosen}",)

    def __len__(self) -> int:
        return len(self.pairs)

    def rethreshold(self, threshold: float) -> MinedPairs:
        """All pairs of the same texts from another threshold on, higher or lower: as a new call would.

        The vectors are kept, so nothing is encoded again, and above what is known nothing is compared either.

        Raises:
            UsageError: it is no cosine.
            DataError: far too many pairs score as much.

        Example:
            >>> import textkin as tk
            >>> found = tk.mine(["Hello!", "Hello!", "Goodbye."], options=tk.MineOptions(threshold=0.9))
            >>> len(found.rethreshold(-1.0))
            2
        """
        check_limits(PairLimits(threshold=threshold))
        choice = PairChoice(threshold, "given", recall=self._recall)
        if np.float32(threshold) <= self._complete_above:
            return _gathered(self._sides, choice, self.about.vectors, self.about.seconds_vectors)
        pairs = self.pairs.where(self.pairs.score >= np.float32(threshold))
        withheld = int((self._withheld >= np.float32(threshold)).sum())
        about = replace(
            self.about, pairs=len(pairs), threshold=threshold, chosen=choice.words, withheld=withheld
        )
        return replace(self, pairs=pairs, about=about)


def mine(
    texts: Sequence[str],
    model: str | Path | Encoder | None = None,
    *,
    embeddings: Vectors | None = None,
    against: Sequence[str] | None = None,
    against_embeddings: Vectors | None = None,
    precision_of_vectors: Precision = "auto",
    wanted: PairLimits | None = None,
    unknown: UnknownTexts | str = UnknownTexts.WITHHOLD,
    **where: Unpack[Workplace],
) -> MinedPairs:
    """Find the pairs of texts that say nearly the same, each once; the result depends on no order.

    A text that comes several times is paired with others where it comes first; where it comes again it is
    paired with that first place only, with score 1. With ``against`` it is found at its first place only.

    Args:
        texts: to be paired with each other, or with those of ``against``.
        model: an encoder, its folder or name; the one in the box if neither it nor ``embeddings`` is given.
        embeddings: vectors of the texts, from any source.
        against: other texts.
        against_embeddings: their vectors.
        precision_of_vectors: what an encoder computes in, see ``batched_encoding.in_precision``.
        wanted: which pairs. If left out, the model's own threshold decides, or else the 1,000 best pairs are
            found.

        unknown: "withhold" pairs texts that the encoder doesn't know enough of with equal ones only; "accept"
            takes their vectors for what they are.
        where: where the work is done, see :class:`textkin.vectors.on_ray.location.Workplace`.

    Raises:
        UsageError: arguments are out of range or don't go together.
        DataError: there are no texts, vectors don't fit them, or far too many pairs were found.
        ModelError: the model can't be read, or gives no vectors.
        PromiseError: it has no threshold for the precision.
    """
    vectors = VectorsFrom(
        model=model,
        embeddings=embeddings,
        against_embeddings=against_embeddings,
        precision=precision_of_vectors,
        unknown=unknown_of(unknown),
    )
    check_where(**where)
    source = vectors.source(texts, wanted or PairLimits(), two=against is not None)
    check_recall(source.choice.recall, **where)
    start = time.perf_counter()
    long, unknown = source.choice.long, vectors.unknown
    with engine_of(**where) as engine:
        left, *others = (
            embedded(some, vectors_of, long=long, unknown=unknown, engine=engine)
            for some, vectors_of in ((texts, source.left), (against, source.right))
            if some is not None
        )
        sides = Sides.of(left, others[0] if others else None, unknown=unknown, equal=source.choice.equal)
        return _gathered(sides, source.choice, source.words, time.perf_counter() - start, engine)


def _gathered(
    sides: Sides, choice: PairChoice, vectors: str, seconds: float, engine: WorkEngine = THIS_MACHINE
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
    return MinedPairs(pairs, about, sides, paired.withheld, choice.recall, tally.complete_above())
