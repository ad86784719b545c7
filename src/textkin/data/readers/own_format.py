"""Users' own formats: functions that read a file, by import path.

A reader gives rows of texts and labels, a ``PairSet``, a ``CandidateSet`` or a ``RetrievalSet``. The reading
options that it takes by name are those of the format.
"""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from textkin.base.errors import TextkinError, UsageError, invalid, said
from textkin.base.import_path import called, imported
from textkin.data.readers.read_report import Loaded, ReadReport
from textkin.data.readers.record_checks import checked_candidates, checked_collection
from textkin.data.readers.row_pairs import as_pairs
from textkin.data.records import CandidateSet, RetrievalSet

_KIND = "format"


def own_options(path: str) -> tuple[str, ...]:
    """The reading options that an own reader takes.

    Raises:
        UsageError: there is no such function.
    """
    found = imported(path, kind=_KIND)
    if not callable(found):
        raise invalid(_KIND, path, expected="a function that takes a path")
    return tuple(inspect.signature(found).parameters)[1:]


def read_own(place: Path | str, path: str, options: dict[str, Any]) -> Loaded[Any]:
    """Read a file by an own reader.

    Args:
        place: the file.
        path: the reader's import path.
        options: reading options.

    Raises:
        UsageError: the reader fails, or gives something else than records.
    """
    found = called(path, imported(path, kind=_KIND), Path(place), kind=_KIND, options=options)
    try:
        if isinstance(found, CandidateSet):
            data: Any = checked_candidates(found)
        elif isinstance(found, RetrievalSet):
            data = checked_collection(found)
        else:
            data = as_pairs(list(found) if isinstance(found, Iterator) else found, name=Path(place).name)
    except Exception as error:  # a generator runs here, and may raise anything
        words = error.message if isinstance(error, TextkinError) else f"{type(error).__name__}: {said(error)}"
        raise UsageError(
            f"`{_KIND}` {path} gives no records: {words}",
            fix="give rows (text, text, label), a PairSet, a CandidateSet or a RetrievalSet",
            params=(_KIND,),
            value=path,
            expected="records",
        ) from error
    count = 1 if isinstance(data, RetrievalSet) else len(data)
    return Loaded(data, ReadReport(str(place), count, count, {}, ()), path)
