"""Rate limits of keys, shared by all worker processes."""

from __future__ import annotations

import fcntl
import hashlib
import os
import struct
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import final

from textkin.server.request_errors import overloaded

_MINUTE = 60.0
_RECORD = struct.Struct("<32sqdd")  # key, limit, remaining texts, and time


@final
class RateLimit:
    """Rate limits of keys: texts per minute, with a minute's worth as a burst.

    The state is in an unnamed file inherited by worker processes. An unchanged limit continues with its
    remaining texts; a changed one starts afresh.
    """

    def __init__(self) -> None:
        with TemporaryFile() as made:
            self._file = os.dup(made.fileno())
        weakref.finalize(self, os.close, self._file)

    def take(self, name: str, texts: int, *, per_minute: int) -> None:
        """Count texts sent with a key.

        Args:
            name: the name of the key.
            texts: the number of texts.
            per_minute: its limit.

        Raises:
            RequestError: they exceed the limit.
        """
        of, now = hashlib.sha256(name.encode()).digest(), time.monotonic()  # one clock for all processes
        with self._locked():
            place, known, left, at = self._found(of)
            if known != per_minute:
                left, at = float(per_minute), now
            left = min(per_minute, left + (now - at) * per_minute / _MINUTE)
            is_taken = texts <= left
            record = _RECORD.pack(of, per_minute, left - texts if is_taken else left, now)
            os.pwrite(self._file, record, place)
        if not is_taken:
            wait = int((min(texts, per_minute) - left) * _MINUTE / per_minute) + 1
            raise overloaded(f"this key may send {per_minute:,} texts a minute", retry_after=wait)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Exclude other processes; the system releases the lock of a dead one. A context manager."""
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)

    def _found(self, of: bytes) -> tuple[int, int, float, float]:
        """The position of a key's record, and its content."""
        size = os.fstat(self._file).st_size // _RECORD.size * _RECORD.size
        content = os.pread(self._file, size, 0)
        for number, (known, *values) in enumerate(_RECORD.iter_unpack(content)):
            if known == of:
                return number * _RECORD.size, *values
        return size, 0, 0.0, 0.0
