"""torch's compiler comes along with other parts of torch; the folder that it makes for itself need not."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

_NAME = "TORCHINDUCTOR_CACHE_DIR"


@contextmanager
def no_compiler_folder() -> Iterator[None]:
    """In the block the import of torch's compiler leaves no empty folder among the temporary files.

    It makes sure that its folder exists: the folder of all temporary files does. Nothing here is compiled by
    it, so that nothing is written there either. Whoever has chosen a folder keeps it.
    """
    if _NAME in os.environ:
        yield
        return
    os.environ[_NAME] = tempfile.gettempdir()
    try:
        yield
    finally:
        os.environ.pop(_NAME, None)
