"""Groups of texts that mean nearly the same, by average linkage or as communities of similar pairs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.argument_checks import check_fields
from textkin.base.arrays import Bools, Floats32, Ints
from textkin.base.column_results import ColumnResult
from textkin.base.counts import count
from textkin.base.errors import DataError, invalid
from textkin.base.parquet_files import Cell
from textkin.base.paths import shown_output
from textkin.base.results import ResultRow
from textkin.base.table_writer import keeps_types, written_table
from textkin.base.text_table import text_table
from textkin.report.notebook_plots import histogram
from textkin.text.truncation_account import Truncation
from textkin.vectors.groups.average_linkage import average_groups
from textkin.vectors.groups.communities import DENSITY, communities
from textkin.vectors.groups.linkage import Edges, Numbers
from textkin.vectors.join.all_pairs import pairs_above
from textkin.vectors.pair_limits import PairLimits, check_limits
from textkin.vectors.unknown_token_report import Coverage, UnknownTexts
from textkin.verbs.cluster.clustered_texts import ClusterInput
from textkin.verbs.cluster.gold_comparison import GoldClusters, against_gold
from textkin.verbs.cluster.group_names import centres, telling_words

if TYPE_CHECKING:
    from textkin.report.notebook_plots import Plot

MOST_PAIRS = 1 << 24
"""No more similar pairs are held."""

_SHOWN = 10  # groups in the command's output
_LONGEST = 80  # characters of a central text there
COLUMNS = ("id", "group", "is_central", "similarity", "text")


class ClusterMethod(StrEnum):
    """Method of grouping."""

    AVERAGE = "average"  # the mean cosine of all pairs of the two parts that a group was made of
    COMMUNITIES = "communities"  # denser in similar pairs than the resolution, and connected by them


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """Options of clustering.

    Attributes:
        method: the method of grouping.
        threshold: the cosine; None for the one that ``calibrate`` saved with the model. Two groups merge
            while their mean reaches it, or pairs from it on are the graph of the communities.
        decision: a file of ``textkin calibrate`` for this model, whose threshold stands for the model's own.
        min_size: texts of smaller groups are listed as single.
        resolution: resolution of communities, 0 to 1; a higher one gives denser and smaller ones.
        where: of a collection: only entries whose metadata fit this filter.
        seed: seed of the order of the search for communities.
        unknown: what becomes of texts that the encoder doesn't know enough of: "withhold" groups them with
            equal ones only; "accept" uses their vectors as they are.
    """

    method: ClusterMethod = ClusterMethod.AVERAGE
    threshold: float | None = None
    decision: Path | str | None = None
    min_size: int = 2
    resolution: float = DENSITY
    where: str | None = None
    seed: int = 0
    unknown: UnknownTexts = UnknownTexts.WITHHOLD

    def __post_init__(self) -> None:
        check_fields(self)
        check_limits(self.wanted())
        if not (isfinite(self.resolution) and 0 < self.resolution <= 1):
            raise invalid("resolution", self.resolution, expected="a number above 0, at most 1")

    def wanted(self) -> PairLimits:
        """The choice of the threshold alone."""
        return PairLimits(threshold=self.threshold, decision=self.decision)


@dataclass(frozen=True, slots=True)
class TextCluster:
    """A group of texts.

    Attributes:
        number: from 1, the largest group first.
        size: number of its texts.
        central_id: the id of the text in its middle.
        central_text: that text, which names the group.
        words: words that are in many of its texts and in few others.
        similarity: the mean cosine of its texts with the one in the middle.
    """

    number: int
    size: int
    central_id: str
    central_text: str
    words: tuple[str, ...]
    similarity: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Clusters(ColumnResult):
    """Texts in groups. The rows are those of the texts: the largest group first, its central text in front.

    Attributes:
        ids: ids of the texts, in their order.
        texts: as they came.
        labels: the number of each text's group from 1; 0 for a text in no group. Shape [texts].
        central: True for the central text of each group. Shape [texts].
        similarity: the cosine of each text with that of the middle; NaN of single ones. Shape [texts].
        groups: the groups, largest first.
        threshold: the cosine.
        chosen: the origin of the threshold.
        options: the options they were made with.
        vectors: the source of the vectors in words.
        pairs: number of pairs of distinct texts at or above the threshold.
        gold: the agreement with known groups, and that of baselines; None where none are known.
        coverage: the fraction of the texts that the encoder knows; None of given vectors.
        truncation: number of texts longer than the encoder's maximum; None if unknown.
        seconds: for pairs, groups and names.
        out: the file that they are written to; None if there is none.

    Example:
        >>> import textkin as tk
        >>> texts = ["When do you open?", "When do you open today?", "Where can I park?"]
        >>> found = tk.cluster(texts, threshold=0.7)
        >>> found.labels.tolist(), found.groups[0].size
        ([1, 1, 0], 2)
    """

    ids: tuple[Any, ...]
    texts: tuple[str, ...]
    labels: Numbers
    central: Bools
    similarity: Floats32
    groups: tuple[TextCluster, ...]
    threshold: float
    chosen: str
    options: ClusterOptions
    vectors: str
    pairs: int
    gold: GoldClusters | None
    coverage: Coverage | None
    truncation: Truncation | None
    seconds: float
    _order: Numbers = field(repr=False)
    _of_frame: Any = field(repr=False, default=None)
    out: Path | None = None

    @property
    def singles(self) -> int:
        """The number of texts in no group."""
        return int((self.labels == 0).sum())

    def _column(self) -> Numbers:
        return self.labels

    def _rows(self) -> Iterator[ResultRow]:
        for place in self._order.tolist():
            number = int(self.labels[place])
            yield {
                "id": self.ids[place],
                "group": number or None,
                "is_central": bool(self.central[place]),
                "similarity": float(str(self.similarity[place])) if number else None,
                "text": self.texts[place],
            }

    def _count(self) -> int:
        return len(self.texts)

    def _index(self) -> Any:
        return self._order if self._of_frame is None else self._of_frame[self._order]

    def _summary(self) -> str:
        groups = count(len(self.groups), "group")
        return f"{count(len(self.texts), 'text')}, {groups}, threshold {self.threshold:.4g}"

    def _said(self) -> tuple[str, ...]:
        grouped = count(len(self.texts) - self.singles, "text")
        return (
            f"{count(len(self.groups), 'group')} of {grouped} by {self.options.method}, "
            f"{count(self.singles)} in none; threshold {self.threshold:.6g}: {self.chosen}",
        )

    def text(self) -> str:
        """The counts, the largest groups, and the agreement with known ones."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        texts = f"{count(len(self.texts), 'text')}; vectors: {self.vectors}"
        yield f"{texts}; {count(self.pairs, 'similar pair')} of different texts"
        yield from self._said()
        if self.groups:
            rows = [
                (str(one.number), count(one.size), _shortened(one.central_text), ", ".join(one.words))
                for one in self.groups[:_SHOWN]
            ]
            yield text_table(("group", "texts", "central text", "words"), rows)
        if (more := len(self.groups) - _SHOWN) > 0:
            yield f"... and {count(more, 'more group')}"
        if self.gold is not None:
            gold = self.gold
            unknown = f", {count(gold.unknown)} without one" if gold.unknown else ""
            title = f"Against {count(gold.known, 'known group')} of {count(gold.texts, 'text')}{unknown}"
            yield text_table(("", *gold.systems), list(gold.table()), title=title)
        yield f"{self.seconds:.1f} s" + ("" if self.out is None else f"; written to {shown_output(self.out)}")

    def as_dict(self) -> dict[str, Any]:
        """The groups, how they were made, and the agreement with known ones."""
        return {
            "out": self.out,
            "texts": len(self.texts),
            "singles": self.singles,
            "method": self.options.method,
            **self._values("threshold", "chosen", "vectors", "pairs", "groups", "gold", "seconds"),
        }

    def plot(self) -> Plot:
        """A histogram of the texts' cosines with their groups' central texts, for notebooks and files."""
        values = self.similarity[self.labels > 0]
        return histogram(values, title="Scores with central texts", label="cosine", noun="text")

    def write(self, out: Path) -> None:
        """Write the rows to a file whose ending says its form, whole or not at all.

        Raises:
            OutputError: the file can't be written.
        """
        with written_table(out, COLUMNS) as writer:
            writer.write(_cells(row, words=not keeps_types(out)) for row in self._rows())


