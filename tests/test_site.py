"""The pages of the site that list things list all of them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import textkin
from tests.cli.conftest import parse
from textkin.cli.app import COMMANDS

DOCS = Path(__file__).parents[1] / "docs"
LINES = re.findall(r"`(textkin [^`A-Z]+[^`]*)`", (DOCS / "commands.md").read_text(encoding="utf-8"))


def test_every_public_name_stands_on_one_page_of_the_reference() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    assert Counter(re.findall(r"^::: textkin\.(\w+)$", pages, re.MULTILINE)) == Counter(textkin.__all__)


def test_pictures_are_small_shown_and_described() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    described = dict(re.findall(r"!\[([^\]]{40,})\]\([./]*pictures/([^)]+)\)", pages))
    pictures = {path.name: path.stat().st_size for path in (DOCS / "pictures").iterdir()}
    assert sorted(described.values()) == sorted(pictures)
    assert max(pictures.values()) <= 150_000


def test_every_command_is_needed_for_something() -> None:
    assert {line.split()[1] for line in LINES} == set(COMMANDS)


def test_the_messages_that_are_explained_are_those_of_the_code() -> None:
    page = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    messages = re.findall(r"^\*\*`([^`]+)`\.\*\*", page, re.MULTILINE)
    said = [re.split(r" (?:'\w+'|\.\.\.)", message)[0] for message in messages]
    code = "".join(path.read_text(encoding="utf-8") for path in Path(textkin.__file__).parent.rglob("*.py"))
    assert len(said) == 5
    assert not [words for words in said if words not in code]


@pytest.mark.parametrize("line", LINES)
def test_what_is_needed_can_be_parsed(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parse(line)
