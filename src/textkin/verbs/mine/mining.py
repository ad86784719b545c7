"""Shared parts of mining texts and files: the source of vectors, and the summary."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.counts import count
from textkin.base.errors import UsageError, inapplicable, required
from textkin.base.spelling import spelt
from textkin.data.protocols import Encoder
from textkin.kinds.systems import decision_of, encoder_of
from textkin.measures.intervals.bootstrap import Interval
from textkin.text.truncation_account import Truncation
from textkin.vectors.batched_encoding import Precision, in_precision
from textkin.vectors.groups.guards import ORDER, checks
from textkin.vectors.groups.linkage import Edges
from textkin.vectors.long_texts import LongTexts
from textkin.vectors.pair_limits import PairChoice, PairLimits, check_limits, settle_limits
from textkin.vectors.pair_search import Paired, Sides
from textkin.vectors.unique_texts import UniqueTexts
from textkin.vectors.unknown_token_report import Coverage, UnknownTexts

Vectors = NDArray[Any] | Path | str
"""One a text: an array of floating-point numbers, shape [texts, dim], or the NumPy file of one."""

_SAMPLE = 16_384
_ONE = 1 - 1e-5  # sums of the same vectors in another order differ by rounding


@dataclass(frozen=True, slots=True)
class Source:
    """Source of vectors, and the rows that are paired.

    Attributes:
        left: the source of the texts' vectors: an encoder, or the vectors.
        right: the source of vectors of the texts they are paired with.
        words: both in words.
        choice: the selection of pairs.
    """

    left: Encoder | Vectors
    right: Encoder | Vectors
    words: str
    choice: PairChoice


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorsFrom:
    """Requested source of the vectors of texts.

    Attributes:
        model: an encoder, its folder or name; default: the built-in one, unless ``embeddings`` is given.
        embeddings: vectors of the texts, from any source.
        against_embeddings: those of the texts that they are paired with.
        precision: the number type of an encoder, see ``batched_encoding.in_precision``.
        unknown: treatment of texts with many unknown tokens.
    """

    model: str | Path | Encoder | None = None
    embeddings: Vectors | None = None
    against_embeddings: Vectors | None = None
    precision: Precision = "auto"
    unknown: UnknownTexts = UnknownTexts.WITHHOLD

    def source(self, texts: Sequence[str], wanted: PairLimits, *, two: bool) -> Source:
        """Check that arguments go together, load the model and find out which pairs are wanted.

        Args:
            texts: on some of them it is measured which precision pays.
            wanted: the selection of pairs.
            two: whether texts are paired with a second set.

        Raises:
            UsageError: arguments are out of range or don't go together.
            ModelError: the model can't be read.
            PromiseError: it has no threshold for the precision.
        """
        check_limits(wanted)
        if two and wanted.recall is not None:
            raise inapplicable("recall", to="two sets of texts, which are compared exactly")
        if (self.against_embeddings is not None) is not (two and self.embeddings is not None):
            raise UsageError(
                "`embeddings` and `against_embeddings` must be given for every set of texts, or for none",
                params=("embeddings", "against_embeddings"),
            )
        decided = None
        if wanted.decision is not None:
            if self.embeddings is not None and self.model is None:
                raise required("model", by="`decision`, with `embeddings`,")
            decided = decision_of(wanted.decision, self.model)
        if self.embeddings is not None:
            other = self.embeddings if self.against_embeddings is None else self.against_embeddings
            choice = settle_limits(
                wanted, None if self.model is None else encoder_of(self.model), decided=decided
            )
            return Source(self.embeddings, other, "given vectors", choice)
        encoder = encoder_of(self.model)
        choice = settle_limits(wanted, encoder, decided=decided)
        settled, words = in_precision(encoder, self.precision, texts[:: max(1, len(texts) // _SAMPLE)])
        return Source(settled, settled, f"{settled.name} in {words}", choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mining:
    """Summary of mining: settings and counts.

    Attributes:
        vectors: their source in words.
        texts: number of texts.
        different: number of distinct texts.
        against: number of texts they were paired with; None if with each other.
        repeated: with ``against``, number of texts that repeat another of their side: the pairs name the
            first of them.
        pairs: number of pairs found.
        equal: number of these with equal texts.
        left_out: pairs of equal texts for which no more room was.
        reordered: number of pairs with equal vectors whose words are in another order.
        threshold: the least score of a pair.
        chosen: the origin of the threshold, or the requested number of pairs.
        compared: number of pairs of distinct texts in all.
        method: the method of comparison in words.
        recall: the fraction of pairs found, estimated on a sample; None for exact search.
        coverage: the fraction of the texts that the encoder knows; None of given vectors.
        withheld_texts: texts that were paired with equal ones only, since too much of them is unknown.
        withheld: further pairs that score as much by what was read of their texts, of which at least one was
            cut; None for a number of pairs if texts were cut, which are then paired with equal ones only.
        truncation: number of texts longer than the encoder's maximum; None if unknown.
        seconds_vectors: for the vectors.
        seconds_pairs: for all else.
    """

    vectors: str
    texts: int
    different: int
    against: int | None
    repeated: int
    pairs: int
    equal: int
    left_out: int
    reordered: int
    threshold: float
    chosen: str
    compared: int
    method: str
    recall: Interval | None
    coverage: Coverage | None
    withheld_texts: int
    withheld: int | None
    truncation: Truncation | None
    seconds_vectors: float
    seconds_pairs: float

    def lines(self) -> tuple[str, ...]:
        """The account in sentences."""
        return tuple(self._lines())

    def _lines(self) -> Iterator[str]:
        paired = "" if self.against is None else f", paired with {self.against:,} others"
        yield f"{count(self.texts, 'text')}, {self.different:,} different{paired}; vectors: {self.vectors}"
        if self.repeated:
            which = "repeats" if self.repeated == 1 else "repeat"
            yield (
                f"{count(self.repeated, 'text')} {which} another of the same side: the pairs name the first "
                "of them"
            )
        yield f"{count(self.pairs, 'pair')} with a score of at least {self.threshold:.6g}: {self.chosen}"
        if self.withheld:
            yield f"{count(self.withheld, 'more pair')} excluded, because the model cut a text of them"
        if self.withheld is None and self.truncation is not None:
            yield (
                f"{count(self.truncation.cut, 'text')} compared for equality only, because the model cut "
                + spelt("them; `long=accept` compares what was read")
            )
        if self.equal:
            were = "pair was" if self.left_out == 1 else "pairs were"
            left_out = f"; {self.left_out:,} more such {were} left out" if self.left_out else ""
            yield f"{self.equal:,} of them {'is' if self.equal == 1 else 'are'} of equal texts{left_out}"
        if self.reordered:
            have = "has" if self.reordered == 1 else "have"
            yield (
                f"{count(self.reordered, 'pair')} {have} score 1 but another word order that vectors ignore; "
                + spelt("`dedupe()` keeps such texts apart")
            )
        if self.withheld_texts:
            yield (
                f"{count(self.withheld_texts, 'text')} compared for equality only, because too many of their "
                + spelt("tokens are unknown; `unknown=accept` compares them")
            )
        yield f"{count(self.compared, 'pair')} of different texts compared, {self._recall()}: {self.method}"
        yield f"{self.seconds_vectors:.1f} s for the vectors, {self.seconds_pairs:.1f} s for the pairs"

    def _recall(self) -> str:
        if self.recall is None:
            return "all found"
        ends = f"{self.recall.low:.3f} to {self.recall.high:.3f}"
        return f"recall {self.recall.value:.3f} ({ends}), measured on {self.recall.n:,} texts with pairs"


def advice_on_long(choice: PairChoice) -> str:
    """Advice on texts longer than the model's maximum length."""
    if choice.long is not LongTexts.WITHHOLD:
        return "only what was read of them counts"
    if choice.is_number:
        return "`long=accept` compares what was read; with `threshold`, `long=windows` compares all"
    return "`long=windows` compares them whole"


