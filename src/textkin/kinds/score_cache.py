"""Systems that take what they said before from a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, runtime_checkable

from textkin.data.protocols import HasMembers


@runtime_checkable
class Caches(Protocol):
    """What can keep what it says of texts: trained networks, of which a text takes long."""

    def cache_in(self, path: Path | str) -> None:
        """Take what was said from a file, and keep there what is said from now on."""


def cache(systems: Iterable[object], path: Path | str | None) -> None:
    """Let the trained networks among systems and their members keep what they say in a file.

    Raises:
        OutputError: the file can't be written, or is of another kind.
    """
    if path is None:
        return
    for one in systems:
        if isinstance(one, Caches):
            one.cache_in(path)
        elif isinstance(one, HasMembers):
            cache(one.members, path)
