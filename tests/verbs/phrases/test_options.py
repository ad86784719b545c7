"""Options of phrases that depend on each other, or on the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import textkin as tk
from textkin.base.errors import UsageError
from textkin.data import samples
from textkin.verbs.phrases import indexing


def test_few_cells_are_all_searched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    taken: list[Any] = []
    monkeypatch.setattr(indexing, "index_phrases", lambda *_, options, **__: taken.append(options))
    for cells, probe in ((0, None), (4, None), (256, None), (256, 3)):
        tk.phrases.index(["a b"], model="tfidf", out=tmp_path / "i", cells=cells, probe=probe)
    assert [one.probe for one in taken] == [16, 4, 16, 3]


def test_more_cells_to_search_than_there_are_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        tk.phrases.index(["a b"], model="tfidf", out=tmp_path / "i", cells=4, probe=9)
    assert (error.value.params, error.value.value) == (("probe",), 9)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", [{"with_texts": True}, {"per_passage": 3}])
def test_what_is_for_contexts_alone(tmp_path: Path, option: dict[str, Any]) -> None:
    questions = tmp_path / "questions.json"
    tk.phrases.split(samples.path("town.json"), tmp_path / "contexts.json", questions)
    with pytest.raises(UsageError) as error:
        tk.phrases.embed(questions, model="tfidf", out=tmp_path / "q", **option)
    assert error.value.params == tuple(option)
    assert not (tmp_path / "q").exists()
