"""A file of texts with the labels of their nearest examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.counts import count
from textkin.base.paths import shown_output
from textkin.base.results import ResultRow, Summary
from textkin.base.table_writer import check_ending, check_name, written_table
from textkin.verbs.classify.classified import Classified


@dataclass(frozen=True, slots=True, repr=False)
class ClassifiedFile(Summary):
    """A file of labels.

    Attributes:
        out: the file.
        classified: its texts and labels.

    Example:
        >>> import textkin as tk
        >>> made = tk.classify(["my cat"], {"cat": ["cats sleep"], "dog": ["dogs bark"]}, out="labels.tsv")
        >>> made.classified.labels, made.out.name
        (('cat',), 'labels.tsv')
    """

    out: Path
    classified: Classified

    @classmethod
    def write(cls, out: Path, found: Classified) -> ClassifiedFile:
        """Write the labels, completely or not at all.

        Raises:
            OutputError: they can't be written.
        """
        header, rows = found.as_lines()
        with written_table(out, header) as writer:
            writer.write(rows)
        return cls(out, found)

    def _rows(self) -> Iterator[ResultRow]:
        yield {"model": self.classified.model, "texts": len(self.classified.labels), "out": self.out}

    def text(self) -> str:
        """The figures, and the file's name."""
        labelled = f"{count(len(self.classified.labels), 'text')} with labels by {self.classified.model}"
        return "\n".join(
            [*self.classified.printed_notes(), f"{labelled} written to {shown_output(self.out)}"]
        )

    def as_dict(self) -> dict[str, Any]:
        """The model, the figures, the number of texts and the file."""
        return {**self.classified.about(), "count": len(self.classified.labels), "out": self.out}


def check_classified_name(out: Path) -> None:
    """Check that a file of labels can have this name.

    Raises:
        UsageError: it has another ending.
        OutputError: no file can be written there.
    """
    check_name(out)
    check_ending(out)
