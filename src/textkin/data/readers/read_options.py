"""User options for reading files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, Self

from textkin.base.argument_checks import check_fields

QuotingOption = Literal["auto", "csv", "none"]
Questions = Literal["answered", "all", "mixed"]
Labels = Literal["entailment", "relatedness", "good", "graded"]
Repeats = Literal["official", "once"]

_AS_IT_IS = {"quoting": "auto", "questions": "answered", "labels": "entailment", "columns": {}}
"""Values of unset options, accepted for any format."""
_ALWAYS_WRITTEN = ("columns", "format", "quoting")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Options for reading a file; None selects the reader's default.

    Attributes:
        format: one of ``data.readers.FORMATS``, or "auto"; together with ``columns``, ``quoting`` or
            ``encoding``, "auto" means "pairs".
        columns: for pairs: roles to columns, see ``columns.parse_columns``.
        quoting: for pairs: interpretation of double quotes, see ``table.open_table``.
        encoding: for pairs: text encoding, such as "cp1252"; UTF-8 by default.
        questions: for candidates: the question set.
        reference: for WikiQA: a ``.ref`` file that defines the question set.
        labels: for SICK: the label to use; for SemEval: "good" or "graded".
        split: for SICK.txt, BEIR, InsuranceQA, MovieQA and quora-ir: the split.
        repeats: for SemEval: the threads to exclude.
        negatives: for InsuranceQA: number of random wrong answers for a question of train.
        seed: seed of the random answers.

    Example:
        >>> import textkin as tk
        >>> tk.Reading(columns={"a": "question1", "b": "question2"}).format
        'auto'
    """

    format: str = "auto"
    columns: Mapping[str, str] | None = None
    quoting: QuotingOption = "auto"
    encoding: str | None = None
    questions: Questions = "answered"
    reference: Path | str | None = None
    labels: Labels | None = None
    split: str | None = None
    repeats: Repeats | None = None
    negatives: int | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        check_fields(self)

    def asked(self) -> Iterator[tuple[str, Any]]:
        """Yield the options other than the format that are set, with their values."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "format" and value is not None and value != _AS_IT_IS.get(field.name):
                yield field.name, value

    def layout(self) -> Reading:
        """The options for another file of the same layout, without the choice of a part."""
        return Reading(
            format=self.format,
            columns=self.columns,
            quoting=self.quoting,
            encoding=self.encoding,
            labels=self.labels,
        )

    def side(self, format: str) -> Reading:
        """The options for one side of a split: the file's format, in textkin's own quoting and encoding."""
        return replace(self, format=format, quoting="auto", encoding=None)

    def to_dict(self) -> dict[str, Any]:
        """The set options, with columns, format and quoting, as JSON-compatible values."""
        written = {name: getattr(self, name) for name in _ALWAYS_WRITTEN}
        if self.columns is not None:
            written["columns"] = dict(self.columns)
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in _ALWAYS_WRITTEN and value != field.default:
                written[field.name] = str(value) if isinstance(value, Path) else value
        return written

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read options from the result of :meth:`to_dict`.

        Raises:
            TypeError: an option is unknown.
        """
        return cls(**values)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReading:
    """Options for reading a file of single texts.

    Attributes:
        text: name or 1-based number of a table's text column; None to detect it. Several columns separated
            by commas, such as "subject,body", are joined into one text. In JSON lines, a name may be a path,
            such as "data.text".
        id: column of the ids; None to detect it by name. Without ids, the row number is used.
        quoting: interpretation of double quotes in a table, see ``table.open_table``.
        encoding: text encoding, such as "cp1252"; by default UTF-8, or UTF-16 with a byte order mark.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> reading = tk.TextReading(text="text")
        >>> len(tk.load_texts(samples.path("questions.tsv"), reading=reading).data)
        1515
    """

    text: str | None = None
    id: str | None = None
    quoting: QuotingOption = "auto"
    encoding: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)
