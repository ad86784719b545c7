"""How a file is read: what a user may say of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, Self, final

from textkin.base.argument_checks import check_fields

QuotingOption = Literal["auto", "csv", "none"]
Questions = Literal["answered", "all", "mixed"]
Labels = Literal["entailment", "relatedness", "good", "graded"]
Repeats = Literal["official", "once"]

_AS_IT_IS = {"quoting": "auto", "questions": "answered", "labels": "entailment", "columns": {}}
"""Values that ask for nothing, so any format takes them."""
_ALWAYS_WRITTEN = ("columns", "format", "quoting")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How to read a file; what is None is as the format's reader has it.

    Attributes:
        format: one of ``data.readers.FORMATS``, or "auto"; with ``columns``, ``quoting`` or ``encoding``,
            "auto" means "pairs".
        columns: for pairs: roles to columns, see ``columns.parse_columns``.
        quoting: for pairs: whether double quotes quote, see ``table.open_table``.
        encoding: for pairs: of the text, such as "cp1252"; UTF-8 if left out.
        questions: for candidates: which question set.
        reference: for WikiQA: a ``.ref`` file that says which question set.
        labels: for SICK: which label; for SemEval: whether its labels are graded.
        split: for SICK.txt, BEIR, InsuranceQA, MovieQA and quora-ir: which split.
        repeats: for SemEval: which threads are left out.
        negatives: for InsuranceQA: how many wrong answers are drawn for a question of train.
        seed: of that draw.

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
        """The options, beside the format, that ask for something, with their values."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "format" and value is not None and value != _AS_IT_IS.get(field.name):
                yield field.name, value

    def layout(self) -> Reading:
        """How another file of the same layout is read, whatever part it holds."""
        return Reading(
            format=self.format,
            columns=self.columns,
            quoting=self.quoting,
            encoding=self.encoding,
            labels=self.labels,
        )

    def side(self, format: str) -> Reading:
        """How a side of the file is read: in its format, in textkin's own quoting and encoding."""
        return replace(self, format=format, quoting="auto", encoding=None)

    def to_dict(self) -> dict[str, Any]:
        """The columns, format and quoting, and what else was asked for, in JSON's types."""
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
        """What :meth:`to_dict` made.

        Raises:
            TypeError: there is another option.
        """
        return cls(**values)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TextReading:
    """How to read a file of single texts.

    Attributes:
        column: name or 1-based number of a table's column of texts; None to find it. Several with commas,
            such as "subject,body", are one text. Of JSON lines a name may be a path, such as "data.text".
        ids: of its ids; None to find it by its name. Without ids, the number of the row is one.
        quoting: whether double quotes in a table quote, see ``table.open_table``.
        encoding: of the text, such as "cp1252"; UTF-8 if left out, or UTF-16 with a byte order mark.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> reading = tk.TextReading(column="text")
        >>> len(tk.load_texts(samples.path("questions.tsv"), reading=reading).data)
        1515
    """

    column: str | None = None
    ids: str | None = None
    quoting: QuotingOption = "auto"
    encoding: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)
