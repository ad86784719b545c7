"""A few of the kills and trials of benchmarks/crash."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]


def test_what_was_told_is_there_after_kills_and_damage(tmp_path):
    arguments = ["--subjects", "textkin", "--kills", "20", "--rounds", "20", "--seconds", "1"]
    found = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "crash"), *arguments],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "textkin: 20 kills" in found.stdout and "nothing wrong" in found.stdout
    assert list(tmp_path.iterdir()) == []