def cluster_texts(given: ClusterInput, options: ClusterOptions) -> Clusters:
    """Put texts into groups. The same texts give the same groups in any order.

    Raises:
        DataError: far too many pairs are similar.
    """
    started = time.perf_counter()
    unique, threshold = given.unique, given.cut.threshold
    node, first = _nodes(unique.vectors)
    times = np.bincount(unique.number, minlength=len(unique))
    weight = np.bincount(node, weights=times).astype(np.int64)
    vectors = unique.vectors[first]
    edges = similar_pairs(vectors, threshold)
    if options.method == ClusterMethod.AVERAGE:
        home = average_groups(edges, vectors, threshold, times=weight)
    else:
        home = communities(edges, len(first), resolution=options.resolution, times=weight, seed=options.seed)
    label = home[node]
    number = _numbered(label, times, options.min_size)
    middle = centres(unique.vectors, label, times)
    group = number[unique.number]
    similarity = np.where(group > 0, middle.similarity[unique.number], np.float32(np.nan))
    central = np.zeros(len(group), dtype=bool)
    named = np.unique(middle.central[number > 0])
    central[unique.first[named]] = True
    ties = np.empty_like(unique.order)
    ties[unique.order] = np.arange(len(ties))
    last = np.where(group > 0, group, len(group) + 1)
    gold = None
    if given.gold is not None:
        gold = against_gold(given.gold, str(options.method), number, edges, node, unique.number)
    return Clusters(
        ids=given.ids,
        texts=given.texts,
        labels=group,
        central=central,
        similarity=similarity,
        groups=tuple(_described(given, number, group, similarity, named)),
        threshold=threshold,
        chosen=given.cut.words,
        options=options,
        vectors=given.vectors,
        pairs=_similar_texts(edges, np.bincount(node), vectors),
        gold=gold,
        coverage=unique.coverage,
        truncation=unique.account,
        seconds=time.perf_counter() - started,
        _order=np.lexsort((ties, -similarity, ~central, last)),
        _of_frame=given.index,
    )


