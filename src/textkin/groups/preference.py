"""Which text of a group stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.errors import UsageError
from textkin.groups.linkage import Edges, Numbers

_STEPS = 1000  # sums of floats depend on their order; thousandths are counted, so that no order matters


class Keep(StrEnum):
    """Which of similar texts to prefer; of equals the first by text, then by id.

    Example:
        >>> import textkin as tk
        >>> tk.dedupe(["Hi", "Hi"], options=tk.DedupeOptions(keep=tk.Keep.FIRST)).kept.tolist()
        [0]
    """

    LONGEST = "longest"
    FIRST = "first"  # as the file has them: the only rule by which their order counts
    CENTRAL = "central"  # the one that is most similar to the others, all in all
    HIGHEST = "highest"  # the largest value of a column


@final
@dataclass(frozen=True, slots=True, eq=False)
class Preference:
    """An order of preference and what it rests on.

    Attributes:
        keep: the rule.
        worth: of each text by that rule, higher is better. Shape [texts].
        rank: the place of each text in the order, 0 for the first. Shape [texts].
    """

    keep: Keep
    worth: NDArray[np.float64]
    rank: Numbers

    def reason(self, kept: int, gone: int) -> str:
        """Why one text was preferred to another, in words."""
        ours, theirs = self._said(kept), self._said(gone)
        if ours == theirs:
            return f"{self.keep}: both {ours}; it is first by text, then by id"
        return f"{self.keep}: {ours} against {theirs}"

    def _said(self, text: int) -> str:
        worth = float(self.worth[text])
        match self.keep:
            case Keep.LONGEST:
                return f"{worth:,.0f} character{'s' if worth != 1 else ''}"
            case Keep.FIRST:
                return f"place {1 - worth:,.0f}"
            case Keep.CENTRAL:
                return f"{worth / _STEPS:,.3f} in all"
            case Keep.HIGHEST:
                return f"{worth:.15g}" if np.isfinite(worth) else "no number"


def preferred(
    keep: Keep,
    texts: Sequence[str],
    ties: Numbers,
    *,
    edges: Edges,
    values: NDArray[np.float64] | None = None,
) -> Preference:
    """Order texts by preference.

    Args:
        keep: the rule.
        texts: all of them.
        ties: the place of each in the order that decides between equals. Shape [texts].
        edges: similar pairs, whose scores tell what is central.
        values: those of the column, for ``HIGHEST``; NaN comes last.

    Raises:
        UsageError: ``HIGHEST`` has no values, or not as many as there are texts.
    """
    worth = _worth(keep, texts, edges, values)
    order = np.lexsort((ties, -worth))
    rank = np.empty(len(texts), dtype=np.int64)
    rank[order] = np.arange(len(texts))
    return Preference(keep, worth, rank)


def _worth(
    keep: Keep, texts: Sequence[str], edges: Edges, values: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    match keep:
        case Keep.LONGEST:
            return np.fromiter(map(len, texts), np.float64, len(texts))
        case Keep.FIRST:
            return -np.arange(len(texts), dtype=np.float64)
        case Keep.CENTRAL:
            score = np.rint(edges.score.astype(np.float64) * _STEPS)
            return np.asarray(
                np.bincount(edges.a, score, len(texts)) + np.bincount(edges.b, score, len(texts)),
                dtype=np.float64,
            )
        case Keep.HIGHEST:
            if values is None or len(values) != len(texts):
                raise UsageError(
                    "to keep the highest, each text needs a value", fix="name a column of numbers"
                )
            return np.nan_to_num(values.astype(np.float64), nan=-np.inf)
