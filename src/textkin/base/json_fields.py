"""JSON files of model folders, with errors that name file, key and value.

Folders come from anywhere, so every field is validated.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textkin.base.errors import ConfigError, DataError, ModelError, UsageError, said
from textkin.base.printable import shortened

AGAIN = "copy the model folder again, whole"

_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # a surrogate in JSON, single or one of a pair
_MOST = 1e300  # beyond are infinity, and integers too large for a float
_LONGEST = 60  # characters of a value in a message


def read_text(path: Path) -> str:
    """The content of a text file of a model folder.

    Raises:
        ModelError: the file is missing, not a regular file, or not UTF-8.
    """
    try:
        if path.exists() and not path.is_file():
            raise ModelError("is not a regular file", path=path, fix=AGAIN)
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else said(error)
        raise ModelError(f"can't be read: {reason}", path=path, fix=AGAIN) from error


def read_json(path: Path) -> Any:
    """The content of a JSON file, or None if it doesn't exist.

    Raises:
        ModelError: the file can't be read, or is not JSON.
    """
    if not path.exists():
        return None
    text = read_text(path)
    try:
        found = json.loads(text)
        if _HALF.search(text):  # such a text can be neither written nor tokenised
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except (ValueError, RecursionError) as error:
        raise ModelError(f"can't be read as JSON: {said(error, whole=True)}", path=path, fix=AGAIN) from error


def read_object(path: Path) -> dict[str, Any]:
    """The content of a JSON file, which must be an object; empty if the file doesn't exist.

    Raises:
        ModelError: the file can't be read, or is not an object.
    """
    values = read_json(path)
    if values is not None and not isinstance(values, dict):
        raise ModelError("holds no JSON object", path=path, fix=AGAIN)
    return values or {}


def whole(values: Mapping[str, Any], key: str, path: Path | str, *, least: int = 1) -> int:
    """An integer that an object must have.

    Raises:
        ModelError: it is missing, or below ``least``.
    """
    found = values.get(key)
    if type(found) is not int or found < least or found.bit_length() > 62:
        raise wrong(values, key, path, f"a whole number from {least}")
    return found


def number(values: Mapping[str, Any], key: str, path: Path | str) -> float:
    """A finite number that an object must have.

    Raises:
        ModelError: it is missing.
    """
    found = values.get(key)
    if isinstance(found, bool) or not isinstance(found, int | float) or not abs(found) < _MOST:
        raise wrong(values, key, path, "a number")
    return float(found)


def flag(values: Mapping[str, Any], key: str, path: Path | str, *, default: bool = False) -> bool:
    """An optional boolean of an object.

    Raises:
        ModelError: it has another type.
    """
    found = values.get(key)
    if found is None:
        return default
    if not isinstance(found, bool):
        raise wrong(values, key, path, "true or false")
    return found


def table(values: Mapping[str, Any], key: str, path: Path | str) -> dict[str, Any]:
    """An object within an object; empty if it is missing.

    Raises:
        ModelError: it has another type.
    """
    found = values.get(key)
    if found is not None and not isinstance(found, dict):
        raise wrong(values, key, path, "an object")
    return found or {}


def text(values: Mapping[str, Any], key: str, path: Path | str) -> str:
    """A string that an object must have.

    Raises:
        ModelError: it is missing.
    """
    found = values.get(key)
    if not isinstance(found, str):
        raise wrong(values, key, path, "a string")
    return found


def strings(values: Mapping[str, Any], key: str, path: Path | str) -> list[str]:
    """A list of strings that an object must have.

    Raises:
        ModelError: it has another type.
    """
    found = values.get(key)
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise wrong(values, key, path, "a list of strings")
    return found


def wrong(values: Mapping[str, Any], key: str, path: Path | str, expected: str) -> ModelError:
    """An error about a value."""
    shown = shortened(repr(values[key]), _LONGEST) if key in values else "missing"
    told = f"{key} is {shown}, expected {expected}"
    return ModelError(told, path=path, fix=AGAIN, params=(key,), value=values.get(key), expected=expected)


@contextmanager
def blaming(folder: Path) -> Iterator[None]:
    """Attribute any error in the block to a model folder.

    The folder's values reach constructors of networks and tokenizers, also of other libraries, which may
    raise anything.

    Raises:
        ModelError: the block raised an error, other than textkin's own more specific ones.
    """
    try:
        yield
    except (ConfigError, DataError, UsageError) as error:
        raise ModelError(error.message, path=folder, fix=error.fix or AGAIN) from error
    except ModelError:
        raise
    except BaseException as error:
        # Tokenizers panic on unforeseen input, which is not an Exception.
        theirs = isinstance(error, Exception) or type(error).__name__ == "PanicException"
        if not theirs or isinstance(error, ImportError) or type(error).__module__.startswith("textkin."):
            raise
        raise ModelError(f"holds no model that works: {said(error)}", path=folder, fix=AGAIN) from error
