import sys

import pytest

from textkin.models.provenance import command_line


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["/bin/textkin", "contest", "--data", "a b"], "textkin contest --data 'a b'"),
        (["/x/__main__.py", "compare", "--recipes", "all"], "textkin compare --recipes all"),
        (["/bin/textkin", "study", "x"], ""),
        (["/bin/textkin"], ""),
        (["/bin/pytest", "contest"], ""),
    ],
)
def test_the_command_line_is_told_where_it_was_one_of_these(
    argv: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", argv)
    assert command_line("contest", "compare") == expected
