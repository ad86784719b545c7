import sys

import pytest

from textkin.models.provenance import command_line


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
