"""Type checks of an architecture's arguments: numbers and truth values."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from textkin.base.errors import ConfigError

_CHECKED = (int, float, bool, int | None, Sequence[int])
_LARGEST = 10**9


def check_arguments(name: str, types: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Reject ``dim = false``, which Python takes for 0, and the like; strings are checked by their users.

    Args:
        name: the architecture's name.
        types: the types of its arguments.
        values: the arguments from a recipe or a manifest.

    Raises:
        ConfigError: a value is of another type, or a number out of range.
    """
    for argument, value in values.items():
        kind = types.get(argument)
        if kind not in _CHECKED:
            continue
        try:
            TypeAdapter(kind, config=ConfigDict(strict=True)).validate_python(value)
        except ValidationError as error:
            said = error.errors()[0]["msg"]
            raise _refusal(name, argument, value, said) from error
        if isinstance(value, int | float) and abs(value) > _LARGEST:
            raise _refusal(name, argument, value, f"Input should be at most {_LARGEST:,}")


def _refusal(name: str, argument: str, value: Any, said: str) -> ConfigError:
    return ConfigError(
        f"the architecture {name!r} can't be built: {argument} = {value!r}: {said}",
        fix="change the value",
        params=(argument,),
        value=value,
    )
