"""A file cache of systems' outputs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, runtime_checkable

from textkin.data.protocols import HasMembers


@runtime_checkable
class Caches(Protocol):
    """A model that can cache its outputs: trained networks, which are slow."""

    def cache_in(self, path: Path | str) -> None:
        """Read known outputs from a file, and store new ones there."""


def cache(systems: Iterable[object], path: Path | str | None) -> None:
    """Cache the outputs of trained networks among systems and their members in a file.

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
