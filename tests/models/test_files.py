"""Model files only assemble bricks: short, and none copied from another."""

import re
from itertools import combinations
from pathlib import Path

import pytest

import textkin.models

FILES = sorted(Path(textkin.models.__file__).parent.glob("*.py"))
RUN = 6


# What every architecture takes by the same names and hands to the same brick is an agreement, not a copy.
AGREED = re.compile(
    r"import .*|from .*|def __init__\(.*|self,|\*,|\w+: [\w\[\], ]+( = .*)?,"
    r"|\) -> None:|super\(\).*|\"\"\"|\)|.*WordVectors\(|(\w+=\w+,? ?)+"
)


def code(text):
    """The lines that say something of their own."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not AGREED.fullmatch(line)]


def runs(lines):
    return {tuple(lines[start : start + RUN]) for start in range(len(lines) - RUN + 1)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_model_file_is_short(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 200


def test_no_two_model_files_share_six_lines_in_a_row():
    found = {file.name: runs(code(file.read_text(encoding="utf-8"))) for file in FILES}
    shared = [
        (one, other, min(found[one] & found[other]))
        for one, other in combinations(found, 2)
        if found[one] & found[other]
    ]
    assert not shared


def test_shared_lines_would_be_seen():
    lines = [f"line {number}" for number in range(9)]
    assert runs(lines[:7]) & runs(["other", *lines])
    assert not runs([*lines[:5], "changed"]) & runs(lines)
