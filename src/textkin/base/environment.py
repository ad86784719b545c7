"""Variables that other libraries look at once, as they are imported; whoever has set one is heard."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager


@contextmanager
def unless_set(name: str, value: str) -> Iterator[None]:
    """A variable has a value in the block, unless it has one already."""
    if name in os.environ:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name, None)


def no_compiler_folder() -> AbstractContextManager[None]:
    """In the block the import of torch's compiler leaves no empty folder among the temporary files.

    It comes along with other parts of torch, and makes sure that its folder exists: the folder of all
    temporary files does. Nothing here is compiled by it, so that nothing is written there either.
    """
    return unless_set("TORCHINDUCTOR_CACHE_DIR", tempfile.gettempdir())
