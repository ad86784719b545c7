"""SICK: sentence pairs with an entailment class and a relatedness from 1 to 5.

Two layouts: the files of SemEval-2014 task 1 (one per split, ``entailment_judgment``), and the single
SICK.txt with twelve columns (``entailment_label``, the split in ``SemEval_set``).
"""

from pathlib import Path
from typing import Literal

from textkin.base.errors import DataError, invalid, unknown_choice
from textkin.data.readers.columns import Roles, find_column, find_pair_id, has_names
from textkin.data.readers.pairs import collect
from textkin.data.readers.read_report import Loaded
from textkin.data.readers.table import Table, TableRow, as_pairs_of, open_table
from textkin.data.records import PairSet

SPLITS = ("TRAIN", "TRIAL", "TEST")

_ENTAILMENT = ("entailment_judgment", "entailment_label")


def is_sick(table: Table) -> bool:
    """True if the header is SICK's."""
    named = has_names(table.header, "pair_id", "sentence_a", "sentence_b", "relatedness_score")
    return named and any(has_names(table.header, name) for name in _ENTAILMENT)


def read_sick(
    path: Path | str,
    *,
    labels: Literal["entailment", "relatedness"] = "entailment",
    split: str | None = None,
) -> Loaded[PairSet]:
    """Read SICK.

    Args:
        path: a file of either layout.
        labels: "entailment" or "relatedness".
        split: TRAIN, TRIAL or TEST; other rows are skipped and counted. Only for SICK.txt.

    Raises:
        UsageError: the split or label is unknown, or the file has no splits.
        DataError: the header is not SICK's.
    """
    if labels not in ("entailment", "relatedness"):
        raise unknown_choice("labels", labels, ("entailment", "relatedness"))
    table = open_table(path)
    header = table.header or ()
    if not is_sick(table):
        raise DataError("expected SICK's header: pair_ID, sentence_A, ...", path=path, fix=as_pairs_of())
    entailment = next(name for name in _ENTAILMENT if has_names(header, name))
    names = ("sentence_A", "sentence_B", entailment if labels == "entailment" else "relatedness_score")
    a, b, label = (find_column(header, table.width, name) for name in names)
    roles = Roles(a, b, label, pair_id=find_pair_id(header))
    if split is None:
        return collect(table, roles, format="sick")
    wanted = split.upper()
    if wanted not in SPLITS or not has_names(header, "semeval_set"):
        raise invalid(
            "split", split, expected=f"one of {', '.join(SPLITS)}, and a file with the column SemEval_set"
        )
    place = find_column(header, table.width, "SemEval_set")

    def other_split(row: TableRow) -> str | None:
        return None if row.fields[place].strip().upper() == wanted else "row of another split"

    return collect(table, roles, format="sick", reject=other_split)
