"""Reports of reading files: rows seen, kept and skipped, with reasons."""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Self, TypeVar

from textkin.base.counts import count
from textkin.base.errors import DataError, has_rows
from textkin.base.paths import is_of_memory, shown
from textkin.base.progress import detail, note, remark
from textkin.base.results import Result, ResultRow

_EXAMPLES = 3
_NAMED = 1000  # for files with ids
_SHOWN = 10

Data = TypeVar("Data")


@dataclass(frozen=True, slots=True)
class Skip:
    """A skipped row.

    Attributes:
        line: first line of the row, 1-based, in the report's ``unit``.
        reason: why.
        name: id of the row, for files with ids instead of lines.
    """

    line: int
    reason: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ReadReport:
    """The report of one file; ``rows == kept + sum(skipped.values())``.

    Attributes:
        path: the file or folder.
        rows: data rows seen, without header and blank lines.
        kept: rows that became records.
        skipped: number of skipped rows by reason.
        examples: the first few skips for every reason; the first thousand if they have ids.
        unit: unit of positions: lines, a column file's rows, or questions in a JSON document, where lines
            have no meaning.
        columns: the selected columns of a table in words; "" if there was no choice.
    """

    path: str
    rows: int
    kept: int
    skipped: Mapping[str, int]
    examples: tuple[Skip, ...]
    unit: str = "line"
    columns: str = ""

    def sentence(self) -> str:
        """The report in words, such as "12 rows, 11 kept; skipped 1: 1 empty text (line 7)"."""
        start = f"{count(self.rows, 'row')}, {self.kept:,} kept"
        if not self.skipped:
            return start
        parts = [f"{count:,} {reason} ({self._where(reason)})" for reason, count in self.skipped.items()]
        return f"{start}; skipped {self.rows - self.kept:,}: {', '.join(parts)}"

    def _where(self, reason: str) -> str:
        found = [skip for skip in self.examples if skip.reason == reason]
        places = [skip.name or f"{skip.line:,}" for skip in found[:_SHOWN]]
        shown = list(dict.fromkeys(places)) + ["..."] * (self.skipped[reason] > len(places))
        return f"{self.unit}{'' if len(shown) == 1 else 's'} {', '.join(shown)}"


def without_texts(report: ReadReport) -> DataError:
    """The error for a file without texts, with its skipped rows."""
    told = f": {report.sentence()}" if report.skipped else ""
    return DataError(f"holds no text{told}", path=report.path, fix="give a file with at least one")


def columns_in_words(reports: Iterable[ReadReport]) -> tuple[str, ...]:
    """The selected columns of each file that has several."""
    return tuple(f"{Path(one.path).name}: {one.columns}" for one in reports if one.columns)


def note_columns(report: ReadReport) -> None:
    """Print the selected columns of a file to standard error, if it has several."""
    if report.columns:
        remark(f"{shown(report.path)}: {report.columns}")


def note_read(report: ReadReport) -> None:
    """Print the selected columns and the skipped rows of a file to standard error, if there are any."""
    note_columns(report)
    if report.skipped:
        note(f"{shown(report.path)}: {report.sentence()}")


class SkipCounter:
    """Counter of rows and skips while a file is read.

    Attributes:
        rows: data rows seen so far, updated by the table.
        columns: the selected columns of a table in words, set by the reader.
        unit: what a row is called.
    """

    def __init__(self, path: Path | str, *, unit: str | None = None) -> None:
        self.rows = 0
        self.columns = ""
        self._start = time.perf_counter()
        self._path = str(path)
        self.unit = unit or ("row" if has_rows(path) else "line")
        self._counts: dict[str, int] = {}
        self._examples: list[Skip] = []

    def skip(self, line: int, reason: str, name: str = "") -> None:
        """Record the skipped row that starts on ``line``, with its id if it has one."""
        count = self._counts.get(reason, 0)
        self._counts[reason] = count + 1
        if count < (_NAMED if name else _EXAMPLES):
            self._examples.append(Skip(line, reason, name))

    def fault(self, message: str, line: int, *, fix: str) -> DataError:
        """An error about the row that starts on ``line``."""
        if self.unit == "line":
            return DataError(message, path=self._path, line=line, fix=fix)
        return DataError(f"{self.unit} {line:,}: {message}", path=self._path, fix=fix)

    def report(self) -> ReadReport:
        """The report so far."""
        account = ReadReport(
            path=self._path,
            rows=self.rows,
            kept=self.rows - sum(self._counts.values()),
            skipped=dict(sorted(self._counts.items(), key=lambda item: -item[1])),
            examples=tuple(self._examples),
            unit=self.unit,
            columns="" if is_of_memory(self._path) else self.columns,
        )
        seconds = time.perf_counter() - self._start
        detail(f"{shown(self._path)}: {account.sentence()}, within {seconds:.2f} s")
        return account


@dataclass(frozen=True, slots=True, repr=False)
class Loaded(Result, Generic[Data]):
    """Loaded data with the report and the name of the format; verbs take the data out of it."""

    data: Data
    report: ReadReport
    format: str

    def some(self) -> Self:
        """Return itself unless all rows were skipped.

        Raises:
            DataError: all rows were skipped.
        """
        if self.report.skipped and not self.report.kept:
            raise DataError(self.report.sentence(), path=self.report.path, fix="mend the rows")
        return self

    @property
    def held(self) -> Data:
        """The data, see :func:`textkin.base.frames.tabular`."""
        return self.data

    def _rows(self) -> Iterator[ResultRow]:
        yield from getattr(self.data, "rows", list)()

    def _said(self) -> tuple[str, ...]:
        return (f"{shown(self.report.path)}: {self.report.sentence()}",)
