"""Pairs from rows of texts and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textkin.base.python_inputs import labelled_pairs_of
from textkin.data.readers.labels import Labels, decide
from textkin.data.readers.record_checks import checked_pairs
from textkin.data.records import LabelKind, Pair, PairSet


def as_pairs(data: Any, *, name: str = "pairs") -> PairSet:
    """A ``PairSet`` from rows: (text, text), or (text, text, label) in all of them.

    Labels have the same meaning as in a file: 1 and 0, or words for them, are yes and no; other numbers are
    grades; other words are classes.

    Args:
        data: a list of tuples or of :class:`textkin.Pair`, a pandas or polars data frame with two or three
            columns, ...
        name: name in reports and errors.

    Raises:
        UsageError: a row has another form.
        DataError: the labels are inconsistent.

    Example:
        >>> import textkin as tk
        >>> tk.as_pairs([("Opening hours?", "When are you open?", 1), ("Opening hours?", "Wifi?", 0)])
        <PairSet: 2 rows>
    """
    if isinstance(data, PairSet):
        return checked_pairs(data)
    rows, labels, ids = labelled_pairs_of(data, name=name)
    found = decide(labels, range(len(labels)), name) if labels else Labels(LabelKind.NONE, (), ())
    values: Sequence[float | None] = found.values or [None] * len(rows)
    pairs = (
        Pair(a, b, value, *own, row=place)
        for place, ((a, b), value, own) in enumerate(zip(rows, values, ids, strict=True))
    )
    return PairSet(tuple(pairs), found.kind, found.classes, name)
