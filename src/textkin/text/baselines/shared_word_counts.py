"""Shared word numbering of texts, for scorers that count terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from textkin.base.arrays import Ints
from textkin.base.first_seen_numbers import enumerated
from textkin.text.baselines.analysers import Analyser, CharacterRuns
from textkin.text.flat_ids import FlatIds
from textkin.text.word_cache import parts_of

if TYPE_CHECKING:
    from textkin.text.word_loops import WordTable

# Loading the compiled loops takes half a second, in which Python itself reads this number of characters.
_CHARACTERS_FIRST = 2_000_000
_ASCII = bytes(range(128))


@dataclass(frozen=True, slots=True, eq=False)
class ReadWords:
    """Words of texts by number.

    Attributes:
        words: distinct words, in order of first occurrence.
        numbers: word numbers of each text, in order.
    """

    words: list[str]
    numbers: FlatIds


@dataclass(frozen=True, slots=True, eq=False)
class WordTerms:
    """Terms of words by number.

    Attributes:
        terms: distinct terms, in order of first occurrence.
        numbers: term numbers of each word, in order.
    """

    terms: list[str]
    numbers: FlatIds


def read_words(texts: Sequence[str], analyser: Analyser, *, seen: int = 0) -> ReadWords:
    """The words of texts by number.

    Args:
        texts: the texts.
        analyser: definition of words.
        seen: number of characters read before; beyond two million in all, compiled loops read the texts.
    """
    if analyser.runs is None or seen + sum(map(len, texts)) < _CHARACTERS_FIRST:
        return ReadWords(*_numbered([analyser.words(text) for text in texts]))
    return _by_runs(texts, analyser.runs)


def terms_of_words(words: Sequence[str], analyser: Analyser, *, seen: int = 0) -> WordTerms:
    """The terms of words by number.

    Args:
        words: distinct words.
        analyser: definition of terms.
        seen: as in :func:`read_words`.
    """
    if not analyser.ngrams or seen + sum(map(len, words)) * len(analyser.ngrams) < _CHARACTERS_FIRST:
        return WordTerms(*_numbered([analyser.terms(word) for word in words]))
    from textkin.text.baselines.term_loops import ngram_spans
    from textkin.text.word_loops import no_words, number_words

    lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    table, parts = no_words(), []
    for part in parts_of(lengths):
        encoded = [word.encode("utf-8", "surrogatepass") for word in words[part]]
        letters = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        padded, spans, word_ends = ngram_spans(letters, ends, np.array(analyser.ngrams, dtype=np.int64))
        found, table = number_words(padded, spans, table)
        parts.append(FlatIds(found, word_ends[1:]))
    return WordTerms(_spelt(table), FlatIds.joined(parts))


def _numbered(rows: Sequence[Sequence[str]]) -> tuple[list[str], FlatIds]:
    """The distinct strings of all rows, and each row by number."""
    numbers, different = enumerated(one for row in rows for one in row)
    ends = np.cumsum(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)))
    return different, FlatIds(numbers.astype(np.int32), ends)


def _by_runs(texts: Sequence[str], runs: CharacterRuns) -> ReadWords:
    from textkin.text.baselines.term_loops import cut_runs
    from textkin.text.word_loops import no_words, number_words

    table, parts = no_words(), []
    kinds = np.zeros(0x110000, dtype=np.uint8)
    kinds[: len(_ASCII)] = [runs.kind(chr(code)) for code in _ASCII]
    for prepared, lengths in _prepared(texts, runs):
        data = "".join(prepared).encode("utf-8", "surrogatepass")
        for met in set(data.translate(None, _ASCII).decode("utf-8", "surrogatepass")):
            kinds[ord(met)] = kinds[ord(met)] or runs.kind(met)
        letters = np.frombuffer(data, dtype=np.uint8)
        spans, ends = cut_runs(letters, lengths, kinds)
        numbers, table = number_words(letters, spans, table)
        parts.append(FlatIds(numbers, ends))
    return ReadWords(_spelt(table), FlatIds.joined(parts))


def _prepared(texts: Sequence[str], runs: CharacterRuns) -> Iterator[tuple[list[str], Ints]]:
    """Yield parts of the texts prepared for the search for words, with their lengths in characters."""
    for part in parts_of(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))):
        prepared = [runs.prepared(text) for text in texts[part]]
        yield prepared, np.fromiter(map(len, prepared), dtype=np.int64, count=len(prepared))


def _spelt(table: WordTable) -> list[str]:
    """The words of a table, by number."""
    ends = table.ends[: table.size + 1]
    letters = table.letters[: ends[-1]]
    together = letters.tobytes().decode("utf-8", "surrogatepass")
    characters = np.concatenate(([0], np.cumsum((letters & 0xC0) != 0x80)))
    return [together[start:end] for start, end in pairwise(characters[ends].tolist())]
