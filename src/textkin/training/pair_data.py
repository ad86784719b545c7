"""Labelled pairs for objectives: every distinct text tokenised once, with its gold component."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Bools, Floats, Floats32, Ints, Ints32
from textkin.data.records import LabelKind, PairSet
from textkin.data.splits.label_grades import GradeScale, grades_of
from textkin.networks.batches.padded import PadTo, TextBatch
from textkin.text.pipeline import TextPipeline
from textkin.training.source_teacher import Teacher


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """Pairs of training texts.

    Attributes:
        texts: the distinct texts.
        ids: token ids of each text, with their spelling if the pipeline provides it.
        components: the gold component of each text. Shape [texts].
        a: the first text of each pair. Shape [pairs].
        b: the second text of each pair. Shape [pairs].
        labels: the label of each pair, from 0, different, to 1, duplicates; for a candidate, its fraction of
            the highest relevance. Shape [pairs].
        similarities: the target similarity of each pair: as ``labels``, but grades from -1 to 1 unchanged.
            Shape [pairs].
        classes: the index of each pair's class, for yes-or-no pairs 0 and 1; -1 without one. Shape [pairs].
        positive: pairs of duplicates, or pairs whose second text answers the first. Shape [positives].
        query: the query number of each pair, those of one query adjacent; None if pairs aren't candidates.
            Shape [pairs].
        pad_id: the padding token.
        pad_to: the rule for the width of a batch.
        scores: a teacher's score of each pair, on its own scale; None without a teacher. Shape [pairs].
        teacher: a teacher's unit vectors of the texts; None without a teacher. Shape [texts, D].
        spans: for pairs of a question and a window of its passage, the first and the last token of each
            occurrence of the answer in the window, shape [places, 2]; None for other pairs.
    """

    texts: tuple[str, ...]
    ids: tuple[Ints32, ...]
    components: Ints
    a: Ints
    b: Ints
    labels: Floats32
    similarities: Floats32
    classes: Ints
    positive: Ints
    query: Ints | None
    pad_id: int
    pad_to: PadTo
    scores: Floats32 | None = None
    teacher: Floats32 | None = None
    spans: tuple[Ints, ...] | None = None

    @property
    def first_pairs(self) -> Ints:
        """The first pair that contains each text. Shape [texts]."""
        found = np.full(len(self.texts), len(self.a))
        for side in (self.a, self.b):
            np.minimum.at(found, side, np.arange(len(side)))
        return found

    def batch(self, texts: Ints) -> TextBatch:
        """The padded batch of the texts at these indexes."""
        return TextBatch.from_ids([self.ids[text] for text in texts], pad_id=self.pad_id, pad_to=self.pad_to)

    def lengths(self, rows: Ints) -> Ints:
        """Tokens of the longer text of each of these pairs."""
        tokens = np.fromiter(map(len, self.ids), dtype=np.int64, count=len(self.ids))
        return np.maximum(tokens[self.a[rows]], tokens[self.b[rows]])


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPairs:
    """Training pairs in the common form for all objectives.

    Attributes:
        pairs: the pairs, labelled or not; an unlabelled one counts as duplicates. For candidates, (query,
            candidate).
        same: a mask of positives. Shape [pairs].
        scale: the scale of labels: grades, yes or no, or relevances.
        query: the number of each pair's query, for candidates. Shape [pairs].
        scores: a teacher's score of each pair, if it has all of them. Shape [pairs].
    """

    pairs: PairSet
    same: Bools
    scale: GradeScale | None = None
    query: Ints | None = None
    scores: Floats32 | None = None


def training_data(
    rows: TrainingPairs,
    *,
    pipeline: TextPipeline,
    components: Mapping[str, int],
    teacher: Teacher | None = None,
    pad_to: PadTo = "longest",
) -> TrainingData:
    """Tokenise pairs.

    Args:
        rows: the pairs.
        pipeline: texts to ids.
        components: the gold component of each text, over all training data.
        teacher: a teacher of the texts' vectors.
        pad_to: the rule for the width of a batch.
    """
    places: dict[str, int] = {}
    pairs = [(places.setdefault(p.a, len(places)), places.setdefault(p.b, len(places))) for p in rows.pairs]
    index = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    texts = tuple(places)
    return TrainingData(
        texts=texts,
        ids=tuple(pipeline.ids(texts)),
        components=np.array([components[text] for text in texts], dtype=np.int64),
        a=index[:, 0],
        b=index[:, 1],
        labels=_learnt(rows, GradeScale.shares),
        similarities=_learnt(rows, GradeScale.similarities),
        classes=_classes(rows.pairs, rows.same),
        positive=np.flatnonzero(rows.same),
        query=rows.query,
        pad_id=pipeline.pad_id,
        pad_to=pad_to,
        scores=rows.scores,
        teacher=None if teacher is None else teacher.encode(texts),
    )


def _learnt(rows: TrainingPairs, on_scale: Callable[[GradeScale, Floats], Floats]) -> Floats32:
    """Labels by their scale, 1 without a label; without a scale, 1 for duplicates and else 0."""
    if rows.scale is None:
        return rows.same.astype(np.float32)
    grades = grades_of(rows.pairs)
    return np.where(np.isnan(grades), 1.0, on_scale(rows.scale, grades)).astype(np.float32)


def _classes(pairs: PairSet, same: Bools) -> Ints:
    if pairs.kind is not LabelKind.CLASSES:
        return same.astype(np.int64)
    return np.array([-1 if pair.label is None else int(pair.label) for pair in pairs], dtype=np.int64)


def document_frequencies(ids: tuple[Ints32, ...], *, size: int) -> Ints:
    """The number of texts that contain each token id. Shape [size]."""
    counts = np.zeros(size, dtype=np.int64)
    for text in ids:
        counts[np.unique(text if text.ndim == 1 else text[:, 0])] += 1
    return counts
