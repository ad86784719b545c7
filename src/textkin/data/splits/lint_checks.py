"""The checks of the linter on one set of pairs, each on whole arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints
from textkin.base.counts import percent
from textkin.base.text_equality import Equal
from textkin.data.records import LabelKind, PairSet
from textkin.data.splits.components import TextGraph, id_spaces, join, text_graph
from textkin.data.splits.findings import Example, Finding, Place, Severity, Topic

EXAMPLES = 5
_EXAMPLE_CHARACTERS = 100
_RARE_LABEL = 0.1
_GRADED_DISAGREEMENT = 0.25  # of the scale's range
_OUTLIER = 5.0
_NORMAL_QUARTILE = 0.6745  # of the standard normal: makes the MAD comparable with a deviation


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A set of pairs with the data that several checks need.

    Attributes:
        data: the pairs.
        graph: their texts as nodes.
        labels: labels, NaN if unknown. Shape [pairs].
        unordered: the same number for a pair and its mirror image. Shape [pairs].
        strictly: the same, but distinguishing texts that differ in punctuation. Shape [pairs].
        lines: line of each data row, if known.
    """

    data: PairSet
    graph: TextGraph
    labels: Floats
    unordered: Ints
    strictly: Ints
    lines: Mapping[int, int]

    @classmethod
    def of(cls, data: PairSet, lines: Mapping[int, int], *, equal: Equal = Equal.LETTERS) -> Subject:
        """Analyse every text once."""
        graph = text_graph(data, equal=equal)
        strict = text_graph(data, equal=Equal.CASE) if equal is Equal.LETTERS else graph
        labels = np.array([np.nan if pair.label is None else pair.label for pair in data], dtype=np.float64)
        return cls(data, graph, labels, _unordered(graph), _unordered(strict), lines)

    def place(self, position: int) -> Place:
        """The position of the pair at ``position`` in its file."""
        row = self.data.pairs[position].row
        row = position if row < 0 else row
        return Place(self.data.name, row, self.lines.get(row))

    def example(self, *positions: int) -> Example:
        """The last of the pairs at ``positions``, with the positions of all of them."""
        pair = self.data.pairs[positions[-1]]
        return Example(tuple(map(self.place, positions)), f"{short(pair.a)} | {short(pair.b)}")

    def finding(
        self, kind: Topic, severity: Severity, count: int, message: str, examples: Iterable[Example] = ()
    ) -> list[Finding]:
        """A finding about this file, or none if it has no cases."""
        return [Finding(kind, severity, (self.data.name,), count, message, tuple(examples))] if count else []

    def cases(
        self, kind: Topic, rows: Iterable[Sequence[int]], message: str, severity: Severity = Severity.WARNING
    ) -> list[Finding]:
        """A finding about cases of one or more rows each, with the first ones as examples."""
        found = list(rows)
        examples = [self.example(*case) for case in found[:EXAMPLES]]
        return self.finding(kind, severity, len(found), message, examples)


def repeated_pairs(subject: Subject) -> list[Finding]:
    """Repeated pairs, in the same or in the other order."""
    first, earlier = _first_of_each(subject.unordered)
    again = np.flatnonzero(earlier >= 0)
    graph = subject.graph
    # A second row counts as mirrored if it reverses the first row of its pair.
    turned = graph.a[again] != graph.a[earlier[again]]
    repeated, mirrored = again[~turned].tolist(), again[turned].tolist()
    told = (
        f"rows that repeat an earlier pair, case and punctuation aside: {len(repeated):,} of "
        f"{len(earlier):,} ({first:,} distinct pairs). Keep one row of each, or they count more than once."
    )
    found = subject.cases(Topic.REPEATED_PAIR, [(earlier[row], row) for row in repeated], told)
    told = (
        f"rows that hold an earlier pair with its texts exchanged: {len(mirrored):,}. "
        "Keep one of each if your task is symmetric."
    )
    return found + subject.cases(Topic.MIRRORED_PAIR, [(earlier[row], row) for row in mirrored], told)


