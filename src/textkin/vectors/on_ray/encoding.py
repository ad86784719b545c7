"""An encoder whose texts are encoded by workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from socket import gethostname
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import ModelError
from textkin.data.protocols import Encoder, Side
from textkin.vectors.on_ray.workers import Kept, Workers, in_order

PIECE = 2_048
"""So many texts are a piece of work."""

_LEAST = 64
_CANARIES = ("When do you open?", "Where can I park, and what does it cost?", "Reset my password, please.")
_APART = 1e-3  # for vectors of length 1; other software rounds otherwise, another model is further off


@final
class RemoteEncoder:
    """An ``Encoder`` like another one, with the same vectors up to 1e-6.

    Args:
        workers: encode. They open the model from the same folder, and refuse another one.
        encoder: the other one.
        piece: so many texts are encoded at a time.

    Raises:
        UsageError: it can't be sent, as it is in memory only.
    """

    def __init__(self, workers: Workers, encoder: Encoder, *, piece: int = PIECE) -> None:
        self._workers, self._encoder, self._piece = workers, encoder, piece
        self._kept = workers.keep(encoder)
        self._known = encoder.encode(list(_CANARIES))

    @property
    def name(self) -> str:
        """That of the other one."""
        return self._encoder.name

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return self._encoder.dim

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The scores of the other one, computed here. Shape [pairs]."""
        return self._encoder.score(pairs)

    def encode(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.float32]:
        """One vector a text, shape [texts, dim]."""
        each = -(-len(texts) // (2 * self._workers.slots))
        found = list(self._pieces(texts, side, size=min(max(each, _LEAST), self._piece)))
        return np.concatenate(found) if found else self._encoder.encode(texts, side=side)

    def stream(
        self, windows: Iterable[Sequence[str]], *, side: Side = Side.TEXT
    ) -> Iterator[NDArray[np.float32]]:
        """The vectors of all texts in their order, some at a time."""
        return self._pieces((text for window in windows for text in window), side, size=self._piece)

    def _pieces(self, texts: Iterable[str], side: Side, *, size: int) -> Iterator[NDArray[np.float32]]:
        remaining = iter(texts)
        pieces = iter(lambda: list(islice(remaining, size)), [])
        given = ((self._kept, self._known, piece, side) for piece in pieces)
        return in_order(self._workers, encoded, given)


def encoded(kept: Kept, known: NDArray[np.float32], texts: Sequence[str], side: Side) -> NDArray[np.float32]:
    """The vectors of some texts by a worker, which first looks whether its model is the right one.

    Raises:
        ModelError: it isn't, or isn't there.
    """
    encoder: Encoder = kept.value()
    own = encoder.encode(list(_CANARIES))
    lengths = np.linalg.norm(known, axis=1, keepdims=True)
    if own.shape != known.shape or np.abs(own - known).max() > _APART * max(float(lengths.max()), 1e-12):
        raise ModelError(
            f"{encoder.name} on {gethostname()} gives other vectors than here",
            fix="have the same files in the same folder on all machines",
        )
    return encoder.encode(texts, side=side)
