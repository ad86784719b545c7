"""The words that a tokenizer has encoded, with their ids. It loads the compiler; see ``word_cache.py``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from textkin.base.arrays import Ints, Ints32
from textkin.text import word_loops
from textkin.text.flat_ids import FlatIds, whole_ids

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Limits of the cache, which is cleared beyond them.
_MOST_WORDS, _MOST_BYTES = 1_000_000, 1 << 26
# Number of words tokenised as one text, and their separator: a character of no language.
_IN_A_TEXT, _BETWEEN = 256, "\U0010ffff"
_ASCII = bytes(range(128))


class _Words(NamedTuple):
    """Words and their token ids.

    Attributes:
        table: the words by number.
        ids: their token ids, concatenated.
        ends: end of each word's ids, after a 0, shape [words + 1].
    """

    table: word_loops.WordTable
    ids: Ints32
    ends: Ints


class KnownWords:
    """Token ids of texts assembled from cached words.

    The effect of a character on the words around it is read off the tokenizer when the character first
    occurs. So lower-casing, accents, spaces and Chinese are handled correctly. Texts that contain a special
    token, and those with a character that fits no pattern, are cached whole, as if they were words.

    Args:
        tokenizer: a tokenizer that treats the words of a text independently, without truncation and padding.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._kinds = np.zeros(0x110000, dtype=np.uint8)
        self._kinds[: len(_ASCII)] = [self._kind(chr(code)) for code in _ASCII]
        self._marks = _marks([token.content for token in tokenizer.get_added_tokens_decoder().values()])
        self._parting = type(tokenizer).from_str(tokenizer.to_str())
        self._parting.add_special_tokens([_BETWEEN])
        self._words: _Words | None = None

    def ids(self, texts: Sequence[str], lengths: Ints) -> FlatIds:
        """The ids of each text.

        Args:
            texts: the texts.
            lengths: lengths of the texts in characters.
        """
        data = "".join(texts).encode()
        self._meet(data)
        letters = np.frombuffer(data, dtype=np.uint8)
        spans, ends = word_loops.cut_words(letters, lengths, self._kinds, self._marks)
        # The loop changes the table in place: after a failure, the cache is empty rather than inconsistent.
        words, self._words = self._words, None
        if (
            words is None
            or words.table.size > _MOST_WORDS
            or words.table.ends[words.table.size] > _MOST_BYTES
        ):
            words = _Words(word_loops.no_words(), np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64))
        numbers, table = word_loops.number_words(letters, spans, words.table)
        words = self._words = self._with_ids(words, table)
        return FlatIds(*word_loops.gather(numbers, ends, words.ids, words.ends))

    def _with_ids(self, words: _Words, table: word_loops.WordTable) -> _Words:
        """The words of the table with their ids; those of earlier words are known."""
        spans = table.ends[words.table.size : table.size + 1].tolist()
        if len(spans) == 1:
            return words
        letters = table.letters[spans[0] : spans[-1]].tobytes()
        new = [letters[start - spans[0] : end - spans[0]].decode() for start, end in pairwise(spans)]
        found = self._ids_of(new)
        return _Words(
            table,
            np.concatenate([words.ids, found.ids]),
            np.concatenate([words.ends, words.ends[-1] + found.ends]),
        )

    def _ids_of(self, words: list[str]) -> FlatIds:
        """The ids of each word, from a few long texts: many short ones cost the tokenizer more."""
        parts = (words[start : start + _IN_A_TEXT] for start in range(0, len(words), _IN_A_TEXT))
        flat = whole_ids(self._parting, [_BETWEEN.join([*part, ""]) for part in parts])
        between = flat.ids == self._parting.token_to_id(_BETWEEN)
        places = np.flatnonzero(between)
        if len(places) == len(words):  # no word contains this character itself
            return FlatIds(flat.ids[~between], places - np.arange(len(places)))
        return whole_ids(self._tokenizer, words)

    def _meet(self, data: bytes) -> None:
        """Determine the classes of new non-ASCII characters."""
        for character in set(data.translate(None, _ASCII).decode()):
            if not self._kinds[ord(character)]:
                self._kinds[ord(character)] = self._kind(character)

    def _kind(self, character: str) -> int:
        around = self._parted(f"a{character}b")
        if len(around) == 1:
            return word_loops.LETTER
        if (around[0], around[-1]) != ("a", "b") or around[1:-1] != self._parted(character):
            return word_loops.HARD
        return word_loops.BLANK if len(around) == 2 else word_loops.ALONE

    def _parted(self, text: str) -> list[str]:
        """The words of a text, as split by the tokenizer."""
        normalizer, pre_tokenizer = self._tokenizer.normalizer, self._tokenizer.pre_tokenizer
        return [word for word, _ in pre_tokenizer.pre_tokenize_str(normalizer.normalize_str(text))]


def _marks(strings: list[str]) -> word_loops.Marks:
    data = [string.encode() for string in strings if string]
    first = np.zeros(256, dtype=np.bool_)
    first[[string[0] for string in data]] = True
    return word_loops.Marks(
        first=first,
        letters=np.frombuffer(b"".join(data), dtype=np.uint8),
        ends=np.cumsum([0, *map(len, data)], dtype=np.int64),
    )
