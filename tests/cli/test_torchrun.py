"""torchrun -m textkin: one model, one output, and an end if a process dies."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.cli.conftest import RECIPE, Textkin, write_pairs
from tests.hosts import NoHosts, two_hosts
from tests.training.several import free_port

pytestmark = [pytest.mark.long, pytest.mark.torch]

pytest.importorskip("torch")

TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]
TEXTKIN = ["-m", "textkin"]
PATIENCE = 400  # seconds; some machines are busy
# The inputs of a process depend on its number.
BY_RANK = """
import os, sys
from textkin.cli import main
sys.exit(main([one.replace("RANK", os.environ["RANK"]) for one in sys.argv[1:]]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recipe and its data."""
    write_pairs(tmp_path / "train.tsv")
    write_pairs(tmp_path / "dev.tsv", start=20, stop=25)
    (tmp_path / "tiny.toml").write_text(RECIPE, encoding="utf-8")
    return tmp_path


def training(folder: Path, out: str, *, recipe: str = "tiny.toml", train: str = "train.tsv") -> list[str]:
    files = ["--train", str(folder / train), "--dev", str(folder / "dev.tsv"), "--out", str(folder / out)]
    return ["train", str(folder / recipe), *files, "--device", "cpu", "--json"]


def started(command: Sequence[str], folder: Path, name: str) -> subprocess.Popen[bytes]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GLOO_")}
    with (folder / f"{name}.out").open("wb") as out, (folder / f"{name}.err").open("wb") as err:
        return subprocess.Popen(command, stdout=out, stderr=err, env={**environment, "OMP_NUM_THREADS": "1"})


def ended(processes: Sequence[subprocess.Popen[bytes]]) -> list[int]:
    """Their exit codes."""
    try:
        return [process.wait(PATIENCE) for process in processes]
    finally:
        for process in processes:
            process.kill()


def said(folder: Path, *names: str) -> list[str]:
    """textkin's messages on standard error, without warnings."""
    lines = [line for name in names for line in (folder / f"{name}.err").read_text().splitlines()]
    told = [line for line in lines if line.startswith("textkin: ") and ": texts: column " not in line]
    return [line for line in told if "warning" not in line]


def weights(folder: Path, out: str) -> dict[str, np.ndarray]:
    (path,) = (folder / out / "model").glob("*.safetensors")
    return load_file(path)


def assert_same_model(folder: Path, one: str, other: str) -> None:
    first, second = weights(folder, one), weights(folder, other)
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        np.testing.assert_allclose(tensor, second[name], rtol=1e-4, atol=1e-6)


def test_two_processes_leave_the_model_of_one_and_one_of_them_speaks(folder: Path, textkin: Textkin) -> None:
    first = textkin(*training(folder, "alone")).json
    two = [*TORCHRUN, "--nproc-per-node", "2", *TEXTKIN, *training(folder, "two")]
    assert ended([started(two, folder, "two")]) == [0]
    second = json.loads((folder / "two.out").read_text())
    assert [one["steps"] for one in first["evaluations"]] == [one["steps"] for one in second["evaluations"]]
    assert first["dev"] == pytest.approx(second["dev"])
    assert said(folder, "two") == [] and "Traceback" not in (folder / "two.err").read_text()
    assert_same_model(folder, "alone", "two")


def children_of(process: subprocess.Popen[bytes]) -> list[int]:
    return [
        int(child) for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    ]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of a process's children here")
def test_a_process_that_is_killed_ends_all_with_one_message(folder: Path) -> None:
    (folder / "long.toml").write_text(RECIPE.replace("epochs = 2", "epochs = 100_000"), encoding="utf-8")
    run = started(
        [*TORCHRUN, "--nproc-per-node", "2", *TEXTKIN, *training(folder, "out", recipe="long.toml")],
        folder,
        "all",
    )
    deadline = time.monotonic() + PATIENCE
    while not (folder / "out" / "metrics.jsonl").exists() and time.monotonic() < deadline:
        assert run.poll() is None
        time.sleep(0.1)
    processes = children_of(run)
    assert len(processes) == 2
    os.kill(processes[1], signal.SIGKILL)
    (code,) = ended([run])
    assert code not in (0, -signal.SIGKILL)
    (line,) = said(folder, "all")
    assert "another process of this training" in line
    assert (folder / "all.out").read_text() == ""
    assert not any(Path(f"/proc/{number}").exists() for number in processes)


def test_the_process_that_fails_says_why_and_the_others_nothing(folder: Path) -> None:
    shutil.copy(folder / "train.tsv", folder / "train-0.tsv")
    (folder / "by_rank.py").write_text(BY_RANK)
    command = [str(folder / "by_rank.py"), *training(folder, "out", train="train-RANK.tsv")]
    run = started([*TORCHRUN, "--nproc-per-node", "2", *command], folder, "all")
    assert ended([run]) == [1]  # torchrun's own; its report has the exit codes
    (line,) = said(folder, "all")
    assert "train-1.tsv: no such file" in line
    assert not (folder / "out" / "run.json").exists()


@pytest.fixture
def two_machines() -> Iterator[tuple[list[str], list[str]]]:
    """A function that runs a command on each of two connected machines."""
    try:
        with two_hosts(77) as machines:
            yield machines
    except NoHosts as reason:
        pytest.skip(str(reason))


def test_two_machines_leave_the_model_of_one(
    folder: Path, two_machines: tuple[list[str], list[str]], textkin: Textkin
) -> None:
    meeting = ["--nnodes", "2", "--nproc-per-node", "1", "--master-addr", "10.77.0.1"]
    meeting += ["--master-port", str(free_port())]

    def on_both(script: Sequence[str], name: str) -> list[int]:
        commands = [
            [*machine, *TORCHRUN, *meeting, "--node-rank", str(rank), *script]
            for rank, machine in enumerate(two_machines)
        ]
        return ended([started(command, folder, f"{name}{rank}") for rank, command in enumerate(commands)])

    assert on_both([*TEXTKIN, *training(folder, "both")], "good") == [0, 0]
    assert said(folder, "good0", "good1") == []
    assert (folder / "good1.out").read_text() == ""
    assert textkin(*training(folder, "alone")).code == 0
    assert_same_model(folder, "alone", "both")
    # One that fails on one machine ends those on the other, which torchrun there knows nothing of.
    shutil.copy(folder / "train.tsv", folder / "train-0.tsv")
    (folder / "by_rank.py").write_text(BY_RANK)
    script = [str(folder / "by_rank.py"), *training(folder, "bad", train="train-RANK.tsv")]
    assert on_both(script, "bad") == [1, 1]
    (line,) = said(folder, "bad0", "bad1")
    assert "train-1.tsv: no such file" in line
