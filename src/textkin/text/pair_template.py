"""Templates of tokenizers: special tokens around a text, and two texts in one sequence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textkin.base.errors import UsageError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Tokens = tuple[tuple[int, int], ...]
"""Token ids, each with its type, such as 0 for tokens of the first text."""


@dataclass(frozen=True, slots=True)
class Joint:
    """The special tokens of a pair, such as [CLS] a [SEP] b [SEP], and the types of its texts.

    Attributes:
        start: special tokens before the first text.
        middle: special tokens between the texts.
        end: special tokens after the second text.
        types: types of the tokens of the first and of the second text.
    """

    start: Tokens
    middle: Tokens
    end: Tokens
    types: tuple[int, int]

    def to_dict(self) -> dict[str, Any]:
        """The template as JSON-compatible values."""
        return {
            "start": [list(token) for token in self.start],
            "middle": [list(token) for token in self.middle],
            "end": [list(token) for token in self.end],
            "types": list(self.types),
        }


def joint_of(definition: str) -> Joint:
    """The template of a tokenizer for two texts, inferred from an encoded pair.

    Args:
        definition: the text of a ``tokenizer.json``.

    Raises:
        UsageError: the tokenizer knows no token, or doesn't put the first text first.
    """
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(definition)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    word = _known_word(tokenizer)
    if word is None:
        raise UsageError("the tokenizer knows no token, so that two texts can't be joined")
    pair = tokenizer.encode(word, word)
    sides = pair.sequence_ids
    first, second = (_span(sides, side) for side in (0, 1))
    if second[0] < first[1]:
        raise UsageError("the tokenizer puts the second text first", fix="choose another model")
    tokens = tuple(zip(pair.ids, pair.type_ids, strict=True))
    return Joint(
        start=tokens[: first[0]],
        middle=tokens[first[1] : second[0]],
        end=tokens[second[1] :],
        types=(pair.type_ids[first[0]], pair.type_ids[second[0]]),
    )


def frame_of(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """The special tokens before and after a text, inferred from an encoded text.

    Args:
        tokenizer: a tokenizer without truncation and padding.
    """
    whole = tokenizer.encode(_known_word(tokenizer) or "")
    places = [place for place, side in enumerate(whole.sequence_ids) if side == 0] or [len(whole.ids)]
    return whole.ids[: places[0]], whole.ids[places[-1] + 1 :]


def _known_word(tokenizer: Tokenizer) -> str | None:
    """A text that the tokenizer can encode, or None if all its attempts give no tokens."""

    def words() -> Iterator[str]:
        yield from ("a", "the")
        yield from sorted(tokenizer.get_vocab())[:100]

    return next((word for word in words() if tokenizer.encode(word, add_special_tokens=False).ids), None)


def _span(sides: Sequence[int | None], side: int) -> tuple[int, int]:
    places = [place for place, found in enumerate(sides) if found == side]
    return places[0], places[-1] + 1
