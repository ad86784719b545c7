"""Tables of explanations, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from textkin.base.text_table import text_table

if TYPE_CHECKING:
    from textkin.kinds.explanation import Explained, TokenWeight

_BAR = 10  # characters of the longest bar


def explanation_tables(found: Explained, *, top: int) -> str:
    """The tokens' weights side by side, and the ``top`` pairs with the largest contributions."""
    header = ("first text", "weight", "", "second text", "weight", "")
    parts = [
        f"{found.model}: {found.sentence()}",
        text_table(header, list(_side_by_side(found)), width=None),
    ]
    if largest := found.pairs(top):
        rows = [(first, second, f"{share:+.4f}") for first, second, share in largest]
        parts.append(text_table(("first", "second", "share"), rows, width=None))
    return "\n\n".join(parts)


def word_table(words: Sequence[TokenWeight]) -> str:
    """The contribution of each word of a query."""
    largest = max((one.weight for one in words), default=0.0)
    return text_table(("word", "adds", ""), [_cells(one, largest) for one in words], width=None)


def _side_by_side(found: Explained) -> Iterator[tuple[str, ...]]:
    both = (*found.first_tokens, *found.second_tokens)
    largest = max((abs(one.weight) for one in both), default=0.0)
    for pair in zip_longest(found.first_tokens, found.second_tokens):
        yield tuple(cell for one in pair for cell in _cells(one, largest))


def _cells(one: TokenWeight | None, largest: float) -> tuple[str, str, str]:
    if one is None:
        return "", "", ""
    length = round(abs(one.weight) / largest * _BAR) if largest else 0
    return one.token, f"{one.weight:+.4f}", ("+" if one.weight > 0 else "-") * length
