"""Judging pairs over HTTP: the same session as on the terminal, answer by answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import textkin as tk
from tests.server.asking import Client, client_of
from tests.tasks.label.test_session import write_pairs
from textkin.server.labelling import Labelling
from textkin.server.service import Service


@pytest.fixture
def judging(tmp_path: Path):
    session = tk.label(write_pairs(tmp_path / "pairs.tsv"), precision=0.9, threshold=0.5)
    service = Service([], labels=Labelling(session))
    yield client_of(service)
    service.close()


def test_answers_are_on_the_disk_and_lead_to_a_proof(judging: Client, tmp_path: Path) -> None:
    found = judging.ask("GET", "/label").json()
    assert found["goal"] == 0.9 and found["state"]["answered"] == 0
    assert {"row", "among", "first", "second"} == found["question"].keys()
    count = 0
    while found["question"] is not None:
        asked = {name: found["question"][name] for name in ("row", "among")}
        found = judging.post("/label", {**asked, "answer": "same", "by": "ann"}).json()
        count += 1
        lines = (tmp_path / "pairs.tsv.labels.jsonl").read_text().splitlines()
        assert sum('"again": false' in line for line in lines) == count
    assert found["state"]["proven"] == 0.5 and judging.ask("GET", "/about").json()["label"] == 0.9


def test_an_answer_to_another_pair_is_refused_and_the_last_can_be_taken_back(judging: Client) -> None:
    assert judging.post("/label/undo", {}).status_code == 422
    asked = judging.ask("GET", "/label").json()["question"]
    body = {"row": asked["row"], "among": asked["among"], "answer": "different", "note": "why not"}
    assert judging.post("/label", body).json()["state"]["answered"] == 1
    assert judging.post("/label", body).status_code == 422, "a second click"
    assert judging.post("/label/undo", {}).json()["state"]["answered"] == 0
    assert judging.post("/label", {**body, "answer": "perhaps"}).status_code == 422


def test_a_server_without_pairs_says_so(client: Client) -> None:
    assert client.ask("GET", "/label").status_code == 404
