"""Encoders of phrases: windows, spans and their vectors, for any network that gives vectors of tokens.

Shapes: T tokens of a text, D width of an end's vector.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

import numpy as np

from textkin.base.arrays import Floats32, Ints, Ints32
from textkin.base.errors import invalid
from textkin.base.python_inputs import one_or_several, texts_of
from textkin.data.protocols import MOST_TOKENS, PhraseTokens, PhraseVectors
from textkin.models.network_outputs import finite
from textkin.text.pipeline import NamedPipeline, TextPipeline
from textkin.text.span_windows import homes, limits_of, locating, windows
from textkin.text.token_offsets import Located

_PASSAGES_AT_A_TIME = 256

_Spans = Ints
_Parts = Sequence[tuple[int, int]]


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

    def settings(self) -> dict[str, Any]:
        """Its settings, for a passport: text pipeline, and the phrases of the network."""
        return {"text": self._pipeline.to_dict(), "arguments": asdict(self._shape)}

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
    @property
    def longest_phrase(self) -> int:
        """The maximum number of tokens of a phrase."""
        return self._shape.most

    @final
    @one_or_several
    def phrases(self, passages: Sequence[str]) -> list[PhraseVectors]:
        """All phrases of each passage, ordered by first token, then last.

        Raises:
            ModelError: the network returns numbers that aren't finite.
        """
        return [self._of_phrases(*each) for each in self._windowed(texts_of(passages))]

    @final
    @one_or_several
    def phrase_tokens(self, passages: Sequence[str]) -> list[PhraseTokens]:
        """The tokens of each passage, of which its phrases consist; once for each window that has them.

        Raises:
            UsageError: a phrase may have more than 64 tokens.
            ModelError: the network returns numbers that aren't finite.
        """
        if self._shape.most > MOST_TOKENS:
            raise invalid("most", self._shape.most, expected=f"at most {MOST_TOKENS} tokens of a phrase")
        return [self._of_tokens(*each) for each in self._windowed(texts_of(passages))]

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

    def _windowed(self, passages: Sequence[str]) -> Iterator[tuple[Located, _Parts, list[Floats32]]]:
        """Yield each passage with its windows, and the vectors of the tokens of each."""
        for start in range(0, len(passages), _PASSAGES_AT_A_TIME):
            located = self._find.located(passages[start : start + _PASSAGES_AT_A_TIME])
            parts = [windows(len(one), self._limits.passage) if len(one) else [] for one in located]
            of_windows = [(one, *part) for one, its in zip(located, parts, strict=True) for part in its]
            tokens = self._tokens([one.ids[first:stop] for one, first, stop in of_windows])
            rest = iter(finite(each, self._name) for each in tokens)
            for one, its in zip(located, parts, strict=True):
                yield one, its, [next(rest) for _ in its]

    def _of_phrases(self, passage: Located, parts: _Parts, tokens: Sequence[Floats32]) -> PhraseVectors:
        spans, offsets, at_home = self._phrases_of(passage, parts)
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

    def _of_tokens(self, passage: Located, parts: _Parts, tokens: Sequence[Floats32]) -> PhraseTokens:
        spans, _, at_home = self._phrases_of(passage, parts)
        width, terms = self._shape.width, int(self._shape.has_priors)
        offsets = [np.empty((0, 2), dtype=np.int64)]
        vectors = [np.empty((0, 2 * (width + terms)), dtype=np.float32)]
        lengths = [np.empty(0, dtype=np.uint64)]
        for number, ((start, stop), known) in enumerate(zip(parts, tokens, strict=True)):
            first, last = spans[at_home == number].T
            bits = np.zeros(stop - start, dtype=np.uint64)
            np.bitwise_or.at(bits, first - start, np.uint64(1) << (last - first).astype(np.uint64))
            begins, ends = known[:, :width], known[:, width : 2 * width]
            of_ends = (known[:, -4 : -4 + terms], known[:, -3 : -3 + terms])
            vectors.append(np.concatenate((begins, of_ends[0], ends, of_ends[1]), axis=1))
            offsets.append(passage.offsets[start:stop])
            lengths.append(bits)
        return PhraseTokens(np.concatenate(offsets), np.concatenate(vectors), np.concatenate(lengths))

    def _phrases_of(self, passage: Located, parts: _Parts) -> tuple[_Spans, Ints, Ints]:
        """The first and last token of each phrase, its characters, and the number of its window."""
        spans = _spans(len(passage), self._shape.most)
        at_home = homes(parts, *spans.T) if parts else np.empty(0, dtype=np.int64)
        offsets = np.stack([passage.offsets[spans[:, 0], 0], passage.offsets[spans[:, 1], 1]], axis=1)
        kept = (at_home >= 0) & (offsets[:, 1] > offsets[:, 0])
        return spans[kept], offsets[kept], at_home[kept]


def _spans(tokens: int, most: int) -> _Spans:
    """The first and the last token of each phrase. Shape [phrases, 2]."""
    first = np.repeat(np.arange(tokens, dtype=np.int64), most)
    last = first + np.tile(np.arange(most, dtype=np.int64), tokens)
    return np.stack([first, last], axis=1)[last < tokens]
