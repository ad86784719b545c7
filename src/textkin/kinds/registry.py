"""The kinds of labelled data, and which of them given data are."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from textkin.base.counts import count
from textkin.base.errors import UsageError, either, invalid
from textkin.base.frames import column_names
from textkin.base.python_inputs import cells_of, path_of
from textkin.base.python_values import cell_of
from textkin.data.readers import Reading, format_of, load, options_of
from textkin.data.readers.datasets.squad import is_squad_document, squad_of
from textkin.data.readers.from_python import as_loaded, loaded_pairs
from textkin.data.readers.read_report import Loaded
from textkin.data.readers.row_pairs import as_pairs
from textkin.kinds.candidates import CandidateKind
from textkin.kinds.choices import ChoiceKind
from textkin.kinds.classes import ClassKind
from textkin.kinds.corpora import CorpusKind
from textkin.kinds.duplicates import DuplicateKind
from textkin.kinds.kind import DataKind
from textkin.kinds.pairs import PairKind
from textkin.kinds.preferences import PreferenceKind
from textkin.kinds.spans import SpanKind

KINDS: tuple[DataKind[Any, Any], ...] = (
    SpanKind(),
    ChoiceKind(),
    PreferenceKind(),
    CandidateKind(),
    CorpusKind(),
    DuplicateKind(),
    ClassKind(),
    PairKind(),
)
"""All kinds, in the order in which they are asked whether a file is theirs."""


def kind_of(data: Any) -> DataKind[Any, Any] | None:
    """The kind of records; None for anything else."""
    return next((kind for kind in KINDS if kind.holds(data)), None)


def data_kind(data: Any) -> DataKind[Any, Any]:
    """The kind of records.

    Raises:
        UsageError: they are of no kind, such as a folder of three tasks.
    """
    if (kind := kind_of(data)) is not None:
        return kind
    name = getattr(data, "name", "") or "data"
    raise invalid(
        "data",
        f"{name} ({type(data).__name__})",
        expected=f"one data set: {', '.join(kind.words for kind in KINDS)}",
    )


def records_of(data: Any, columns: Mapping[str, str] | None = None) -> Any:
    """The records in rows of a table, of dictionaries or of own records; other data unchanged.

    Args:
        data: the data.
        columns: the columns of a data frame by the names by which kinds know them.

    Raises:
        UsageError: a row is invalid.
    """
    if is_squad_document(data):
        return squad_of(data)
    if not columns:
        if not isinstance(data, list | tuple) or not data:
            return data
        if all(isinstance(row, dict) for row in data):
            names = list(dict.fromkeys(name for row in data for name in row))
            cells = [[cell_of(row.get(name)) for name in names] for row in data]
        elif is_dataclass(data[0]):
            names = [field.name for field in fields(data[0])]
            cells = [[getattr(row, name, None) for name in names] for row in data]
        else:
            return data
    else:
        names = list(columns)
        wanted = {str(one): cells_of(data[one], str(one)) for one in columns.values()}
        first, *others = ((name, len(values)) for name, values in wanted.items())
        if wrong := next((one for one in others if one[1] != first[1]), None):
            raise UsageError(
                f"column {wrong[0]!r} has {count(wrong[1], 'value')}, and {first[0]!r} {first[1]:,}",
                fix=either("give columns of one length", "measure a run with `qrels`"),
            )
        cells = [list(row) for row in zip(*wanted.values(), strict=True)]
    found = (kind.from_rows(names, cells) for kind in KINDS)
    return next((one for one in found if one is not None), data)


def _records(data: Any, *, name: str) -> Any:
    """The valid records that one's own reader gives, or pairs of its rows."""
    made = records_of(data)
    kind = kind_of(made)
    if kind is None:
        return as_pairs(made, name=name)
    return kind.checked(made if made is data else replace(made, name=name))


def load_data(
    data: Any, *, reading: Reading | None = None, every: bool = False
) -> tuple[DataKind[Any, Any], Loaded[Any]]:
    """Read data of any kind, from a file or folder, records, or rows of texts and labels.

    Args:
        data: the data.
        reading: reading options of a file; records need none.
        every: True to read all questions of candidates, also those that are not measured.

    Raises:
        UsageError: the data are of no kind.
        DataError: the file is invalid, or all its rows were skipped.
    """
    path, reading = path_of(data), reading or Reading()
    if path is not None:
        for kind in KINDS:
            if (found := kind.read(path, reading)) is not None:
                return kind, found
        name = format_of(path, reading=reading)
        if every and "questions" in options_of(name):
            reading = replace(reading, questions="all")
        loaded: Loaded[Any] = load(path, reading=replace(reading, format=name), own=_records).some()
        return data_kind(loaded.data), loaded
    names = column_names(data)
    data = records_of(data, None if names is None else {name: name for name in names})
    if (known := kind_of(data)) is not None:
        return known, as_loaded(known.checked(data))
    loaded = loaded_pairs(data, reading=reading)
    return data_kind(loaded.data), loaded
