"""Several rankings of the same documents as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from textkin.records import Hit

RRF = 60
"""The constant of Cormack, Clarke and Buettcher 2009, which holds the first ranks back."""


def fuse(rankings: Sequence[Sequence[Hit]], depth: int) -> list[Hit]:
    """Reciprocal rank fusion: the sum of 1 / (60 + rank) over the rankings that hold a document.

    Args:
        rankings: best first.
        depth: how many of the fused documents are kept.

    Returns:
        Best first; of equal sums the higher id, by its bytes, as ``ranking`` has it.
    """
    sums: dict[str, float] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, 1):
            sums[hit.doc_id] = sums.get(hit.doc_id, 0.0) + 1 / (RRF + rank)
    return best_first([Hit(name, float(np.float32(value))) for name, value in sums.items()])[:depth]


def best_first(hits: Sequence[Hit]) -> list[Hit]:
    """Hits by the one tie rule: score descending, then id descending by its bytes."""
    return sorted(hits, key=lambda hit: (hit.score, hit.doc_id.encode()), reverse=True)
