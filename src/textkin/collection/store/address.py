"""A collection's location: a folder, or an address.

An address is a scheme and a rest. ``postgresql://USER@HOST/DATABASE`` is a database, whose parameter
``collection=NAME`` selects the collection; ``memory://NAME`` is in this process only; an import path such as
``my_store:Lines://notes.jsonl`` is a user's own back end. Displayed addresses omit the password.
"""

import re
from pathlib import Path
from urllib.parse import unquote

from textkin.base.errors import UsageError, invalid
from textkin.base.spelling import is_command

DEFAULT = "default"
"""The default collection name of an address."""

POSTGRES, MEMORY = "postgresql", "memory"

_SCHEME = re.compile(r"([a-z_][\w+.:-]*?)://(.*)", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_HOST = r"(?:\[[^\]]*\]|[^:@/\[\]]*)(?::\d+)?"
_SERVER = re.compile(f"{_HOST}(?:,{_HOST})*(?:/[^@:]*)?")
"""Hosts with ports, and a database. Anything else may contain part of a password."""

_SHOWN = ("host", "hostaddr", "port", "user", "dbname", "service")
"""The parameters of an address that may be displayed; others may be secrets."""


class Address:
    """A collection outside of folders. Its text form omits the password.

    It isn't a dataclass, so that code that writes all fields as JSON doesn't find one.

    Args:
        scheme: ``postgresql``, ``memory``, or the import path of a user's own back end.
        name: the name of the collection.
        shown: the address without possible secrets.
        secret: what the back end opens: the complete address of a database, else what follows the scheme.
    """

    __slots__ = ("_secret", "_shown", "name", "scheme")

    def __init__(self, scheme: str, name: str, shown: str, secret: str) -> None:
        self.scheme = scheme
        self.name = name
        self._shown = shown
        self._secret = secret

    @property
    def secret(self) -> str:
        """What the back end opens, which may contain a password."""
        return self._secret

    def __str__(self) -> str:
        return self._shown

    def __repr__(self) -> str:
        return f"<Address {self._shown}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, str, str]:
        return self.scheme, self.name, self._secret


Place = Path | Address
"""A collection's location, or its database, for error messages."""


def is_address(given: object) -> bool:
    """True for an address, False for a path."""
    found = _SCHEME.fullmatch(given) if isinstance(given, str) else None
    return isinstance(given, Address) or (found is not None and _kind(found[1]) is not None)


def is_in_memory(place: Place) -> bool:
    """True for a collection of this process only."""
    return isinstance(place, Address) and place.scheme == MEMORY


def require_lasting(place: Place) -> None:
    """Refuse a command a collection in memory, which would end with it.

    Raises:
        UsageError: it is one.
    """
    if is_command() and is_in_memory(place):
        raise UsageError(
            f"the collection {place} is in memory, which ends with a command",
            fix="give a folder or a database, or serve the collection: `serve()`",
            params=("collection",),
            value=str(place),
        )


def _kind(scheme: str) -> str | None:
    """What a scheme stands for: PostgreSQL, memory, or an import path; None for others."""
    if scheme in (POSTGRES, "postgres"):
        return POSTGRES
    if scheme == MEMORY:
        return MEMORY
    from textkin.base.import_path import import_path  # which every command would load

    return import_path(scheme, kind="collection")


def place_of(given: Place | str) -> Place:
    """Parse a folder or an address.

    Raises:
        UsageError: it is neither text nor path, or looks like an unknown or invalid address.
    """
    if isinstance(given, Address):
        return given
    if not isinstance(given, str | Path):
        raise invalid("collection", given, expected="a folder or an address, as a text or a path")
    text = str(given)
    if isinstance(given, Path) and re.match(r"(postgres(ql)?|memory|[\w.]+:\w+):/", text):
        raise UsageError(
            "`collection` is an address in a path, which loses one of its slashes",
            fix="give the address as a text: postgresql://USER@HOST/DATABASE",
            params=("collection",),
        )
    found = _SCHEME.fullmatch(text)
    if found is None:
        return Path(given)
    scheme, rest = found.groups()
    if (kind := _kind(scheme)) is None:  # as a folder it would show a password in it
        raise UsageError(
            f"`collection` begins with {scheme}://, expected a folder, postgresql://USER@HOST/DATABASE, "
            "memory://NAME, or the import path of a back end, such as my_store:Lines://notes.jsonl",
            params=("collection",),
            value=scheme,
        )
    if kind == POSTGRES:
        return _address(text)
    if kind == MEMORY:
        if not re.fullmatch(r"[\w.-]*", rest):
            raise invalid("collection", text, expected="memory://NAME, of letters, digits, _, - and .")
        return Address(MEMORY, rest or DEFAULT, text, rest)
    place = rest.partition("?")[0]
    name = Path(place.rpartition("@")[2]).stem or DEFAULT
    return Address(kind, name, f"{scheme}://{_without_password(place)}", rest)


def _without_password(place: str) -> str:
    user, at, rest = place.rpartition("@")
    return f"{user.partition(':')[0]}{at}{rest}"


def _address(text: str) -> Address:
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
    return Address(POSTGRES, name, _joined(visible, [*shown, *own]), _joined(whole, kept))


def _joined(whole: str, items: list[str]) -> str:
    return f"{whole}?{'&'.join(items)}" if items else whole
