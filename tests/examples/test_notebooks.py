"""The notebooks run, and their outputs are those stored in them."""

import json

import pytest

from tests.examples.opened import EXAMPLES
from tests.running_notebooks import plain, run_notebook
from tests.running_pages import first_missing

NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} == {"does_it_beat_bm25", "duplicates"}


@pytest.mark.torch
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_is_stored(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert (stored["nbformat"], stored["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in stored["cells"]}) == len(stored["cells"])
    for number, (shown, said) in enumerate(zip(plain(stored), plain(run_notebook(path)), strict=True), 1):
        assert not first_missing(shown, said), f"cell {number} gives:\n{said}"
