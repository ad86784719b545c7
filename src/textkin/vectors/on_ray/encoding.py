"""An encoder that runs on workers."""

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
"""Number of texts per piece of work."""

_LEAST = 64
_CANARIES = ("When do you open?", "Where can I park, and what does it cost?", "Reset my password, please.")
_APART = 1e-3  # for unit vectors; rounding differs between machines, other models differ more


@final
class RemoteEncoder:
    """An ``Encoder`` with the same vectors as another one, up to 1e-6.

    Args:
        workers: workers that encode. They open the model from the same folder, and reject any other model.
        encoder: the other encoder.
        piece: number of texts per piece of work.

    Raises:
        UsageError: the encoder exists only in memory, so it can't be sent.
    """

    def __init__(self, workers: Workers, encoder: Encoder, *, piece: int = PIECE) -> None:
        self._workers, self._encoder, self._piece = workers, encoder, piece
        self._kept = workers.keep(encoder)
        self._known = encoder.encode(list(_CANARIES))

    @property
    def name(self) -> str:
        """The name of the other encoder."""
        return self._encoder.name

    @property
    def dim(self) -> int:
        """The dimension of the vectors."""
        return self._encoder.dim

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The scores of the other encoder, computed in this process. Shape [pairs]."""
        return self._encoder.score(pairs)

    def encode(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.float32]:
        """One vector per text, shape [texts, dim]."""
        each = -(-len(texts) // (2 * self._workers.slots))
        found = list(self._pieces(texts, side, size=min(max(each, _LEAST), self._piece)))
        return np.concatenate(found) if found else self._encoder.encode(texts, side=side)

    def stream(
        self, windows: Iterable[Sequence[str]], *, side: Side = Side.TEXT
    ) -> Iterator[NDArray[np.float32]]:
        """Yield the vectors of all texts in order, batch by batch."""
        return self._pieces((text for window in windows for text in window), side, size=self._piece)

    def _pieces(self, texts: Iterable[str], side: Side, *, size: int) -> Iterator[NDArray[np.float32]]:
        remaining = iter(texts)
        pieces = iter(lambda: list(islice(remaining, size)), [])
        given = ((self._kept, self._known, piece, side) for piece in pieces)
        return in_order(self._workers, encoded, given)


def encoded(kept: Kept, known: NDArray[np.float32], texts: Sequence[str], side: Side) -> NDArray[np.float32]:
    """The vectors of some texts from a worker, which first checks that its model is the same.

    Raises:
        ModelError: the model differs, or is missing.
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
