"""API keys, of which a file holds only hashes, and their rate limits."""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import os
import re
import secrets
import struct
import time
import tomllib
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from textkin.base.errors import DataError, invalid, required
from textkin.base.files import write_text
from textkin.base.paths import open_regular
from textkin.base.progress import note
from textkin.base.results import Printed
from textkin.server.request_errors import RequestError, Trouble, body_error, overloaded

_BYTES = 32  # bytes of a key, enough that it can't be guessed from its hash
_STRICT = "correct it, or make the key again with `new_key`"
_LARGEST = 1 << 20  # bytes
_NAME = re.compile(r"(?=.*[^\W_])[\w-]{1,100}")
_HEAD = "# API keys of textkin serve, by their SHA-256. The keys themselves are nowhere\n"


def _named(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name[:60]!r} is not a name of letters, digits, - and _")
    return name


class ApiKey(BaseModel):
    """A key as stored in the file.

    Attributes:
        name: its owner, for logs.
        sha256: its hash, in hexadecimal.
        read_only: True if it can't change collections.
        texts_per_minute: its rate limit; None for the server's.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Annotated[str, AfterValidator(_named)]
    sha256: Annotated[str, StringConstraints(to_lower=True, pattern="^[0-9a-f]{64}$")]
    read_only: bool = False
    texts_per_minute: Annotated[int, Field(ge=1)] | None = None


class _KeyFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: Annotated[list[ApiKey], Field(min_length=1)]


class Keys:
    """The keys of a server; none if it is open to all.

    Keys from a file are kept up to date: every request checks the file for changes. A file that is unreadable
    or holds no keys leaves the previous ones in place, and is reported once.

    Args:
        keys: the initial keys.
        place: their file.
        told: called with an event and its details when the file was read again.
        for_metrics: /metrics needs a key, too.
    """

    def __init__(
        self,
        keys: Sequence[ApiKey] = (),
        *,
        place: Path | None = None,
        told: Callable[[str, dict[str, Any]], None] | None = None,
        for_metrics: bool = False,
    ) -> None:
        self.for_metrics = for_metrics
        self._keys, self._allowances = tuple(keys), RateLimit()
        self._place, self._told = place, told
        self._version: tuple[int, int, int] | None = None if place is None else _version(place)

    def __len__(self) -> int:
        return len(self._keys)

    def require(self, authorization: str | None, *, writes: bool) -> ApiKey | None:
        """Find the key of a request, in constant time; None if no key is needed.

        Args:
            authorization: the Authorization header: the key, with or without "Bearer".
            writes: True if the request changes a collection.

        Raises:
            RequestError: the key is missing, wrong or read-only.
        """
        self._refresh()
        if not self._keys:
            return None
        given = (authorization or "").strip()
        kind, blank, rest = given.partition(" ")
        key = rest.strip() if blank and kind.lower() == "bearer" else given
        digest = _hash(key)
        found = None
        for one in self._keys:  # compare with all of them, for constant time
            if hmac.compare_digest(digest, one.sha256):
                found = one
        if found is None:
            raise RequestError(
                "no API key, or a wrong one",
                status=401,
                trouble=Trouble.UNAUTHORIZED,
                fix="send the header Authorization: Bearer KEY",
            )
        if writes and found.read_only:
            raise RequestError("this key only reads", trouble=Trouble.UNAUTHORIZED)
        return found

    def count(self, key: ApiKey | None, texts: int) -> None:
        """Count the texts sent with a key.

        Raises:
            RequestError: they exceed its limit.
        """
        if key is not None and key.texts_per_minute is not None:
            self._allowances.take(key.name, texts, per_minute=key.texts_per_minute)

    def _refresh(self) -> None:
        """Read the file again if it has changed."""
        if self._place is None or (version := _version(self._place)) == self._version:
            return
        self._version = version
        try:
            keys = _read(self._place)
        except DataError as error:
            event, line = "keys not reloaded", {"error": str(error), "keys": len(self._keys)}
        else:
            self._keys = tuple(keys)
            event, line = "keys reloaded", {"keys": len(keys)}
        if self._told is not None:
            self._told(event, line)


def read_keys(
    path: Path | str,
    *,
    told: Callable[[str, dict[str, Any]], None] | None = None,
    for_metrics: bool = False,
) -> Keys:
    """The keys in a file, which is reread when it changes; other arguments as in :class:`Keys`.

    Raises:
        DataError: it can't be read, or contains no keys.
    """
    place = Path(path)
    return Keys(_read(place), place=place, told=told, for_metrics=for_metrics)


@dataclass(frozen=True, slots=True)
class NewKey(Printed):
    """A new API key.

    Attributes:
        name: its owner.
        key: the key, which is not told again.
        file: the file that has its hash.

    Example:
        >>> import textkin as tk
        >>> made = tk.serve(new_key="bob", api_key_file="bob.toml")
        >>> made.name, made.file.name
        ('bob', 'bob.toml')
    """

    name: str
    key: str
    file: Path

    def text(self) -> str:
        """The key."""
        return self.key

    def as_dict(self) -> dict[str, Any]:
        """The key, its owner and the file."""
        return {"name": self.name, "key": self.key, "file": self.file}


def make_key(
    name: str, file: Path | None, *, read_only: bool = False, texts_per_minute: int | None = None
) -> NewKey:
    """Create a key as :func:`add_key`, and say where its hash is.

    Raises:
        UsageError: no file is named; otherwise as there.
    """
    if file is None:
        raise required("api_key_file", by="`new_key`")
    key = add_key(file, name, read_only=read_only, texts_per_minute=texts_per_minute)
    note(f"{file} has the key's hash. Keep the key itself: it is not shown again.")
    return NewKey(name, key, file)


def add_key(
    path: Path | str, name: str, *, read_only: bool = False, texts_per_minute: int | None = None
) -> str:
    """Create a key, and append its hash to a file, created if missing. Returns the key.

    Raises:
        UsageError: the file has a key with that name, or the name is invalid.
        DataError: the file can't be read.
        OutputError: it isn't writable.
    """
    place = Path(path)
    there = _read(place) if place.exists() else []
    if not _NAME.fullmatch(name):
        raise invalid("name", name, expected="letters, digits, - and _")
    if any(one.name == name for one in there):
        raise invalid("name", name, expected=f"a name that no key in {place} has", fix="or remove its lines")
    key = "tk-" + secrets.token_urlsafe(_BYTES)
    made = ApiKey(name=name, sha256=_hash(key), read_only=read_only, texts_per_minute=texts_per_minute)
    write_text(place, _HEAD + "".join(map(_as_toml, [*there, made])))
    place.chmod(0o600)
    return key


def _version(place: Path) -> tuple[int, int, int] | None:
    """The file's version, which changes with the file; None if it is missing."""
    try:
        found = place.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _as_toml(key: ApiKey) -> str:
    lines = [f'name = "{key.name}"', f'sha256 = "{key.sha256}"']
    lines += ["read_only = true"] if key.read_only else []
    lines += [] if key.texts_per_minute is None else [f"texts_per_minute = {key.texts_per_minute}"]
    return "\n".join(["", "[[key]]", *lines, ""])


def _read(place: Path) -> list[ApiKey]:
    try:
        with open_regular(place, follow=True) as stream:
            content = stream.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise DataError(f"has more than {_LARGEST >> 20} MiB", path=place, fix="name a file of keys")
        values = tomllib.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", path=place) from error
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"is not a file of keys: {error}", path=place, fix="make it with `new_key`"
        ) from error
    if not values:
        raise DataError("holds no keys", path=place, fix="make one with `new_key`")
    try:
        found = _KeyFile.model_validate(values).key
    except ValidationError as error:
        wrong = body_error(error, values, list(ApiKey.model_fields))
        raise DataError(wrong.message, path=place, fix=wrong.fix or _STRICT) from error
    for what in ("name", "sha256"):
        if len({getattr(one, what) for one in found}) < len(found):
            raise DataError(f"two keys have one {what}", path=place, fix="give each its own")
    return found


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


_MINUTE = 60.0
_RECORD = struct.Struct("<32sqdd")  # key, limit, remaining texts, and time


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