class PairCounter:
    """Counter of pairs, which returns the summary at the end.

    Args:
        sides: the texts that are paired.
        choice: the selection of pairs.
        vectors: their source in words.
        seconds: the time for the vectors.
    """

    def __init__(self, sides: Sides, choice: PairChoice, vectors: str, seconds: float) -> None:
        self._sides, self._choice, self._vectors = sides, choice, vectors
        self._seconds, self._start = seconds, time.perf_counter()
        self._count, self._last, self._reordered = 0, 1.0, 0
        self._cut = any(one is not None and one.unread.any() for one in (sides.left, sides.right))
        texts = sides.left.texts if sides.right is None else (*sides.left.texts, *sides.right.texts)
        self._in_order = checks(texts, (ORDER,))

    def counted(self, paired: Paired) -> Iterator[Edges]:
        """Count the pairs as they pass."""
        for block in paired.blocks():
            if len(block):
                self._count, self._last = self._count + len(block), float(block.score[-1])
                self._reordered += self._reordered_in(block)
                yield block

    def _reordered_in(self, block: Edges) -> int:
        one = block.where(block.score >= _ONE)
        left, right = self._sides.left, self._sides.right
        others = left.number[one.b] if right is None else len(left) + right.number[one.b]
        return int((~self._in_order(left.number[one.a], others)).sum())

    def about(self, paired: Paired) -> Mining:
        """A summary in a sentence."""
        sides, choice, joined = self._sides, self._choice, paired.joined
        equal = min(paired.equal, self._count)
        return Mining(
            vectors=self._vectors,
            texts=len(sides.left.number),
            different=len(sides.left),
            against=None if sides.right is None else len(sides.right.number),
            repeated=0 if sides.right is None else sum(map(_repeated, (sides.left, sides.right))),
            pairs=self._count,
            equal=equal,
            left_out=paired.equal - equal,
            reordered=self._reordered,
            threshold=self._last if self._is_cut() else choice.threshold,
            chosen=choice.words,
            compared=joined.compared,
            method=joined.method,
            recall=joined.recall,
            coverage=sides.coverage,
            withheld_texts=sides.withheld_texts,
            withheld=None if choice.is_number and self._cut else len(paired.withheld),
            truncation=_together(sides),
            seconds_vectors=self._seconds,
            seconds_pairs=time.perf_counter() - self._start,
        )

    def complete_above(self) -> float:
        """The highest score of a pair that may be missing."""
        choice = self._choice
        if choice.per_text is not None or choice.recall is not None or (choice.is_number and self._cut):
            return 1.0
        if self._is_cut():
            return self._last
        return float(np.nextafter(np.float32(choice.threshold), np.float32(-np.inf)))

    def _is_cut(self) -> bool:
        """True if the maximum number of pairs ended the list, rather than a threshold."""
        limit = self._choice.limit
        return self._choice.per_text is not None or (limit is not None and self._count >= limit)


def _repeated(side: UniqueTexts) -> int:
    """The number of texts that repeat another one."""
    return len(side.number) - len(side)


def _together(sides: Sides) -> Truncation | None:
    """The account of the texts of both sides."""
    left, right = sides.left.account, None if sides.right is None else sides.right.account
    return left if left is None or right is None else left + right
