"""``textkin mcp``."""

from __future__ import annotations

import asyncio
import fcntl
import io
import os
import sys
from typing import Annotated

from textkin.base.errors import UsageError
from textkin.base.options import Option

EXAMPLES = """
textkin mcp tickets.kin
"""


def command(
    collections: Annotated[list[str], Option("Collections: folders, or NAME=DIR.", metavar="COLLECTION...")],
    /,
) -> None:
    """Give an assistant tools to search collections.

    The tools are search, fetch and match, by the Model Context Protocol over
    standard input and output. textkin serve offers the same tools at /mcp.
    They only read.
    """
    from textkin.base.extras import require, require_server

    require("mcp", extra="mcp")
    require_server()
    from textkin.server.mcp_tools import agent_server
    from textkin.server.open_service import Served, open_service

    _require_streams()
    service = open_service(Served(models=(), collections=tuple(collections)), read_only=True)
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
