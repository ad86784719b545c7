"""The part of a long text that is kept."""

from enum import StrEnum

from textkin.base.errors import UsageError


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
        raise UsageError(
            f"max_length={str(max_length)[:40]} is no whole number", fix="give one, or none at all"
        )
    if max_length is not None and max_length < least:
        raise UsageError(
            f"max_length={max_length} leaves no token", fix=f"give {least} or more, or none at all"
        )
