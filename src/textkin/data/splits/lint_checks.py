"""The checks of the linter on one set of pairs, each on whole arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    labels: NDArray[np.float64]
    unordered: NDArray[np.int64]
    strictly: NDArray[np.int64]
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
        self,
        kind: Topic,
        severity: Severity,
        count: int,
        message: str,
        examples: Iterable[Example] = (),
    ) -> list[Finding]:
        """A finding about this file, or none if it has no cases."""
        return [Finding(kind, severity, (self.data.name,), count, message, tuple(examples))] if count else []


def repeated_pairs(subject: Subject) -> list[Finding]:
    """Repeated pairs, in the same or in the other order."""
    first, earlier = _first_of_each(subject.unordered)
    again = np.flatnonzero(earlier >= 0)
    graph = subject.graph
    # A second row counts as mirrored if it reverses the first row of its pair.
    turned = graph.a[again] != graph.a[earlier[again]]
    repeated, mirrored = again[~turned], again[turned]
    return subject.finding(
        Topic.REPEATED_PAIR,
        Severity.WARNING,
        len(repeated),
        f"rows that repeat an earlier pair, case and punctuation aside: {len(repeated)} of {len(earlier)} "
        f"({first} distinct pairs). Keep one row of each, or they count more than once.",
        (subject.example(earlier[row], row) for row in repeated[:EXAMPLES].tolist()),
    ) + subject.finding(
        Topic.MIRRORED_PAIR,
        Severity.WARNING,
        len(mirrored),
        f"rows that hold an earlier pair with its texts exchanged: {len(mirrored)}. "
        "Keep one of each if your task is symmetric.",
        (subject.example(earlier[row], row) for row in mirrored[:EXAMPLES].tolist()),
    )


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
    found = subject.finding(
        Topic.CONTRADICTORY_LABEL,
        Severity.ERROR,
        len(sure),
        f"pairs whose rows have different labels, mirrored rows included: {len(sure)}. "
        "Decide which label is right and remove the other rows; no model can learn both.",
        (subject.example(*rows) for rows in sure[:EXAMPLES]),
    ) + subject.finding(
        Topic.CONTRADICTORY_LABEL,
        Severity.WARNING,
        len(loose),
        f"pairs that have different labels, and whose rows differ in punctuation only: {len(loose)}. "
        "Look at them: signs such as + or # may well change what a text says.",
        (subject.example(*rows) for rows in loose[:EXAMPLES]),
    )
    if subject.data.kind is LabelKind.BINARY:
        found += _transitive(subject, by_pair.keys() | {int(subject.unordered[rows[0]]) for rows in loose})
    return found


def _clashes(subject: Subject, pairs: NDArray[np.int64]) -> list[tuple[int, int]]:
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
    return subject.finding(
        Topic.TRANSITIVE_CONTRADICTION,
        Severity.WARNING,
        len(rows),
        "pairs labelled as different although a chain of pairs labelled as the same joins their texts: "
        f"{len(rows)}. Look at them: this label or one in the chain is wrong, or sameness is gradual here.",
        (subject.example(row) for row in rows[:EXAMPLES]),
    )


def self_pairs(subject: Subject) -> list[Finding]:
    """Pairs of a text with itself."""
    rows = np.flatnonzero(subject.graph.a == subject.graph.b)
    different = int((~subject.graph.bonds[rows]).sum())
    return subject.finding(
        Topic.SELF_PAIR,
        Severity.WARNING,
        len(rows),
        f"pairs that hold one text twice, case and punctuation aside: {len(rows)}, "
        f"{different} of them labelled as different. "
        "Remove them, unless the signs in which they differ matter to you.",
        (subject.example(row) for row in rows[:EXAMPLES].tolist()),
    )


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
    return subject.finding(
        Topic.TEXT_WITH_OTHER_IDS,
        Severity.INFO,
        len(by_text),
        f"texts with more than one id, case and punctuation aside: {len(by_text)}. "
        "A split by id would put them on two sides; split with textkin, which goes by the text.",
        (subject.example(*rows) for rows in by_text[:EXAMPLES]),
    ) + subject.finding(
        Topic.ID_WITH_OTHER_TEXTS,
        Severity.WARNING,
        len(by_id),
        f"ids that stand for more than one text: {len(by_id)}. "
        "Check how the ids were made, or leave their columns out: splits keep all texts of one id together.",
        (subject.example(*rows) for rows in by_id[:EXAMPLES]),
    )


def label_share(subject: Subject) -> list[Finding]:
    """The proportions of the labels."""
    known = subject.labels[~np.isnan(subject.labels)]
    missing = len(subject.labels) - len(known)
    if not len(known):
        return subject.finding(
            Topic.LABEL_SHARE,
            Severity.INFO,
            missing,
            f"no pair has a label: all {missing} count as two texts that mean the same. "
            "Add labels to learn from differences.",
        )
    if subject.data.kind is LabelKind.GRADED:
        low, middle, high = np.quantile(known, (0.0, 0.5, 1.0)).tolist()
        text = f"labels run from {low:g} to {high:g} with median {middle:g}"
        is_odd = low == high
    else:
        values, counts = np.unique(known, return_counts=True)
        names = [_label_name(subject.data, value) for value in values.tolist()]
        parts = zip(names, (counts / len(known)).tolist(), strict=True)
        text = "labels are " + ", ".join(f"{name} {share:.1%}" for name, share in parts)
        is_odd = len(values) == 1 or float(counts.min() / len(known)) < _RARE_LABEL
    advice = (
        " One label is rare or alone: judge by average precision, not by accuracy, and collect more of it."
        if is_odd
        else ""
    )
    return subject.finding(
        Topic.LABEL_SHARE,
        Severity.WARNING if is_odd else Severity.INFO,
        len(known),
        f"{len(known)} labelled pairs; {text}.{advice}",
    ) + subject.finding(
        Topic.MISSING_LABEL,
        Severity.WARNING,
        missing,
        f"pairs without a label although others have one: {missing}. Label them or remove them.",
        (subject.example(row) for row in np.flatnonzero(np.isnan(subject.labels))[:EXAMPLES].tolist()),
    )


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
        found += subject.finding(
            Topic.LENGTH_OUTLIER,
            Severity.INFO,
            len(far),
            f"texts far longer or shorter than the others (median {int(np.median(lengths))} {unit}): "
            f"{len(far)} of {len(texts)}. Look at them: they may be broken rows, and models cut long ones.",
            (
                Example(
                    (subject.place(position_of[texts[index]]),),
                    f"{lengths[index]} {unit}: {short(texts[index])}",
                )
                for index in shown
            ),
        )
    return found


CHECKS: tuple[Callable[[Subject], list[Finding]], ...] = (
    label_share,
    contradictions,
    repeated_pairs,
    self_pairs,
    ids,
    length_outliers,
)


def _unordered(graph: TextGraph) -> NDArray[np.int64]:
    """The same number for a pair of nodes and its mirror image. Shape [pairs]."""
    low, high = np.minimum(graph.a, graph.b), np.maximum(graph.a, graph.b)
    found: NDArray[np.int64] = low * len(graph.keys) + high
    return found


def _count_words(text: str) -> int:
    return len(text.split())


def _is_far(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    distances = np.abs(values - np.median(values))
    spread = float(np.median(distances)) / _NORMAL_QUARTILE
    if spread == 0.0:  # more than half of the texts have the same length
        spread = float(np.mean(distances)) * 1.2533
    return distances > _OUTLIER * spread


def _first_of_each(codes: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
    """The number of distinct codes, and the first position of each position's code, or -1 for itself."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    earlier = first[inverse]
    return len(first), np.where(earlier == np.arange(len(codes)), -1, earlier)


def _extremes(
    labels: NDArray[np.float64], groups: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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
