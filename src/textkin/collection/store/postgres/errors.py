"""PostgreSQL's errors in one line without secrets: neither passwords nor rows."""

from __future__ import annotations

from typing import Any

from textkin.base.errors import DataError, OutputError, TextkinError
from textkin.collection.store.address import DatabaseAddress

_STATES = {
    "42501": ("doesn't let you do that", "ask its owner for rights; to make a collection takes CREATE"),
    "25006": ("takes no changes, as a standby or a read-only server", "name the server that writes"),
    "53100": ("has no room left", "free some space there; what was acknowledged is safe, go on then"),
    "53300": ("has too many connections", "close some, or raise max_connections there"),
    "55P03": ("is in use", "try again"),
    "40P01": ("is in use", "try again"),
    "57014": ("stopped the statement", "try again, or raise statement_timeout"),
}
"""Problem and fix by SQLSTATE."""

_CONNECTING = (
    ("password authentication failed", "refused the password", "check it, or keep it in PGPASSWORD"),
    ("no password supplied", "wants a password", "give one in PGPASSWORD or in ~/.pgpass"),
    ("no pg_hba.conf entry", "doesn't let you in", "ask its owner for access"),
    ("authentication failed", "doesn't let you in", "name another user: postgresql://USER@HOST/DATABASE"),
    ("role ", "doesn't know the user", "name another one: postgresql://USER@HOST/DATABASE"),
    ("database ", "has no such database", "make it: createdb DATABASE"),
    ("too many clients", "has too many connections", "close some, or raise max_connections there"),
    ("the database system is", "isn't ready", "try again in a moment"),
    ("invalid URI", "can't be understood as an address", "write postgresql://USER@HOST:PORT/DATABASE"),
    ("invalid connection option", "has an unknown option", "leave it out"),
    ("invalid percent", "can't be understood as an address", "write % as %25 in it"),
    ("extra key/value", "can't be understood as an address", "write postgresql://USER@HOST:PORT/DATABASE"),
    ("missing key/value", "can't be understood as an address", "write postgresql://USER@HOST:PORT/DATABASE"),
)
"""Problem and fix of a refused connection by its words, as there is no SQLSTATE."""

_UNREACHABLE = "see that the server runs, and that host and port are right"


def told(address: DatabaseAddress, error: Any) -> TextkinError:
    """The error of a statement.

    Args:
        address: the collection's address.
        error: psycopg's error.
    """
    state, message = error.sqlstate, _first_line(error)
    if state in _STATES:
        problem, fix = _STATES[state]
        return OutputError(f"{address} {problem}: {message}", fix=fix)
    if state is None or state[:2] in ("08", "57"):
        return OutputError(
            f"lost the connection to {address}: {message}",
            fix="go on when the server is back; what was acknowledged is there",
        )
    return DataError(
        f"damaged, or no collection: {message}",
        path=str(address),
        fix="look at it by `check_collection()`",
    )


def refused(address: DatabaseAddress, error: Any) -> TextkinError:
    """The error of a refused connection."""
    message = str(error).replace("\n", " ")
    for part, problem, fix in _CONNECTING:
        if part in message:
            return OutputError(f"{address} {problem}", fix=fix)
    return OutputError(f"can't reach {address}: {_reason(message)}", fix=_UNREACHABLE)


def _reason(message: str) -> str:
    """The reason for a failed connection, from a message that may name its parameters."""
    for reason in (
        "Connection refused",
        "No such file or directory",
        "timeout expired",
        "could not translate host name",
        "Name or service not known",
        "failed to resolve host",
        "No route to host",
        "Network is unreachable",
        "SSL",
        "Permission denied",
        "server closed the connection",
    ):
        if reason.lower() in message.lower():
            return reason[0].lower() + reason[1:] if reason != "SSL" else "SSL can't be agreed on"
    return "the connection failed"


def _first_line(error: Any) -> str:
    """The first line of the server's message; rows and values are in later lines."""
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    return str(primary or str(error).partition("\n")[0] or type(error).__name__)
