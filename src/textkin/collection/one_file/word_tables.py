"""Tables for finding words in JavaScript as Python does, made from Python's own knowledge of characters."""

import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from textkin.text import case_folding, unknown_tokens, unspaced_scripts
from textkin.text.baselines.analysers import NO_ACCENT, PLAIN
from textkin.text.baselines.stop_words import stop_words

_SURROGATES = range(0xD800, 0xE000)


@lru_cache(maxsize=1)
def foreign() -> tuple[str, ...]:
    """All characters beyond ASCII."""
    return tuple(chr(code) for code in range(0x80, sys.maxunicode + 1) if code not in _SURROGATES)


def word_tables(analyser: str) -> dict[str, Any]:
    """The tables of an analyser, by name.

    Args:
        analyser: its name, see ``text.baselines.analysers``.
    """
    left_out = [] if analyser == PLAIN else sorted(map(case_folding.word_form, stop_words(analyser)))
    return {
        "language": analyser,
        "folds": [[one, one.casefold()] for one in foreign() if one.casefold() != one],
        "letters": inner_class(filter(str.isalnum, foreign())),
        "marks": inner_class(case_folding.marks()),
        "accents": [[chr(code), plain] for code, plain in NO_ACCENT.items()],
        "stop_words": left_out,
        **case_folding.patterns(),
        **unspaced_scripts.patterns(),
    }


def unknown_tables() -> dict[str, str]:
    """The tables of unknown parts of texts, by name."""
    return {
        **unknown_tokens.patterns(),
        "counting": inner_class(filter(unknown_tokens.counts, foreign())),
    }


def inner_class(characters: Iterable[str]) -> str:
    """The inside of a regular expression's class of sorted characters beyond ASCII."""
    return case_folding.class_of(characters)[1:-1]
