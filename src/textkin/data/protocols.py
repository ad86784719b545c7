"""The seams: what a thing must be able to do to be used by the rest of textkin.

Whatever compares two texts is a :class:`Scorer`; whatever places one text alone in a vector space is an
:class:`Encoder`; whatever sorts pairs into classes is a :class:`Classifier`. Baselines, trained models and
remote services are all the same to the tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.data.choice_records import ChoiceQuestion
from textkin.data.entry_records import Added, Entry, EntryWindows, WindowsOf
from textkin.data.records import Hit
from textkin.data.span_records import SpanAnswer

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Features: TypeAlias = "NDArray[np.float32] | csr_array"
"""One row a text or phrase: numbers throughout, or mostly zeros."""


class Side(StrEnum):
    """Which side of an asymmetric task a text is on; models without prompts ignore it.

    Texts of symmetric tasks, such as duplicates, are on neither: TEXT.
    """

    TEXT = "text"
    QUERY = "query"
    DOCUMENT = "document"


@runtime_checkable
class Scorer(Protocol):
    """Anything that compares two texts; higher is more similar, always.

    Example:
        >>> import textkin as tk
        >>> isinstance(tk.load(), tk.Scorer)
        True
    """

    @property
    def name(self) -> str:
        """How tables call it."""
        ...

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The similarity of each pair, shape [pairs]."""
        ...


@runtime_checkable
class Encoder(Scorer, Protocol):
    """A scorer that places one text alone in a vector space.

    Example:
        >>> import textkin as tk
        >>> encoder = tk.load_encoder()
        >>> encoder.encode(["one text"]).shape == (1, encoder.dim)
        True
    """

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        ...

    def encode(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.float32]:
        """One vector a text, shape [texts, dim]."""
        ...


