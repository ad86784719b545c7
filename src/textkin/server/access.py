"""Access control by host and origin, so that foreign pages can't reach a local server."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import final
from urllib.parse import urlsplit

from textkin.server.request_errors import RequestError, Trouble

_HEADERS = b"authorization, content-type, x-request-id"
_NAMES = re.compile(rb"[\w!#$%&'*+.^`|~-]{1,100}(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]{1,100}){0,99}", re.ASCII)
"""Names of headers, as a browser lists those a page intends to send."""

_GRANTED = (
    (b"access-control-allow-methods", b"GET, POST, DELETE"),
    (b"access-control-expose-headers", b"retry-after, x-request-id, x-textkin-truncated, mcp-session-id"),
    (b"access-control-max-age", b"600"),
)

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@final
class Access:
    """Accepted hosts and origins.

    A local server without keys is open to every page in the machine's browser: the page can give its own name
    that address, or send forms there. So such a server answers only to its own names.

    Args:
        hosts: accepted host names; none for all.
        origins: foreign origins whose pages may send requests; "*" for all.
    """

    def __init__(self, *, hosts: Sequence[str] = (), origins: Sequence[str] = ()) -> None:
        self._hosts = frozenset(one.lower() for one in hosts)
        self.origins = tuple(origins)

    def check(self, headers: Mapping[bytes, bytes]) -> None:
        """Check the host and origin of a request.

        Raises:
            RequestError: it was sent to another host name, or by a foreign page.
        """
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self._hosts and _name_of(host) not in self._hosts:
            raise RequestError(
                f"the host {host[:80]!r} is not allowed",
                status=421,
                trouble=Trouble.UNAUTHORIZED,
                fix="start the server with it in `allowed_host`",
            )
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        if not origin or origin in self.origins or "*" in self.origins:
            return
        if _netloc_of(origin) != host:
            raise RequestError(
                f"pages of {origin[:80]!r} may not ask this server",
                status=403,
                trouble=Trouble.UNAUTHORIZED,
                fix="start the server with it in `cors_allow_origin`",
            )

    def granted(self, headers: Mapping[bytes, bytes]) -> list[tuple[bytes, bytes]]:
        """CORS headers for an allowed foreign page.

        Such a page may send any headers, since clients of other services send some of their own.
        """
        origin = headers.get(b"origin", b"")
        if origin.decode("latin-1").lower() not in self.origins and not (origin and "*" in self.origins):
            return []
        wanted = headers.get(b"access-control-request-headers", b"").strip()
        allowed = wanted if _NAMES.fullmatch(wanted) else _HEADERS
        found = [(b"access-control-allow-origin", origin), (b"access-control-allow-headers", allowed)]
        if headers.get(b"access-control-request-private-network") == b"true":
            found.append((b"access-control-allow-private-network", b"true"))
        return [*found, (b"vary", b"origin, access-control-request-headers"), *_GRANTED]


def _netloc_of(origin: str) -> str:
    """Name and port of an origin; "" if invalid."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _name_of(host: str) -> str:
    """The name in "name:port"."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
