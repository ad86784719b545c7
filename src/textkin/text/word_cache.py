"""A cache of token ids by word: BERT's tokenizers split texts into words first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from textkin.base.arrays import Ints
from textkin.base.numba_cache import others_compile
from textkin.text.flat_ids import FlatIds, whole_ids

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from textkin.text.word_id_cache import KnownWords

# Loading the compiled loops takes half a second, in which the tokenizer itself handles this number of
# characters.
_CHARACTERS_FIRST = 600_000
# Number of characters per batch.
_AT_ONCE = 1 << 20


@runtime_checkable
class LoadsLoops(Protocol):
    """A system, or a part of one, that compiled loops make faster."""

    def load_loops(self) -> None:
        """Load the loops now, not only once they pay off."""


def load_loops(system: object) -> None:
    """Load the compiled loops of a model, of its tokenizer, and of an ensemble's members.

    For long-running encoders whose texts must not wait for a compiler.
    """
    for part in (system, getattr(system, "pipeline", None)):
        if isinstance(part, LoadsLoops):
            part.load_loops()
    for member in getattr(system, "members", ()):
        load_loops(member)


def splits_like_bert(parts: Mapping[str, Any]) -> bool:
    """True if the tokenizer of a ``tokenizer.json`` treats words independently, as BERT's do."""
    kinds = [(parts.get(part) or {}).get("type") for part in ("normalizer", "pre_tokenizer", "model")]
    plain = not any(token["normalized"] for token in parts.get("added_tokens") or [])
    return kinds == ["BertNormalizer", "BertPreTokenizer", "WordPiece"] and plain


class WordCache:
    """Token ids of texts assembled from their words: equal to the tokenizer's, ten times as fast.

    The first texts go through the tokenizer, until the loops are worth loading: some ten thousand questions,
    or a few hundred abstracts. So do those that would wait for another thread that compiles. Thread-safe.

    Args:
        tokenizer: a tokenizer accepted by :func:`splits_like_bert`, without truncation and padding.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._seen = 0
        self._words: KnownWords | None = None
        self._lock = Lock()

    def load_loops(self) -> None:
        """Use the word cache from now on; its loops are compiled, or loaded, on return.

        Meanwhile, texts of other threads go through the tokenizer.
        """
        from textkin.text.word_id_cache import KnownWords

        texts = ["a word", "another"]
        words = KnownWords(self._tokenizer)
        words.ids(texts, np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        with self._lock:
            self._words = self._words or words
        self._seen = _CHARACTERS_FIRST

    def ids(self, texts: Sequence[str]) -> FlatIds:
        """The ids of each text, without special tokens."""
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        self._seen += int(lengths.sum())
        if self._words is None and (self._seen < _CHARACTERS_FIRST or others_compile()):
            return whole_ids(self._tokenizer, texts)
        from textkin.text.word_id_cache import KnownWords

        with self._lock:
            self._words = self._words or KnownWords(self._tokenizer)
            parts = [self._words.ids(texts[part], lengths[part]) for part in parts_of(lengths)]
        return FlatIds.joined(parts)


def parts_of(lengths: Ints) -> Iterator[slice]:
    """Batches of texts for the loops; a single text may be longer. Lengths are in characters."""
    ends = np.cumsum(lengths)
    start, done = 0, 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, done + _AT_ONCE, side="right")))
        yield slice(start, stop)
        start, done = stop, int(ends[stop - 1])
