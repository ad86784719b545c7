"""A server that decides matches by a file of ``calibrate`` or ``dedupe``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import textkin as tk
from tests.server.asking import client_of
from textkin.base.errors import ModelError, UsageError
from textkin.measures.decisions.saved_thresholds import SavedDecision
from textkin.server.open_service import Served, open_service

NEW = "Where can I leave my car?"


@pytest.fixture(scope="module")
def decision(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pairs = [(f"note {n}", f"note {n}!" if n % 2 else "something else", n % 2) for n in range(40)]
    path = tmp_path_factory.mktemp("decision") / "decision.json"
    tk.calibrate(pairs, "default", out=path)
    return path


def test_its_threshold_decides_unless_a_request_says_otherwise(folder: Path, decision: Path) -> None:
    fitted = SavedDecision.read(decision).threshold.threshold.value
    service = open_service(Served(models=(), collections=(str(folder),), decision=decision))
    try:
        client = client_of(service)
        by_file = client.post("/match", {"texts": [NEW]}).json()
        assert by_file["limits"]["duplicate"] == pytest.approx(fitted) and by_file["fitted"] is True
        by_request = client.post("/match", {"texts": [NEW], "threshold": 0.31}).json()
        assert by_request["limits"]["duplicate"] == pytest.approx(0.31) and by_request["fitted"] is False
        assert client.post("/match", {"texts": [NEW]}).json() == by_file
        for asked in ({"precision": 0.99}, {"ask": 0.3}, {"ask": 0.1}):
            by_labels = client.post("/match", {"texts": [NEW], **asked})
            assert by_labels.status_code == 422 and "label" in by_labels.json()["error"], "it has none"
    finally:
        service.close()


def test_the_file_is_read_at_the_start(folder: Path, decision: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copy(decision, tmp_path / "decision.json"))
    service = open_service(Served(models=(), collections=(str(folder),), decision=copied))
    try:
        copied.unlink()
        assert client_of(service).post("/match", {"texts": [NEW]}).json()["fitted"] is True
    finally:
        service.close()


def test_models_alone_take_no_decision(decision: Path) -> None:
    with pytest.raises(UsageError) as told:
        Served(models=("default",), decision=decision)
    assert told.value.params == ("decision",)


def test_a_decision_for_another_model_ends_the_start(folder: Path, decision: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    fields = json.loads(decision.read_text())
    other.write_text(json.dumps({**fields, "model_sha256": "0" * 64}))
    with pytest.raises(ModelError) as told:
        open_service(Served(models=(), collections=(str(folder),), decision=other))
    assert str(other) in told.value.message
