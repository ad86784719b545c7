import pytest

from textkin import samples
from textkin.errors import UsageError


def test_unknown_names_are_refused_with_the_choice() -> None:
    for name in ("nothing.tsv", "__init__.py", "../errors.py", ""):
        with pytest.raises(UsageError, match="choose from: "):
            samples.path(name)


def test_a_bundled_file_is_found() -> None:
    path = samples.path("questions.tsv")
    assert path.is_file()
    assert path.name == "questions.tsv"
