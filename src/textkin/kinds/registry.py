"""The kinds of labelled data, and which of them given data are."""

from __future__ import annotations

from typing import Any

from textkin.base.errors import invalid
from textkin.base.python_inputs import path_of
from textkin.data.readers import Reading, load
from textkin.data.readers.from_python import as_loaded, loaded_pairs, refuse_reading
from textkin.data.readers.read_report import Loaded
from textkin.kinds.candidates import CandidateKind
from textkin.kinds.choices import ChoiceKind
from textkin.kinds.classes import ClassKind
from textkin.kinds.corpora import CorpusKind
from textkin.kinds.duplicates import DuplicateKind
from textkin.kinds.kind import DataKind
from textkin.kinds.pairs import PairKind
from textkin.kinds.preferences import PreferenceKind
from textkin.kinds.spans import SpanKind

KINDS: tuple[DataKind[Any], ...] = (
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


def data_kind(data: Any) -> DataKind[Any]:
    """The kind of records.

    Raises:
        UsageError: they are of no kind, such as a folder of three tasks.
    """
    for kind in KINDS:
        if kind.holds(data):
            return kind
    name = getattr(data, "name", "") or "data"
    raise invalid(
        "data",
        f"{name} ({type(data).__name__})",
        expected=f"one data set: {', '.join(kind.words for kind in KINDS)}",
    )


def load_data(data: Any, *, reading: Reading | None = None) -> tuple[DataKind[Any], Loaded[Any]]:
    """Read data of any kind, from a file or folder, records, or rows of texts and labels.

    Raises:
        UsageError: the data are of no kind, or reading options are given with records.
        DataError: the file is invalid, or all its rows were skipped.
    """
    path, reading = path_of(data), reading or Reading()
    if path is not None:
        mine = next((kind for kind in KINDS if kind.sniff(path, reading)), None)
        loaded: Loaded[Any] = load(path, reading=reading).some() if mine is None else mine.read(path, reading)
        return mine or data_kind(loaded.data), loaded
    for kind in KINDS:
        if kind.holds(data):
            refuse_reading(reading)
            return kind, as_loaded(kind.checked(data))
    loaded = loaded_pairs(data, reading=reading)
    return data_kind(loaded.data), loaded
