"""A teacher of translations: each gets the vector of the text that it translates.

Source: Reimers and Gurevych, "Making Monolingual Sentence Embeddings Multilingual using Knowledge
Distillation" (2020).
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from textkin.base.arrays import Floats32


class Teacher(Protocol):
    """A teacher of vectors."""

    def encode(self, texts: Sequence[str]) -> Floats32:
        """One vector per text. Shape [texts, dim]."""


class SourceTeacher:
    """Gives a translation the teacher's vector of its source.

    A text that translates several sources gets the mean of theirs, and a source always its own. Vectors of
    another width than the student's are reduced to the directions in which the teacher's vectors of the
    sources are longest, and turned towards the student's own vectors of the sources, so that it needn't learn
    another basis.

    Args:
        teacher: the teacher.
        pairs: sources and translations.
        student: the student before training.
    """

    def __init__(self, teacher: Teacher, pairs: Iterable[tuple[str, str]], *, student: Teacher) -> None:
        self._teacher, self._student = teacher, student
        self._sources: dict[str, dict[str, None]] = {}
        told = list(pairs)
        for source, translation in told:
            self._sources.setdefault(translation, {})[source] = None
        # Afterwards, so that the order of the pairs doesn't matter where a source translates another one.
        for source, _ in told:
            self._sources[source] = {source: None}

    def encode(self, texts: Sequence[str]) -> Floats32:
        """The vectors that the student learns. Shape [texts, dim]."""
        sources = list(dict.fromkeys(one for text in texts for one in self._sources[text]))
        vectors = np.asarray(self._teacher.encode(sources), dtype=np.float32)
        own = np.asarray(self._student.encode(sources), dtype=np.float32)
        if vectors.shape[1] != own.shape[1]:
            vectors = placed_beside(vectors, own)
        places = {source: place for place, source in enumerate(sources)}
        rows = ([places[one] for one in self._sources[text]] for text in texts)
        return np.stack([vectors[row].mean(axis=0) for row in rows])


def placed_beside(vectors: Floats32, own: Floats32) -> Floats32:
    """Vectors in the space of others: in their leading directions, turned to be nearest to them.

    The directions have the largest sums of squares, which changes cosines least. The turn is the solution of
    the orthogonal Procrustes problem (Schönemann 1966).

    Args:
        vectors: shape [texts, width].
        own: the others. Shape [texts, dim].
    """
    square = vectors.astype(np.float64).T @ vectors
    leading = vectors @ np.linalg.eigh(square)[1][:, ::-1][:, : own.shape[1]]
    left, _, right = np.linalg.svd(leading.T @ own, full_matrices=False)
    return np.asarray(leading @ (left @ right), dtype=np.float32)
