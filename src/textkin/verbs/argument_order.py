"""Data and model in either order, for calls that neighbouring libraries write the other way round."""

from pathlib import Path
from typing import Any

from textkin.base.errors import invalid
from textkin.base.frames import column_names
from textkin.base.hub import locate
from textkin.base.paths import exists, is_standard
from textkin.collection.store.address import is_address
from textkin.collection.store.open_store import is_there
from textkin.data.records import PairSet
from textkin.models.interop.folder_kinds import Kind, kind_of
from textkin.text.baselines.names import BASELINES, BaselineNames
from textkin.text.baselines.span_readers import SPAN_BASELINES
from textkin.verbs.inputs import MODEL_METHODS


def data_and_model(first: Any, second: Any) -> tuple[Any, Any]:
    """Two arguments as data and model: exchanged if the first is a model, or only the second is there."""
    if is_model(second):
        return first, second
    turned = is_model(first) or (
        is_missing_file(first) and not is_missing_file(second) and second is not None
    )
    return (second, first) if turned else (first, second)


def require_data(data: Any) -> None:
    """Check that the name of a model doesn't stand in the place of data.

    Raises:
        UsageError: it does.
    """
    if is_missing_file(data) and is_model(str(data)):  # the command line has paths
        raise invalid("data", data, expected="data to measure on, and the models after them")


def is_model(value: Any) -> bool:
    """True for the name or folder of a model, and for an object that can serve as one."""
    if isinstance(value, str | Path):
        if is_collection(value):
            return True
        folder = locate(value)
        if str(value) in BaselineNames((*BASELINES, *SPAN_BASELINES)):
            return True
        return folder is not None and kind_of(folder) is not Kind.UNKNOWN
    if isinstance(value, PairSet) or column_names(value) is not None:
        return False
    return callable(value) or any(hasattr(value, name) for name in MODEL_METHODS)


def is_collection(value: Any) -> bool:
    """True for the folder or the address of a collection."""
    return isinstance(value, str | Path) and (is_address(value) or is_there(Path(value)))


def is_missing_file(value: Any) -> bool:
    """True for the name of a file that doesn't exist; standard input does."""
    return isinstance(value, str | Path) and not (is_standard(value) or exists(value))
