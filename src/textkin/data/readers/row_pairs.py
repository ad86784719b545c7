"""Pairs from tables in memory, and from rows of texts and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from textkin.base.errors import invalid
from textkin.base.frames import column_names, tabular
from textkin.base.progress import note
from textkin.base.python_inputs import cells_of, labelled_pairs_of
from textkin.base.python_values import id_or_blank
from textkin.data.readers.column_report import pairs_taken
from textkin.data.readers.columns import (
    ROLES,
    Roles,
    find_id_column,
    find_label_column,
    find_pair_columns,
    find_roles,
)
from textkin.data.readers.labels import Labels, decide
from textkin.data.readers.read_report import SkipCounter, note_read
from textkin.data.readers.record_checks import checked_pairs
from textkin.data.readers.table import EMPTY_TEXT, SAMPLE
from textkin.data.records import LabelKind, Pair, PairSet

_TABLE_ROLES = ("a", "b", "label")
_ID_ROLES = ("id_a", "id_b")
_PAIR_ID = "pair_id"


def as_pairs(data: Any, *, name: str = "pairs") -> PairSet:
    """A ``PairSet`` from a data frame, or from rows: (text, text), or (text, text, label) in all of them.

    Labels have the same meaning as in a file: 1 and 0, or words for them, are yes and no; other numbers are
    grades; other words are classes. Rows with an empty text are skipped and counted, as those of files are.

    Args:
        data: a list of tuples or of :class:`textkin.Pair`, or a data frame of pandas, polars or Arrow, of
            which the columns are found as in a file, or are the only two or three, in order.
        name: name in reports and errors.

    Raises:
        UsageError: a row has another form.
        DataError: the labels are inconsistent, or nothing tells which columns are the texts.

    Example:
        >>> import textkin as tk
        >>> tk.as_pairs([("Opening hours?", "When are you open?", 1), ("Opening hours?", "Wifi?", 0)])
        <PairSet: 2 rows>
    """
    if isinstance(data, PairSet):
        return checked_pairs(data)
    data = tabular(data)
    if (columns := column_names(data)) is not None:
        return table_pairs(data, columns, name=name)
    rows, labels, ids = labelled_pairs_of(data, name=name)
    kept = filled(rows, name)
    labels = [labels[place] for place in kept] if labels else []
    found = decide(labels, kept, name) if labels else Labels(LabelKind.NONE, (), ())
    values: Sequence[float | None] = found.values or [None] * len(kept)
    pairs = (
        Pair(*rows[place], value, *ids[place], row=place) for place, value in zip(kept, values, strict=True)
    )
    return PairSet(tuple(pairs), found.kind, found.classes, name)


def table_pairs(
    data: Any, columns: Sequence[Any], roles: Mapping[str, str] | None = None, *, name: str
) -> PairSet:
    """The pairs of a table, with their ids, and those of their texts if it has two columns of them.

    Args:
        data: the table.
        columns: its columns.
        roles: the given columns, see :func:`pair_columns`.
        name: its name in reports and errors.

    Raises:
        UsageError: there is no such column, or a row is not a pair.
        DataError: the labels are inconsistent, or nothing tells which columns are the texts.
    """
    found = pair_columns(data, columns, roles, name)
    if found.guessed:
        note(f"{name}: {pairs_taken(list(map(str, columns)), found)}")
    places = {role: getattr(found, role) for role in (*_TABLE_ROLES, *_ID_ROLES, _PAIR_ID)}
    there = {role: place for role, place in places.items() if place is not None}
    cells = {role: cells_of(data[columns[place]], role) for role, place in there.items()}
    rows = zip(*(cells[role] for role in _TABLE_ROLES if role in cells), strict=True)
    id_name = "" if found.pair_id is None else str(columns[found.pair_id])
    return replace(_with_ids(as_pairs(list(rows), name=name), cells), id_name=id_name)


def _with_ids(pairs: PairSet, columns: Mapping[str, Sequence[Any]]) -> PairSet:
    """The pairs of a frame with their ids, "" where one is missing: of both texts, and of the pair."""
    texts = _ID_ROLES if set(_ID_ROLES) <= columns.keys() else ()
    ids = {role: list(map(id_or_blank, columns[role])) for role in (*texts, _PAIR_ID) if role in columns}
    if not ids:
        return pairs
    named = (
        Pair(pair.a, pair.b, pair.label, row=pair.row, **{role: own[pair.row] for role, own in ids.items()})
        for pair in pairs.pairs
    )
    return replace(pairs, pairs=tuple(named))


def pair_columns(data: Any, names: Sequence[Any], roles: Mapping[str, str] | None, name: str) -> Roles:
    """The columns of two texts, of a label and of ids: as given, by name, in order, or by cells.

    Args:
        data: a table.
        names: its columns.
        roles: the given columns.
        name: the table's name in errors.

    Raises:
        UsageError: there is no such column.
        DataError: neither names nor cells tell which columns are the texts.
    """
    header = list(map(str, names))
    given = {role: str(column) for role, column in (roles or {}).items() if role in ROLES}
    has_three, has_fewer = len(names) == len(_TABLE_ROLES), len(names) < len(_TABLE_ROLES)
    # Two columns of which none is given are found by their names and cells alone, as those of files.
    if find_pair_columns(header)[1] is None and (has_three or (given and has_fewer)):
        given = _in_order(header, given)
    cells = (map(id_or_blank, islice(data[column], SAMPLE)) for column in names)
    return find_roles(header, list(zip(*cells, strict=True)), given, name)


def _in_order(header: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """The roles of two or three columns: as given, and of the others in order.

    Of three, one that is known as a label or as ids is no text wherever it stands.
    """
    found = dict(given)
    if len(header) == len(_TABLE_ROLES):
        label, ids = find_label_column(header), find_id_column(header)
        if label is not None and header[label] not in found.values():
            found.setdefault("label", header[label])
        header = [name for place, name in enumerate(header) if place != ids]
    left = [name for name in header if name not in found.values()]
    return found | dict(zip((role for role in _TABLE_ROLES if role not in found), left, strict=False))


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
