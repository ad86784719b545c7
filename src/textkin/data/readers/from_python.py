"""Data from Python: a path, records, or rows of texts and labels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from textkin.base.errors import DataError, inapplicable
from textkin.base.paths import IN_MEMORY, exists, is_input, is_standard
from textkin.base.python_inputs import path_of
from textkin.data.choice_records import ChoiceSet
from textkin.data.readers import Reading, load, load_pairs
from textkin.data.readers.choices import is_choices
from textkin.data.readers.datasets.squad import is_squad
from textkin.data.readers.read_report import Loaded, ReadReport
from textkin.data.readers.record_checks import checked_candidates, checked_collection
from textkin.data.readers.row_pairs import as_pairs
from textkin.data.records import CandidateSet, LabelKind, PairSet, RetrievalSet, Suite
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
    refuse_reading(reading)
    if isinstance(data, CandidateSet | RetrievalSet):
        raise DataError(f"{data.name or 'this'} holds a {type(data).__name__}, expected pairs")
    return as_loaded(as_pairs(data))


def loaded_data(
    data: GivenData, *, reading: Reading | None = None
) -> Loaded[PairSet] | Loaded[CandidateSet] | Loaded[RetrievalSet] | Loaded[Suite]:
    """Load records from a file or folder, or wrap given records.

    Raises:
        UsageError: the data are neither.
        DataError: the file is invalid, or all its rows were skipped.
    """
    if (path := path_of(data)) is not None:
        return load(path, reading=reading).some()
    if isinstance(data, CandidateSet):
        refuse_reading(reading)
        return as_loaded(checked_candidates(data))
    if isinstance(data, RetrievalSet):
        refuse_reading(reading)
        return as_loaded(checked_collection(data))
    return loaded_pairs(data, reading=reading)


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


@contextmanager
def file_of_pairs(data: GivenPairs, name: str = "pairs") -> Iterator[Path]:
    """Yield the file of pairs, or a temporary file with given pairs.

    Args:
        data: the pairs.
        name: the argument's name, by which messages call pairs that have no name of their own.

    Raises:
        UsageError: the data are neither.
    """
    if (path := path_of(data)) is not None:
        yield path
        return
    pairs = as_pairs(data, name=name)
    with TemporaryDirectory(prefix=IN_MEMORY) as folder:
        called = re.sub(r"[^\w.-]+", "-", pairs.name).strip(".-") or name
        path = Path(folder) / f"{called.removesuffix('.jsonl')}.jsonl"
        with path.open("w", encoding="utf-8") as stream:
            stream.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in _rows(pairs))
        yield path


def _rows(pairs: PairSet) -> Iterator[dict[str, Any]]:
    ids = any(pair.id_a or pair.id_b for pair in pairs)
    for pair, row in zip(pairs, pairs.rows(), strict=True):
        labelled = {} if pairs.kind is LabelKind.NONE else {"label": row["label"]}
        named = {"id_a": pair.id_a, "id_b": pair.id_b} if ids else {}
        yield {"a": pair.a, "b": pair.b, **labelled, **named}


def as_loaded(data: _Records) -> Loaded[_Records]:
    """Wrap records as if they had been read."""
    count = 1 if isinstance(data, RetrievalSet) else len(data)
    return Loaded(data, ReadReport(data.name or "records", count, count, {}, ()), "records")


def refuse_reading(reading: Reading | None) -> None:
    """Refuse reading options where records are given.

    Raises:
        UsageError: there are some.
    """
    if reading not in (None, Reading()):
        raise inapplicable("reading", to="records")
