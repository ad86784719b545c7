import sys

import pytest

from textkin.models.provenance import command_line, hash_of_scorer


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["/bin/textkin", "study", "a b"], "textkin study 'a b'"),
        (["/x/__main__.py", "compare", "data", "all"], "textkin compare data all"),
        (["/bin/textkin", "train", "x"], ""),
        (["/bin/textkin"], ""),
        (["/bin/pytest", "study"], ""),
    ],
)
def test_the_command_line_is_told_where_it_was_one_of_these(
    argv: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", argv)
    assert command_line("study", "compare") == expected


def test_parameters_of_bm25_count_by_their_values():
    names = ("bm25", "bm25(k1=1.5)", "bm25(k1=1)")
    plain, same, other = (hash_of_scorer(name, fit_texts=["a"]) for name in names)
    assert plain == same != other
