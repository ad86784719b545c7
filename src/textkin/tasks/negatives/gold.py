"""What a file says of texts that are the same, for the mining of negatives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textkin.errors import UsageError
from textkin.readers import load
from textkin.readers.formats import TABLE, detect
from textkin.readers.report import Loaded
from textkin.records import CandidateSet, Collection, PairSet, Suite


def read_gold(
    path: Path | str, *, split: str | None = None, **reading: Any
) -> Loaded[PairSet] | Loaded[CandidateSet] | Loaded[Collection]:
    """Read pairs, candidates or a collection.

    Of candidates all questions are taken, those without a right candidate among them: their texts can be
    negatives, too.

    Args:
        path: a file or folder in a format that textkin reads.
        split: for formats that have several.
        **reading: ``columns``, ``format`` and ``quoting`` for ``readers.load``.

    Raises:
        UsageError: a suite of several data sets, or an option that does not go with the format.
        DataError: the file is not what it must be.
    """
    asked = {"columns": None, "format": "auto", "quoting": "auto", **reading, "split": split}
    if asked["format"] == "auto" and asked["columns"] is None and asked["quoting"] == "auto":
        asked["format"] = detect(Path(path))
    if asked["format"] in TABLE and "questions" in TABLE[asked["format"]].options:
        asked["questions"] = "all"
    loaded: Loaded[Any] = load(path, **asked)
    if isinstance(loaded.data, Suite):
        raise UsageError(f"{path} holds three data sets", fix="give its classification/train_pairs.tsv")
    return loaded
