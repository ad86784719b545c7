"""Collections for an assistant, over standard input and output."""

import asyncio
import fcntl
import io
import os
import sys

from textkin.base.errors import UsageError, inapplicable
from textkin.server.mcp_tools import agent_server
from textkin.server.open_service import Served, open_service


def serve_for_assistant(served: Served) -> None:
    """Serve an assistant's tools until standard input ends: search, fetch and match. They only read.

    Raises:
        UsageError: no collection is named, or something else, or a standard stream is closed.
        DataError: a collection is damaged.
    """
    if served.models or served.phrases:
        other = (*served.models, *served.phrases)[0]
        raise inapplicable("mcp", to=f"{other}, which is not a collection")
    if not served.collections:
        raise UsageError("`mcp` needs a collection", fix="name its folder", params=("mcp",))
    _require_streams()
    service = open_service(served, read_only=True)
    try:
        asyncio.run(agent_server(service).run_stdio_async())
    finally:
        service.close()


def _require_streams() -> None:
    """Check that standard input and output are open.

    Raises:
        UsageError: standard input can't be read, or standard output can't be written to.
    """
    for stream, name, useless in ((sys.stdin, "input", os.O_WRONLY), (sys.stdout, "output", os.O_RDONLY)):
        flags = fcntl.fcntl(stream.fileno(), fcntl.F_GETFL) if isinstance(stream, io.TextIOWrapper) else None
        if flags is None or flags & os.O_ACCMODE == useless:
            raise UsageError(f"standard {name} is closed", fix="have the assistant start this command")
