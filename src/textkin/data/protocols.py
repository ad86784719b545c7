"""Protocols: the interfaces that the rest of textkin works with.

A :class:`Scorer` compares two texts, an :class:`Encoder` maps a single text to a vector, and a
:class:`Classifier` assigns classes to pairs. The tasks treat baselines, trained models and remote services
alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.data.choice_records import ChoiceQuestion
from textkin.data.span_records import SpanAnswer

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Features: TypeAlias = "NDArray[np.float32] | csr_array"
"""One row per text or phrase, dense or sparse."""


class Side(StrEnum):
    """Side of a text in an asymmetric task; models without prompts ignore it.

    Texts of symmetric tasks, such as duplicates, have no side: TEXT.
    """

    TEXT = "text"
    QUERY = "query"
    DOCUMENT = "document"


@runtime_checkable
class Scorer(Protocol):
    """Anything that compares two texts; a higher score always means more similar.

    Example:
        >>> import textkin as tk
        >>> isinstance(tk.load(), tk.Scorer)
        True
    """

    @property
    def name(self) -> str:
        """The name in tables."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The similarity of each pair, shape [pairs]."""


@runtime_checkable
class Encoder(Scorer, Protocol):
    """A scorer that maps a single text to a vector.

    Example:
        >>> import textkin as tk
        >>> encoder = tk.load_encoder()
        >>> encoder.encode(["one text"]).shape == (1, encoder.dim)
        True
    """

    @property
    def dim(self) -> int:
        """The dimension of the vectors."""

    def encode(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.float32]:
        """One vector per text, shape [texts, dim]."""


