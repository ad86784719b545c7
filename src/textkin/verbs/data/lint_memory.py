"""Data in memory to lint: pairs and other records, or single texts."""

from typing import Any

from textkin.base.errors import DataError, UsageError
from textkin.data.protocols import AnySystem
from textkin.data.readers import TextReading
from textkin.data.readers.read_report import Loaded
from textkin.kinds.registry import load_data
from textkin.verbs.inputs import TextInput, texts_from
from textkin.verbs.pair_inputs import given_pairs


def set_in_memory(data: Any, columns: Any, system: AnySystem | None) -> Loaded[Any] | TextInput:
    """Pairs or other records; with a model also single texts, if the data can't be read as pairs.

    Raises:
        UsageError: they are none of these.
        DataError: their labels are inconsistent.
    """
    try:
        return load_data(given_pairs(data, columns))[1]
    except (DataError, UsageError):
        if system is None or columns is not None:
            raise
        try:
            return texts_from(data, TextReading(), name="files")
        except (DataError, UsageError):
            pass  # the first error is the one to tell
        raise
