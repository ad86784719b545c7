"""Labelling pairs over HTTP: the same session as on the terminal, answer by answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import textkin as tk
from tests.server.asking import Client, client_of
from tests.verbs.label.test_session import write_pairs
from textkin.report.text_diff import differing
from textkin.server.served_labels import ServedLabels
from textkin.server.service import Service


@pytest.fixture
def judging(tmp_path: Path):
    session = tk.label(write_pairs(tmp_path / "pairs.tsv"), precision=0.9, threshold=0.5)
    service = Service([], labels=ServedLabels(session))
    yield client_of(service)
    service.close()


@pytest.mark.slow
def test_answers_are_on_the_disk_and_lead_to_a_proof(judging: Client, tmp_path: Path) -> None:
    found = judging.ask("GET", "/label").json()
    assert found["goal"] == 0.9 and found["state"]["answered"] == 0
    assert {"row", "among", "first", "second", "marks"} == found["question"].keys()
    marks = found["question"]["marks"]
    assert differing(found["question"]["first"], found["question"]["second"]) == tuple(
        [tuple(one) for one in marks[side]] for side in ("first", "second")
    )
    count = 0
    while found["question"] is not None:
        asked = {name: found["question"][name] for name in ("row", "among")}
        found = judging.post("/label", {**asked, "answer": "same", "by": "ann"}).json()
        count += 1
        lines = (tmp_path / "pairs.tsv.labels.jsonl").read_text().splitlines()
        assert sum('"turn": "drawn"' in line for line in lines) == count
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


def test_two_people_judge_and_a_third_settles(tmp_path: Path) -> None:
    goal = {"precision": 0.5, "threshold": 0.5, "overlap": 1.0, "recall": True}
    service = Service([], labels=ServedLabels(tk.label(write_pairs(tmp_path / "pairs.tsv"), **goal)))
    client = client_of(service)
    asked = client.ask("GET", "/label?by=ann").json()["question"]
    body = {"row": asked["row"], "among": asked["among"]}
    assert client.post("/label", {**body, "answer": "same"}).status_code == 422, "nobody is named"
    first = client.post("/label", {**body, "answer": "same", "by": "ann"}).json()
    assert first["question"]["row"] != asked["row"] and first["agreement"] is None
    assert client.ask("GET", "/label?by=bob").json()["question"]["row"] == asked["row"]
    second = client.post("/label", {**body, "answer": "different", "by": "bob", "note": "no"}).json()
    assert second["state"]["disputed"] == 1 and second["agreement"]["pairs"] == 1
    assert [one["by"] for one in second["dispute"]["answers"]] == ["ann", "bob"]
    assert client.post("/label/undo", {"by": "cyd"}).status_code == 422
    settling = {"row": asked["row"], "answer": "same", "by": "cyd"}
    settled = client.post("/label/settle", settling).json()
    assert settled["dispute"] is None and settled["state"]["thresholds"][0]["same"] == 1
    assert client.post("/label/settle", settling).status_code == 422, "a second click"
    assert 0 < settled["state"]["thresholds"][0]["recall"] < 0.1
    service.close()
