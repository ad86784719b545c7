"""Which text of a group stays."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from textkin.errors import UsageError
from textkin.groups.linkage import Edges, Numbers


class Keep(StrEnum):
    """Which of similar texts to prefer; of equals the first by text, then by id."""

    LONGEST = "longest"
    FIRST = "first"  # as the file has them: the only rule by which their order counts
    CENTRAL = "central"  # the one that is most similar to the others, all in all
    HIGHEST = "highest"  # the largest value of a column


def ranks(
    keep: Keep,
    texts: Sequence[str],
    ids: Sequence[str],
    *,
    edges: Edges,
    values: NDArray[np.float64] | None = None,
) -> Numbers:
    """The place of each text in the order of preference, 0 for the first. Shape [texts].

    Args:
        keep: the rule.
        texts: all of them.
        ids: as many.
        edges: similar pairs, whose scores tell what is central.
        values: those of the column, for ``HIGHEST``; NaN comes last.

    Raises:
        UsageError: ``HIGHEST`` has no values, or not as many as there are texts.
    """
    names = sorted(range(len(texts)), key=lambda place: (texts[place], ids[place]))
    ties = np.empty(len(texts), dtype=np.int64)
    ties[names] = np.arange(len(texts))
    order = np.lexsort((ties, -_worth(keep, texts, edges, values)))
    found = np.empty(len(texts), dtype=np.int64)
    found[order] = np.arange(len(texts))
    return found


def _worth(
    keep: Keep, texts: Sequence[str], edges: Edges, values: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    match keep:
        case Keep.LONGEST:
            return np.array([len(text) for text in texts], dtype=np.float64)
        case Keep.FIRST:
            return -np.arange(len(texts), dtype=np.float64)
        case Keep.CENTRAL:
            # Sums of floats depend on their order; thousandths are counted, so that no order matters.
            score = np.rint(edges.score.astype(np.float64) * 1000)
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
