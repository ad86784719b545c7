"""``faithfulness``: the faithfulness of a model's explanations, measured on pairs of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.argument_checks import checked
from textkin.base.arrays import Floats
from textkin.base.errors import DataError, UsageError, invalid
from textkin.base.hub import DEFAULT
from textkin.base.progress import progress
from textkin.base.results import Result, ResultRow
from textkin.base.text_equality import Equal, key_of
from textkin.data.attention_map import AttentionMap
from textkin.data.readers.from_python import GivenData
from textkin.data.records import PairSet
from textkin.kinds.explanation import EXACT, LEFT_OUT, score_function, shares_of, system_of
from textkin.kinds.registry import load_data
from textkin.kinds.systems import AnyModel
from textkin.kinds.word_deletion import STEPS, DeletionCurve, deletion_curves, word_weights
from textkin.measures.intervals.sampling import Sampling
from textkin.report.figure_words import p_words
from textkin.text.baselines.leave_one_out import left_out, word_places
from textkin.verbs.inputs import fit_texts_from

ATTENTION = "attention"


@dataclass(frozen=True, slots=True, repr=False)
class Faithfulness(Result):
    """Drop of scores as the words an explanation names are removed.

    Attributes:
        model: its name in tables.
        data: the name of the pairs.
        pairs: number of pairs drawn, no two of which share a text.
        curves: curves of random orders, of the explanation, and of attention where the model has any.

    Example:
        >>> from textkin.verbs import faithfulness
        >>> from textkin.data import samples
        >>> found = faithfulness(samples.pairs("travel"), sample=20)
        >>> [one.order for one in found.curves]
        ['random', 'shares']
    """

    model: str
    data: str
    pairs: int
    curves: tuple[DeletionCurve, ...]

    def _rows(self) -> Iterator[ResultRow]:
        """One row an order; beside it the score with all words, half of them, and one in ten."""
        for one in self.curves:
            row: ResultRow = {"order": one.order, "area": one.area}
            for label, place in (("all words", 0), ("half", 5), ("one in ten", len(STEPS))):
                row[label] = one.scores[place]
            below = one.below_random
            row |= {
                "below random": None if below is None else below.value,
                "low": None if below is None else below.low,
                "high": None if below is None else below.high,
                "p": None if below is None else p_words(below.p).removeprefix("p = ").removeprefix("p "),
            }
            yield row

    def as_dict(self) -> dict[str, Any]:
        """The model, the data, and the curves."""
        return asdict(self)

    def _said(self) -> tuple[str, ...]:
        return (
            f"{self.model} on {self.pairs:,} pairs of {self.data} that share no text; the area is the mean "
            "score while words are left out, a tenth more at each step: the lower, the more faithful.",
        )


@checked
def faithfulness(
    data: GivenData,
    /,
    model: AnyModel = DEFAULT,
    *,
    sample: int = 200,
    fit: Any = None,
    vectors: Path | None = None,
    sampling: Sampling | None = None,
) -> Faithfulness:
    """Measure if a model's explanations name the words that its scores rest on.

    Args:
        data: pairs of texts, or the path of a file of them.
        model: a folder with a model, the name of a cached one, a baseline, or an object.
        sample: maximum number of pairs, no two of which share a text.
        fit: texts that a baseline takes word frequencies from, or their file; default: those of the pairs.
        vectors: for the baseline mean-vectors.
        sampling: the draws of pairs, random orders, tests and intervals.

    Raises:
        UsageError: there is no such model, or the sample is below 2.
        ModelError: the folder can't be read.
        DataError: the file can't be read, or fewer than two pairs have words.

    Example:
        >>> from textkin.verbs import faithfulness
        >>> from textkin.data import samples
        >>> found = faithfulness(samples.pairs("travel"), model="tfidf", sample=20)
        >>> found.curves[1].area < found.curves[0].area
        True
    """
    kind, loaded = load_data(data)
    pairs = kind.text_pairs(loaded.data)
    if sample < 2:
        raise invalid("sample", sample, expected="at least 2")
    sampling = sampling or Sampling()
    texts = fit_texts_from(fit) or list(dict.fromkeys(text for pair in pairs.texts for text in pair))
    system = system_of(model, fit_texts=texts, vectors=vectors, seed=sampling.seed)
    chosen = _drawn(pairs, sample, sampling.seed)
    scores, orders = [], dict[str, list[Floats]]()
    with progress("explaining", total=len(chosen)) as shown:
        for first, second in chosen:
            score, _ = score_function(system, first, second)
            scores.append(score)
            for name, weights in _weights(system, score, first, second):
                orders.setdefault(name, []).append(weights)
            shown.advance()
    curves = deletion_curves(
        chosen,
        scores,
        orders,
        rounds=sampling.rounds_of(len(orders)),
        resamples=sampling.resamples,
        seed=sampling.seed,
    )
    return Faithfulness(system.name, pairs.name or "the pairs", len(chosen), tuple(curves))


def _drawn(data: PairSet, sample: int, seed: int) -> list[tuple[str, str]]:
    """Pairs with a word on either side, no two of which share a text."""
    found: list[tuple[str, str]] = []
    used: set[str] = set()
    for place in np.random.default_rng(seed).permutation(len(data)).tolist():
        pair = data.texts[place]
        keys = {key_of(text, Equal.CASE) for text in pair}
        if not used & keys and all(map(word_places, pair)):
            found.append(pair)
            used |= keys
        if len(found) == sample:
            break
    if len(found) < 2:
        raise DataError(
            f"{data.name or 'the pairs'}: {len(found)} pairs of different texts have words",
            fix="give more pairs",
        )
    return found


def _weights(system: Any, score: Any, first: str, second: str) -> Iterator[tuple[str, Floats]]:
    """The words' weights by the explanation, and by attention if there is any."""
    shares = shares_of(system, first, second)
    if shares is None:
        found = left_out(score, first, second)
        yield LEFT_OUT, np.concatenate([found.of_first, found.of_second])
    else:
        sides = ((first, shares.first, shares.of_first), (second, shares.second, shares.of_second))
        yield EXACT, np.concatenate([word_weights(*one[:2], one[2].tolist()) for one in sides])
    maps = _attention(system, first, second)
    if maps:
        yield ATTENTION, np.concatenate([_looked_at(maps, first, 0), _looked_at(maps, second, 1)])


def _attention(system: Any, first: str, second: str) -> list[AttentionMap]:
    attention = getattr(system, "attention", None)
    try:
        return [] if attention is None else list(attention(first, second))
    except UsageError:  # it has none, or knows no token of a text
        return []


def _looked_at(maps: Sequence[AttentionMap], text: str, axis: int) -> Floats:
    """Attention to the words of a text, over all maps that have them on an axis.

    Of a text's attention to itself, which stands on both, the columns count: what is looked at.
    """
    found = np.zeros(len(word_places(text)))
    for one in maps:
        own = one.rows == one.columns
        if own and f"{('first', 'second')[axis]} text" not in one.name:
            continue
        tokens = one.columns if own or axis else one.rows
        weights = one.weights.sum(axis=0 if own or axis else 1)
        found += word_weights(text, tokens, weights.tolist())
    return found
