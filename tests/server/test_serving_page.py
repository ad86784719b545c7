"""The steps of docs/serving.md from a model to a watched service, command by command, verbatim."""

from __future__ import annotations

import csv
import os
import shlex
import shutil
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.running_pages import blocks, run
from tests.server.process import Served, running

pytestmark = pytest.mark.apart

PAGE = Path(__file__).parents[2] / "docs/serving.md"
MOST = 200  # pairs to judge


@pytest.mark.torch
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_whole_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = PAGE.read_text(encoding="utf-8").split("## The whole way\n")[1].split("\n## ")[0]
    commands = [one for block in blocks(section) if block.kind for one in block.commands]
    monkeypatch.chdir(tmp_path)
    said: dict[str, str] = {}
    key = url = ""
    with ExitStack() as all_served:
        for command in commands:
            words = shlex.split(command)
            if words[0] == "curl":
                said["curl"] = asked(command.replace("http://localhost:8080", url), key)
            elif "--new-key" in words:
                key = run(command).split()[0]
                said["key"] = key
            elif words[1] == "serve":
                url = all_served.enter_context(running(*words[1:])).url
            elif words[1] == "label":
                with running(*words[1:]) as judging:
                    said["label"] = judged(judging)
            else:
                name = words[2] if words[1] == "collection" else words[1]
                said[name] = run(command)
    assert '"verdict":"duplicate"' in said["curl"] and '"passport":"' in said["curl"]
    assert "proven at threshold" in said["label"] and "written to labelled.tsv" in said["label"]
    assert "Proven by" in said["calibrate"] and "no change is shown" in said["watch"]
    assert len(said) == 9, "each command said something"


def asked(command: str, key: str) -> str:
    """The output of a curl command."""
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=os.environ | {"KEY": key}, check=True
    )
    return done.stdout


def judged(served: Served) -> str:
    """Label pairs by their column of groups until something is proven; return the command's summary."""
    with Path("questions.tsv").open(newline="", encoding="utf-8") as file:
        groups = {row["text"]: row["group"] for row in csv.DictReader(file, delimiter="\t")}
    with httpx.Client(base_url=served.url, timeout=60) as client:
        told = client.get("/label").json()
        for _ in range(MOST):
            pair = told["question"]
            if pair is None or told["state"]["proven"] is not None:
                break
            is_same = groups[pair["first"]] == groups[pair["second"]]
            body = {"row": pair["row"], "among": pair["among"], "answer": "same" if is_same else "different"}
            told = client.post("/label", json=body).json()
    served.process.send_signal(signal.SIGINT)
    out, errors = served.process.communicate(timeout=60)
    assert served.process.returncode == 0, errors
    return f"{out}{errors}"
