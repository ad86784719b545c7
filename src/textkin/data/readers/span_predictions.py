"""Predictions in SQuAD's form: JSON objects of texts and of probabilities by id."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from textkin.base.files import write_text
from textkin.data.readers.json_document import read_document


def read_predictions(path: Path | str) -> dict[str, str]:
    """Question ids to predicted answers, as the file has them; "" stands for none.

    Raises:
        DataError: the file is no JSON object of texts.
    """
    return {key: value.text() for key, value in read_document(path).entries()}


def read_no_answer(path: Path | str) -> dict[str, float]:
    """Question ids to probabilities of no answer, in the order of the file.

    The order decides between equals. Any finite number will do, as the scripts only compare them.

    Raises:
        DataError: the file is no JSON object of finite numbers.
    """
    return {key: value.number() for key, value in read_document(path).entries()}


def write_by_question(path: Path | str, values: Mapping[str, str] | Mapping[str, float]) -> None:
    """Write predictions, or probabilities of no answer, in their order.

    Raises:
        OutputError: the file can't be written.
    """
    write_text(path, json.dumps(dict(values), ensure_ascii=False, allow_nan=False) + "\n")
