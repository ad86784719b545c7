"""Pairs from rows of texts and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textkin.base.errors import invalid
from textkin.base.python_inputs import labelled_pairs_of
from textkin.data.readers.labels import Labels, decide
from textkin.data.readers.read_report import SkipCounter, note_read
from textkin.data.readers.record_checks import checked_pairs
from textkin.data.readers.table import EMPTY_TEXT
from textkin.data.records import LabelKind, Pair, PairSet


def as_pairs(data: Any, *, name: str = "pairs") -> PairSet:
    """A ``PairSet`` from rows: (text, text), or (text, text, label) in all of them.

    Labels have the same meaning as in a file: 1 and 0, or words for them, are yes and no; other numbers are
    grades; other words are classes. Rows with an empty text are skipped and counted, as those of files are.

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
    kept = filled(rows, name)
    labels = [labels[place] for place in kept] if labels else []
    found = decide(labels, kept, name) if labels else Labels(LabelKind.NONE, (), ())
    values: Sequence[float | None] = found.values or [None] * len(kept)
    pairs = (
        Pair(*rows[place], value, *ids[place], row=place) for place, value in zip(kept, values, strict=True)
    )
    return PairSet(tuple(pairs), found.kind, found.classes, name)


def require_filled(a: str, b: str) -> None:
    """Check that two texts can be compared: a blank one has no score.

    Raises:
        UsageError: one is blank.
    """
    for name, text in (("a", a), ("b", b)):
        if not text.strip():
            raise invalid(name, text, expected="a text that isn't blank")


def filled(rows: Sequence[tuple[str, str]], name: str) -> list[int]:
    """The places of the rows with two texts; others are counted, and reported as those of a file are."""
    counter = SkipCounter(name, unit="row")
    counter.rows = len(rows)
    kept = []
    for place, (a, b) in enumerate(rows):
        if a.strip() and b.strip():
            kept.append(place)
        else:
            counter.skip(place + 1, EMPTY_TEXT)
    note_read(counter.report())
    return kept