def _similar_texts(edges: Edges, sizes: Ints, vectors: Floats32) -> int:
    """The number of similar pairs of different texts, of which several may have one vector.

    Args:
        edges: the similar pairs of vectors.
        sizes: the number of different texts with each vector. Shape [vectors].
        vectors: the vectors; that of zeros is similar to none, itself included. Shape [vectors, dim].
    """
    own = sizes[vectors.any(axis=1)]
    return int((sizes[edges.a] * sizes[edges.b]).sum() + (own * (own - 1) // 2).sum())


def similar_pairs(vectors: Floats32, threshold: float) -> Edges:
    """All pairs whose cosine reaches a threshold; a vector of zeros is in none.

    Raises:
        DataError: there are too many.
    """
    joined = pairs_above(vectors, threshold, limit=MOST_PAIRS)
    if len(joined) == MOST_PAIRS:
        raise DataError(
            f"more than {MOST_PAIRS:,} pairs are similar from {threshold:g} on",
            fix=f"raise the threshold above {joined.threshold:.4f}",
        )
    rows, columns = (np.asarray(numbers, dtype=np.int64) for numbers in (joined.rows, joined.columns))
    pointing = np.asarray(vectors.any(axis=1))
    return Edges(rows, columns, np.array(joined.scores)).where(pointing[rows] & pointing[columns])


def _nodes(vectors: Floats32) -> tuple[Numbers, Numbers]:
    """Texts with the same vector as one: the number of each text's vector, and the first text of each.

    Such texts are in one group whatever the threshold, and thousands of them would make millions of pairs. A
    zero vector carries no information, so texts that have it are single.
    """
    places: dict[bytes, int] = {}
    first: list[int] = []
    node = np.empty(len(vectors), dtype=np.int64)
    for text, vector in enumerate(vectors):
        key = vector.tobytes() if vector.any() else str(text).encode()
        node[text] = places.setdefault(key, len(first))
        if node[text] == len(first):
            first.append(text)
    return node, np.array(first, dtype=np.int64)


def _numbered(label: Numbers, times: Numbers, least: int) -> Numbers:
    """The number of each unique text's group from 1, largest first; 0 in groups that are too small."""
    first, home = np.unique(label, return_index=True, return_inverse=True)[1:]
    sizes = np.bincount(home, weights=times)
    order = np.lexsort((first, -sizes))
    number = np.empty(len(first), dtype=np.int64)
    number[order] = np.arange(1, len(first) + 1)
    return np.where(sizes >= least, number, 0)[home]


def _described(
    given: ClusterInput, number: Numbers, group: Numbers, similarity: Floats32, named: Numbers
) -> Iterator[TextCluster]:
    """Each group with its name and words."""
    unique = given.unique
    sizes = np.bincount(group)
    means = np.bincount(group, weights=np.where(group > 0, similarity, 0)) / np.maximum(sizes, 1)
    order = np.argsort(number, kind="stable")
    ends = np.searchsorted(number[order], np.arange(1, len(sizes) + 1))
    members = [order[start:end] for start, end in pairwise(ends.tolist())]
    by_number = named[np.argsort(number[named])].tolist()
    words = telling_words(unique.texts, members)
    for central, told in zip(by_number, words, strict=True):
        here, place = int(number[central]), int(unique.first[central])
        yield TextCluster(
            here, int(sizes[here]), given.ids[place], given.texts[place], told, float(means[here])
        )


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 2] + " …"


def _cells(row: ResultRow, *, words: bool) -> tuple[Cell, ...]:
    """A row as written; ``words`` for yes and no."""
    central = row["is_central"]
    marked = ("yes" if central else "no") if words else central
    return row["id"], row["group"], marked, row["similarity"], row["text"]
