"""A server that watches its matches: its stored state, and /metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

import textkin as tk
from tests.collection.watch.test_watch import HALF, calibrated
from tests.server.asking import client_of
from textkin.base.errors import UsageError
from textkin.server.open_service import Served, open_service


@pytest.mark.slow
def test_matches_are_watched_and_told_of(tmp_path: Path) -> None:
    folder = calibrated(tmp_path / "notes.kin", HALF)
    service = open_service(Served(models=(), collections=(str(folder),), watched=True))
    try:
        client = client_of(service)
        told = client.ask("GET", "/metrics").text
        assert 'textkin_watch_state{collection="notes"} 0.0' in told
        for number in range(40):
            texts = [f"something else {number} {place}" for place in range(5)]
            assert client.post("/match", {"texts": texts}).status_code == 200
        told = client.ask("GET", "/metrics").text
        assert 'textkin_watch_events{collection="notes",test="scores"} 200.0' in told
        assert 'textkin_watch_state{collection="notes"} 1.0' in told
    finally:
        service.close()
    found = tk.watch(folder)
    assert found.scores.events == 200 and found.state == "drifting"


def test_a_collection_without_calibration_can_not_be_watched(folder: Path) -> None:
    with pytest.raises(UsageError) as error:
        open_service(Served(models=(), collections=(str(folder),), watched=True))
    assert error.value.params == ("against",)
