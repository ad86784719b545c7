"""Tables of a WordPiece tokenizer: what it makes of each character, found by asking it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textkin.base.errors import ModelError
from textkin.collection.one_file.word_tables import foreign, inner_class
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.word_cache import splits_like_bert

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_AT_ONCE = 20_000
_BETWEEN = "|"
_HANGUL = range(0xAC00, 0xD7A4)
_ASCII = tuple(map(chr, range(128)))


def tokenizer_tables(pipeline: TokenizerPipeline) -> dict[str, Any]:
    """The tables of a tokenizer, by name.

    Raises:
        ModelError: it isn't WordPiece as BERT has it.
    """
    from tokenizers import Tokenizer

    parts = json.loads(pipeline.definition)
    model = parts["model"]
    if model.get("type") != "WordPiece" or not splits_like_bert(parts):
        kind = model.get("type") or "unknown"
        raise ModelError(
            f"a file that searches can hold tokenizers of the kind WordPiece, and this one is {kind}",
            fix="export a collection made with the built-in encoder, or with one distilled by `distil()`",
        )
    return {
        "tokens": list(pipeline.tokens),
        "unknown": model["unk_token"],
        "prefix": model.get("continuing_subword_prefix", "##"),
        "longest": model.get("max_input_chars_per_word", 100),
        "added": [one["content"] for one in parts.get("added_tokens") or []],
        **_characters(Tokenizer.from_str(pipeline.definition)),
    }


def _characters(tokenizer: Tokenizer) -> dict[str, Any]:
    """The normal form of each character, and its role: blank, word or neither."""
    normalise = tokenizer.normalizer.normalize_str
    forms = dict(zip(foreign(), _each(normalise, foreign()), strict=True))
    changes = [[one, normalise(one)] for one in _ASCII if normalise(one) != one]
    hangul = all(forms[chr(code)] == unicodedata.normalize("NFD", chr(code)) for code in _HANGUL)
    dropped, spaced = list[str](), list[str]()
    for one, form in forms.items():
        if not form:
            dropped.append(one)
        elif form == f" {one} ":
            spaced.append(one)
        elif form != one and not (hangul and ord(one) in _HANGUL):
            changes.append([one, form])
    alone, blank = _kinds(tokenizer)
    return {
        "changes": changes,
        "dropped": _class(dropped),
        "spaced": _class(spaced),
        "alone": _class(alone),
        "blank": _class(blank),
        "hangul": hangul and forms["\uac00"] != "\uac00",
    }


def _each(normalise: Callable[[str], str], characters: Sequence[str]) -> list[str]:
    """The form of each character; many at once, since one at a time takes seconds."""
    found: list[str] = []
    for start in range(0, len(characters), _AT_ONCE):
        part = characters[start : start + _AT_ONCE]
        forms = normalise(_BETWEEN.join(part)).split(_BETWEEN)
        found += forms if len(forms) == len(part) else map(normalise, part)
    return found


def _kinds(tokenizer: Tokenizer) -> tuple[list[str], list[str]]:
    """The signs that are words of their own, and those that end one."""
    alone, blank = list[str](), list[str]()
    signs = [
        one for one in foreign() if unicodedata.category(one)[0] in "PSZ" or unicodedata.category(one) == "Cc"
    ]
    for one in (*_ASCII, *signs):
        words = [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(f"a{one}b")]
        if len(words) == 3:
            alone.append(one)
        elif len(words) == 2:
            blank.append(one)
    return alone, blank


def _class(characters: Sequence[str]) -> str:
    """A regular expression's class of characters."""
    plain = "".join(f"\\x{ord(one):02x}" for one in characters if one.isascii())
    return f"[{plain}{inner_class(one for one in characters if not one.isascii())}]"
