import pytest

from textkin.base.errors import UsageError
from textkin.data import samples
from textkin.data.readers.datasets.squad import ambiguous, article_of, read_squad


def test_unknown_names_are_refused_with_the_choice() -> None:
    for name in ("nothing.tsv", "__init__.py", "../errors.py", ""):
        with pytest.raises(UsageError) as error:
            samples.path(name)
        assert error.value.params == ("name",)


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
    with pytest.raises(UsageError) as error:
        samples.pairs("libary")
    assert error.value.params == ("topic",)


def test_answers_of_the_handbook_stand_where_their_offsets_say():
    loaded = read_squad(samples.path("town.json"))
    data = loaded.data
    assert not loaded.report.skipped
    assert (len({article_of(name) for name in data.passages}), len(data.passages), len(data)) == (12, 36, 198)
    for one in data:
        text = data.passages[one.passage_id].text
        for span in one.answers:
            assert text[span.start : span.end] == span.text
            assert not text[span.start - 1 : span.start].isalnum()
            assert not text[span.end : span.end + 1].isalnum()
    assert not ambiguous(data)


def test_some_questions_of_the_handbook_have_no_answer_and_none_comes_twice():
    data = read_squad(samples.path("town.json")).data
    assert sum(one.is_impossible for one in data) == 36
    assert all(one.is_impossible == (not one.answers) for one in data)
    assert len({one.question for one in data}) == len(data)
    assert {len([one for one in data if one.passage_id == name]) for name in data.passages} == {5, 6}
