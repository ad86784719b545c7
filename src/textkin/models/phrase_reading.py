"""Encoders of phrases: windows, spans and their vectors, for any network that gives vectors of tokens.

Shapes: T tokens of a text, D width of an end's vector.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from textkin.base.arrays import Floats32, Ints, Ints32
from textkin.base.python_inputs import one_or_several, texts_of
from textkin.data.protocols import PhraseVectors
from textkin.models.network_outputs import finite
from textkin.text.pipeline import NamedPipeline, TextPipeline
from textkin.text.span_windows import homes, limits_of, locating, windows
from textkin.text.token_offsets import Located

_PASSAGES_AT_A_TIME = 256

_Spans = Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseShape:
    """The phrases of a network.

    Attributes:
        width: D.
        most: the maximum tokens of a phrase.
        learns_priors: True if a phrase has a learnt prior.
        has_priors: True if a phrase has terms besides its inner product with the question.
    """

    width: int
    most: int
    learns_priors: bool
    has_priors: bool

    @property
    def dim(self) -> int:
        """Width of a phrase's vector."""
        return 2 * self.width + self.has_priors


class EncodesPhrases(NamedPipeline):
    """A ``PhraseEncoder`` by a network that gives vectors of tokens.

    A phrase's vector concatenates those of its first token as a start and its last token as an end; a
    question's vector has a query for each. If a phrase has further terms besides their inner product (priors,
    and the vector lengths needed for distances), they are one more number, with a 1 in the question. So the
    highest inner product finds the span that a reader with the same network points at, except for ties.

    A phrase in two windows of a long passage is listed once, with the vector from the window where it is most
    central, as in the reader. A phrase whose tokens have no characters of their own is skipped.

    Args:
        pipeline: texts to ids; it must know the positions of tokens.
        name: its name in tables.
        shape: the phrases of the network.

    Raises:
        ConfigError: the pipeline doesn't know the positions of its tokens.
    """

    def __init__(self, pipeline: TextPipeline, *, name: str, shape: PhraseShape) -> None:
        self._pipeline, self._name, self._shape = pipeline, name, shape
        self._find, self._limits = locating(pipeline), limits_of(pipeline)

    @abstractmethod
    def _tokens(self, passages: Sequence[Ints32]) -> Sequence[Floats32]:
        """Both vectors of the tokens of each text, then four numbers. Shape [T, 2D + 4] each.

        The four are the terms of a token as the first and as the last one, and its learnt priors as these.
        """

    @abstractmethod
    def _asked(self, questions: Sequence[Ints32]) -> Sequence[Floats32]:
        """Both queries of each question. Shape [2D] each."""

    @final
    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return self._shape.dim

    @final
    @one_or_several
    def phrases(self, passages: Sequence[str]) -> list[PhraseVectors]:
        """All phrases of each passage, ordered by first token, then last.

        Raises:
            ModelError: the network returns numbers that aren't finite.
        """
        passages = texts_of(passages)
        found: list[PhraseVectors] = []
        for start in range(0, len(passages), _PASSAGES_AT_A_TIME):
            found += self._phrases(passages[start : start + _PASSAGES_AT_A_TIME])
        return found

    @final
    @one_or_several
    def questions(self, questions: Sequence[str]) -> Floats32:
        """One vector per question, shape [questions, dim]; long questions are truncated.

        Raises:
            ModelError: the network returns numbers that aren't finite.
        """
        located = self._find.located(texts_of(questions))
        rows = np.ones((len(located), self.dim), dtype=np.float32)
        for row, vector in enumerate(self._asked([one.ids[: self._limits.question] for one in located])):
            rows[row, : vector.size] = vector
        return finite(rows, self._name)

    def _phrases(self, passages: Sequence[str]) -> list[PhraseVectors]:
        located = self._find.located(passages)
        parts = [windows(len(one), self._limits.passage) if len(one) else [] for one in located]
        of_windows = [(one, *part) for one, its in zip(located, parts, strict=True) for part in its]
        tokens = self._tokens([one.ids[start:stop] for one, start, stop in of_windows])
        rest = iter(finite(each, self._name) for each in tokens)
        return [
            self._of_passage(one, its, [next(rest) for _ in its])
            for one, its in zip(located, parts, strict=True)
        ]

    def _of_passage(
        self, passage: Located, parts: Sequence[tuple[int, int]], tokens: Sequence[Floats32]
    ) -> PhraseVectors:
        """The phrases of a passage, from the vectors of the tokens of each of its windows."""
        spans = _spans(len(passage), self._shape.most)
        at_home = homes(parts, *spans.T) if parts else np.empty(0, dtype=np.int64)
        offsets = np.stack([passage.offsets[spans[:, 0], 0], passage.offsets[spans[:, 1], 1]], axis=1)
        kept = (at_home >= 0) & (offsets[:, 1] > offsets[:, 0])
        spans, offsets, at_home = spans[kept], offsets[kept], at_home[kept]
        width = self._shape.width
        vectors = np.empty((len(spans), self.dim), dtype=np.float32)
        priors = np.empty(len(spans), dtype=np.float32)
        for number, ((start, _), known) in enumerate(zip(parts, tokens, strict=True)):
            rows = np.flatnonzero(at_home == number)
            first, last = (known[place] for place in (spans[rows] - start).T)
            vectors[rows, :width] = first[:, :width]
            vectors[rows, width : 2 * width] = last[:, width : 2 * width]
            # Nothing is written if vectors have no number for it.
            vectors[rows, 2 * width :] = (first[:, -4] + last[:, -3])[:, None]
            priors[rows] = first[:, -2] + last[:, -1]
        return PhraseVectors(offsets, vectors, priors if self._shape.learns_priors else None)


def _spans(tokens: int, most: int) -> _Spans:
    """The first and the last token of each phrase. Shape [phrases, 2]."""
    first = np.repeat(np.arange(tokens, dtype=np.int64), most)
    last = first + np.tile(np.arange(most, dtype=np.int64), tokens)
    return np.stack([first, last], axis=1)[last < tokens]
