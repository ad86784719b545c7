"""What a file says of texts that are the same, for the mining of negatives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from textkin.base.errors import UsageError
from textkin.data.readers import Reading, format_of, load
from textkin.data.readers.formats import TABLE
from textkin.data.readers.read_report import Loaded
from textkin.data.records import CandidateSet, PairSet, RetrievalSet, Suite


def read_gold(
    path: Path | str, *, reading: Reading | None = None
) -> Loaded[PairSet] | Loaded[CandidateSet] | Loaded[RetrievalSet]:
    """Read pairs, candidates or a collection.

    Of candidates all questions are taken, those without a right candidate among them: their texts can be
    negatives, too.

    Args:
        path: a file or folder in a format that textkin reads.
        reading: of it; the question set is always all of them.

    Raises:
        UsageError: a suite of several data sets, or an option that does not go with the format.
        DataError: the file is not what it must be.
    """
    name = format_of(path, reading=reading)
    asked = replace(reading or Reading(), format=name)
    if "questions" in TABLE[name].options:
        asked = replace(asked, questions="all")
    loaded: Loaded[Any] = load(path, reading=asked)
    if isinstance(loaded.data, Suite):
        raise UsageError(f"{path} holds three data sets", fix="give its classification/train_pairs.tsv")
    return loaded
