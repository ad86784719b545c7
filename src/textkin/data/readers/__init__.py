"""Readers from text files to records: one file per format, streaming, with counted skips.

:func:`load` detects the format. Every reader returns a ``Loaded``: the data, a ``ReadReport`` of skipped rows
with reasons, and the format.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textkin.base.argument_checks import checked
from textkin.base.errors import DataError, inapplicable, invalid, unknown_choice
from textkin.base.import_path import import_path
from textkin.base.progress import one_call
from textkin.base.python_inputs import a_path
from textkin.data.readers.columns import of_ranking
from textkin.data.readers.formats import TABLE, Holds, detect
from textkin.data.readers.read_options import Reading, TextReading

if TYPE_CHECKING:
    from textkin.data.readers.read_report import Loaded
    from textkin.data.readers.texts import Texts
    from textkin.data.records import CandidateSet, DuplicateSet, PairSet, RetrievalSet, Suite

    AnyLoaded = (
        Loaded[PairSet] | Loaded[CandidateSet] | Loaded[RetrievalSet] | Loaded[DuplicateSet] | Loaded[Suite]
    )

__all__ = [
    "FORMATS",
    "Reading",
    "TextReading",
    "detect",
    "format_of",
    "load",
    "load_candidates",
    "load_pairs",
    "load_texts",
    "options_of",
]

FORMATS = tuple(TABLE)
"""The formats that :func:`load` detects; TREC files have ``trec.read_qrels`` and ``trec.read_run``."""


def load(
    path: Path | str, *, reading: Reading | None = None, own: Callable[..., Any] | None = None
) -> AnyLoaded:
    """Read a file or folder of a known format.

    Args:
        path: the file or folder.
        reading: options, see :class:`Reading`; by default everything is detected.
        own: makes records of what one's own reader gives; by default pairs.

    Raises:
        UsageError: the format is unknown, or an option doesn't fit it.
        DataError: the file is invalid.
    """
    return _read(path, format_of(path, reading=reading), reading, own)


@checked
@one_call()
def load_pairs(path: Path | str, *, reading: Reading | None = None) -> Loaded[PairSet]:
    """Load pairs; other data is an error. See :func:`load`.

    Raises:
        UsageError: as :func:`load`.
        DataError: as :func:`load`, or the file contains no pairs.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> reading = tk.Reading(columns={"a": "text_a", "b": "text_b"})
        >>> tk.load_pairs(samples.path("near_misses.tsv"), reading=reading)
        <Loaded: 1,093 rows>
    """
    name = format_of(a_path(path, "path"), reading=reading)
    if name in TABLE and TABLE[name].holds is not Holds.PAIRS:
        raise DataError(f"holds {name} data, expected pairs", path=path, fix="give a file of text pairs")
    return _read(path, name, reading)


def load_candidates(path: Path | str, *, reading: Reading | None = None) -> Loaded[CandidateSet]:
    """Load questions with candidates; pairs are read as (question, candidate). See :func:`load`.

    Raises:
        UsageError: as :func:`load`, or the format contains neither.
        DataError: as :func:`load`, or pairs without labels of relevance.
    """
    from textkin.data.readers.candidates import read_candidates

    reading = reading or Reading()
    name = format_of(path, reading=reading)
    if name not in TABLE or TABLE[name].holds is Holds.CANDIDATES:
        return _read(path, name, reading, _queries)
    if TABLE[name].holds is Holds.PAIRS and reading.format in ("auto", "pairs"):
        return read_candidates(
            path, **_options("pairs", ("questions", "columns", "quoting", "encoding"), reading)
        )
    fitting = [other for other, format in TABLE.items() if format.holds is Holds.CANDIDATES]
    raise invalid(
        "format",
        name,
        expected=f"a format of candidates: auto, {', '.join(fitting)} or pairs",
    )


@checked
@one_call()
def load_texts(path: Path | str, *, reading: TextReading | None = None) -> Loaded[Texts]:
    """Read single texts: plain text with one text per line, or a column of a table.

    Raises:
        UsageError: the column is missing.
        DataError: the file can't be read or holds no text, or its text column can't be determined.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> len(tk.load_texts(samples.path("inbox.txt")).data)
        184
    """
    from textkin.data.readers.read_report import without_texts
    from textkin.data.readers.texts import read_texts

    loaded = read_texts(a_path(path, "path"), reading=reading)
    if not len(loaded.data):
        raise without_texts(loaded.report)
    return loaded


def format_of(path: Path | str, *, reading: Reading | None = None) -> str:
    """The format of a file: a key of ``formats.TABLE``, or the import path of one's own reader.

    Raises:
        UsageError: the format is unknown.
        DataError: the file can't be read.
    """
    reading = reading or Reading()
    name = reading.format
    if name in TABLE:
        return name
    if name != "auto":
        if (own := import_path(name, kind="format")) is not None:
            return own
        raise unknown_choice("format", name, ("auto", *FORMATS, "an import path such as my_format:read"))
    if of_ranking(reading.columns):
        return "ranking"
    asks = reading.columns or reading.quoting != "auto" or reading.encoding is not None
    return "pairs" if asks else detect(path)


def _queries(data: Any, *, name: str) -> CandidateSet:
    from textkin.data.readers.record_checks import checked_candidates

    if not hasattr(data, "queries"):
        raise invalid("format", name, expected="a CandidateSet")
    return checked_candidates(data)


def _read(path: Path | str, name: str, reading: Reading | None, own: Callable[..., Any] | None = None) -> Any:
    from textkin.data.readers.text_files import status

    status(path)
    options = _options(name, options_of(name), reading or Reading())
    if name in TABLE:
        return TABLE[name].reader(path, **options)
    from textkin.data.readers.own_format import read_own
    from textkin.data.readers.row_pairs import as_pairs

    return read_own(path, name, options, own or as_pairs)


def options_of(name: str) -> tuple[str, ...]:
    """The reading options of a format, bundled or one's own.

    Raises:
        UsageError: there is no such reader.
    """
    if name in TABLE:
        return TABLE[name].options
    from textkin.data.readers.own_format import own_options

    return own_options(name)


def _options(name: str, takes: tuple[str, ...], reading: Reading) -> dict[str, Any]:
    """The options of ``reading`` for a reader.

    Raises:
        UsageError: the reader doesn't accept an option.
    """
    asked = dict(reading.asked())
    for option in asked:
        if option not in takes:
            fitting = [other for other, format in TABLE.items() if option in format.options]
            raise inapplicable(
                option,
                to=f"the format {name!r}",
                fix=f"leave it out; it applies to: {', '.join(fitting)}",
            )
    return asked
