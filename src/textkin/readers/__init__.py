"""Text files to records: one file per format, streaming, with counted and explained skips.

:func:`load` finds the format by itself. Every reader gives a ``Loaded``: the data, a ``ReadReport`` that says
what was skipped and why, and the format.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from textkin.errors import DataError, UsageError

if TYPE_CHECKING:
    from textkin.readers.candidates import Questions
    from textkin.readers.report import Loaded
    from textkin.readers.texts import Texts
    from textkin.records import CandidateSet, Collection, PairSet

__all__ = ["FORMATS", "detect", "load", "load_candidates", "load_pairs", "load_texts"]

FORMATS = ("pairs", "quora", "nli", "sick", "sts", "wikiqa", "beir")
"""The formats that :func:`load` knows; TREC files have ``trec.read_qrels`` and ``trec.read_run``."""

_Quoting = Literal["auto", "csv", "none"]


def detect(path: Path | str) -> str:
    """The format of a file or folder, by its content: one of ``FORMATS``.

    Raises:
        DataError: it can't be read, or is a folder that is no BEIR folder.
    """
    from textkin.readers import beir, nli, quora, sick, sts, wikiqa
    from textkin.readers.table import open_table

    if Path(path).is_dir():
        if beir.is_beir(path):
            return "beir"
        raise DataError(
            "is a folder without corpus.jsonl and queries.jsonl",
            path=path,
            fix="give a file or a BEIR folder",
        )
    table = open_table(path)
    tests = {
        "quora": quora.is_quora,
        "nli": nli.is_nli,
        "sick": sick.is_sick,
        "sts": sts.is_sts,
        "wikiqa": wikiqa.is_wikiqa,
    }
    return next((name for name, test in tests.items() if test(table)), "pairs")


def load(
    path: Path | str,
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    quoting: _Quoting = "auto",
    questions: Questions = "answered",
    labels: Literal["entailment", "relatedness"] = "entailment",
    split: str | None = None,
) -> Loaded[PairSet] | Loaded[CandidateSet] | Loaded[Collection]:
    """Read a file or folder of a known format.

    Args:
        path: the file or folder.
        format: one of ``FORMATS``, or "auto"; with ``columns`` or ``quoting``, "auto" means "pairs".
        columns: for pairs: roles to columns, see ``columns.parse_columns``.
        quoting: for pairs: whether double quotes quote, see ``table.open_table``.
        questions: for WikiQA: which question set.
        labels: for SICK: which label.
        split: for SICK.txt and BEIR: which split.

    Raises:
        UsageError: an unknown format, or an argument that does not fit it.
        DataError: the file is not what it must be.
    """
    if format != "auto" and format not in FORMATS:
        raise UsageError(f"unknown format {format!r}", fix=f"choose from: auto, {', '.join(FORMATS)}")
    if format == "auto":
        format = "pairs" if columns or quoting != "auto" else detect(path)
    if format != "pairs" and (columns or quoting != "auto"):
        raise UsageError(
            f"--columns and --quoting don't go with format {format!r}",
            fix="leave them out, or use --format pairs",
        )
    if format == "wikiqa":
        from textkin.readers.wikiqa import read_wikiqa

        return read_wikiqa(path, questions=questions)
    if format == "beir":
        from textkin.readers.beir import read_beir

        return read_beir(path, split=split)
    return _load_pairs(path, format, columns, quoting, labels, split)


def load_pairs(path: Path | str, **options: Any) -> Loaded[PairSet]:
    """:func:`load`, where anything but pairs is an error.

    Raises:
        UsageError: as :func:`load`.
        DataError: as :func:`load`, or the file holds no pairs.
    """
    from textkin.records import PairSet

    loaded = load(path, **options)
    if isinstance(loaded.data, PairSet):
        return loaded
    raise DataError(f"holds {loaded.format} data, expected pairs", path=path, fix="give a file of text pairs")


def load_candidates(
    path: Path | str,
    *,
    format: str = "auto",
    questions: Questions = "answered",
    columns: Mapping[str, str] | None = None,
    quoting: _Quoting = "auto",
) -> Loaded[CandidateSet]:
    """Read questions with candidates: WikiQA, or any file of labelled (question, candidate) pairs.

    Raises:
        UsageError: a format without candidates, or an unknown column.
        DataError: the file is not what it must be.
    """
    from textkin.readers.candidates import read_candidates
    from textkin.readers.wikiqa import read_wikiqa

    if format not in ("auto", "wikiqa", "pairs"):
        raise UsageError(f"format {format!r} holds no candidates", fix="choose from: auto, wikiqa, pairs")
    free = columns is None and quoting == "auto"
    if format == "wikiqa" or (format == "auto" and free and detect(path) == "wikiqa"):
        return read_wikiqa(path, questions=questions)
    return read_candidates(path, questions=questions, columns=columns, quoting=quoting)


def load_texts(path: Path | str, *, column: str | None = None, quoting: _Quoting = "auto") -> Loaded[Texts]:
    """Read single texts: plain text with one a line, or a column of a table.

    Raises:
        UsageError: there is no such column.
        DataError: the file can't be read, or its column of texts can't be found.
    """
    from textkin.readers.texts import read_texts

    return read_texts(path, column=column, quoting=quoting)


def _load_pairs(
    path: Path | str,
    format: str,
    columns: Mapping[str, str] | None,
    quoting: _Quoting,
    labels: Literal["entailment", "relatedness"],
    split: str | None,
) -> Loaded[PairSet]:
    from textkin.readers import nli, pairs, quora, sick, sts

    if format == "sick":
        return sick.read_sick(path, labels=labels, split=split)
    if format == "quora":
        return quora.read_quora(path)
    if format == "nli":
        return nli.read_nli(path)
    if format == "sts":
        return sts.read_sts(path)
    return pairs.read_pairs(path, columns=columns, quoting=quoting)
