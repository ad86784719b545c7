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


def test_pairs_of_a_topic_are_a_part_of_all():
    every, some = samples.pairs(), samples.pairs("support-desk")
    assert set(some) < set(every)
    assert {label for _, _, label in some} == {0, 1}
    assert len(every) == 10_366


def test_a_topic_that_is_not_there_names_those_that_are():
    with pytest.raises(UsageError, match=r"no topic 'libary'; choose from: .*support-desk"):
        samples.pairs("libary")
