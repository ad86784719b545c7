"""Results in one file, to save and open again: JSON, and NumPy arrays beside it, in a zip archive.

A result is a tree of dataclasses; each stands with the place of its class and its fields. Only dataclasses
and enumerations of textkin are made again from a file, never other objects, so that opening one runs no code
of its author.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

import numpy as np

from textkin.base.errors import DataError, UsageError
from textkin.base.extras import imported
from textkin.base.files import atomic_path
from textkin.base.rows import Row

_FORMAT = 1
_MANIFEST = "result.json"
_PACKAGE = "textkin."
_OF_WORDS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {"float": float, "path": Path, "range": lambda ends: range(*ends)}
)
_OF_ITEMS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {"list": list, "tuple": tuple, "set": frozenset, "mapping": dict, "row": Row}
)
_AGAIN = "give a file that .save(path) of a result wrote"


def save_result(result: Any, path: Path | str) -> Path:
    """Write a result to a file, whole or not at all, and return its path.

    Raises:
        UsageError: it holds an object that no file can keep, such as a model.
        OutputError: the file can't be written.
    """
    arrays: list[np.ndarray[Any, Any]] = []
    tree = _plain(result, arrays, type(result).__name__)
    with atomic_path(path) as place, zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_MANIFEST, json.dumps({"format": _FORMAT, "result": tree}))
        for number, array in enumerate(arrays):
            with archive.open(_name(number), "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)
    return Path(path)


def open_result(path: Path | str) -> Any:
    """A result that ``.save(path)`` wrote.

    Raises:
        DataError: the file can't be read, or holds something else.

    Example:
        >>> import textkin as tk
        >>> place = tk.dedupe(["Hello!", "Hello!", "Bye."]).save("deduped.zip")
        >>> tk.open_result(place).kept_texts
        ['Hello!', 'Bye.']
    """
    try:
        with zipfile.ZipFile(path) as archive:
            head = json.loads(archive.read(_MANIFEST))
            if head["format"] != _FORMAT:
                raise DataError(f"has format {head['format']!r}, expected {_FORMAT}", path=path, fix=_AGAIN)
            found = _made(head["result"], archive)
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", path=path, fix="check the path") from error
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError, AttributeError, ImportError) as error:
        raise DataError(f"is not a saved result: {error}", path=path, fix=_AGAIN) from error
    if not hasattr(found, "to_pandas"):
        raise DataError("is not a saved result", path=path, fix=_AGAIN)
    return found


def _name(number: int) -> str:
    return f"{number}.npy"


def _plain(value: Any, arrays: list[np.ndarray[Any, Any]], where: str) -> Any:
    """A value as JSON; arrays are collected."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Enum):
        return {"enum": _place(type(value)), "value": value.value}
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return _of_array(value, arrays)
    if isinstance(value, PurePath):
        return {"path": str(value)}
    if isinstance(value, Row) or not type(value).__module__.startswith(_PACKAGE):
        return _of_many(value, arrays, where)
    if is_dataclass(value):
        names = [one.name for one in fields(value) if one.init]
        kept = {name: _plain(getattr(value, name), arrays, f"{where}.{name}") for name in names}
        return {"class": _place(type(value)), "fields": kept}
    if hasattr(value, "to_dict") and hasattr(value, "from_dict"):
        return {"stated": _place(type(value)), "values": _plain(value.to_dict(), arrays, where)}
    raise _unfit(value, where)


def _of_array(value: np.ndarray[Any, Any], arrays: list[np.ndarray[Any, Any]]) -> Any:
    if isinstance(value, np.ma.MaskedArray):
        parts = np.asarray(value.data), np.ma.getmaskarray(value)
        return {"masked": [_of_array(one, arrays) for one in parts]}
    arrays.append(value)
    return {"array": len(arrays) - 1}


def _of_many(value: Any, arrays: list[np.ndarray[Any, Any]], where: str) -> Any:
    if isinstance(value, Mapping):
        pairs = value.items()
        kind = "row" if isinstance(value, Row) else "mapping"
        return {kind: [[_plain(one, arrays, where) for one in pair] for pair in pairs]}
    if isinstance(value, range):
        return {"range": [value.start, value.stop, value.step]}
    if hasattr(value, "get_indexer"):  # an index of pandas
        items = [_plain(one, arrays, where) for one in value.tolist()]
        return {"index": items, "names": _plain(list(value.names), arrays, where)}
    if isinstance(value, list | tuple | AbstractSet) or (
        isinstance(value, Sequence) and not isinstance(value, str)
    ):
        kind = "list" if isinstance(value, list) else "set" if isinstance(value, AbstractSet) else "tuple"
        return {kind: [_plain(one, arrays, f"{where}[{place}]") for place, one in enumerate(value)]}
    raise _unfit(value, where)


def _unfit(value: Any, where: str) -> UsageError:
    told = f"{where} is a {type(value).__name__}, which no file can keep"
    return UsageError(told, fix="save what .to_pandas() gives")


def _place(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _made(tree: Any, archive: zipfile.ZipFile) -> Any:
    """The value of what :func:`_plain` gave."""
    if isinstance(tree, list):
        return [_made(one, archive) for one in tree]
    if not isinstance(tree, dict):
        return tree
    kind, inner = next(iter(tree.items()))
    if kind in _OF_WORDS:
        return _OF_WORDS[kind](inner)
    match kind:
        case "class":
            return _class(inner)(**{name: _made(one, archive) for name, one in tree["fields"].items()})
        case "stated":
            return _class(inner).from_dict(_made(tree["values"], archive))
        case "enum":
            return _class(inner)(tree["value"])
        case "array":
            return np.load(io.BytesIO(archive.read(_name(inner))), allow_pickle=False)
    items = _made(inner, archive)
    if kind == "index":
        return _index(items, _made(tree["names"], archive))
    if kind == "masked":
        return np.ma.MaskedArray(*items)
    return _OF_ITEMS[kind](items)


def _index(items: list[Any], names: list[Any]) -> Any:
    """An index of pandas, of several levels if it has several names."""
    pandas = imported("pandas", extra="pandas")
    if len(names) > 1 or isinstance(next(iter(items), None), tuple):
        levels = zip(*items, strict=True) if items else [[] for _ in names]
        return pandas.MultiIndex.from_arrays(list(levels), names=names)
    return pandas.Index(items, name=names[0])


def _class(place: str) -> Any:
    """A dataclass or an enumeration of textkin.

    Raises:
        ValueError: it is something else.
    """
    module, _, name = place.partition(":")
    found = getattr(import_module(module), name) if module.startswith(_PACKAGE) else None
    is_known = is_dataclass(found) or hasattr(found, "from_dict")
    if not isinstance(found, type) or not (is_known or issubclass(found, Enum)):
        raise ValueError(f"{place} is not a class of a result")
    return found
