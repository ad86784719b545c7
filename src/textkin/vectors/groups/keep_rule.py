"""Rules for the text of a group to keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import required
from textkin.text.invisible_characters import tidied
from textkin.vectors.groups.linkage import Edges, Numbers

_STEPS = 1000  # sums of floats depend on their order, sums of integer thousandths don't


class KeepRule(StrEnum):
    """Rule for choosing among similar texts; ties go to the cleanest, then to the first by text and id.

    Invisible characters and repeated spaces are not counted: see
        ``text.invisible_characters.tidied``.
    """

    LONGEST = "longest"
    FIRST = "first"  # in file order: the only rule for which it counts
    CENTRAL = "central"  # the one with the highest total similarity to the others
    HIGHEST = "highest"  # the largest value of a column


@final
@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """Lengths of texts, with visible and superfluous characters counted separately.

    Attributes:
        seen: number of characters, without invisible ones and repeated spaces. Shape [texts].
        padding: number of these superfluous characters. Shape [texts].
    """

    seen: Numbers
    padding: Numbers

    def __len__(self) -> int:
        return len(self.seen)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        """Count the characters of texts."""
        seen = np.fromiter((len(tidied(text)) for text in texts), np.int64, len(texts))
        return cls(seen, np.fromiter(map(len, texts), np.int64, len(texts)) - seen)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Preference:
    """An order of preference with its reasons.

    Attributes:
        keep: the rule.
        worth: value of each text by that rule, higher is better. Shape [texts].
        padding: number of superfluous characters; lower is better among ties. Shape [texts].
        rank: position of each text in the order, 0 for the first. Shape [texts].
    """

    keep: KeepRule
    worth: NDArray[np.float64]
    padding: Numbers
    rank: Numbers

    def reason(self, kept: int, gone: int) -> str:
        """The reason why one text was preferred to another, in words."""
        ours, theirs = self._said(kept), self._said(gone)
        if ours == theirs and self.padding[kept] != self.padding[gone]:
            return f"{self.keep}: both {ours}; the other one has characters that nobody sees"
        if ours == theirs:
            return f"{self.keep}: both {ours}; it is first by text, then by id"
        return f"{self.keep}: {ours} against {theirs}"

    def _said(self, text: int) -> str:
        worth = float(self.worth[text])
        match self.keep:
            case KeepRule.LONGEST:
                return f"{worth:,.0f} character{'s' if worth != 1 else ''}"
            case KeepRule.FIRST:
                return f"place {1 - worth:,.0f}"
            case KeepRule.CENTRAL:
                return f"{worth / _STEPS:,.3f} in all"
            case KeepRule.HIGHEST:
                return f"{worth:.15g}" if np.isfinite(worth) else "no number"


def preferred(
    keep: KeepRule,
    lengths: Lengths,
    ties: Numbers,
    *,
    edges: Edges,
    values: NDArray[np.float64] | None = None,
) -> Preference:
    """Order texts by preference.

    Args:
        keep: the rule.
        lengths: lengths of all texts.
        ties: position of each text in the tie-breaking order. Shape [texts].
        edges: similar pairs, whose scores determine the central text.
        values: column values for ``HIGHEST``; NaN comes last.

    Raises:
        UsageError: ``HIGHEST`` has no values, or another number of them than texts.
    """
    worth = _worth(keep, lengths, edges, values)
    order = np.lexsort((ties, lengths.padding, -worth))
    rank = np.empty(len(lengths), dtype=np.int64)
    rank[order] = np.arange(len(lengths))
    return Preference(keep, worth, lengths.padding, rank)


def _worth(
    keep: KeepRule, lengths: Lengths, edges: Edges, values: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    match keep:
        case KeepRule.LONGEST:
            return lengths.seen.astype(np.float64)
        case KeepRule.FIRST:
            return -np.arange(len(lengths), dtype=np.float64)
        case KeepRule.CENTRAL:
            score = np.rint(edges.score.astype(np.float64) * _STEPS)
            return np.asarray(
                np.bincount(edges.a, score, len(lengths)) + np.bincount(edges.b, score, len(lengths)),
                dtype=np.float64,
            )
        case KeepRule.HIGHEST:
            if values is None or len(values) != len(lengths):
                raise required(
                    "values", by="`keep=highest`", fix="give one number per text, or a column of numbers"
                )
            return np.nan_to_num(values.astype(np.float64), nan=-np.inf)
