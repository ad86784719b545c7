"""Files of text pairs: CSV, TSV or JSONL, with or without header, labels and ids."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from textkin.base.paths import name_of
from textkin.data.readers.column_report import pairs_taken
from textkin.data.readers.columns import Roles, find_roles, require_label
from textkin.data.readers.labels import decide, is_missing_cell
from textkin.data.readers.read_options import QuotingOption
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import Table, TableRow, open_table
from textkin.data.records import LabelKind, Pair, PairSet

NO_LABEL = "no label"


def read_pairs(
    path: Path | str,
    *,
    columns: Mapping[str, str] | None = None,
    quoting: QuotingOption = "auto",
    encoding: str | None = None,
) -> Loaded[PairSet]:
    """Read labelled or unlabelled pairs.

    Rows with an empty text, and rows without a label in a labelled file, are skipped and counted.

    Args:
        path: the file, plain or gzip.
        columns: roles to columns, from ``columns.parse_columns``; others are detected.
        quoting: see ``table.open_table``.
        encoding: see ``table.open_table``.

    Raises:
        UsageError: ``columns`` names a missing column.
        DataError: the file can't be read, or its columns are ambiguous.
    """
    table = open_table(path, quoting=quoting, named=(columns or {}).values(), encoding=encoding)
    roles = find_roles(table.header, table.sample(), columns, path)
    if not columns:
        table.refuse_document()
    return collect(table, roles, format="pairs")


def collect(
    table: Table, roles: Roles, *, format: str, reject: Callable[[TableRow], str | None] | None = None
) -> Loaded[PairSet]:
    """Convert the rows of a table to pairs.

    Args:
        table: the table.
        roles: columns of the table.
        format: name of the format.
        reject: function that returns the reason for skipping a row, or None.

    Raises:
        DataError: the table is invalid, or its labels are inconsistent.
    """
    counter = SkipCounter(table.path)
    counter.columns = pairs_taken(table.header, roles)
    kept: list[_Kept] = []
    for row in table.rows(counter):
        cells = row.fields
        reason = reject(row) if reject else None
        reason = reason or row.objection((roles.a,)) or row.objection((roles.b,))
        if not reason:
            kept.append(_Kept(row.row, row.line, *(_cell(cells, place) for place in _places(roles))))
        else:
            counter.skip(row.line, reason)
    labelled = [item for item in kept if not is_missing_cell(item.label)]
    name = name_of(table.path)
    id_name = table.header[roles.pair_id] if table.header and roles.pair_id is not None else ""
    if not labelled:
        pairs = tuple(item.pair(None) for item in kept)
        return Loaded(PairSet(pairs, LabelKind.NONE, name=name, id_name=id_name), counter.report(), format)
    for item in kept:
        if is_missing_cell(item.label):
            counter.skip(item.line, NO_LABEL)
    if roles.guessed and roles.label is not None:
        # The first rows may all share a few questions, whose ids are repeated.
        require_label([item.label for item in labelled], roles.label + 1, table.path)
    labels = decide([item.label for item in labelled], [item.line for item in labelled], table.path)
    pairs = tuple(item.pair(value) for item, value in zip(labelled, labels.values, strict=True))
    return Loaded(PairSet(pairs, labels.kind, labels.classes, name, id_name), counter.report(), format)


class _Kept(NamedTuple):
    row: int
    line: int
    a: str
    b: str
    label: str
    id_a: str
    id_b: str
    pair_id: str

    def pair(self, label: float | None) -> Pair:
        return Pair(self.a, self.b, label, self.id_a, self.id_b, self.row, self.pair_id.strip())


def _places(roles: Roles) -> tuple[int | None, ...]:
    return roles.a, roles.b, roles.label, roles.id_a, roles.id_b, roles.pair_id


def _cell(cells: tuple[str, ...], place: int | None) -> str:
    return "" if place is None else cells[place]
