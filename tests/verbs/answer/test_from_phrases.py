"""Answers from an index of phrases: the nearest ones, with their places."""

import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError

PASSAGES = {"mill": "The mill was built in 1850.", "hall": "Clemency Hurst designed the town hall."}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("phrases") / "index"
    tk.phrases.index(PASSAGES, model="tfidf", out=folder)
    return folder


def test_answers_are_the_nearest_phrases(index):
    questions = ["When was the mill built?", "Who designed the town hall?"]
    found = tk.answer(questions, index, k=2)
    assert (found.model, found.passages, found.read) == ("tfidf", 2, 2)
    assert [answered.question for answered in found.questions] == questions
    for answered, hits in zip(found.questions, tk.phrases.search(index, questions, k=2), strict=True):
        assert [(one.passage_id, one.start, one.end, one.text, one.score) for one in answered.answers] == [
            (one.passage_id, one.start, one.end, one.phrase, one.score) for one in hits.hits
        ]
        assert answered.no_answer is None and not answered.is_none
    assert [row.passage for row in found] == ["mill", "mill", "hall", "hall"]
    assert f"[{found[0].answer}]" in found.text()


def test_nothing_in_common_is_no_answer(index):
    (found,) = tk.answer("Xyzzy?", index).questions
    assert found.is_none and found.answers == ()


def test_options_of_readers_and_blank_questions_are_refused(index):
    with pytest.raises(UsageError) as error:
        tk.answer("Who?", index, most_passages=3, text="body")
    assert error.value.params == ("text", "most_passages")
    for wrong in ("", ["Who?", " "]):
        with pytest.raises(UsageError):
            tk.answer(wrong, index)
    with pytest.raises(UsageError):
        tk.answer("Who?", index, k=0)


def test_another_encoder_than_the_index_was_made_by_is_refused(index):
    with pytest.raises(DataError):
        tk.answer("Who?", index, "phrases")
