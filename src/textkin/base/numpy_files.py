"""NumPy files that may be broken or hostile, read without pickles or NumPy's warnings."""

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
"""Errors of ``numpy.load`` on invalid headers, shapes and zip files."""


def check_npy_name(target: Path) -> None:
    """Check that an output file has the ending of NumPy's files.

    Raises:
        UsageError: it has another ending.
    """
    if target.suffix != ".npy":
        raise invalid("out", target, expected="a name that ends in .npy")


def load_npy(source: Path | str | BytesIO, *, mapped: Literal["r", "c"] | None = None) -> Any:
    """Load a file by ``numpy.load``: an array or a zip file of arrays.

    Args:
        source: the file.
        mapped: memory-map the file: read-only (r), or with private changes in memory (c).

    Raises:
        Exception: any of :data:`UNREADABLE`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about headers written by Python 2
        return np.load(source, mmap_mode=mapped, allow_pickle=False)
