"""Data from Python: a path, records, or rows of texts and labels."""

from collections.abc import Sized
from pathlib import Path
from typing import Any, TypeVar

from textkin.base.paths import exists, is_input, is_standard
from textkin.base.python_inputs import path_of
from textkin.data.choice_records import ChoiceSet
from textkin.data.readers import Reading, load_pairs
from textkin.data.readers.choices import is_choices
from textkin.data.readers.datasets.squad import is_squad
from textkin.data.readers.read_report import Loaded, ReadReport
from textkin.data.readers.row_pairs import as_pairs
from textkin.data.records import CandidateSet, PairSet, RetrievalSet
from textkin.data.span_records import SpanSet

GivenPairs = Any
"""A path, a ``PairSet``, or a sequence of (text, text) or (text, text, label)."""

GivenData = Any
"""Like :data:`GivenPairs`, or a ``CandidateSet``, ``RetrievalSet``, ``SpanSet`` or ``ChoiceSet``."""

_Records = TypeVar("_Records", PairSet, CandidateSet, RetrievalSet, SpanSet, ChoiceSet)


def loaded_pairs(data: GivenPairs, *, reading: Reading | None = None) -> Loaded[PairSet]:
    """Load pairs from a file, or wrap pairs given as records.

    Raises:
        UsageError: the data are neither.
        DataError: the file can't be read, or all its rows were skipped.
    """
    if (path := path_of(data)) is not None:
        return load_pairs(path, reading=reading).some()
    return as_loaded(as_pairs(data))


def holds_choices(path: Path | str, *, reading: Reading | None = None) -> bool:
    """True if a file or folder contains multiple-choice questions, and no other format is given.

    Raises:
        DataError: the file can't be read.
    """
    chosen = reading or Reading()
    asked = {name for name, _ in chosen.asked()} - {"split"}
    return chosen.format == "auto" and not asked and (is_standard(path) or exists(path)) and is_choices(path)


def holds_spans(path: Path | str, *, reading: Reading | None = None) -> bool:
    """True if a file is in SQuAD's format, and no other format is given.

    Raises:
        DataError: the file can't be read.
    """
    chosen = reading or Reading()
    if chosen.format != "auto" or any(chosen.asked()) or not is_input(path):
        return False
    return is_squad(Path(path))


def as_loaded(data: _Records) -> Loaded[_Records]:
    """Wrap records as if they had been read."""
    count = len(data) if isinstance(data, Sized) else 1
    return Loaded(data, ReadReport(data.name or "records", count, count, {}, ()), "records")
