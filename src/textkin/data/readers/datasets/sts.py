"""STS Benchmark: genre, file, year, id, score 0 to 5, sentence1, sentence2; some rows have two more."""

from pathlib import Path

from textkin.base.errors import DataError
from textkin.data.readers.columns import Roles
from textkin.data.readers.labels import number
from textkin.data.readers.pairs import collect
from textkin.data.readers.read_report import Loaded
from textkin.data.readers.table import Table, TableRow, as_pairs_of, open_table
from textkin.data.records import PairSet

_WIDTHS = (7, 9)
_SCORE, _A, _B = 4, 5, 6


def is_sts(table: Table) -> bool:
    """True if the first rows look like the STS Benchmark's."""
    if table.header is not None or table.width not in _WIDTHS or table.delimiter != "\t":
        return False
    return all(_is_score(row[_SCORE]) and not _is_score(row[_A]) for row in table.sample())


def read_sts(path: Path | str) -> Loaded[PairSet]:
    """Read the STS Benchmark: tab-separated despite its file names, no header.

    Raises:
        DataError: a row has neither 7 nor 9 fields.
    """
    table = open_table(path, ragged=True)
    if table.header is not None or table.width not in _WIDTHS:
        raise DataError(
            f"{table.width} columns, expected 7 or 9 without header",
            path=path,
            fix=as_pairs_of(),
        )

    def broken(row: TableRow) -> str | None:
        return None if len(row.fields) in _WIDTHS else "wrong number of columns"

    return collect(table, Roles(_A, _B, _SCORE), format="sts", reject=broken)


def _is_score(cell: str) -> bool:
    value = number(cell)
    return value is not None and 0.0 <= value <= 5.0
