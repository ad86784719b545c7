"""``textkin collection watch``: its output, its exit code for cron, and input from a pipe."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Textkin
from tests.collection.watch.test_watch import HALF, calibrated, drawn, write_matches


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(calibrated(tmp_path / "c.kin", HALF))


@pytest.mark.slow
def test_states_and_exit_codes(textkin: Textkin, folder: str, tmp_path: Path) -> None:
    fine = textkin("collection", "watch", folder, str(write_matches(tmp_path / "a.tsv", drawn(0.5, 300, 1))))
    assert fine.code == 0 and "nothing to do" in fine.out
    found = textkin(
        "collection", "watch", folder, str(write_matches(tmp_path / "b.tsv", drawn(0.9, 300, 1))), "--json"
    )
    assert found.code == 11 and found.json["state"] == "drifting" and found.json["scores"] == 600
    assert found.json["todo"].startswith("the scores have changed")
    labels = tmp_path / "labels.csv"
    labels.write_text("label,note\n" + "0,x\n1,y\n" * 30)
    broken = textkin("collection", "watch", folder, "--labelled", str(labels))
    assert broken.code == 12 and "let people decide" in broken.out
    assert textkin("collection", "watch", folder, "--restart").code == 0


def test_matches_come_by_a_pipe(textkin: Textkin, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"score": float(one), "guards": ""} for one in drawn(0.5, 40, 1)]
    text = "\n".join(["", *map(json.dumps, rows), ""])
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert textkin("collection", "watch", folder, "-", "--json").json["scores"] == 40
    monkeypatch.setattr("sys.stdin", io.StringIO("x\n"))
    found = textkin("collection", "watch", folder, "-")
    assert found.code == 3 and "1: is not a JSON object" in found.error


def test_what_can_not_be_watched(textkin: Textkin, folder: str, tmp_path: Path) -> None:
    assert textkin("collection", "watch", str(tmp_path / "no.kin")).code == 2
    assert textkin("collection", "watch", folder, "--error", "0").code == 2
    assert textkin("collection", "watch", folder, str(tmp_path / "no.tsv")).code == 3
    textkin("collection", "watch", folder)
    found = textkin("collection", "watch", folder, "--precision", "0.9")
    assert found.code == 3 and "--restart" in found.error
