"""Analysers: from a text to the terms that are counted.

``plain`` takes words as they stand. A language's analyser leaves its stop words out, stems by Snowball and
writes Latin letters without their accents, so that "Résumés" finds "resume". Character n-grams are for
TF-IDF alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import final

from textkin.errors import UsageError, did_you_mean
from textkin.scorers.stop_words import stop_words

PLAIN, CHARACTERS = "plain", "characters"
LANGUAGES = (
    *("arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "english", "esperanto"),
    *("estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish"),
    *("italian", "lithuanian", "nepali", "norwegian", "persian", "polish", "portuguese", "romanian"),
    *("russian", "serbian", "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish"),
)
"""The languages that Snowball stems."""

_TWO_OR_MORE = re.compile(r"\b\w\w+\b")
_NGRAMS = (3, 4, 5)
_NO_ACCENT = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i"}
)


# What a character does to words that are runs of characters.
OUTSIDE, GOES_ON, BEGINS = 1, 2, 3


@final
@dataclass(frozen=True, slots=True)
class CharacterRuns:
    """Words as runs of characters, for loops that find the same words as :attr:`Analyser.words`.

    Attributes:
        prepared: a text to the one whose runs are its words.
        kind: ``BEGINS`` of a character that a word may begin with, ``GOES_ON`` of one that may only follow,
            ``OUTSIDE`` of others.
        least: characters of a word, at least.
    """

    prepared: Callable[[str], str]
    kind: Callable[[str], int]
    least: int


@final
@dataclass(frozen=True, slots=True)
class Analyser:
    """What counts as a term.

    Attributes:
        name: plain, characters or a language.
        words: a text to its words; each distinct word is looked at once.
        terms: a word to its terms; none if the word is left out.
        runs: the same words as runs of characters; None if they are none.
        ngrams: the lengths of a word's n-grams, with a blank before and after it, where these are its terms.
    """

    name: str
    words: Callable[[str], list[str]]
    terms: Callable[[str], list[str]]
    runs: CharacterRuns | None = None
    ngrams: tuple[int, ...] = ()


def analyser_of(name: str) -> Analyser:
    """The analyser of that name: ``plain``, ``characters`` or one of :data:`LANGUAGES`.

    ``characters`` gives the 3- to 5-grams of each word between blanks, with a blank at both ends.

    Raises:
        UsageError: there is none.
    """
    if name == PLAIN:
        return Analyser(PLAIN, _words, _itself, CharacterRuns(str.lower, _of_word, least=2))
    if name == CHARACTERS:
        return Analyser(CHARACTERS, _chunks, _ngrams, CharacterRuns(str.lower, _of_chunk, least=1), _NGRAMS)
    if name not in LANGUAGES:
        raise UsageError(f"unknown analyser {name!r}", fix=did_you_mean(name, (PLAIN, *LANGUAGES)))
    return _of_language(name)


def analysed(baseline: str, analyser: str) -> str:
    """What a baseline is called with an analyser, so that tables tell them apart."""
    return baseline if analyser == PLAIN else f"{baseline}:{analyser}"


def _words(text: str) -> list[str]:
    return _TWO_OR_MORE.findall(text.lower())


def _chunks(text: str) -> list[str]:
    return text.lower().split()


def _normalised(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _of_word(character: str) -> int:
    return BEGINS if character.isalnum() or character == "_" else OUTSIDE


def _of_chunk(character: str) -> int:
    return OUTSIDE if character.isspace() else BEGINS


def _of_marked(character: str) -> int:
    return GOES_ON if _is_mark(character) else _of_word(character)


def _is_mark(character: str) -> bool:
    return character <= "\uffff" and unicodedata.category(character) in ("Mn", "Mc")


def _itself(word: str) -> list[str]:
    return [word]


def _ngrams(word: str) -> list[str]:
    padded = f" {word} "
    return [padded[start : start + size] for size in _NGRAMS for start in range(len(padded) - size + 1)]


def _of_language(name: str) -> Analyser:
    # The library's own switch would prefer a C extension of another version where one is installed.
    stemmer = getattr(import_module(f"snowballstemmer.{name}_stemmer"), f"{name.capitalize()}Stemmer")
    left_out = stop_words(name)
    pattern = _marked_words()

    def words(text: str) -> list[str]:
        return pattern.findall(_normalised(text))

    def terms(word: str) -> list[str]:
        if word in left_out:
            return []
        if name == "english":  # its rules know no accents, those of other languages need them
            word = _folded(word)
        # A stemmer keeps its word in itself: one for each call is safe in threads.
        return [_folded(stemmer().stemWord(word))]

    return Analyser(name, words, terms, CharacterRuns(_normalised, _of_marked, least=2))


@lru_cache(maxsize=1)
def _marked_words() -> re.Pattern[str]:
    """Two or more letters, digits and the marks on them: vowel signs are no letters to Unicode."""
    marks = "".join(filter(_is_mark, map(chr, range(0x10000))))
    return re.compile(rf"\w[\w{re.escape(marks)}]+")


def _folded(word: str) -> str:
    """Latin letters without accents; other scripts stay, as their marks tell words apart."""
    if word.isascii():
        return word
    letters = []
    for char in word.translate(_NO_ACCENT):
        base = unicodedata.normalize("NFD", char)[0]
        letters.append(base if base.isascii() else char)
    return "".join(letters)
