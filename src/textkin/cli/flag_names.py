"""Flags of options that the library knows by another name than the command, for messages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_OF_COMMANDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "phrases": {
            "code_bytes": "--bytes-per-vector",
            "keep": "--per-passage",
            "questions": "--question-file",
        },
    }
)


def library_flags(command: str) -> Mapping[str, str]:
    """The flags of a command, by the library's names of its options."""
    return _OF_COMMANDS.get(command, {})
