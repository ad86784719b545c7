import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.spans import sliding_window
from textkin.base.errors import UsageError
from textkin.data.protocols import SpanReader
from textkin.text.baselines.span_readers import (
    SPAN_BASELINES,
    FirstTokens,
    NoAnswer,
    RandomSpan,
    SlidingWindow,
    build_span_reader,
)

PASSAGE = "Ada met Bob in Paris. The red fish swam, slowly, in the wide river! It left in 1843."
TEXT = st.lists(
    st.sampled_from(["the", "red", "Red", "fish", "swam", ",", ".", "a", "É", "1843"]), max_size=12
).map(" ".join)


@pytest.mark.parametrize("name", SPAN_BASELINES)
def test_every_baseline_reads_spans(name):
    reader = build_span_reader(name, fit_texts=[PASSAGE])
    assert isinstance(reader, SpanReader)
    assert reader.name == name
    passages = [PASSAGE, "one", "", " \n"]
    for k in (1, 4):
        found = reader.read(["Where did Ada meet Bob?"] * 4, passages, k=k)
        assert [1 <= len(answers) <= k for answers in found] == [True] * 4
        for passage, answers in zip(passages, found, strict=True):
            assert [one.score for one in answers] == sorted((one.score for one in answers), reverse=True)
            assert len(set(answers)) == len(answers)
            assert [one.probability for one in answers] == [None] * len(answers)  # nothing was learnt
            for one in answers:
                assert passage[one.start : one.end] == one.text
                assert one.text or (one.start, one.end) == (0, 0)
    assert reader.read([], [], k=1) == []
    assert found == reader.read(["Where did Ada meet Bob?"] * 4, passages, k=4)


def test_what_they_find():
    asked = ["What swam in the wide river?"]

    def first(name):
        return build_span_reader(name, fit_texts=[PASSAGE]).read(asked, [PASSAGE])[0][0].text

    assert first("constant") == "Ada met Bob"
    assert first("no-answer") == ""
    assert (
        first("sentence-tfidf") == first("sentence-bm25") == "The red fish swam, slowly, in the wide river!"
    )
    assert first("sliding-window") == "red fish"  # "fish swam" would hold a word of the question
    assert FirstTokens(length=1).read(asked, [PASSAGE])[0][0].text == "Ada"


def test_random_spans_depend_on_seed_question_and_passage_alone():
    passages = [PASSAGE] * 200
    questions = [f"question {number}" for number in range(200)]
    one = RandomSpan(seed=1).read(questions, passages)
    assert one == RandomSpan(seed=1).read(questions, passages)
    assert one[7:] == RandomSpan(seed=1).read(questions[7:], passages[7:])
    assert one != RandomSpan(seed=2).read(questions, passages)
    lengths = [len(answers[0].text.split()) for answers in one]
    assert {1, 2, 3} == set(lengths)
    assert len({answers[0].start for answers in one}) > 12


@given(TEXT, TEXT)
def test_the_sliding_window_is_the_slow_one(question, passage):
    (found,) = SlidingWindow().read([question], [passage], k=100)
    slow = sliding_window(question, passage, 3)
    if not slow:
        assert found == NoAnswer().read([question], [passage])[0]
        return
    assert {(one.start, one.end) for one in found} == {(start, end) for start, end, _ in slow}
    scores = {(start, end): score for start, end, score in slow}
    assert [one.score for one in found] == pytest.approx([scores[one.start, one.end] for one in found])
    assert np.all(np.diff([one.score for one in found]) <= 0)


def test_what_is_refused():
    with pytest.raises(UsageError) as error:
        build_span_reader("sentence", fit_texts=[])
    assert error.value.params == ("model",)
    with pytest.raises(UsageError) as error:
        NoAnswer().read(["a", "b"], ["c"])
    assert error.value.params == ("passages",)
    with pytest.raises(UsageError) as error:
        NoAnswer().read(["a"], ["c"], k=0)
    assert (error.value.params, error.value.value) == (("k",), 0)
    with pytest.raises(UsageError) as error:
        NoAnswer().read(["a"], [1])
    assert (error.value.params, error.value.value) == (("passages",), 1)
