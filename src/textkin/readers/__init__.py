"""Text files to records: one file per format, streaming, with counted and explained skips.

:func:`load` finds the format by itself. Every reader gives a ``Loaded``: the data, a ``ReadReport`` that says
what was skipped and why, and the format.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from textkin.errors import DataError, UsageError, did_you_mean
from textkin.readers.formats import TABLE, Holds, detect

if TYPE_CHECKING:
    from textkin.readers.candidates import Questions
    from textkin.readers.report import Loaded
    from textkin.readers.texts import Texts
    from textkin.records import CandidateSet, Collection, PairSet, Suite

__all__ = ["FORMATS", "Reading", "detect", "format_of", "load", "load_candidates", "load_pairs", "load_texts"]

FORMATS = tuple(TABLE)
"""The formats that :func:`load` knows; TREC files have ``trec.read_qrels`` and ``trec.read_run``."""

_Quoting = Literal["auto", "csv", "none"]


class Reading(TypedDict, total=False):
    """How to read a file; what is None or left out is as the format's reader has it.

    Attributes:
        format: one of ``FORMATS``, or "auto"; with ``columns`` or ``quoting``, "auto" means "pairs".
        columns: for pairs: roles to columns, see ``columns.parse_columns``.
        quoting: for pairs: whether double quotes quote, see ``table.open_table``.
        questions: for candidates: which question set.
        reference: for WikiQA: a ``.ref`` file that says which question set.
        labels: for SICK: which label; for SemEval: whether its labels are graded.
        split: for SICK.txt, BEIR, InsuranceQA, MovieQA and quora-ir: which split.
        repeats: for SemEval: which threads are left out.
        negatives: for InsuranceQA: how many wrong answers are drawn for a question of train.
        seed: of that draw.
    """

    format: str
    columns: Mapping[str, str] | None
    quoting: _Quoting
    questions: Questions
    reference: Path | str | None
    labels: Literal["entailment", "relatedness", "good", "graded"] | None
    split: str | None
    repeats: Literal["official", "once"]
    negatives: int
    seed: int


_AS_IT_IS = {"quoting": "auto", "questions": "answered", "labels": "entailment", "columns": {}}
"""Values that ask for nothing, so any format takes them."""


def load(
    path: Path | str, **reading: Unpack[Reading]
) -> Loaded[PairSet] | Loaded[CandidateSet] | Loaded[Collection] | Loaded[Suite]:
    """Read a file or folder of a known format.

    Args:
        path: the file or folder.
        **reading: see :class:`Reading`.

    Raises:
        UsageError: an unknown format, or an argument that does not fit it.
        DataError: the file is not what it must be.
    """
    loaded: Loaded[PairSet] | Loaded[CandidateSet] | Loaded[Collection] | Loaded[Suite] = _read(
        path, format_of(path, **reading), reading
    )
    return loaded


def load_pairs(path: Path | str, **reading: Unpack[Reading]) -> Loaded[PairSet]:
    """:func:`load`, where anything but pairs is an error.

    Raises:
        UsageError: as :func:`load`.
        DataError: as :func:`load`, or the file holds no pairs.
    """
    name = format_of(path, **reading)
    if TABLE[name].holds is not Holds.PAIRS:
        raise DataError(f"holds {name} data, expected pairs", path=path, fix="give a file of text pairs")
    loaded: Loaded[PairSet] = _read(path, name, reading)
    return loaded


def load_candidates(path: Path | str, **reading: Unpack[Reading]) -> Loaded[CandidateSet]:
    """:func:`load` of questions with candidates; a file of pairs is read as (question, candidate) pairs.

    Raises:
        UsageError: as :func:`load`, or a format that holds neither.
        DataError: as :func:`load`, or pairs without labels of relevance.
    """
    from textkin.readers.candidates import read_candidates

    name = format_of(path, **reading)
    if TABLE[name].holds is Holds.CANDIDATES:
        loaded: Loaded[CandidateSet] = _read(path, name, reading)
        return loaded
    if TABLE[name].holds is Holds.PAIRS and reading.get("format", "auto") in ("auto", "pairs"):
        return read_candidates(path, **_options("pairs", ("questions", "columns", "quoting"), reading))
    fitting = [other for other, format in TABLE.items() if format.holds is Holds.CANDIDATES]
    raise UsageError(
        f"{path}: the format {name!r} holds no candidates",
        fix=f"choose from: auto, {', '.join(fitting)}, pairs",
    )


def load_texts(path: Path | str, *, column: str | None = None, quoting: _Quoting = "auto") -> Loaded[Texts]:
    """Read single texts: plain text with one a line, or a column of a table.

    Raises:
        UsageError: there is no such column.
        DataError: the file can't be read, or its column of texts can't be found.
    """
    from textkin.readers.texts import read_texts

    return read_texts(path, column=column, quoting=quoting)


def format_of(path: Path | str, **reading: Unpack[Reading]) -> str:
    """The format that a file is read as: a key of ``formats.TABLE``.

    Raises:
        UsageError: an unknown format.
        DataError: it can't be read.
    """
    name = reading.get("format", "auto")
    if name != "auto" and name not in TABLE:
        raise UsageError(f"unknown format {name!r}", fix=f"choose from: auto, {', '.join(FORMATS)}")
    if name != "auto":
        return name
    return "pairs" if reading.get("columns") or reading.get("quoting", "auto") != "auto" else detect(path)


def _read(path: Path | str, name: str, reading: Reading) -> Any:
    return TABLE[name].reader(path, **_options(name, TABLE[name].options, reading))


def _options(name: str, takes: tuple[str, ...], reading: Reading) -> dict[str, Any]:
    """What ``reading`` asks of a reader.

    Raises:
        UsageError: the reader does not take it.
    """
    asked: dict[str, Any] = {
        option: value
        for option, value in reading.items()
        if option != "format" and value is not None and value != _AS_IT_IS.get(option)
    }
    for option in asked:
        if option not in Reading.__annotations__:
            raise UsageError(
                f"unknown option {option!r} of reading", fix=did_you_mean(option, Reading.__annotations__)
            )
        if option not in takes:
            fitting = [other for other, format in TABLE.items() if option in format.options]
            raise UsageError(
                f"--{option} does not go with the format {name!r}",
                fix=f"leave it out; it goes with: {', '.join(fitting)}",
            )
    return asked
