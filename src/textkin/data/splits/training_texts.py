"""The texts and pairs a model was trained on, as hashes small enough to store with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import ModelError
from textkin.base.numpy_files import UNREADABLE, load_npy
from textkin.base.text_equality import keys_of
from textkin.data.protocols import HasMembers

_TEXT, _PAIR = b"text", b"pair"
_HASHES = 2**32
_RARE = 0.01
_AGAIN = "copy the model directory again, whole"


@dataclass(frozen=True, slots=True)
class SeenShare:
    """The overlap of some pairs with a model's training data.

    Attributes:
        pairs: number of pairs.
        learnt: number of training pairs among them, in either order.
        sharing: number of pairs with at least one text from a training pair.
        by_chance: the number of training pairs to expect if there are none, as hashes are short.
    """

    pairs: int
    learnt: int
    sharing: int
    by_chance: float = field(default=0.0, compare=False)

    @property
    def may_be_chance(self) -> bool:
        """True if chance alone finds as many training pairs in one of a hundred cases or more (Poisson)."""
        from scipy.special import gammainc  # seldom needed

        return bool(gammainc(self.learnt, self.by_chance) >= _RARE)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Hashes of the normalised texts and pairs that a model was trained on.

    Training data is always recognised. Among other texts and pairs, about one in 2^32 / n is a false
    positive, where n is the number of hashes: one in 7,000 for 300,000 texts in as many pairs. Texts can't be
    recovered from the hashes, but anyone with a text can check whether it was used.

    Attributes:
        hashes: sorted, each once. Shape [texts and pairs].
    """

    hashes: NDArray[np.uint32]

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]]) -> Self:
        """The hashes of training pairs."""
        keys = keys_of(chain.from_iterable(pairs))
        texts = (_hash(key, _TEXT) for key in set(keys.values()))
        both = (_pair_hash(keys[a], keys[b]) for a, b in pairs)
        return cls(np.unique(np.fromiter(chain(texts, both), dtype=np.uint32)))

    def __or__(self, other: Seen) -> Seen:
        """The union, for a model trained on both."""
        return Seen(np.union1d(self.hashes, other.hashes))

    def share(self, pairs: Sequence[tuple[str, str]]) -> SeenShare:
        """The overlap of pairs with the training data."""
        keys = keys_of(chain.from_iterable(pairs))
        known = dict(zip(keys, self._holds(_hash(key, _TEXT) for key in keys.values()), strict=True))
        held = self._holds(_pair_hash(keys[a], keys[b]) for a, b in pairs)
        # Both texts of a training pair are known: where one isn't, the pair's hash is another's.
        both = np.array([known[a] and known[b] for a, b in pairs], dtype=bool)
        either = sum(bool(known[a] or known[b]) for a, b in pairs)
        by_chance = int(both.sum()) * len(self.hashes) / _HASHES
        return SeenShare(len(pairs), int((held & both).sum()), either, by_chance)

    def save(self, path: Path) -> None:
        """Write the hashes as a NumPy file."""
        with path.open("wb") as file:
            np.save(file, self.hashes, allow_pickle=False)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read the file of :meth:`save`.

        Raises:
            ModelError: the file has another format.
        """
        try:
            hashes = load_npy(path)
        except UNREADABLE as error:
            raise ModelError(f"can't be read: {error}", path=path, fix=_AGAIN) from error
        if not isinstance(hashes, np.ndarray) or hashes.dtype != np.uint32 or hashes.ndim != 1:
            raise ModelError("holds no hashes of texts", path=path, fix=_AGAIN)
        return cls(np.unique(hashes))

    def _holds(self, hashes: Iterable[int]) -> NDArray[np.bool_]:
        return np.isin(np.fromiter(hashes, dtype=np.uint32), self.hashes)


def _hash(key: str, what: bytes) -> int:
    return int.from_bytes(blake2b(key.encode(errors="surrogatepass"), digest_size=4, person=what).digest())


def _pair_hash(one: str, other: str) -> int:
    return _hash("\0".join(sorted((one, other))), _PAIR)


def seen_of(system: object) -> Seen | None:
    """The training data of a loaded system and of its members, if known."""
    found: Seen | None = getattr(getattr(system, "model", None), "seen", None)
    for one in system.members if isinstance(system, HasMembers) else ():
        theirs = seen_of(one)
        if theirs is not None:
            found = theirs if found is None else found | theirs
    return found