def contradictions(subject: Subject) -> list[Finding]:
    """Pairs with two labels, mirror images included, and labels that contradict a chain of others."""
    if np.isnan(subject.labels).all():
        return []
    by_pair = {
        int(subject.unordered[rows[0]]): rows for rows in reversed(_clashes(subject, subject.strictly))
    }
    sure = sorted(by_pair.values())
    loose = [
        rows
        for rows in _clashes(subject, subject.unordered)
        if int(subject.unordered[rows[0]]) not in by_pair
    ]
    told = (
        f"pairs whose rows have different labels, mirrored rows included: {len(sure):,}. "
        "Decide which label is right and remove the other rows; no model can learn both."
    )
    found = subject.cases(Topic.CONTRADICTORY_LABEL, sure, told, Severity.ERROR)
    told = (
        f"pairs that have different labels, and whose rows differ in punctuation only: {len(loose):,}. "
        "Look at them: signs such as + or # may well change what a text says."
    )
    found += subject.cases(Topic.CONTRADICTORY_LABEL, loose, told)
    if subject.data.kind is LabelKind.BINARY:
        found += _transitive(subject, by_pair.keys() | {int(subject.unordered[rows[0]]) for rows in loose})
    return found


def _clashes(subject: Subject, pairs: Ints) -> list[tuple[int, int]]:
    """Two rows of each pair whose labels are too far apart, the earlier row first."""
    known = np.flatnonzero(~np.isnan(subject.labels))
    labels = subject.labels[known]
    lowest, highest = _extremes(labels, np.unique(pairs[known], return_inverse=True)[1])
    limit = _GRADED_DISAGREEMENT * np.ptp(labels) if subject.data.kind is LabelKind.GRADED else 0.0
    clashing = np.flatnonzero(labels[highest] - labels[lowest] > limit)
    ends = np.sort(np.stack([known[lowest[clashing]], known[highest[clashing]]], axis=1), axis=1)
    return [(int(one), int(other)) for one, other in ends]


def _transitive(subject: Subject, clashing: set[int]) -> list[Finding]:
    graph = subject.graph
    same = subject.labels == 1
    component = join(len(graph.keys), np.stack([graph.a[same], graph.b[same]], axis=1))
    suspects = np.flatnonzero(
        (subject.labels == 0) & (component[graph.a] == component[graph.b]) & (graph.a != graph.b)
    )
    rows = [row for row in suspects.tolist() if int(subject.unordered[row]) not in clashing]
    told = (
        "pairs labelled as different although a chain of pairs labelled as the same joins their texts: "
        f"{len(rows):,}. Look at them: this label or one in the chain is wrong, or sameness is gradual here."
    )
    return subject.cases(Topic.TRANSITIVE_CONTRADICTION, [(row,) for row in rows], told)


def self_pairs(subject: Subject) -> list[Finding]:
    """Pairs of a text with itself."""
    rows = np.flatnonzero(subject.graph.a == subject.graph.b)
    different = int((~subject.graph.bonds[rows]).sum())
    told = (
        f"pairs that hold one text twice, case and punctuation aside: {len(rows):,}, "
        f"{different:,} of them labelled as different. "
        "Remove them, unless the signs in which they differ matter to you."
    )
    return subject.cases(Topic.SELF_PAIR, rows[:, None].tolist(), told)


def ids(subject: Subject) -> list[Finding]:
    """Texts with several ids, and ids with several texts."""
    prefixes = id_spaces(subject.data)
    places_of: dict[tuple[str, int], int] = {}
    for position, pair in enumerate(subject.data):
        nodes = (int(subject.graph.a[position]), int(subject.graph.b[position]))
        for name, prefix, node in zip((pair.id_a, pair.id_b), prefixes, nodes, strict=True):
            if name:
                places_of.setdefault((prefix + name, node), position)
    # A text that occurs in both columns of a file with separate numbering has two ids for good reason.
    by_text = _groups(places_of, lambda name, node: (node, name[: len(prefixes[0])]))
    by_id = _groups(places_of, lambda name, node: name)
    told = (
        f"texts with more than one id, case and punctuation aside: {len(by_text):,}. "
        "A split by id would put them on two sides; split with textkin, which goes by the text."
    )
    found = subject.cases(Topic.TEXT_WITH_OTHER_IDS, by_text, told, Severity.INFO)
    told = (
        f"ids that stand for more than one text: {len(by_id):,}. "
        "Check how the ids were made, or leave their columns out: splits keep all texts of one id together."
    )
    return found + subject.cases(Topic.ID_WITH_OTHER_TEXTS, by_id, told)


