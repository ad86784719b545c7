"""Nested frozen dataclasses to JSON types and back."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, TypeVar

from textkin.base.errors import DataError

FORMAT = 3
_Class = TypeVar("_Class")


def plain(report: Any) -> dict[str, Any]:
    """Convert the dataclass to JSON types, with the format number.

    Raises:
        DataError: a number is NaN or infinite; the message says where.
    """
    return {"format": FORMAT, **_plain(report, "report")}


def restore(kind: type[_Class], value: Mapping[str, Any]) -> _Class:
    """Create a ``kind`` from the result of :func:`plain`.

    Raises:
        DataError: a key is missing, unknown or of the wrong type, or a newer textkin wrote it.
    """
    from pydantic import TypeAdapter, ValidationError

    found = value.get("format")
    if found != FORMAT:
        raise DataError(
            f"report: format is {found!r}, expected {FORMAT}",
            fix="read it with the version of textkin that wrote it",
        )
    fields = {key: item for key, item in value.items() if key != "format"}
    try:
        return TypeAdapter(kind).validate_python(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in ("report", *first["loc"]))
        raise DataError(f"{where}: {first['msg']}", fix="write the report again: `study()`") from error


def _plain(value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: _plain(getattr(value, name), f"{where}.{name}") for name in names}
    if isinstance(value, Mapping):
        return {_text(str(key)): _plain(item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item, f"{where}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, str):
        return _text(value)
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise DataError(f"{where} is {value}, expected a finite number", fix="leave the figure out (None)")
    return value


def _text(value: str) -> str:
    # Unpaired surrogates can't be written as UTF-8; JSON lines may contain them.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
