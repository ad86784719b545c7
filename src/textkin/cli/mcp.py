"""``textkin mcp``."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

EXAMPLES = """
textkin mcp tickets.kin
"""


def command(
    collections: Annotated[
        list[str], typer.Argument(metavar="COLLECTION...", help="Folders of collections, or NAME=DIR.")
    ],
) -> None:
    """Give an assistant tools to search collections.

    The tools are search, fetch and match, by the Model Context Protocol over
    standard input and output. The same tools answer at /mcp of textkin serve.
    Nothing is changed.
    """
    from textkin.extras import require, require_server

    require("mcp", extra="mcp")
    require_server()
    from textkin.server.agents import agent_server
    from textkin.server.opening import Served, open_service

    service = open_service(Served(models=(), collections=tuple(collections)), read_only=True)
    try:
        asyncio.run(agent_server(service).run_stdio_async())
    finally:
        service.close()
