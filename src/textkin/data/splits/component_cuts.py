"""Splitting of oversized components, at the cost of few negative pairs."""

from heapq import heappop, heappush

import numpy as np

from textkin.base.arrays import Bools, Ints


def pieces(
    cores: Ints,
    whole: Ints,
    a: Ints,
    b: Ints,
    *,
    hashes: list[int],
    limit: float,
) -> Ints:
    """The piece of each node, numbered from 0. Shape [nodes].

    A component of ``whole`` with at most ``limit`` pairs is one piece. In a larger one, pieces grow from the
    core with the smallest hash: the neighbour with most pairs into the piece joins next, until the piece
    would exceed the limit. Few pairs end up between two pieces, because pieces grow along them.

    Args:
        cores: nodes that must stay together; they refine ``whole``. Shape [nodes].
        whole: the component of each node. Shape [nodes].
        a: node of each pair's first text. Shape [pairs].
        b: node of each pair's second text. Shape [pairs].
        hashes: tie-breaker between cores. Shape [cores].
        limit: maximum number of pairs in a piece; only a single core may exceed it.
    """
    heavy = np.bincount(whole[a], minlength=int(whole.max()) + 1) > limit
    piece = np.where(heavy[whole], -1, whole)
    inner, ties = _inner_and_ties(cores[a], cores[b], heavy[whole[a]], count=len(hashes))
    piece_of_core: dict[int, int] = {}
    free = int(whole.max()) + 1
    for core in sorted(np.unique(cores[piece < 0]).tolist(), key=hashes.__getitem__):
        if core not in piece_of_core:
            _grow(core, free, piece_of_core, inner=inner, ties=ties, hashes=hashes, limit=limit)
            free += 1
    piece[piece < 0] = [piece_of_core[core] for core in cores[piece < 0].tolist()]
    return np.unique(piece, return_inverse=True)[1].astype(np.int64)


def _grow(
    start: int,
    piece: int,
    piece_of_core: dict[int, int],
    *,
    inner: list[int],
    ties: dict[int, dict[int, int]],
    hashes: list[int],
    limit: float,
) -> None:
    """Assign ``piece`` to ``start`` and to the adjacent cores that fit."""
    weight = 0
    tied = {start: 0}
    queue = [(0, hashes[start], start)]
    while queue:
        strength, _, core = heappop(queue)
        if core in piece_of_core or -strength != tied[core]:
            continue  # taken, or an outdated entry
        grown = weight + inner[core] + tied[core]
        if core != start and grown > limit:
            return
        weight = grown
        piece_of_core[core] = piece
        for other, pairs in ties.get(core, {}).items():
            if other not in piece_of_core:
                tied[other] = tied.get(other, 0) + pairs
                heappush(queue, (-tied[other], hashes[other], other))


def _inner_and_ties(
    core_a: Ints, core_b: Ints, heavy: Bools, *, count: int
) -> tuple[list[int], dict[int, dict[int, int]]]:
    inner = np.bincount(core_a[core_a == core_b], minlength=count).tolist()
    ties: dict[int, dict[int, int]] = {}
    across = heavy & (core_a != core_b)
    for one, other in zip(core_a[across].tolist(), core_b[across].tolist(), strict=True):
        for here, there in ((one, other), (other, one)):
            neighbours = ties.setdefault(here, {})
            neighbours[there] = neighbours.get(there, 0) + 1
    return inner, ties
