from __future__ import annotations

import pytest

from textkin.base.errors import UsageError
from textkin.text.baselines import with_analyser
from textkin.text.baselines.hybrid import hybrid_members, hybrid_of


def test_names():
    assert hybrid_members("hybrid:default") == ("bm25", "default")
    assert hybrid_members("hybrid:a+b+c") == ("a", "b", "c")
    assert hybrid_members("default") is None and hybrid_members(3) is None
    assert hybrid_members(hybrid_of(("bm25", "default"))) == ("bm25", "default")


def test_a_folder_may_have_a_plus_in_its_name(tmp_path):
    folder = tmp_path / "one+two"
    folder.mkdir()
    assert hybrid_members(f"hybrid:{folder}") == ("bm25", str(folder))


@pytest.mark.parametrize("word", ["hybrid:", "hybrid:bm25", "hybrid:a+", "hybrid:a+a"])
def test_what_names_no_two_systems(word):
    with pytest.raises(UsageError) as error:
        hybrid_members(word)
    assert error.value.params == ("models",)


def test_the_words_of_a_hybrid_are_read_by_an_analyser():
    assert with_analyser(["hybrid:default", "default"], "english") == (
        "hybrid:bm25:english+default",
        "default",
    )
    assert with_analyser(["hybrid:default"], "plain") == ("hybrid:default",)
    with pytest.raises(UsageError) as error:
        with_analyser(["hybrid:one+two"], "english")
    assert error.value.params == ("analyser",)
