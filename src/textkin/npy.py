"""What reading a broken NumPy file raises."""

from __future__ import annotations

from lzma import LZMAError
from tokenize import TokenError
from zipfile import BadZipFile
from zlib import error as BadBytes

_OF_ARRAYS = (OSError, ValueError, TypeError, OverflowError, MemoryError, EOFError, KeyError, IndexError)
_OF_PYTHON = (TokenError, SyntaxError)
_OF_ZIP = (BadZipFile, BadBytes, LZMAError, RuntimeError)
UNREADABLE = (*_OF_ARRAYS, *_OF_PYTHON, *_OF_ZIP)
"""Of ``numpy.load``, whose header is read as Python and whose shape is believed, and of a zip file around."""
