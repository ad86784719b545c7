"""The part of a long text that is kept."""

from enum import StrEnum

from textkin.base.errors import wrong_setting


class Truncate(StrEnum):
    """Part of a long text to keep."""

    HEAD = "head"  # the start
    TAIL = "tail"  # the end


def kept(max_length: int | None, truncate: Truncate) -> slice:
    """The slice of a text's tokens to keep."""
    if max_length is None:
        return slice(None)
    return slice(max_length) if truncate is Truncate.HEAD else slice(-max_length, None)


def check_length(max_length: int | None, *, least: int = 1) -> None:
    """Check that a maximum length is valid.

    Raises:
        UsageError: ``max_length`` is not an integer, or below ``least``.
    """
    if max_length is not None and type(max_length) is not int:  # values from a file may have any type
        raise wrong_setting("max_length", max_length, expected="a whole number, or None")
    if max_length is not None and max_length < least:
        raise wrong_setting("max_length", max_length, expected=f"{least} or more, or None")
