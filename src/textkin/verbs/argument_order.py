"""Data and model in either order, for calls that neighbouring libraries write the other way round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textkin.base.hub import locate
from textkin.data.records import PairSet
from textkin.models.interop.folder_kinds import Kind, kind_of
from textkin.text.baselines.names import BASELINES
from textkin.verbs.inputs import column_names

_METHODS = "encode", "score", "predict", "read", "choose", "classify"


def data_and_model(first: Any, second: Any) -> tuple[Any, Any]:
    """Two arguments as data and model: exchanged where only the first one is a model."""
    return (second, first) if is_model(first) and not is_model(second) else (first, second)


def is_model(value: Any) -> bool:
    """True for the name or folder of a model, and for an object that can serve as one."""
    if isinstance(value, str | Path):
        folder = locate(value)
        return str(value) in BASELINES or (folder is not None and kind_of(folder) is not Kind.UNKNOWN)
    if isinstance(value, PairSet) or column_names(value) is not None:
        return False
    return callable(value) or any(hasattr(value, name) for name in _METHODS)
