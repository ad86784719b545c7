"""Runs over HTTP: the list, harmless reports, and decisions about groups."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import textkin as tk
from tests.server.asking import Client, client_of
from tests.server.process import serving
from textkin.data import samples
from textkin.server.keys import Keys, add_key, read_keys
from textkin.server.served_runs import SHOWN, ServedRuns
from textkin.server.service import ServedBeside, Service


@pytest.fixture(scope="module")
def deduped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deduped")
    tk.dedupe(samples.path("inbox.txt"), out=folder / "inbox", threshold=0.7)
    return folder


@pytest.fixture
def place(deduped: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(deduped, tmp_path / "runs"))


@pytest.fixture
def runs(place: Path) -> Iterator[Client]:
    service = Service([], beside=ServedBeside(runs=ServedRuns(place)))
    yield client_of(service)
    service.close()


def groups(client: Client, **how: object) -> dict[str, Any]:
    answer = client.ask("GET", "/dedupe", params={"run": "inbox", **how})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_the_list_and_a_report_that_can_do_nothing(runs: Client, place: Path) -> None:
    (one,) = runs.ask("GET", "/runs").json()["runs"]
    assert (one["name"], one["kind"], one["folder"]) == ("inbox/report.html", "deduplication", "inbox")
    report = runs.ask("GET", "/runs/report", params={"run": one["name"]})
    assert report.text == (place / "inbox/report.html").read_text()
    policy = report.headers["content-security-policy"]
    assert policy.startswith("sandbox;") and "script-src" not in policy and "default-src 'none'" in policy
    assert report.headers["x-content-type-options"] == "nosniff"
    for name in ("../x", "/etc/passwd", "inbox/dedupe.json", "inbox", "none"):
        found = runs.ask("GET", "/runs/report", params={"run": name})
        assert found.status_code == 404 and str(place.parent) not in found.text


def test_groups_come_with_what_differs(runs: Client) -> None:
    found = groups(runs, order="risk", count=3)
    assert found["counts"]["go"] == 30 and found["found"] == 23 and len(found["groups"]) == 3
    assert found["precision"] is None and found["known_from"] == []
    lowest = [one["lowest"] for one in found["groups"]]
    assert lowest == sorted(lowest)
    for one in found["groups"]:
        for other in one["others"]:
            marked = [other["text"][start:end] for start, end in other["marks"]]
            in_kept = [one["text"][start:end] for start, end in other["kept_marks"]]
            assert all(marked) and all(in_kept) and (marked or in_kept)
    assert groups(runs, start=22)["groups"][0]["id"] and not groups(runs, start=23)["groups"]
    assert groups(runs, threshold=0.9)["counts"]["go"] < 30
    assert runs.ask("GET", "/dedupe", params={"run": "inbox", "threshold": "nan"}).status_code == 422


def test_decisions_are_on_the_disk_and_undone(runs: Client, place: Path) -> None:
    first, second = (one["id"] for one in groups(runs)["groups"][:2])
    decisions = place / "inbox/review.jsonl"
    others = [one["id"] for one in groups(runs)["groups"][0]["others"]]
    body = {"run": "inbox", "group": first}
    assert runs.post("/dedupe", {**body, "do": "split", "texts": others[:1]}).json()["counts"]["go"] == 29
    assert runs.post("/dedupe", {**body, "do": "accept", "by": "ann"}).json()["counts"]["open"] == 22
    assert runs.post("/dedupe", {**body, "do": "merge", "into": second}).json()["counts"]["groups"] == 22
    alone = groups(runs)["alone"]
    assert [one["id"] for one in alone] == others[:1]
    assert [json.loads(line).get("do") for line in decisions.read_text().splitlines()[1:]] == [
        "split",
        "accept",
        "merge",
    ]
    assert tk.review(place / "inbox").counts().decisions == 3
    tk.review(place / "inbox").undo()
    assert groups(runs)["counts"]["decisions"] == 2, "what others decide is taken in"
    for left in (1, 0):
        assert runs.post("/dedupe/undo", {"run": "inbox"}).json()["counts"]["decisions"] == left
    assert runs.post("/dedupe/undo", {"run": "inbox"}).status_code == 422


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"group": "none"}, 422),
        ({"run": "none"}, 404),
        ({"run": ".."}, 404),
        ({"do": "burn"}, 422),
        ({"do": "merge"}, 422),
        ({"into": "31"}, 422),
        ({"texts": ["31"]}, 422),
        ({"do": "split", "texts": ["none"]}, 422),
        ({"more": 1}, 422),
    ],
)
def test_what_can_not_be_done_is_refused(
    runs: Client, place: Path, change: dict[str, Any], status: int
) -> None:
    body = {"run": "inbox", "do": "accept", "group": groups(runs)["groups"][0]["id"]}
    assert runs.post("/dedupe", {**body, **change}).status_code == status
    assert groups(runs)["counts"]["decisions"] == 0
    assert runs.post("/dedupe", body).status_code == 200


def test_the_final_list(runs: Client) -> None:
    for kind in ("csv", "tsv", "jsonl"):
        answer = runs.ask("GET", "/dedupe/export", params={"run": "inbox", "format": kind, "threshold": 0.8})
        assert answer.headers["content-disposition"] == f'attachment; filename="final.{kind}"'
        if kind == "jsonl":
            rows = [json.loads(line) for line in answer.text.splitlines()]
        else:
            rows = list(csv.DictReader(io.StringIO(answer.text), delimiter="," if kind == "csv" else "\t"))
        assert sum(row["goes"] == "yes" for row in rows) == groups(runs, threshold=0.8)["counts"]["go"] < 30


@pytest.mark.slow
def test_large_groups_and_long_texts_are_shown_in_part_and_given_whole(tmp_path: Path) -> None:
    texts = [f"{'word ' * 1_000}{'.' * n}" for n in range(SHOWN + 5)]
    (tmp_path / "texts.txt").write_text("\n".join(texts))
    tk.dedupe(tmp_path / "texts.txt", out=tmp_path / "runs/a", threshold=0.5)
    service = Service([], beside=ServedBeside(runs=ServedRuns(tmp_path / "runs")))
    client = client_of(service)
    (one,) = client.ask("GET", "/dedupe", params={"run": "a"}).json()["groups"]
    assert one["size"] == SHOWN + 5 and len(one["others"]) == SHOWN
    assert len(one["text"]) == 2_000 < one["characters"]
    whole = client.ask("GET", "/dedupe/group", params={"run": "a", "group": one["id"]}).json()
    assert len(whole["others"]) == SHOWN + 4 and len(whole["text"]) == whole["characters"]
    service.close()


def test_who_only_reads_decides_nothing(place: Path, tmp_path: Path) -> None:
    key = add_key(tmp_path / "keys.toml", "reader", read_only=True)
    for keys, read_only in ((read_keys(tmp_path / "keys.toml"), False), (Keys(), True)):
        beside = ServedBeside(runs=ServedRuns(place))
        service = Service([], keys=keys, read_only=read_only, beside=beside)
        client = client_of(service)
        if len(keys):
            for path in ("/runs", "/dedupe?run=inbox", "/runs/report?run=inbox/report.html"):
                assert client.ask("GET", path).status_code == 401
        with_key = {"authorization": f"Bearer {key}"}
        found = client.ask("GET", "/dedupe", params={"run": "inbox"}, headers=with_key).json()
        body = {"run": "inbox", "do": "accept", "group": found["groups"][0]["id"]}
        assert client.post("/dedupe", body, headers=with_key).status_code == 403
        assert client.post("/dedupe/undo", {"run": "inbox"}, headers=with_key).status_code == 403
        service.close()
    assert not (place / "inbox/review.jsonl").exists()


def test_a_server_without_runs_says_so(client: Client) -> None:
    for path in ("/runs", "/dedupe?run=a"):
        answer = client.ask("GET", path)
        assert answer.status_code == 404 and 'as \\"runs\\"' in answer.text


@pytest.mark.slow
def test_acknowledged_decisions_outlive_a_kill(place: Path) -> None:
    with serving("default", "--runs", place, "--log", "nothing") as server:
        listed = httpx.get(f"{server.url}/dedupe", params={"run": "inbox"}).json()["groups"]
        for number, one in enumerate(listed[:10]):
            body = {"run": "inbox", "do": "accept", "group": one["id"]}
            assert httpx.post(f"{server.url}/dedupe", json=body).status_code == 200
            if number == 9:
                os.kill(server.process.pid, signal.SIGKILL)
    review = tk.review(place / "inbox")
    assert review.counts().decisions == 10
    assert {one.kept.text_id for one in review.groups() if not one.is_open} == {
        one["id"] for one in listed[:10]
    }


@pytest.mark.parametrize("file", ["dedupe.json", "removed.tsv", "sample.csv", "review.jsonl", "report.html"])
@pytest.mark.parametrize("what", ["pipe", "link to a pipe", "link to a device", "link to the file", "folder"])
def test_what_is_no_regular_file_holds_nothing_up(runs: Client, place: Path, file: str, what: str) -> None:
    (place / "pipe").unlink(missing_ok=True)
    os.mkfifo(place / "pipe")
    target = place / "inbox" / file
    if target.exists():
        target.rename(place / "whole")
    if what == "folder":
        target.mkdir()
    elif what == "pipe":
        os.mkfifo(target)
    else:
        leads_to = {"link to a pipe": place / "pipe", "link to a device": "/dev/zero"}
        target.symlink_to(leads_to.get(what, place / "whole"))
    status = {404, 422} if file != "report.html" else {200}
    for method, path, given in (
        ("GET", "/dedupe", {"params": {"run": "inbox"}}),
        ("GET", "/dedupe/group", {"params": {"run": "inbox", "group": "1"}}),
        ("GET", "/dedupe/export", {"params": {"run": "inbox"}}),
        ("POST", "/dedupe/undo", {"json": {"run": "inbox"}}),
    ):
        answer = runs.ask(method, path, **given)
        assert answer.status_code in status | {422}, (path, answer.text)
    report = runs.ask("GET", "/runs/report", params={"run": f"inbox/{file}"})
    assert report.status_code == (200 if (file, what) == ("report.html", "link to the file") else 404)
    assert runs.ask("GET", "/runs").status_code == 200


def test_a_run_that_was_made_again_is_opened_again(runs: Client, place: Path) -> None:
    before = groups(runs)["counts"]["go"]
    tk.dedupe(samples.path("inbox.txt"), out=place / "inbox", threshold=0.9)
    assert groups(runs)["counts"]["go"] < before
