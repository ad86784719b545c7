"""Average linkage (UPGMA): groups by the mean similarity of their texts, exactly.

Sokal and Michener, "A statistical method for evaluating systematic relationships" (1958). Every text starts
as a group. The two groups with the highest mean cosine over all pairs of their texts are merged, as long as
that mean reaches the threshold.

All pairs count, those below the threshold too. The mean of two groups is the product of the sums of their
unit vectors, divided by their sizes, so it is exact although only the pairs above the threshold are listed.
These pairs suffice to find all merges: a mean that reaches the threshold has at least one pair that does. So
all merges happen within the connected components of the listed pairs, and each component can be processed
independently.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from textkin.base.arrays import Floats32, Ints
from textkin.base.progress import progress
from textkin.base.threads import cores, side_by_side
from textkin.data.splits.components import join
from textkin.vectors.groups.linkage import Edges, Numbers

_AT_ONCE = 4096  # texts per batch of components


def average_groups(
    edges: Edges,
    vectors: Floats32,
    threshold: float,
    *,
    times: Numbers | None = None,
) -> Numbers:
    """Group texts by average linkage; ties merge the groups with the first texts first.

    Args:
        edges: all pairs whose cosine reaches the threshold.
        vectors: vectors of the texts, not normalised. Shape [texts, dim].
        threshold: groups merge while their mean cosine, rounded to float32, is at least this.
        times: number of equal texts that each one represents; 1 by default. Shape [texts].

    Returns:
        The first text of each text's group. Shape [texts].
    """
    found = np.arange(len(vectors))
    counts = np.ones(len(vectors), dtype=np.int64) if times is None else times
    pieces = list(_pieces(edges, len(vectors)))
    work = partial(_merged, vectors=vectors, counts=counts, threshold=np.float32(threshold))
    total = sum(len(texts) for texts, _ in pieces)
    with progress("groups", total=total) as shown:
        for (texts, _), home in zip(pieces, side_by_side(work, pieces, workers=cores()), strict=True):
            found[texts] = texts[home]
            shown.advance(len(texts))
    return found


def _pieces(edges: Edges, count: int) -> Iterator[tuple[Numbers, Ints]]:
    """Yield batches of components: their texts, ascending, and their pairs by position among these."""
    component = join(count, np.stack((edges.a, edges.b), axis=1))
    sizes = np.bincount(component, minlength=1)
    several = sizes > 1
    # Components are assigned in order of their numbers; a batch is full when it has enough texts.
    piece = np.cumsum(np.where(several, sizes, 0)) // _AT_ONCE
    of_text = np.where(several[component], piece[component], -1)
    by_text, by_pair = np.argsort(of_text, kind="stable"), np.argsort(of_text[edges.a], kind="stable")
    place = np.empty(count, dtype=np.int64)
    for number in np.unique(of_text[of_text >= 0]):
        texts = by_text[slice(*np.searchsorted(of_text, (number, number + 1), sorter=by_text))]
        pairs = by_pair[slice(*np.searchsorted(of_text[edges.a], (number, number + 1), sorter=by_pair))]
        place[texts] = np.arange(len(texts))
        yield texts, np.stack((place[edges.a[pairs]], place[edges.b[pairs]]))


def _merged(
    piece: tuple[Numbers, Ints],
    *,
    vectors: Floats32,
    counts: Numbers,
    threshold: np.float32,
) -> Numbers:
    """The first text of each text's group, by position, for some components."""
    from textkin.vectors.groups.average_loops import Growing, merge

    texts, (a, b) = piece
    count = len(texts)
    sums = vectors[texts].astype(np.float64)
    lengths = np.sqrt(np.vecdot(sums, sums))
    sums *= (counts[texts] / np.where(lengths > 0, lengths, 1))[:, None]
    here, other = np.concatenate((a, b)), np.concatenate((b, a))
    order = np.lexsort((other, here))
    here, other = here[order], other[order]
    starts = np.searchsorted(here, np.arange(count + 1))
    following = np.arange(1, len(here) + 1)
    following[starts[1:][starts[1:] > starts[:-1]] - 1] = -1
    empty = starts[1:] == starts[:-1]
    growing = Growing(
        sums=sums,
        sizes=counts[texts].astype(np.float64),
        home=np.arange(count),
        first=np.where(empty, -1, starts[:-1]),
        last=np.where(empty, -1, starts[1:] - 1),
        following=following,
        other=other,
        seen=np.full(count, -1, dtype=np.int64),
    )
    merge(growing, threshold)
    home = growing.home
    while (home[home] != home).any():
        home = home[home]
    return home
