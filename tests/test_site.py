"""The pages of the site that list things list all of them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import textkin
from textkin.cli.app import COMMANDS

DOCS = Path(__file__).parents[1] / "docs"


def test_every_public_name_stands_on_one_page_of_the_reference() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    assert Counter(re.findall(r"^::: textkin\.(\w+)$", pages, re.MULTILINE)) == Counter(textkin.__all__)


def test_every_command_is_needed_for_something() -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert set(re.findall(r"textkin ([a-z]+)", page)) == set(COMMANDS)
