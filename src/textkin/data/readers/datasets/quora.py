"""Quora's file of question pairs: id, qid1, qid2, question1, question2, is_duplicate."""

from pathlib import Path

from textkin.base.errors import DataError
from textkin.data.readers.columns import find_roles, has_names
from textkin.data.readers.pairs import collect
from textkin.data.readers.read_report import Loaded
from textkin.data.readers.table import Table, as_pairs_of, open_table
from textkin.data.records import LabelKind, PairSet

NAMES = ("qid1", "qid2", "question1", "question2", "is_duplicate")


def is_quora(table: Table) -> bool:
    """True if the header is Quora's."""
    return has_names(table.header, *NAMES)


def read_quora(path: Path | str) -> Loaded[PairSet]:
    """Read Quora's question pairs, as CSV or TSV, with the questions' ids.

    Raises:
        DataError: the header is not Quora's, or a label is neither 0 nor 1.
    """
    table = open_table(path)
    if not is_quora(table):
        raise DataError(f"expected a header with {', '.join(NAMES)}", path=path, fix=as_pairs_of())
    loaded = collect(
        table, find_roles(table.header, [], dict(zip(_ROLES, NAMES, strict=True)), path), format="quora"
    )
    if loaded.data.kind is not LabelKind.BINARY:
        raise DataError("is_duplicate holds more than 0 and 1", path=path, fix=as_pairs_of())
    return loaded


_ROLES = ("id_a", "id_b", "a", "b", "label")
