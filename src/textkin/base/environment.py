"""Environment variables that libraries read at import; values set by the user take precedence."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager


@contextmanager
def unless_set(name: str, value: str) -> Iterator[None]:
    """Set a variable for the block, unless it has a value already."""
    if name in os.environ:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name, None)


def no_compiler_folder() -> AbstractContextManager[None]:
    """Keep the import of torch's compiler from creating an empty temporary folder.

    The compiler is imported with other parts of torch, and makes sure that its folder exists. The folder of
    all temporary files does. Nothing here is compiled by it, so nothing is written there either.
    """
    return unless_set("TORCHINDUCTOR_CACHE_DIR", tempfile.gettempdir())
