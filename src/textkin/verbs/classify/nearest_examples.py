"""The nearest labelled example of each text, and the nearest with another label."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Floats32, Ints
from textkin.base.errors import not_finite
from textkin.base.progress import track
from textkin.data.protocols import Encoder, Scorer
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.text.baselines.pair_scoring import CHUNK, Lexical, dense_cosine
from textkin.vectors.index.exact_search import Space, nearest, place, searchable
from textkin.vectors.unique_texts import embedded

NOTHING = -1
"""The number of an example that isn't there."""

_AT_FIRST = 8  # examples that are looked for; more where all of them have one label
_MORE = 4


@dataclass(frozen=True, slots=True, eq=False)
class NearestExamples:
    """For each text the nearest example, and the nearest of those with another label; of equals the first.

    Attributes:
        first: their numbers; :data:`NOTHING` where a text has nothing in common with any. Shape [texts].
        score: their similarity; NaN where there is none. Shape [texts].
        second: as ``first``; :data:`NOTHING` also where there is no other label. Shape [texts].
        second_score: shape [texts].
    """

    first: Ints
    score: Floats32
    second: Ints
    second_score: Floats32


def nearest_examples(
    scorer: Scorer, texts: Sequence[str], examples: Sequence[str], labels: Ints
) -> NearestExamples:
    """Look for the nearest examples of texts.

    A scorer that places texts in a space is searched there, all others score each text with each example.

    Args:
        scorer: any.
        texts: at least one.
        examples: at least one.
        labels: the number of the label of each example. Shape [examples].

    Raises:
        DataError: a score is not a finite number.
    """
    space = space_of(scorer, texts, examples)
    if space is None:
        return _pairwise(scorer, texts, examples, labels)
    first, second = _searched(space, labels)
    return NearestExamples(first, _scores(space, first), second, _scores(space, second))


def space_of(scorer: Scorer, texts: Sequence[str], examples: Sequence[str]) -> Space | None:
    """The vector space of a scorer, the same for texts and examples; None of a scorer of pairs.

    Raises:
        DataError: a vector has a value that isn't finite.
    """
    if isinstance(scorer, Lexical):
        return place(scorer, texts, examples)
    if not isinstance(scorer, Encoder):
        return None
    found = embedded([*texts, *examples], scorer)
    units = unit_rows(found.vectors)
    mine, theirs = units[found.number[: len(texts)]], units[found.number[len(texts) :]]
    floor = np.where(mine.any(axis=1), -np.inf, np.inf).astype(np.float32)
    return Space(scorer.name, mine, theirs, floor, dense_cosine)


def _searched(space: Space, labels: Ints) -> tuple[Ints, Ints]:
    """The numbers of the nearest, and of the nearest with another label."""
    documents, count = searchable(space.documents), len(labels)
    first, second = (np.full(len(space.floor), NOTHING) for _ in range(2))
    open_ones = np.arange(len(space.floor))
    depth = min(_AT_FIRST, count) if len(np.unique(labels)) > 1 else 1
    while len(open_ones):
        found = nearest(space.queries[open_ones], documents, depth, floor=space.floor[open_ones])
        there = found != NOTHING
        own = labels[found]
        other = there & (own != own[:, :1])
        has = other.any(axis=1)
        first[open_ones] = found[:, 0]
        second[open_ones[has]] = found[has, other.argmax(axis=1)[has]]
        if depth in (1, count):
            break
        open_ones = open_ones[~has & there.all(axis=1)]
        depth = min(_MORE * depth, count)
    return first, second


def _scores(space: Space, examples: Ints) -> Floats32:
    scores = np.full(len(examples), np.nan, dtype=np.float32)
    there = np.flatnonzero(examples != NOTHING)
    scores[there] = space.scores(there, examples[there])
    return scores


def _pairwise(scorer: Scorer, texts: Sequence[str], examples: Sequence[str], labels: Ints) -> NearestExamples:
    first, second = (np.full(len(texts), NOTHING) for _ in range(2))
    score, second_score = (np.full(len(texts), np.nan, dtype=np.float32) for _ in range(2))
    at_once = max(1, CHUNK // len(examples))
    starts = range(0, len(texts), at_once)
    for start in track(starts, title=f"scoring with {scorer.name}", total=len(starts)):
        part = texts[start : start + at_once]
        given = scorer.score([(text, example) for text in part for example in examples])
        table = given.reshape(len(part), len(examples))
        if not np.isfinite(table).all():
            raise not_finite(scorer.name)
        rows, places = np.arange(len(part)), slice(start, start + len(part))
        best = table.argmax(axis=1)
        first[places], score[places] = best, table[rows, best]
        others = np.where(labels == labels[best][:, None], -np.inf, table)
        best = others.argmax(axis=1)
        value = others[rows, best]
        second[places] = np.where(np.isfinite(value), best, NOTHING)
        second_score[places] = np.where(np.isfinite(value), value, np.nan)
    return NearestExamples(first, score, second, second_score)
