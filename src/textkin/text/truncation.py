"""Which part of a long text is kept."""

from __future__ import annotations

from enum import StrEnum

from textkin.base.errors import UsageError


class Truncate(StrEnum):
    """Which part of a long text is kept."""

    HEAD = "head"  # the start
    TAIL = "tail"  # the end


def kept(max_length: int | None, truncate: Truncate) -> slice:
    """The tokens of a text that are kept."""
    if max_length is None:
        return slice(None)
    return slice(max_length) if truncate is Truncate.HEAD else slice(-max_length, None)


def check_length(max_length: int | None, *, least: int = 1) -> None:
    """See that a text may have tokens at all.

    Raises:
        UsageError: ``max_length`` is no whole number, or below ``least``.
    """
    if max_length is not None and type(max_length) is not int:  # from a file it may be anything
        raise UsageError(
            f"max_length={str(max_length)[:40]} is no whole number", fix="give one, or none at all"
        )
    if max_length is not None and max_length < least:
        raise UsageError(
            f"max_length={max_length} leaves no token", fix=f"give {least} or more, or none at all"
        )
