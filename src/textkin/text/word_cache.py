"""BERT's tokenizers part a text into words before anything else, so each word needs tokenising only once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.text.flat_ids import FlatIds, whole_ids

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from textkin.text.word_id_cache import KnownWords

# The compiled loops take half a second to load, in which the tokenizer itself does so many characters.
_CHARACTERS_FIRST = 600_000
# Characters that are looked at in one go.
_AT_ONCE = 1 << 20


@runtime_checkable
class LoadsLoops(Protocol):
    """What turns texts into ids by way of a :class:`WordCache`, or of something that has one."""

    def load_loops(self) -> None:
        """Load the loops now, rather than when they pay."""
        ...


def load_word_loops(system: object) -> None:
    """Have a model, and the members of an ensemble, load the loops of their tokenizers now, if they have any.

    For those who will encode for long, and whose texts must not wait for a compiler.
    """
    pipeline = getattr(system, "pipeline", None)
    if isinstance(pipeline, LoadsLoops):
        pipeline.load_loops()
    for member in getattr(system, "members", ()):
        load_word_loops(member)


def splits_like_bert(parts: Mapping[str, Any]) -> bool:
    """Whether the tokenizer of a ``tokenizer.json`` treats words one by one, as BERT's do."""
    kinds = [(parts.get(part) or {}).get("type") for part in ("normalizer", "pre_tokenizer", "model")]
    plain = not any(token["normalized"] for token in parts.get("added_tokens") or [])
    return kinds == ["BertNormalizer", "BertPreTokenizer", "WordPiece"] and plain


@final
class WordCache:
    """Token ids of texts by way of their words: the tokenizer's own ids, ten times as fast.

    The first texts go through the tokenizer whole, as long as the loops aren't worth loading: some ten
    thousand questions, or a few hundred abstracts.
    Threads may share it.

    Args:
        tokenizer: one of which :func:`splits_like_bert` is true; it must neither cut nor pad.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._seen = 0
        self._words: KnownWords | None = None
        self._lock = Lock()

    def load_loops(self) -> None:
        """Go by way of words from now on; their loops are compiled, or loaded, when this returns."""
        self._seen = _CHARACTERS_FIRST
        self.ids(["a word", "another"])

    def ids(self, texts: Sequence[str]) -> FlatIds:
        """The ids of each text, without the special tokens that the tokenizer would add."""
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        self._seen += int(lengths.sum())
        if self._seen < _CHARACTERS_FIRST:
            return whole_ids(self._tokenizer, texts)
        from textkin.text.word_id_cache import KnownWords

        with self._lock:
            self._words = self._words or KnownWords(self._tokenizer)
            parts = [self._words.ids(texts[part], lengths[part]) for part in parts_of(lengths)]
        return FlatIds.joined(parts)


def parts_of(lengths: NDArray[np.int64]) -> Iterator[slice]:
    """Texts in parts that loops take in one go; one text alone may be longer. Lengths in characters."""
    ends = np.cumsum(lengths)
    start, done = 0, 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, done + _AT_ONCE, side="right")))
        yield slice(start, stop)
        start, done = stop, int(ends[stop - 1])
