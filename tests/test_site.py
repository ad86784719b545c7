"""The list pages of the site are complete."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from inspect import getdoc
from os import environ
from pathlib import Path

import pytest

import textkin
from tests.cli.conftest import parse
from tests.public_names import NAMES, public
from tests.server.browsing import BROWSER, SIZES, findings, in_a_browser
from textkin.cli.commands import listed

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LINES = re.findall(r"`(textkin (?!--)[^`A-Z]+[^`]*)`", (DOCS / "commands.md").read_text(encoding="utf-8"))


def test_every_public_name_stands_on_one_page_of_the_reference() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    assert Counter(re.findall(r"^::: textkin\.(?:verbs\.)?([\w.]+)$", pages, re.MULTILINE)) == Counter(NAMES)


@pytest.mark.torch
def test_the_reference_points_to_no_name_that_it_lacks() -> None:
    elsewhere = re.compile(rf":\w+:`~?textkin\.(?!(?:verbs\.)?(?:{'|'.join(NAMES)})\b)")
    for name in NAMES:
        thing = public(name)
        members = (
            [value for key, value in vars(thing).items() if key[0] != "_"] if isinstance(thing, type) else []
        )
        for text in (getdoc(one) or "" for one in (thing, *members)):
            assert not elsewhere.search(text), name


def test_pictures_are_small_shown_and_described() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    described = dict(re.findall(r"!\[([^\]]{40,})\]\([./]*pictures/([^)]+)\)", pages))
    pictures = {path.name: path.stat().st_size for path in (DOCS / "pictures").iterdir()}
    assert sorted(described.values()) == sorted(pictures)
    assert max(pictures.values()) <= 150_000


def test_the_navigation_has_the_guides_in_the_order_of_their_index() -> None:
    index = re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / "guides" / "index.md").read_text(encoding="utf-8"))
    site = re.findall(r"- guides/([\w-]+\.md)", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert site == ["index.md", *index]
    assert sorted(site) == sorted(page.name for page in (DOCS / "guides").iterdir())


@in_a_browser
@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed")
def test_the_site_is_searched_from_a_disk_fits_a_phone_and_can_be_read(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, env=environ | {"NO_MKDOCS_2_WARNING": "1"}, check=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZES["wide"])
        for query, first in {
            "--accept-cut": None,
            "tk.mine": "Similar texts",
            "bm25": "Does it beat BM25?",
        }.items():
            page.goto(f"{(tmp_path / 'index.html').as_uri()}?q={query}")
            page.wait_for_selector(".md-search-result__meta:has-text('matching')")
            assert page.text_content(".md-search-result__meta") != "No matching documents", query
            assert first in {None, page.text_content(".md-search-result__item h1")}, query
        cards = page.locator("#where-to-begin + * tr:has(td)").all()
        assert len({one.bounding_box()["x"] for one in cards}) == 3
        page.set_viewport_size(SIZES["narrow"])
        assert len({one.bounding_box()["x"] for one in cards}) == 1
        for path in sorted(tmp_path.glob("guides/*.html")):
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") == SIZES["narrow"]["width"], (
                path.name
            )
            dashes = "all => all.filter(one => one.getClientRects().length > 1).length"
            assert page.locator(".dashes").evaluate_all(dashes) == 0, path.name
        page.goto((tmp_path / "guides" / "deduplicate.html").as_uri())
        assert page.locator("p > code > .dashes").count() > 1 and page.locator("pre .dashes").count() == 0
        for scheme in ("light", "dark"):
            page = browser.new_page(color_scheme=scheme)
            for path in ("guides/deduplicate.html", "reference/similar.html", "results/speed-join.html"):
                page.goto((tmp_path / path).as_uri())
                pale = [
                    one
                    for one in findings(page)
                    if one.startswith(("color-contrast:", "link-in-text-block:"))
                ]
                assert not pale, (scheme, path)
        browser.close()


def test_every_command_is_needed_for_something() -> None:
    assert {line.split()[1] for line in LINES} == set(listed())


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
