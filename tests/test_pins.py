"""The public surface changes only where ``tests/pins/*.txt`` does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pins import differences, error_calls, json_keys, pinned, surface
from textkin.cli.commands import COMMANDS

SILENT = {
    *("demo", "serve"),  # print no JSON, or nothing but the tour's
}


def test_commands_are_as_pinned() -> None:
    assert differences(pinned("commands"), surface.commands()) == []


@pytest.mark.torch
def test_public_names_are_as_pinned() -> None:
    assert differences(pinned("signatures"), surface.signatures()) == []


@pytest.mark.slow
def test_errors_are_as_pinned() -> None:
    assert differences(pinned("errors"), error_calls.lines()) == []


def test_every_command_that_prints_json_has_keys() -> None:
    known = {line.partition(": ")[0] for line in pinned("json_keys")}
    assert known == set(COMMANDS) - SILENT


def test_a_difference_names_the_line() -> None:
    before = ["mine --top: int = None", "mine --out: Path required"]
    after = ["mine --top: int = 5", "mine --out: Path required"]
    assert differences(before, after) == ["- mine --top: int = None", "+ mine --top: int = 5"]


def test_keys_are_read_off_what_commands_print() -> None:
    printed = [
        ("mine", {"pairs": 7, "rows": [{"id": 1, "note": ""}, {"id": 2}], "measures": {"AP": {"value": 1}}}),
        ("mine", {"pairs": 0, "rows": []}),
    ]
    assert sorted(json_keys.lines(printed)) == [
        *("mine: measures/*/value", "mine: measures?", "mine: pairs"),
        *("mine: rows", "mine: rows[]/id", "mine: rows[]/note?"),
    ]


def test_a_new_key_and_a_missing_one_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "json_keys.txt").write_text("mine: pairs\nmine: rows\nmine: rows[]/id\nmine: rows[]/note?\n")
    monkeypatch.setattr("tests.pins.FOLDER", tmp_path)
    monkeypatch.delenv(json_keys.SEEN, raising=False)
    assert json_keys.odd("mine", {"pairs": 1, "rows": [{"id": 1}]}) == []
    assert json_keys.odd("mine", {"rows": [{"name": 1}]}) == [
        *("- mine: pairs", "+ mine: rows[]/name", "- mine: rows[]/id"),
    ]
    with pytest.raises(AssertionError):
        json_keys.check(("mine", "texts.txt", "--json"), json.dumps({"pairs": 1, "odd": 2, "rows": []}))
