"""The seams: what a thing must be able to do to be used by the rest of textkin.

Whatever compares two texts is a :class:`Scorer`; whatever places one text alone in a vector space is an
:class:`Encoder`. Baselines, trained models and remote services are all the same to the tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class Side(StrEnum):
    """Which side of an asymmetric task a text is on; symmetric encoders ignore it."""

    QUERY = "query"
    DOCUMENT = "document"


@runtime_checkable
class Scorer(Protocol):
    """Anything that compares two texts; higher is more similar, always."""

    @property
    def name(self) -> str:
        """How tables call it."""
        ...

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The similarity of each pair, shape [pairs]."""
        ...


@runtime_checkable
class Encoder(Scorer, Protocol):
    """A scorer that places one text alone in a vector space."""

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        ...

    def encode(self, texts: Sequence[str], *, side: Side = Side.DOCUMENT) -> NDArray[np.float32]:
        """One vector a text, shape [texts, dim]."""
        ...


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
