"""Analysers: from a text to the terms to count.

``plain`` takes words as they are. A language's analyser removes its stop words, stems by Snowball and strips
accents from Latin letters, so that "Résumés" finds "resume". Character n-grams are for TF-IDF only. All
analysers normalise texts by :mod:`textkin.text.case_folding`, so the Unicode form makes no difference, and
split scripts without spaces by :mod:`textkin.text.unspaced_scripts`.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from textkin.base.errors import unknown_choice
from textkin.text.baselines.stop_words import stop_words
from textkin.text.case_folding import class_of, is_mark, marks, word_form
from textkin.text.unspaced_scripts import has_paired, is_paired, is_word, pairs_of, parts_of_run

ANALYSIS = 2
"""Version of the analysis.

It rises whenever a text would be analysed differently, so that stored data is never misread.
"""

PLAIN, CHARACTERS = "plain", "characters"
LANGUAGES = (
    *("arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "english", "esperanto"),
    *("estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish"),
    *("italian", "lithuanian", "nepali", "norwegian", "persian", "polish", "portuguese", "romanian"),
    *("russian", "serbian", "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish"),
)
"""The languages with a Snowball stemmer."""

_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_NGRAMS = (3, 4, 5)
NO_ACCENT = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i"}
)


# Class of a character when words are runs of characters: it ends, continues or begins a word. In scripts with
# paired words, a mark only continues, a letter begins, and some letters are words by themselves, too.
OUTSIDE, GOES_ON, BEGINS, PAIRED_MARK, PAIRED, PAIRED_WORD = 1, 2, 3, 4, 5, 6


@dataclass(frozen=True, slots=True)
class CharacterRuns:
    """Words as runs of characters, for compiled loops that find the same words as :attr:`Analyser.words`.

    Attributes:
        prepared: function from a text to the text whose runs are its words.
        kind: class of each character, such as ``BEGINS``.
    """

    prepared: Callable[[str], str]
    kind: Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Analyser:
    """Definition of a term.

    Attributes:
        name: "plain", "characters" or a language.
        words: function from a text to its words; each distinct word is analysed once.
        terms: function from a word to its terms; none for a dropped word.
        runs: the same words as runs of characters; None if they aren't runs.
        ngrams: lengths of n-grams, if the terms of a word are its n-grams with a space at both ends.
    """

    name: str
    words: Callable[[str], list[str]]
    terms: Callable[[str], list[str]]
    runs: CharacterRuns | None = None
    ngrams: tuple[int, ...] = ()

    def terms_of(self, text: str) -> list[str]:
        """The terms of a text, in order."""
        return [term for word in self.words(text) for term in self.terms(word)]


def analyser_of(name: str) -> Analyser:
    """The analyser with the given name: ``plain``, ``characters`` or one of :data:`LANGUAGES`.

    ``characters`` gives the 3- to 5-grams of each whitespace-separated word, with a space at both ends.

    Raises:
        UsageError: the name is unknown.
    """
    if name == PLAIN:
        return Analyser(PLAIN, _words, _plain, CharacterRuns(word_form, _of_word))
    if name == CHARACTERS:
        return Analyser(CHARACTERS, _chunks, _ngrams, CharacterRuns(word_form, _of_chunk), _NGRAMS)
    if name not in LANGUAGES:
        raise unknown_choice("analyser", name, (PLAIN, *LANGUAGES))
    return _of_language(name)


def analysed(baseline: str, analyser: str) -> str:
    """The name of a baseline with an analyser, for tables."""
    name, bracket, parameters = baseline.partition("(")
    return baseline if analyser == PLAIN else f"{name}:{analyser}{bracket}{parameters}"


def _words(text: str) -> list[str]:
    text = word_form(text)
    if text.isascii():
        return _ASCII_WORD.findall(text)
    runs: list[str] = marked_runs().findall(text)
    return [word for run in runs for word in _cut(run)] if has_paired(text) else runs


def _cut(run: str) -> Iterator[str]:
    """The words of a run of letters, digits and marks."""
    for part in parts_of_run(run):
        if is_paired(part[0]):
            yield from pairs_of(part)
        elif word := part.lstrip(marks()):
            yield word


def _chunks(text: str) -> list[str]:
    return word_form(text).split()


def _of_word(character: str) -> int:
    if is_mark(character):
        return PAIRED_MARK if is_paired(character) else GOES_ON
    if not character.isalnum() and character != "_":
        return OUTSIDE
    return PAIRED_WORD if is_word(character) else PAIRED if is_paired(character) else BEGINS


def _of_chunk(character: str) -> int:
    return OUTSIDE if character.isspace() else BEGINS


@lru_cache(maxsize=1)
def marked_runs() -> re.Pattern[str]:
    """The pattern of letters, digits and the marks on them: Unicode doesn't count vowel signs as letters."""
    return re.compile(rf"\w[\w{class_of(marks())[1:-1]}]*")


def _plain(word: str) -> list[str]:
    """The word itself, with i for a dotless one: Turkish capitals don't distinguish them."""
    return [word if word.isascii() else word.replace("ı", "i")]


def _ngrams(word: str) -> list[str]:
    padded = f" {word} "
    return [padded[start : start + size] for size in _NGRAMS for start in range(len(padded) - size + 1)]


def _of_language(name: str) -> Analyser:
    left_out = frozenset(map(word_form, stop_words(name)))

    def terms(word: str) -> list[str]:
        if word in left_out:
            return []
        if name == "english":  # its rules have no accents, those of other languages need them
            word = _folded(word)
        return [_stem(name, word)]

    return Analyser(name, _words, terms, CharacterRuns(word_form, _of_word))


@lru_cache(maxsize=1 << 14)  # queries repeat words, and a stem takes as long as to find them
def _stem(language: str, word: str) -> str:
    # The library's own switch would prefer a C extension of another version, if one is installed.
    stemmer = getattr(import_module(f"snowballstemmer.{language}_stemmer"), f"{language.capitalize()}Stemmer")
    # A stemmer stores its word in itself: one per call is thread-safe.
    return _folded(stemmer().stemWord(word))


def _folded(word: str) -> str:
    """Latin letters without accents; other scripts stay unchanged, since their marks distinguish words."""
    if word.isascii():
        return word
    letters = []
    for char in word.translate(NO_ACCENT):
        base = unicodedata.normalize("NFD", char)[0]
        letters.append(base if base.isascii() else char)
    return "".join(letters)