@runtime_checkable
class Classifier(Protocol):
    """Anything that sorts pairs into classes, such as entailment, contradiction and neutral.

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
        """How tables call it."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes, in the order of the columns of :meth:`classify`."""
        ...

    def classify(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The probability of each class for each pair, rows sum to 1. Shape [pairs, labels]."""
        ...


@final
@dataclass(frozen=True, slots=True, eq=False)
class PhraseVectors:
    """The phrases of a passage that may be answers, in the order of their places.

    Attributes:
        offsets: the characters where each begins and ends, the end excluded; int64, shape [phrases, 2].
        vectors: a row each, float32; sparse ones are of the same encoder always. Shape [phrases, dim].
        priors: how likely each is to be asked for, whatever the question; None where the encoder doesn't
            say. float32, shape [phrases].
    """

    offsets: NDArray[np.int64]
    vectors: Features
    priors: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.offsets)


@runtime_checkable
class PhraseEncoder(Protocol):
    """What places phrases and questions in one space, where the answer is the nearest phrase.

    The two sides are independent by construction: neither method ever sees the other's texts. Both give rows
    of the same kind, all dense or all sparse.
    """

    @property
    def name(self) -> str:
        """How tables call it."""
        ...

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        ...

    def phrases(self, passages: Sequence[str]) -> list[PhraseVectors]:
        """The phrases of each passage, which may have none."""
        ...

    def questions(self, questions: Sequence[str]) -> Features:
        """One vector a question, float32, shape [questions, dim]."""
        ...


@runtime_checkable
class PlacesNoAnswer(Protocol):
    """A phrase encoder that may know no answer as one more phrase, the same in all passages."""

    @property
    def nothing(self) -> NDArray[np.float32] | None:
        """Its vector, shape [dim]; None where every passage holds an answer.

        A passage holds no answer to a question whose product with this vector is as high as with any of the
        passage's phrases.
        """
        ...


@runtime_checkable
class SpanReader(Protocol):
    """Anything that reads the answer to a question out of a passage.

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
        """How tables call it."""
        ...

    def read(
        self, questions: Sequence[str], passages: Sequence[str], *, k: int = 1
    ) -> list[list[SpanAnswer]]:
        """Up to ``k`` answers to question i, of which passage i is asked, best first.

        A reader that can say that there is no answer gives that beside them, as an empty one.
        """
        ...


@runtime_checkable
class Chooser(Protocol):
    """Anything that answers questions which come with choices.

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
        """How tables call it."""
        ...

    def choose(self, questions: Sequence[ChoiceQuestion]) -> NDArray[np.float32]:
        """The score of each choice; higher is better, the first of equals is chosen.

        Shape [questions, choices], NaN where a question has fewer choices than another.
        """
        ...


@runtime_checkable
class ReadsTokens(Protocol):
    """What says how much of a text it reads, so that nothing is cut without a word."""

    @property
    def max_tokens(self) -> int | None:
        """The most tokens that it reads, special ones aside; None where it reads whole texts."""
        ...

    @property
    def reads_pairs(self) -> bool:
        """Whether that is the limit of two texts together."""
        ...

    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.int64]:
        """The tokens of each text before it is cut, special ones aside. Shape [texts]."""
        ...


@runtime_checkable
class HasMembers(Protocol):
    """What asks other systems; each of them reads as much of a text as it says itself, and has learnt.

    An ensemble combines its members; a chooser has its scorers as members, which may be none.
    """

    @property
    def name(self) -> str:
        """How tables call it."""
        ...

    @property
    def members(self) -> Sequence[object]:
        """The systems, which may have members themselves."""
        ...


@runtime_checkable
class Store(Protocol):
    """A collection of texts with vectors, which keeps all that it has answered for.

    It takes vectors and texts, never encoders: what makes vectors is asked only for those that are missing.

    Example:
        >>> import textkin as tk
        >>> with tk.open_collection("notes", create=True) as notes:
        ...     isinstance(notes.store, tk.Store)
        True
    """

    def add(
        self,
        entries: Iterable[Entry],
        vectors_of: Callable[[Sequence[str]], NDArray[np.float32]],
        *,
        windows_of: WindowsOf | None = None,
    ) -> Iterator[Added]:
        """Add entries, or replace those of the same ids; each part is on the disk when its account comes.

        What parts texts into windows is given where the collection has windows, and only there.
        """
        ...

    def remove(self, ids: Sequence[str] = (), *, where: str | None = None) -> int:
        """Take entries out, by their ids or a filter; how many there were."""
        ...

    def counter(self) -> int:
        """The number of the last change."""
        ...

    def newer(self, change: int) -> int:
        """How many entries have texts that came after a change."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """In the block all is of one moment."""
        ...

    def writing(self, wait: float | None = None) -> AbstractContextManager[None]:
        """In the block nobody else writes; to wait so many seconds for others."""
        ...

    def nearest(
        self, vectors: NDArray[np.float32], k: int, *, where: str | None = None, probe: int | None = None
    ) -> list[list[Hit]]:
        """The ``k`` entries of which a window is most similar to each vector, best first.

        Vectors have the shape [queries, dim]. With ``probe``, an approximate search looks at so many cells.
        """
        ...

    def words(
        self, queries: Sequence[str], k: int, *, where: str | None = None, among: Sequence[str] | None = None
    ) -> list[list[Hit]]:
        """The ``k`` entries that BM25 scores best for each query, best first, among those of some ids."""
        ...

    def holders(self, query: str) -> list[int]:
        """How many entries hold each word of a query."""
        ...

    def word_shares(self, query: str, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """What each word of a query adds to the BM25 score of each of some texts; their sum is the score."""
        ...

    def rows(self, ids: Sequence[str]) -> list[Entry]:
        """The entries of ids that are there, in their order."""
        ...

    def windows(self, ids: Sequence[str]) -> dict[str, EntryWindows]:
        """The vectors of the entries of ids that are there."""
        ...

    def entries(self, *, where: str | None = None) -> Iterator[Entry]:
        """All entries, or those that a filter lets through, in the order in which their texts came."""
        ...

    def fact(self, name: str) -> Any:
        """What was noted under a name, a JSON value; None if nothing was."""
        ...

    def note_fact(self, name: str, value: Any) -> None:
        """Note a JSON value under a name, on the disk for good."""
        ...

    def __len__(self) -> int:
        """How many entries there are."""
        ...


System = Scorer | Classifier
"""What can be measured on data that it fits."""

ByWeight = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""A figure of a set of pairs, by the pairs' weights: [pairs, rounds] -> [rounds].

A pair of weight 2 counts as two equal pairs, one of weight 0 is not there; NaN where the figure is undefined.
Resampling needs many weightings of the same pairs, so what depends on labels and scores alone is done once,
before.
"""


class PairMeasure(Protocol):
    """A figure of labelled and scored pairs, ready to be resampled."""

    def __call__(self, labels: NDArray[np.float64], scores: NDArray[np.float64], /) -> ByWeight:
        """Take labels and scores, both of shape [pairs], and return the figure as a function of weights."""
        ...


BySwap = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""How much better A is than B, by which units swap their scores: 1 or 0, [units, rounds] -> [rounds]."""


@runtime_checkable
class SwapMeasure(PairMeasure, Protocol):
    """A figure that knows a shorter way through the rounds of a randomisation test than two weightings."""

    def by_swap(
        self,
        labels: NDArray[np.float64],
        scores_a: NDArray[np.float64],
        scores_b: NDArray[np.float64],
        units: NDArray[np.int64],
        /,
    ) -> BySwap:
        """Take labels, both systems' scores on one scale, and the unit of each pair, all of shape [pairs]."""
        ...


def nothing_of(encoder: PhraseEncoder) -> NDArray[np.float32] | None:
    """The vector of no answer of a phrase encoder, if it has one. Shape [dim]."""
    return encoder.nothing if isinstance(encoder, PlacesNoAnswer) else None
