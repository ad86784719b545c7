"""Tokens of a distilled static embedding, and the teacher's input for each of them."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, UsageError
from textkin.text.tokenizer_pipeline import TokenizerPipeline

_UNUSED = re.compile(r"\[unused\d+\]|<unused\d+>")


@dataclass(frozen=True, slots=True)
class DistilledTokens:
    """The tokens of a static embedding.

    Attributes:
        tokenizer: its ``tokenizer.json``.
        tokens: tokens in the order of their ids.
        pieces: the teacher's ids for each token, without special tokens; empty for tokens with the zero
            vector.
        words: number of words added to the teacher's tokens.
        left_out: words that the tokenizer splits, or that it already contained.
    """

    tokenizer: str
    tokens: tuple[str, ...]
    pieces: tuple[tuple[int, ...], ...]
    words: int = 0
    left_out: int = 0


def distilled_tokens(teacher: TokenizerPipeline, words: Sequence[str] = ()) -> DistilledTokens:
    """The teacher's tokens plus some words, without the tokens that never occur in texts.

    Special and unused tokens are removed from a WordPiece vocabulary, whose tokens are independent. Other
    tokenizers build tokens from each other, so they keep all of them, and special ones get the zero vector.

    Args:
        teacher: the teacher's pipeline.
        words: whole words to give their own vectors.

    Raises:
        UsageError: there are words, and the tokenizer isn't WordPiece.
    """
    definition = json.loads(teacher.definition)
    definition |= {"padding": None, "truncation": None}
    special = {one["content"] for one in definition["added_tokens"] if one["special"]}
    ids = {token: number for number, token in enumerate(teacher.tokens)}
    if definition["model"]["type"] == "WordPiece":
        return _word_pieces(teacher, definition, ids, special, words)
    if words:
        raise UsageError(
            f"words can't be added to a tokenizer of the kind {definition['model']['type']}",
            fix="leave out the vocabulary, or choose a teacher with WordPiece",
        )
    pieces = tuple(() if token in special else (number,) for token, number in ids.items())
    return DistilledTokens(_dumped(definition), tuple(ids), pieces)


def read_words(path: Path | str) -> list[str]:
    """The distinct words of a file with one word per line.

    Raises:
        DataError: the file can't be read, or contains no words.
    """
    words = list(dict.fromkeys(line.strip() for line in _lines(path)))
    found = [word for word in words if word]
    if not found:
        raise DataError("has no words", path=Path(path), fix="write one word per line")
    return found


def read_frequencies(path: Path | str) -> dict[str, float]:
    """Tokens with their frequencies, from lines of a token, a tab and a number.

    Raises:
        DataError: the file can't be read, or a line has another form.
    """
    found: dict[str, float] = {}
    for number, line in enumerate(_lines(path), start=1):
        token, _, count = line.rpartition("\t")
        try:
            found[token] = float(count)
        except ValueError:
            found[token] = -1
        if not token or not 0 < found[token] < float("inf"):
            raise DataError("expected a token, a tab and a positive number", path=Path(path), line=number)
    return found


def _lines(path: Path | str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise DataError(
            f"can't be read: {error}", path=Path(path), fix="give a text file in UTF-8"
        ) from error


def _word_pieces(
    teacher: TokenizerPipeline,
    definition: dict[str, Any],
    ids: Mapping[str, int],
    special: set[str],
    words: Sequence[str],
) -> DistilledTokens:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(teacher.definition)
    model = definition["model"]
    unknown = model["unk_token"]
    kept = [token for token in ids if token == unknown or not (token in special or _UNUSED.fullmatch(token))]
    most = model.get("max_input_chars_per_word", 100)
    whole = [_one_word(tokenizer, word, most=most) for word in words]
    added = [word for word in dict.fromkeys(whole) if word is not None and word not in ids]
    tokens = (*kept, *added)
    numbers = {token: number for number, token in enumerate(tokens)}
    definition["model"] = {**model, "vocab": numbers}
    definition["post_processor"] = None
    definition["added_tokens"] = [
        {**one, "id": numbers[one["content"]]}
        for one in definition["added_tokens"]
        if one["content"] in numbers
    ]
    spelt = TokenizerPipeline(teacher.definition, drop_unknown=False).ids(added) if added else []
    pieces = [() if token == unknown else (ids[token],) for token in kept]
    return DistilledTokens(
        _dumped(definition),
        tokens,
        (*pieces, *(tuple(row.tolist()) for row in spelt)),
        words=len(added),
        left_out=len(words) - len(added),
    )


def _one_word(tokenizer: Any, word: str, *, most: int) -> str | None:
    """The word that WordPiece sees; None if it sees several, or none that it would match."""
    normalised = tokenizer.normalizer.normalize_str(word) if tokenizer.normalizer else word
    split = tokenizer.pre_tokenizer
    parts = [part for part, _ in split.pre_tokenize_str(normalised)] if split else [normalised]
    return parts[0] if len(parts) == 1 and 0 < len(parts[0]) <= most else None


def _dumped(definition: Mapping[str, Any]) -> str:
    return json.dumps(definition, ensure_ascii=False, separators=(",", ":"))
