"""Comparison of groups with known ones, and with baselines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from textkin.base.errors import DataError
from textkin.data.splits.components import join
from textkin.kinds.group_figures import GroupFigures, group_figures
from textkin.report.content import Estimate
from textkin.report.figure_words import full
from textkin.vectors.groups.linkage import Edges, Numbers

FIGURES = (
    *("groups", "largest", "pair precision", "pair recall", "pair F1"),
    *("B-cubed F1", "adjusted Rand", "homogeneity", "completeness", "V-measure"),
)


@dataclass(frozen=True, slots=True)
class GoldClusters:
    """The agreement with known groups.

    Attributes:
        texts: number of compared texts.
        unknown: texts whose group is unknown; they are excluded.
        known: number of known groups.
        systems: the method of grouping, then baselines: the connected components of the same pairs,
            every text alone, and all in one group.
        figures: figures of each.
    """

    texts: int
    unknown: int
    known: int
    systems: tuple[str, ...]
    figures: tuple[GroupFigures, ...]

    def table(self) -> Iterator[tuple[str, ...]]:
        """A row for each of ``FIGURES``: its name, then the figure of each system."""
        columns = [list(_shown(one)) for one in self.figures]
        yield from zip(FIGURES, *columns, strict=True)


def against_gold(
    gold: Sequence[str | None],
    method: str,
    number: Numbers,
    edges: Edges,
    node: Numbers,
    text: Numbers,
) -> GoldClusters:
    """Compare groups with known ones.

    Args:
        gold: the known group of each input text, None where unknown.
        method: the method of grouping.
        number: the group of each unique text, 0 for one that is single. Shape [unique texts].
        edges: similar pairs of different vectors.
        node: the number of each unique text's vector. Shape [unique texts].
        text: the number of each input text's unique text. Shape [texts].

    Raises:
        DataError: no group is known.
    """
    known = np.array([name is not None for name in gold], dtype=bool)
    if not known.any():
        raise DataError("no text has a known group", fix="give at least one")
    names = np.array([name for name in gold if name is not None])
    kinds, labels = np.unique(names, return_inverse=True)
    single, alone = number == 0, int(number.max()) + 1 + np.arange(len(text))
    parts = join(int(node.max()) + 1, np.stack((edges.a, edges.b), axis=1))
    systems = {
        # A single text stays alone even if it came several times: that is what is delivered.
        method: np.where(single[text], alone, number[text]),
        "components": parts[node][text],
        "all alone": np.arange(len(text)),
        "one group": np.zeros(len(text), dtype=np.int64),
    }
    return GoldClusters(
        texts=int(known.sum()),
        unknown=int((~known).sum()),
        known=len(kinds),
        systems=tuple(systems),
        figures=tuple(group_figures(found[known], labels) for found in systems.values()),
    )


def _shown(figures: GroupFigures) -> Iterator[str]:
    yield f"{figures.groups:,}"
    yield f"{figures.largest:,}"
    for share in (figures.precision, figures.recall, figures.f1):
        yield "none" if share is None else full(Estimate(share.value, share.low, share.high))
    agreed = figures.v_measure
    for value in (figures.b_cubed.f1, figures.adjusted_rand, agreed.precision, agreed.recall, agreed.f1):
        yield f"{value:.4f}"
