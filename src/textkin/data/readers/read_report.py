"""What a reader did with a file: how many rows it saw, kept and skipped, and why."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Self, TypeVar, final

from textkin.base.errors import DataError, has_rows
from textkin.base.paths import shown
from textkin.base.progress import detail, note, remark
from textkin.base.results import Result, ResultRow

_EXAMPLES = 3
_NAMED = 1000  # of those with ids
_SHOWN = 10

Data = TypeVar("Data")


@final
@dataclass(frozen=True, slots=True)
class Skip:
    """One row that was skipped.

    Attributes:
        line: where it starts, 1-based, counted in the report's ``unit``.
        reason: why.
        name: its id, where a file is known by ids rather than lines.
    """

    line: int
    reason: str
    name: str = ""


@final
@dataclass(frozen=True, slots=True)
class ReadReport:
    """The account of one file; ``rows == kept + sum(skipped.values())``.

    Attributes:
        path: the file or folder.
        rows: data rows seen, without header and blank lines.
        kept: rows that became records.
        skipped: number of skipped rows by reason.
        examples: the first few skips of every reason; the first thousand where they have ids.
        unit: what places are counted in: lines, a column file's rows, or in a JSON document, where lines mean
            nothing, questions.
        columns: which columns of a table were taken, in words; "" where there is no choice.
    """

    path: str
    rows: int
    kept: int
    skipped: Mapping[str, int]
    examples: tuple[Skip, ...]
    unit: str = "line"
    columns: str = ""

    def sentence(self) -> str:
        """The account in words, such as "12 rows, 11 kept; skipped 1: 1 empty text (line 7)"."""
        start = f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}, {self.kept:,} kept"
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
    """The error of a file without a text, with what was skipped in it."""
    told = f": {report.sentence()}" if report.skipped else ""
    return DataError(f"holds no text{told}", path=report.path, fix="give a file with at least one")


def columns_in_words(reports: Iterable[ReadReport]) -> tuple[str, ...]:
    """Which columns of each file were taken, where it has several."""
    return tuple(f"{Path(one.path).name}: {one.columns}" for one in reports if one.columns)


def note_columns(report: ReadReport) -> None:
    """Say on standard error which columns of a file were taken, where it has several."""
    if report.columns:
        remark(f"{shown(report.path)}: {report.columns}")


def note_read(report: ReadReport) -> None:
    """Say on standard error which columns of a file were taken, and which rows were skipped, if any."""
    note_columns(report)
    if report.skipped:
        note(f"{shown(report.path)}: {report.sentence()}")


@final
class SkipCounter:
    """Counts rows and skips while a file is read.

    Attributes:
        rows: data rows seen so far; the table adds to it.
        columns: which columns of a table were taken, in words; the reader says so.
    """

    def __init__(self, path: Path | str, *, unit: str | None = None) -> None:
        self.rows = 0
        self.columns = ""
        self._start = time.perf_counter()
        self._path = str(path)
        self._unit = unit or ("row" if has_rows(path) else "line")
        self._counts: dict[str, int] = {}
        self._examples: list[Skip] = []

    def skip(self, line: int, reason: str, name: str = "") -> None:
        """Note that the row that starts on ``line`` was skipped; its id where it has one."""
        count = self._counts.get(reason, 0)
        self._counts[reason] = count + 1
        if count < (_NAMED if name else _EXAMPLES):
            self._examples.append(Skip(line, reason, name))

    def fault(self, message: str, line: int, *, fix: str) -> DataError:
        """The error to raise about what starts on ``line``."""
        if self._unit == "line":
            return DataError(message, path=self._path, line=line, fix=fix)
        return DataError(f"{self._unit} {line:,}: {message}", path=self._path, fix=fix)

    def report(self) -> ReadReport:
        """The account so far."""
        account = ReadReport(
            path=self._path,
            rows=self.rows,
            kept=self.rows - sum(self._counts.values()),
            skipped=dict(sorted(self._counts.items(), key=lambda item: -item[1])),
            examples=tuple(self._examples),
            unit=self._unit,
            columns=self.columns,
        )
        seconds = time.perf_counter() - self._start
        detail(f"{shown(self._path)}: {account.sentence()}, within {seconds:.2f} s")
        return account


@final
@dataclass(frozen=True, slots=True, repr=False)
class Loaded(Result, Generic[Data]):
    """What was read, the account of it, and the name of the format it was in."""

    data: Data
    report: ReadReport
    format: str

    def some(self) -> Self:
        """This, where something is left of it.

        Raises:
            DataError: all rows were skipped.
        """
        if self.report.skipped and not self.report.kept:
            raise DataError(self.report.sentence(), path=self.report.path, fix="mend the rows")
        return self

    def _rows(self) -> Iterator[ResultRow]:
        yield from getattr(self.data, "rows", list)()

    def _said(self) -> tuple[str, ...]:
        return (f"{shown(self.report.path)}: {self.report.sentence()}",)
