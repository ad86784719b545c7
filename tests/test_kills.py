"""A few of the kills of benchmarks/kills.py."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]


def test_what_is_killed_and_run_again_is_as_undisturbed(tmp_path):
    arguments = ["--small", "--kills", "12", "--commands", "encode", "phrases index"]
    found = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "kills.py"), *arguments],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "0 commands that gave another result" in found.stdout
    assert list(tmp_path.iterdir()) == []
