"""Model files only assemble layers: short, and without copies of each other."""

from itertools import combinations
from pathlib import Path

import pytest

import textkin.networks.architectures

pytestmark = pytest.mark.torch

FILES = sorted(Path(textkin.networks.architectures.__file__).parent.glob("*.py"))
RUN = 6


def runs(text):
    """All runs of lines, whatever they contain; blank lines and indentation don't count."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return {tuple(lines[start : start + RUN]) for start in range(len(lines) - RUN + 1)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_model_file_is_short(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 200


def test_no_two_model_files_share_six_lines_in_a_row():
    found = {file.name: runs(file.read_text(encoding="utf-8")) for file in FILES}
    shared = [
        (one, other, min(found[one] & found[other]))
        for one, other in combinations(found, 2)
        if found[one] & found[other]
    ]
    assert not shared


def test_shared_lines_would_be_seen():
    lines = [f"line {number}" for number in range(9)]
    indented = "\n\n    ".join(["other", *lines])
    assert runs("\n".join(lines[:6])) & runs(indented)
    assert not runs("\n".join([*lines[:5], "changed", *lines[6:]])) & runs(indented)
