"""Findings of the linter, with their positions in the files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from textkin.base.counts import count
from textkin.base.errors import has_rows
from textkin.base.results import Result, ResultRow
from textkin.base.text_table import text_table


class Severity(StrEnum):
    """Severity of a finding."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Topic(StrEnum):
    """Topic of a finding."""

    SKIPPED_ROW = "skipped-row"
    REPEATED_PAIR = "repeated-pair"
    MIRRORED_PAIR = "mirrored-pair"
    CONTRADICTORY_LABEL = "contradictory-label"
    TRANSITIVE_CONTRADICTION = "transitive-contradiction"
    SELF_PAIR = "self-pair"
    TEXT_WITH_OTHER_IDS = "text-with-other-ids"
    ID_WITH_OTHER_TEXTS = "id-with-other-texts"
    LABEL_SHARE = "label-share"
    LABEL_SCALE = "label-scale"
    MISSING_LABEL = "missing-label"
    LENGTH_OUTLIER = "length-outlier"
    LONG_TEXT = "long-text"
    SHARED_PAIR = "shared-pair"
    SHARED_TEXT = "shared-text"
    UNKNOWN_TOKENS = "unknown-tokens"
    FAULTY_QUESTION = "faulty-question"
    REPEATED_CHOICE = "repeated-choice"
    REPEATED_QUESTION = "repeated-question"
    EMPTY_TEXT = "empty-text"
    LEARNT_PAIR = "learnt-pair"
    PRETRAINED = "pretrained"


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a pair.

    Attributes:
        file: name of the set of pairs.
        row: 0-based data row; -1 if the file alone identifies it.
        line: 1-based line of the file, or row of a column file, if known.
    """

    file: str
    row: int
    line: int | None = None

    def __str__(self) -> str:
        if self.line is None and self.row < 0:
            return self.file
        if self.line is None:
            return f"{self.file}: row {self.row}"
        return f"{self.file}: row {self.line}" if has_rows(self.file) else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Example:
    """A case of a finding: the rows that show it, with their content."""

    places: tuple[Place, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem in one file, or between two.

    Attributes:
        kind: topic of the finding.
        severity: how bad it is.
        files: files concerned.
        count: number of cases.
        message: description and advice, one sentence each.
        examples: the first few cases.
    """

    kind: Topic
    severity: Severity
    files: tuple[str, ...]
    count: int
    message: str
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class LintReport(Result):
    """All findings, in file order; ``pairs`` is the number of pairs, or questions, of each file.

    ``columns`` lists the columns that were selected in the files.

    Example:
        >>> import textkin as tk
        >>> report = tk.lint([("one", "two", 1), ("one", "two", 0)])
        >>> report.has_errors
        True
    """

    findings: tuple[Finding, ...]
    pairs: tuple[tuple[str, int], ...]
    columns: tuple[str, ...] = ()

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.findings:
            yield {
                "severity": one.severity.value,
                "finding": one.kind.value,
                "cases": one.count,
                "where": ", ".join(one.files),
                "message": one.message,
            }

    def _said(self) -> tuple[str, ...]:
        return tuple(f"{name or 'pairs'}: {count(number, 'pair')}" for name, number in self.pairs)

    def _summary(self) -> str:
        pairs = sum(number for _, number in self.pairs)
        return f"{count(pairs, 'pair')}, {count(len(self.findings), 'finding')}"

    def text(self) -> str:
        """The files, the findings, and an account of each with examples."""
        rows = [(name, f"{count:,}") for name, count in self.pairs]
        lines = [text_table(("file", "rows"), rows)] if rows else []
        if not self.findings:
            return "\n".join([*lines, "\nNothing odd was found."])
        found = [(one.severity, one.kind, f"{one.count:,}", ", ".join(one.files)) for one in self.findings]
        lines += ["", text_table(("", "finding", "cases", "where"), found)]
        for one in self.findings:
            lines.append(f"\n{one.severity}: {one.message}")
            lines += [f"  {', '.join(map(str, each.places))}: {each.text}" for each in one.examples]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The findings, the number of pairs of each file, and the columns that were read."""
        return asdict(self)

    @property
    def exit_code(self) -> int:
        """1 if an error must be fixed, else 0."""
        return int(self.has_errors)

    def of(self, kind: Topic) -> tuple[Finding, ...]:
        """The findings on one topic."""
        return tuple(finding for finding in self.findings if finding.kind is kind)

    @property
    def has_errors(self) -> bool:
        """True if an error must be fixed before the data can be trusted."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)
