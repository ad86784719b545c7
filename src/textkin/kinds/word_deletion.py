"""Faithfulness of explanations: the drop of a score as its most important words are deleted.

The words of two texts are deleted in some order, another tenth at each step. The mean of the scores at all
steps is the area under the deletion curve: the lower it is, the better the order.

Source: Samek et al., "Evaluating the Visualization of What a Deep Neural Network Has Learned" (2017), for the
curve; DeYoung et al., "ERASER" (2020), section 4, for words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import DataError
from textkin.measures.intervals.paired_tests import Difference, paired_randomisation
from textkin.text.baselines.leave_one_out import ScorePairs, without, word_places

STEPS = tuple(step / 10 for step in range(1, 10))
"""The fraction of words deleted at each step."""

RANDOM = "random"
_RANDOM_ORDERS = 5


@dataclass(frozen=True, slots=True)
class DeletionCurve:
    """The drop of a score, averaged over pairs.

    Attributes:
        order: the order of deletion.
        scores: the scores with all words, then after each of :data:`STEPS`.
        area: the mean of the latter.
        below_random: the area of random orders minus this one, tested over the pairs; None for random orders.
    """

    order: str
    scores: tuple[float, ...]
    area: float
    below_random: Difference | None = None


def word_weights(text: str, tokens: Sequence[str], weights: Sequence[float]) -> Floats:
    """The weights of tokens, summed for each word of their text. Shape [words].

    Tokens are matched from left to right; one that doesn't occur in the text, such as a special token, counts
    for no word.
    """
    places, folded = word_places(text), text.lower()
    if len(folded) != len(text):
        folded = text
    found, at = np.zeros(len(places)), 0
    for token, weight in zip(tokens, weights, strict=True):
        sought = token.lower() if folded is not text else token
        start = folded.find(sought, at) if sought else -1
        if start < 0 and sought:
            start = folded.find(sought)  # unknown parts come last
        if start < 0:
            continue
        end = start + len(sought)
        at = end if start >= at else at
        inside = [place for place, (first, last) in enumerate(places) if first < end and start < last]
        for place in inside:
            found[place] += weight / len(inside)
    return found


def deletion_curves(
    pairs: Sequence[tuple[str, str]],
    scores_of: Sequence[ScorePairs],
    orders: Mapping[str, Sequence[Floats]],
    *,
    rounds: int,
    resamples: int,
    seed: int = 0,
) -> list[DeletionCurve]:
    """The curves of orders by weights, next to that of random orders.

    Args:
        pairs: independent pairs.
        scores_of: scores each pair.
        orders: weights of the words of both texts, for each pair; words with the highest weight are deleted
            first. Shape [words].
        rounds: the rounds of the tests.
        resamples: the resamples of the intervals.
        seed: the seed of random orders, tests and intervals.

    Raises:
        DataError: there are no pairs.
    """
    if not pairs:
        raise DataError("no pair has words to leave out", fix="give pairs of texts with two words or more")
    rng = np.random.default_rng(seed)
    sizes = [len(word_places(first)) + len(word_places(second)) for first, second in pairs]
    drawn = [[rng.random(size) for size in sizes] for _ in range(_RANDOM_ORDERS)]
    by_random = np.mean([_curves(pairs, scores_of, weights) for weights in drawn], axis=0)
    found = [_curve(RANDOM, by_random)]
    for name, weights in orders.items():
        curves = _curves(pairs, scores_of, weights)
        below = paired_randomisation(
            by_random[:, 1:].mean(axis=1),
            curves[:, 1:].mean(axis=1),
            rounds=rounds,
            resamples=resamples,
            seed=seed,
        )
        found.append(_curve(name, curves, below))
    return found


def _curve(name: str, curves: Floats, below: Difference | None = None) -> DeletionCurve:
    mean = curves.mean(axis=0)
    return DeletionCurve(name, tuple(mean.tolist()), float(mean[1:].mean()), below)


def _curves(
    pairs: Sequence[tuple[str, str]], scores_of: Sequence[ScorePairs], weights: Sequence[Floats]
) -> Floats:
    """The score of each pair with all words, and after each step. Shape [pairs, 1 + steps]."""
    rows = []
    for (first, second), score, weight in zip(pairs, scores_of, weights, strict=True):
        order = np.argsort(-weight, kind="stable")
        shorter = [_without(first, second, order[: round(share * len(order))]) for share in STEPS]
        rows.append(np.asarray(score([(first, second), *shorter]), dtype=np.float64))
    return np.array(rows)


def _without(first: str, second: str, words: Ints) -> tuple[str, str]:
    """Two texts without some of their words, numbered across both."""
    places, gone = word_places(first), sorted(words.tolist())
    theirs = word_places(second)
    return (
        without(first, [places[word] for word in gone if word < len(places)]),
        without(second, [theirs[word - len(places)] for word in gone if word >= len(places)]),
    )
