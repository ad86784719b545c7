"""NumPy files that may be broken or hostile, read without pickles or NumPy's warnings."""

import os
import warnings
from io import BytesIO
from lzma import LZMAError
from pathlib import Path
from tempfile import TemporaryFile
from tokenize import TokenError
from typing import IO, Any, Literal
from zipfile import BadZipFile
from zlib import error as BadBytes

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import invalid
from textkin.base.files import as_output

_OF_ARRAYS = (OSError, ValueError, TypeError, OverflowError, MemoryError, EOFError, KeyError, IndexError)
_OF_PYTHON = (TokenError, SyntaxError)
_OF_ZIP = (BadZipFile, BadBytes, LZMAError, RuntimeError)
UNREADABLE = (*_OF_ARRAYS, *_OF_PYTHON, *_OF_ZIP)
"""Errors of ``numpy.load`` on invalid headers, shapes and zip files."""

_ROOM = 1 << 20


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


def array_in_file(folder: Path, rows: int, width: int) -> Floats32:
    """An array whose memory is a nameless file, so that it may be larger than the memory at hand.

    Args:
        folder: an existing folder, on whose disk the file is.
        rows: number of rows.
        width: number of columns, which may be 0, as the rows may.

    Raises:
        OutputError: there is no room for it on the disk.
    """
    if not rows * width:
        return np.empty((rows, width), dtype=np.float32)
    with as_output(folder), TemporaryFile(dir=folder) as stream:
        take_room(stream, 0, 4 * rows * width)
        # The array keeps the mapping alive.
        return np.asarray(np.memmap(stream, dtype=np.float32, mode="r+", shape=(rows, width)))


def take_room(stream: IO[bytes], place: int, size: int) -> None:
    """Allocate a part of a file on the disk.

    Writing to mapped memory without space on a full disk would kill the process with a signal.

    Raises:
        OSError: the disk is full.
    """
    stream.flush()
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(stream.fileno(), place, size)
        return
    stream.seek(place)
    for start in range(0, size, _ROOM):
        stream.write(bytes(min(_ROOM, size - start)))
    stream.flush()
