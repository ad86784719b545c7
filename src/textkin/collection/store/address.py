"""A collection's location: a folder, or a database address.

An address is a PostgreSQL URL, ``postgresql://USER@HOST/DATABASE``. Its parameter ``collection=NAME`` selects
the collection. Displayed addresses omit the password.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from textkin.base.errors import UsageError, invalid

DEFAULT = "default"
"""The default collection name of an address."""

_BEGINNINGS = ("postgresql://", "postgres://")
_ELSEWHERE = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_HOST = r"(?:\[[^\]]*\]|[^:@/\[\]]*)(?::\d+)?"
_SERVER = re.compile(f"{_HOST}(?:,{_HOST})*(?:/[^@:]*)?")
"""Hosts with ports, and a database. Anything else may contain part of a password."""

_SHOWN = ("host", "hostaddr", "port", "user", "dbname", "service")
"""The parameters of an address that may be displayed; others may be secrets."""


class DatabaseAddress:
    """A collection in a PostgreSQL database. Its text form omits the password.

    It isn't a dataclass, so that code that writes all fields as JSON doesn't find one.

    Args:
        name: the name of the collection.
        shown: the address without possible secrets.
        server: the complete address, for PostgreSQL's own library.
    """

    __slots__ = ("_server", "_shown", "name")

    def __init__(self, name: str, shown: str, server: str) -> None:
        self.name = name
        self._shown = shown
        self._server = server

    @property
    def schema(self) -> str:
        """The schema of the collection's tables."""
        return f"textkin_{self.name}"

    @property
    def server(self) -> str:
        """The connection string, which may contain a password."""
        return self._server

    def __str__(self) -> str:
        return self._shown

    def __repr__(self) -> str:
        return f"<DatabaseAddress {self._shown}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatabaseAddress) and (self.name, self._server) == (other.name, other._server)

    def __hash__(self) -> int:
        return hash((self.name, self._server))


Place = Path | DatabaseAddress
"""A collection's location, or its database, for error messages."""


def is_address(given: object) -> bool:
    """True for the address of a database, False for a path."""
    return isinstance(given, DatabaseAddress) or (isinstance(given, str) and given.startswith(_BEGINNINGS))


def place_of(given: Place | str) -> Place:
    """Parse a folder or an address.

    Raises:
        UsageError: it is neither text nor path, or looks like an unknown or invalid address.
    """
    if isinstance(given, DatabaseAddress):
        return given
    if not isinstance(given, str | Path):
        raise invalid("collection", given, expected="a folder or an address, as a text or a path")
    text = str(given)
    if text.startswith(_BEGINNINGS):
        return _address(text)
    if isinstance(given, Path) and text.startswith(("postgresql:/", "postgres:/")):
        raise UsageError(
            "`collection` is an address in a path, which loses one of its slashes",
            fix="give the address as a text: postgresql://USER@HOST/DATABASE",
            params=("collection",),
        )
    if other := _ELSEWHERE.match(text):  # as a folder it would show a password in it
        raise UsageError(
            f"`collection` begins with {other.group(1)}://, expected a folder or postgresql://USER@HOST/DATABASE",
            params=("collection",),
            value=other.group(1),
        )
    return Path(given)


def _address(text: str) -> DatabaseAddress:
    whole, _, query = text.partition("?")
    names, kept, shown = [], [], []
    for item in query.split("&") if query else []:
        key, _, value = item.partition("=")
        if key == "collection":
            names.append(unquote(value))
            continue
        kept.append(item)
        if key in _SHOWN:
            shown.append(item)
    name = names[-1] if names else DEFAULT
    if len(names) > 1 or not _NAME.fullmatch(name):
        raise UsageError(
            f"the address names the collection {name!r}"
            if len(names) < 2
            else "the address names two collections",
            fix="give one name of lower-case letters, digits and _, such as collection=tickets",
            params=("collection",),
        )
    begin, _, rest = whole.partition("://")
    user, at, place = rest.rpartition("@")
    if not _SERVER.fullmatch(place) or (not at and "@" in query):
        raise UsageError(
            "`collection` is not a valid address of PostgreSQL",
            fix="write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, : / ? # @ of a password as %3A %2F ...",
            params=("collection",),
        )
    visible = f"{begin}://{user.partition(':')[0]}{at}{place}"
    own = [f"collection={name}"] if names else []
    return DatabaseAddress(name, _joined(visible, [*shown, *own]), _joined(whole, kept))


def _joined(whole: str, items: list[str]) -> str:
    return f"{whole}?{'&'.join(items)}" if items else whole