@runtime_checkable
class Classifier(Protocol):
    """Anything that assigns classes to pairs, such as entailment, contradiction and neutral.

    Example:
        >>> import textkin as tk
        >>> class Coin:
        ...     name, labels = "coin", ("no", "yes")
        ...     def classify(self, pairs):
        ...         return [[0.5, 0.5] for _ in pairs]
        >>> isinstance(Coin(), tk.Classifier)
        True
    """

    @property
    def name(self) -> str:
        """The name in tables."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes, in the order of the columns of :meth:`classify`."""

    def classify(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The probability of each class for each pair, rows sum to 1. Shape [pairs, labels]."""


def gives_classes(system: object) -> bool:
    """True for a classifier whose classes make no score; of two classes, the score is for the second."""
    return isinstance(system, Classifier) and (not isinstance(system, Scorer) or len(system.labels) != 2)


@dataclass(frozen=True, slots=True, eq=False)
class PhraseVectors:
    """The phrases of a passage that may be answers, ordered by position.

    Attributes:
        offsets: start and end of each phrase in characters; int64, shape [phrases, 2].
        vectors: one row per phrase, float32; dense or sparse for all passages of an encoder. Shape [phrases,
            dim].
        priors: probability of each phrase to be an answer, for any question; None if the encoder has none.
            float32, shape [phrases].
    """

    offsets: NDArray[np.int64]
    vectors: Features
    priors: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.offsets)


@runtime_checkable
class PhraseEncoder(Protocol):
    """An encoder of phrases and questions in one space, where the answer is the nearest phrase.

    The two sides are independent by construction: neither method ever sees the other's texts. Both return
    rows of the same type, all dense or all sparse.
    """

    @property
    def name(self) -> str:
        """The name in tables."""

    @property
    def dim(self) -> int:
        """The dimension of the vectors."""

    def phrases(self, passages: Sequence[str]) -> list[PhraseVectors]:
        """The phrases of each passage, possibly none."""

    def questions(self, questions: Sequence[str]) -> Features:
        """One vector per question, float32, shape [questions, dim]."""


MOST_TOKENS = 64
"""The maximum number of tokens of a phrase in :class:`PhraseTokens`."""


@dataclass(frozen=True, slots=True, eq=False)
class PhraseTokens:
    """The tokens of a passage, of whose vectors those of its phrases consist.

    The phrase from token t to token t + d has the first half of t's row and the second half of the row of t +
    d, with their last numbers added up if the dimension of phrases is odd.

    Attributes:
        offsets: start and end of each token in characters; int64, shape [tokens, 2].
        vectors: the parts of phrases that begin and end with each token; float32, shape [tokens, dim] for an
            even dimension of phrases, [tokens, dim + 1] for an odd one.
        lengths: bit d is set if the phrase from token t to token t + d may be an answer; uint64, shape
            [tokens].
    """

    offsets: NDArray[np.int64]
    vectors: NDArray[np.float32]
    lengths: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.offsets)


@runtime_checkable
class EncodesTokens(PhraseEncoder, Protocol):
    """A phrase encoder whose phrases are made of the vectors of tokens."""

    @property
    def longest_phrase(self) -> int:
        """The maximum number of tokens of a phrase."""

    def phrase_tokens(self, passages: Sequence[str]) -> list[PhraseTokens]:
        """The tokens of each passage, possibly none."""


@runtime_checkable
class PlacesNoAnswer(Protocol):
    """A phrase encoder with an optional "no answer" phrase, shared by all passages."""

    @property
    def nothing(self) -> NDArray[np.float32] | None:
        """The vector of "no answer", shape [dim]; None if every passage contains an answer.

        A passage has no answer to a question whose product with this vector is at least as high as with all
        of the passage's phrases.
        """


@runtime_checkable
class SpanReader(Protocol):
    """Anything that extracts the answer to a question from a passage.

    Example:
        >>> import textkin as tk
        >>> class First:
        ...     name = "first"
        ...     def read(self, questions, passages, *, k=1):
        ...         words = [text.split()[0] for text in passages]
        ...         return [[tk.SpanAnswer(0, len(word), word, 1.0, 1.0)] for word in words]
        >>> isinstance(First(), tk.SpanReader)
        True
    """

    @property
    def name(self) -> str:
        """The name in tables."""

    def read(
        self, questions: Sequence[str], passages: Sequence[str], *, k: int = 1
    ) -> list[list[SpanAnswer]]:
        """Up to ``k`` answers to question i from passage i, best first.

        A reader that can abstain includes an empty answer among them.
        """


@runtime_checkable
class Chooser(Protocol):
    """Anything that answers multiple-choice questions.

    Example:
        >>> import textkin as tk
        >>> class Longest:
        ...     name = "longest"
        ...     def choose(self, questions):
        ...         return [[len(choice) for choice in one.choices] for one in questions]
        >>> isinstance(Longest(), tk.Chooser)
        True
    """

    @property
    def name(self) -> str:
        """The name in tables."""

    def choose(self, questions: Sequence[ChoiceQuestion]) -> NDArray[np.float32]:
        """The score of each choice; the highest one is chosen, ties by position.

        Shape [questions, choices], NaN after a question's last choice.
        """


@runtime_checkable
class ReadsTokens(Protocol):
    """A system that reports its token limit, so that no truncation goes unnoticed."""

    @property
    def max_tokens(self) -> int | None:
        """The maximum number of tokens read, without special ones; None if texts are read whole."""

    @property
    def reads_pairs(self) -> bool:
        """True if the limit applies to two texts together."""

    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.int64]:
        """The number of tokens of each text before truncation, without special ones. Shape [texts]."""


@runtime_checkable
class HasMembers(Protocol):
    """A system built from other systems, whose token limits and training data it shares.

    An ensemble combines its members. The members of a chooser are its scorers, if any.
    """

    @property
    def name(self) -> str:
        """The name in tables."""

    @property
    def members(self) -> Sequence[object]:
        """The members, which may have members themselves."""


System = Scorer | Classifier
"""All types of systems that can be evaluated, on suitable data."""

AnySystem = Scorer | Classifier | SpanReader | PhraseEncoder
"""All kinds of models."""

ByWeight = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""A metric of a set of pairs as a function of the pairs' weights: [pairs, rounds] -> [rounds].

A pair of weight 2 counts as two equal pairs, one of weight 0 as missing. The result is NaN if the metric is
undefined. Resampling needs many weightings of the same pairs, so everything that depends only on labels and
scores is computed once, in advance.
"""


class PairMeasure(Protocol):
    """A metric of labelled and scored pairs, prepared for resampling."""

    def __call__(self, labels: NDArray[np.float64], scores: NDArray[np.float64], /) -> ByWeight:
        """Take labels and scores, both of shape [pairs], and return the metric as a function of weights."""


BySwap = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""The difference A minus B by swaps of the units' scores: 1 or 0, [units, rounds] -> [rounds]."""


@runtime_checkable
class SwapMeasure(PairMeasure, Protocol):
    """A metric with a faster randomisation test than two weightings per round."""

    def by_swap(
        self,
        labels: NDArray[np.float64],
        scores_a: NDArray[np.float64],
        scores_b: NDArray[np.float64],
        units: NDArray[np.int64],
        /,
    ) -> BySwap:
        """Take labels, both systems' scores on one scale, and the unit of each pair, all of shape [pairs]."""


def nothing_of(encoder: PhraseEncoder) -> NDArray[np.float32] | None:
    """The "no answer" vector of a phrase encoder, if it has one. Shape [dim]."""
    return encoder.nothing if isinstance(encoder, PlacesNoAnswer) else None
