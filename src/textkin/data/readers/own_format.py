"""Users' own formats: functions that read a file, by import path.

A reader gives records of any kind of data, or rows that they can be made of. The reading options that it
takes by name are those of the format.
"""

import inspect
from collections.abc import Callable, Iterator, Sized
from pathlib import Path
from typing import Any

from textkin.base.errors import TextkinError, UsageError, invalid
from textkin.base.import_path import called, imported
from textkin.data.readers.read_report import Loaded, ReadReport

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


def read_own(
    place: Path | str, path: str, options: dict[str, Any], records: Callable[..., Any]
) -> Loaded[Any]:
    """Read a file by an own reader.

    Args:
        place: the file.
        path: the reader's import path.
        options: reading options.
        records: makes records of what the reader gives, with their ``name``.

    Raises:
        UsageError: the reader fails, or gives something else than records.
    """
    reader = imported(path, kind=_KIND)
    found = called(path, reader, Path(place), kind=_KIND, options=options)
    if isinstance(found, Iterator):
        found = called(path, list, found, kind=_KIND, options={})
    try:
        data = records(found, name=Path(place).name)
    except TextkinError as error:
        raise UsageError(
            f"`{_KIND}` {path} gives no records: {error.message}",
            fix="give rows (text, text, label), or records such as a PairSet, a SpanSet or a ChoiceSet",
            params=(_KIND,),
            value=path,
            expected="records",
        ) from error
    count = len(data) if isinstance(data, Sized) else 1
    return Loaded(data, ReadReport(str(place), count, count, {}, ()), path)
