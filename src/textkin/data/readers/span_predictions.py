"""Predictions in SQuAD's format: JSON objects from ids to answers or probabilities."""

import json
from collections.abc import Mapping
from pathlib import Path

from textkin.base.files import write_text
from textkin.data.readers.json_document import read_document


def read_predictions(path: Path | str) -> dict[str, str]:
    """Read predicted answers by question id, in file order; "" means no answer.

    Raises:
        DataError: the file is not a JSON object of strings.
    """
    return {key: value.text() for key, value in read_document(path).entries()}


def read_no_answer(path: Path | str) -> dict[str, float]:
    """Read probabilities of "no answer" by question id, in file order.

    The order breaks ties. Any finite number is accepted, since the scripts only compare them.

    Raises:
        DataError: the file is not a JSON object of finite numbers.
    """
    return {key: value.number() for key, value in read_document(path).entries()}


def write_by_question(path: Path | str, values: Mapping[str, str] | Mapping[str, float]) -> None:
    """Write predictions, or probabilities of "no answer", in order.

    Raises:
        OutputError: the file can't be written.
    """
    write_text(path, json.dumps(dict(values), ensure_ascii=False, allow_nan=False) + "\n")
