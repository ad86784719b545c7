"""SNLI and MultiNLI: gold_label, sentence1, sentence2, in JSONL or tab-separated text."""

from pathlib import Path

from textkin.base.errors import DataError
from textkin.data.readers.columns import Roles, find_column, has_names
from textkin.data.readers.pairs import collect
from textkin.data.readers.read_report import Loaded
from textkin.data.readers.table import Table, TableRow, as_pairs_of, open_table
from textkin.data.records import PairSet

NAMES = ("sentence1", "sentence2", "gold_label")


def is_nli(table: Table) -> bool:
    """True if the columns are SNLI's."""
    return has_names(table.header, *NAMES)


def read_nli(path: Path | str) -> Loaded[PairSet]:
    """Read entailment pairs; pairs without annotator agreement (label ``-``) are skipped and counted.

    Raises:
        DataError: the columns are not SNLI's.
    """
    table = open_table(path)
    if not is_nli(table):
        raise DataError(f"expected columns {', '.join(NAMES)}", path=path, fix=as_pairs_of())
    a, b, label = (find_column(table.header, table.width, name) for name in NAMES)

    def undecided(row: TableRow) -> str | None:
        return "without gold label" if row.fields[label].strip() == "-" else None

    return collect(table, Roles(a, b, label), format="nli", reject=undecided)
