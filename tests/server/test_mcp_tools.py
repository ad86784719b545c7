"""The tools for assistants, beside the routes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import textkin as tk
from tests.server.asking import client_of
from textkin.server.mcp_tools import AgentTools
from textkin.server.open_service import Served, open_service

STORED = "Where can I park my car?"


def test_a_text_that_is_there_is_matched_as_over_http(tmp_path: Path) -> None:
    with tk.open_collection(tmp_path / "c", create=True) as kept:
        kept.add([STORED, "When do you open?"])
    service = open_service(Served(models=(), collections=(str(tmp_path / "c"),)))
    try:
        for text in (STORED, "where can i park"):
            told = asyncio.run(AgentTools(service).match(text, threshold=0.5))
            [other] = client_of(service).post("/match", {"texts": [text], "threshold": 0.5}).json()["matches"]
            assert (told.verdict, told.score) == (other["verdict"], other["score"])
            assert told.nearest_text == other["nearest"]["text"] == STORED
        counts = client_of(service).ask("GET", "/metrics").text
        assert 'textkin_match_verdicts_total{collection="c",verdict="duplicate"} 4' in counts
    finally:
        service.close()
