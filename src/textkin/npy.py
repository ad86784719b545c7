"""What reading a broken NumPy file raises."""

from __future__ import annotations

from tokenize import TokenError
from zipfile import BadZipFile
from zlib import error as BadBytes

_OF_ARRAYS = (OSError, ValueError, OverflowError, MemoryError, EOFError, KeyError, IndexError, TokenError)
_OF_ZIP = (BadZipFile, BadBytes, RuntimeError)
UNREADABLE = (*_OF_ARRAYS, *_OF_ZIP)
"""Of ``numpy.load``, whose header is read as Python and whose shape is believed, and of a zip file around."""
