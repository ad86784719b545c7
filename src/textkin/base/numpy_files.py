"""NumPy files, which may be broken or hostile: read without pickles, and without a word of NumPy's own."""

from __future__ import annotations

import warnings
from io import BytesIO
from lzma import LZMAError
from pathlib import Path
from tokenize import TokenError
from typing import Any, Literal
from zipfile import BadZipFile
from zlib import error as BadBytes

import numpy as np

from textkin.base.errors import invalid

_OF_ARRAYS = (OSError, ValueError, TypeError, OverflowError, MemoryError, EOFError, KeyError, IndexError)
_OF_PYTHON = (TokenError, SyntaxError)
_OF_ZIP = (BadZipFile, BadBytes, LZMAError, RuntimeError)
UNREADABLE = (*_OF_ARRAYS, *_OF_PYTHON, *_OF_ZIP)
"""Of ``numpy.load``, whose header is read as Python and whose shape is believed, and of a zip file around."""


def check_npy_name(target: Path) -> None:
    """See that a file to write has the ending of NumPy's files, which says what it is.

    Raises:
        UsageError: it has another one.
    """
    if target.suffix != ".npy":
        raise invalid("out", target, expected="a name that ends in .npy")


def load_npy(source: Path | str | BytesIO, *, mapped: Literal["r", "c"] | None = None) -> Any:
    """What ``numpy.load`` finds, an array or a zip file of arrays.

    Args:
        source: the file.
        mapped: leave it on the disk: to be read only (r), or with changes of one's own in memory (c).

    Raises:
        Exception: one of :data:`UNREADABLE`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of headers as Python 2 wrote them
        return np.load(source, mmap_mode=mapped, allow_pickle=False)
