"""The commands and the Python of the tutorial and of the guides run, with the shown output."""

import re
from pathlib import Path

import pytest

from tests.running_pages import blocks, first_missing, run_page

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [DOCS / "tutorial.md", *sorted((DOCS / "guides").glob("*.md"))]


@pytest.mark.apart
@pytest.mark.torch
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if differing := list(run_page(page.read_text(encoding="utf-8"))):
        pytest.fail("\n".join(differing), pytrace=False)


def test_few_commands_are_only_parsed():
    found = [block for page in PAGES for block in blocks(page.read_text(encoding="utf-8"))]
    commands = [block for block in found if block.kind in ("console", "bash")]
    assert sum(block.exception is not None for block in commands) <= len(commands) / 3


def test_pages_need_no_private_names():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"^(from|import) textkin\.(?!verbs import)|\b(awk|sed) ", text, re.MULTILINE), (
            page.name
        )


def test_what_differs_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = "```python\nprint('a 1,515 0.123 b')\n```\n\n```\n{}\n```\n"
    assert not list(run_page(page.format("a ... 0.124 b")))
    for wrong in ("a 1,516", "0.125", "b a", "c"):
        assert len(list(run_page(page.format(wrong)))) == 1, wrong
    assert not list(run_page("<!-- not run: it fails -->\n```python\n1 / 0\n```\n"))
    with pytest.raises(ZeroDivisionError):
        list(run_page("```python\n1 / 0\n```\n"))
    with pytest.raises(AssertionError, match="exit code 3"):
        list(run_page("```console\ntextkin data lint none.tsv\n```\n"))


def test_figures_that_vary_may_be_near():
    assert first_missing("AP 0.50 now", "AP 0.52 now") == "0.50"
    assert first_missing("AP 0.50 now", "AP 0.52 now", loosely=True) is None
    assert first_missing("AP 0.50 now", "AP 0.54 now", loosely=True) == "0.50"
    assert first_missing("took 3.1 s in all", "took 4.2 s in all") is None