def label_share(subject: Subject) -> list[Finding]:
    """The proportions of the labels."""
    known = subject.labels[~np.isnan(subject.labels)]
    missing = len(subject.labels) - len(known)
    if not len(known):
        told = (
            f"no pair has a label: all {missing:,} count as two texts that mean the same. "
            "Add labels to learn from differences."
        )
        return subject.finding(Topic.LABEL_SHARE, Severity.INFO, missing, told)
    if subject.data.kind is LabelKind.GRADED:
        low, middle, high = np.quantile(known, (0.0, 0.5, 1.0)).tolist()
        text = f"labels run from {low:g} to {high:g} with median {middle:g}"
        is_odd = low == high
    else:
        values, counts = np.unique(known, return_counts=True)
        names = [_label_name(subject.data, value) for value in values.tolist()]
        parts = zip(names, (counts / len(known)).tolist(), strict=True)
        text = "labels: " + ", ".join(f"{name} ({percent(share)})" for name, share in parts)
        is_odd = len(values) == 1 or float(counts.min() / len(known)) < _RARE_LABEL
    told = f"{len(known):,} labelled pairs; {text}."
    if is_odd:
        told += " One label is rare or alone: collect more, and judge by average precision, not by accuracy."
    severity = Severity.WARNING if is_odd else Severity.INFO
    found = subject.finding(Topic.LABEL_SHARE, severity, len(known), told)
    told = f"pairs without a label although others have one: {missing:,}. Label them or remove them."
    return found + subject.cases(Topic.MISSING_LABEL, np.argwhere(np.isnan(subject.labels)).tolist(), told)


def length_outliers(subject: Subject) -> list[Finding]:
    """Texts with outlying lengths, in characters and in words.

    The modified z-score of Iglewicz and Hoaglin (1993) on log lengths, since lengths are skewed.
    """
    position_of: dict[str, int] = {}
    for position, (a, b) in enumerate(subject.data.texts):
        position_of.setdefault(a, position)
        position_of.setdefault(b, position)
    texts, measures = list(position_of), (("characters", len), ("words", _count_words))
    found = []
    for unit, measure in measures:
        lengths = np.array([measure(text) for text in texts], dtype=np.int64)
        far = np.flatnonzero(_is_far(np.log1p(lengths)))
        far = far[np.argsort(-lengths[far], kind="stable")]
        shown = [*far[:EXAMPLES].tolist(), *(far[EXAMPLES:][-1:].tolist())]
        told = (
            f"texts far longer or shorter than the others (median {int(np.median(lengths))} {unit}): "
            f"{len(far):,} of {len(texts):,}. They may be broken rows, and models truncate long ones."
        )
        examples = (
            Example((subject.place(position_of[text]),), f"{measure(text)} {unit}: {short(text)}")
            for text in map(texts.__getitem__, shown)
        )
        found += subject.finding(Topic.LENGTH_OUTLIER, Severity.INFO, len(far), told, examples)
    return found


CHECKS: tuple[Callable[[Subject], list[Finding]], ...] = (
    label_share,
    contradictions,
    repeated_pairs,
    self_pairs,
    ids,
    length_outliers,
)


def _unordered(graph: TextGraph) -> Ints:
    """The same number for a pair of nodes and its mirror image. Shape [pairs]."""
    low, high = np.minimum(graph.a, graph.b), np.maximum(graph.a, graph.b)
    return low * len(graph.keys) + high


def _count_words(text: str) -> int:
    return len(text.split())


def _is_far(values: Floats) -> Bools:
    distances = np.abs(values - np.median(values))
    spread = float(np.median(distances)) / _NORMAL_QUARTILE
    if spread == 0.0:  # more than half of the texts have the same length
        spread = float(np.mean(distances)) * 1.2533
    return distances > _OUTLIER * spread


def _first_of_each(codes: Ints) -> tuple[int, Ints]:
    """The number of distinct codes, and the first position of each position's code, or -1 for itself."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    earlier = first[inverse]
    return len(first), np.where(earlier == np.arange(len(codes)), -1, earlier)


def _extremes(labels: Floats, groups: Ints) -> tuple[Ints, Ints]:
    """The position of the lowest and of the highest label of each group; groups are numbered from 0."""
    order = np.lexsort((labels, groups))
    starts = np.searchsorted(groups[order], np.arange(int(groups.max()) + 1))
    ends = np.append(starts[1:], len(order)) - 1
    return order[starts], order[ends]


def _groups(
    positions: Mapping[tuple[str, int], int], group: Callable[[str, int], object]
) -> list[tuple[int, ...]]:
    """The positions of each group with more than one member."""
    groups: dict[object, list[int]] = {}
    for (name, node), position in positions.items():
        groups.setdefault(group(name, node), []).append(position)
    return [tuple(members) for members in groups.values() if len(members) > 1]


def _label_name(data: PairSet, value: float) -> str:
    if data.kind is LabelKind.CLASSES and 0 <= value < len(data.classes):
        return data.classes[int(value)]
    return f"{value:g}"


def short(text: str) -> str:
    """The text, truncated for tables."""
    return text if len(text) <= _EXAMPLE_CHARACTERS else text[: _EXAMPLE_CHARACTERS - 1] + "…"
