"""Answers in many passages."""

import pandas
import pytest

import textkin as tk
from textkin.base.errors import DataError, ModelError, UsageError
from textkin.data.readers.texts import Texts
from textkin.data.span_records import SpanAnswer
from textkin.verbs.answer.answers import answer_questions as answer


def texts(*found):
    return Texts(tuple(f"p{number}" for number in range(len(found))), found)


class Told:
    """A reader with one answer per passage: the first word, scored by its length."""

    name = "told"

    def __init__(self, none=None):
        self.none, self.asked = none, []

    def read(self, questions, passages, *, k=1):
        self.asked += zip(questions, passages, strict=True)
        found = []
        for passage in passages:
            word = passage.split()[0]
            spans = [SpanAnswer(0, len(word), word, float(len(word)), 0.6 if self.none is None else 0.5)][:k]
            if self.none is not None and passage in self.none:
                spans.append(SpanAnswer(0, 0, "", self.none[passage], 0.3 if self.none[passage] < 3 else 0.9))
            found.append(spans)
        return found


def test_answers_of_all_passages_stand_in_one_order():
    found = answer(Told(), ["who", "what"], texts("ab cd", "abcd e", "abc"), k=2)
    for one in found.questions:
        assert [(two.passage_id, two.text) for two in one.answers] == [("p1", "abcd"), ("p2", "abc")]
        assert one.no_answer is None and not one.is_none
    assert (found.passages, found.read) == (3, 3)
    assert found.rows()[0] == {
        "question": "who",
        "answer": "abcd",
        "score": 4.0,
        "probability": 0.6,
        "passage": "p1",
        "start": 0,
        "end": 4,
    }


def test_what_speaks_for_no_answer_in_a_passage_counts_against_its_answers():
    passages = ("ab cd", "abcd e")
    found = answer(Told({"ab cd": 0.0, "abcd e": 3.0}), ["who"], texts(*passages), k=2).questions[0]
    assert [one.text for one in found.answers] == ["ab", "abcd"]
    assert found.no_answer == 0.3 and not found.is_none
    none = answer(Told({"ab cd": 4.0, "abcd e": 9.0}), ["who"], texts(*passages))
    assert none.questions[0].is_none and none.rows()[0]["answer"] == ""
    assert none.rows()[0]["probability"] == 0.9


def test_without_a_threshold_the_answer_is_none_where_that_scores_higher_in_its_passage():
    # By probabilities, "ab" with 0.5 would compete with the 0.3 of another passage.
    sure = answer(Told({"ab cd": 1.9, "abcd e": 2.9}), ["who"], texts("ab cd", "abcd e")).questions[0]
    assert (sure.answers[0].text, sure.no_answer, sure.is_none) == ("abcd", 0.3, False)
    doubtful = answer(Told({"ab cd": 2.0, "abcd e": 9.0}), ["who"], texts("ab cd", "abcd e")).questions[0]
    assert (doubtful.answers[0].score, doubtful.no_answer, doubtful.is_none) == (0.0, 0.3, True)


def test_a_passage_of_which_it_is_not_said_has_an_answer_for_granted():
    one = answer(Told({"ab cd": 9.0}), ["who"], texts("ab cd", "abcd e")).questions[0]
    assert (one.answers[0].text, one.no_answer, one.is_none) == ("abcd", 0.0, False)


def test_of_many_passages_those_are_read_that_share_words_with_the_question():
    reader = Told()
    found = answer(reader, ["red mill"], texts("blue barn", "red mill", "mill pond", "sea"), most_passages=2)
    assert sorted(passage for _, passage in reader.asked) == ["mill pond", "red mill"]
    assert (found.read, found.passages) == (2, 4)
    nothing = answer(reader, ["zzz"], texts("ab", "cd", "ef"), most_passages=2).questions[0]
    assert nothing.answers == () and nothing.is_none


def test_wrong_numbers_and_nothing_to_read_are_refused():
    with pytest.raises(UsageError) as error:
        answer(Told(), ["who"], texts("a"), k=0)
    assert (error.value.params, error.value.value) == (("k",), 0)
    with pytest.raises(UsageError) as error:
        answer(Told(), ["who"], texts("a"), most_passages=0)
    assert (error.value.params, error.value.value) == (("most_passages",), 0)
    with pytest.raises(DataError) as error:
        answer(Told(), ["who"], texts())
    assert error.value.params == ("passages",)
    with pytest.raises(UsageError) as error:
        answer(object(), ["who"], texts("a"))
    assert error.value.params == ("model",)
    with pytest.raises(ModelError) as error:
        answer("sentence-bm52", ["who"], texts("a"))
    assert error.value.value == "sentence-bm52"


def test_a_baseline_that_never_says_none_has_an_answer():
    for model in ("constant", "random", "sentence-bm25"):
        found = answer(model, ["Who opens at nine?"], texts("   ", "We open at nine.")).questions[0]
        assert found.answers and not found.is_none, model
        assert (found.answers[0].probability, found.no_answer) == (None, None)


@pytest.mark.parametrize("model", ["sentence-bm25", "sentence-tfidf", "sliding-window"])
def test_what_compares_words_says_where_none_is_in_common(model):
    passages = texts("The library opens at nine.", ".", "OK")
    nothing = answer(model, ["zzz qqq"], passages, k=3).questions[0]
    assert (nothing.answers, nothing.nothing_in_common, nothing.no_answer) == ((), True, None)
    found = answer(model, ["library hours"], passages, k=3).questions[0]
    assert {one.passage_id for one in found.answers} == {"p0"}
    assert not found.nothing_in_common
    assert all(one.score > 0 and one.probability is None for one in found.answers)


EXAM = [
    {"id": "x", "question": "What do bees make?", "choices": ["milk", "honey of bees"], "answer": 1},
    {"id": "y", "question": "What melts?", "choices": ["ice that melts", "fire", "salt"], "answer": 0},
]
WIDE = {
    "question": ["What do bees make?", "What melts?"],
    "answerA": ["milk", "ice that melts"],
    "answerB": ["honey of bees", "fire"],
    "correctAnswer": ["B", "A"],
}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", None])
@pytest.mark.parametrize(("columns", "ids"), [(EXAM, ["x", "y"]), (WIDE, ["1", "2"])])
def test_exams_come_from_frames_and_records(library, columns, ids):
    module = pytest.importorskip(library or "pandas")
    data = pandas.DataFrame(columns)
    if library == "polars":
        data = module.DataFrame(columns)
    elif library == "pyarrow":
        data = module.Table.from_pandas(data)
    elif library is None:
        data = data.to_dict("records")
    found = tk.answer(data, model="tfidf", baselines=["first"])
    assert [(row.id, row.question) for row in found] == list(zip(ids, WIDE["question"], strict=True))
    assert [(row.letter, row.right) for row in found] == [("B", "B"), ("A", "A")]
    assert tk.compare(data, "tfidf", resamples=20, rounds=20).measure == "accuracy"


def test_one_question_with_choices_is_a_dictionary():
    assert tk.answer(EXAM[0], model="tfidf", baselines=["first"])[0].choice == "honey of bees"


@pytest.mark.parametrize("wrong", [{"choices": ["milk"]}, {"answer": 7}, {"choices": None}])
def test_a_faulty_question_is_named(wrong):
    with pytest.raises(DataError) as error:
        tk.answer([EXAM[1], EXAM[0] | wrong])
    assert "'x'" in error.value.message


def test_questions_come_from_a_column():
    asked = pandas.DataFrame({"question": ["Where can I park?", "When do you open?"], "who": ["a", "b"]})
    passages = ["We open at nine.", "Park behind the hall."]
    expected = tk.answer(list(asked["question"]), passages, "sentence-bm25").rows()
    for given in (asked, asked["question"]):
        assert tk.answer(given, passages, "sentence-bm25").rows() == expected


def test_a_collection_holds_passages(tmp_path):
    with tk.open_collection(tmp_path / "town.kin", create=True) as town:
        town.add(["The market opens at eight.", "Cars park behind the church."], ids=["market", "cars"])
        opened = tk.answer("When does the market open?", town, "sentence-bm25")
    closed = tk.answer("When does the market open?", tmp_path / "town.kin", "sentence-bm25")
    assert list(opened) == list(closed)
    assert (closed[0].passage, closed[0].answer) == ("market", "The market opens at eight.")


def test_rows_with_questions_are_read_as_their_passages():
    rows = [
        {"context": "ab cd", "question": "who?", "answer": "ab"},
        {"context": "ab cd", "question": "what?", "answer": "cd"},
        {"context": "abcd e", "question": "which?", "answer": ""},
    ]
    for data in (rows, pandas.DataFrame(rows)):
        found = tk.answer("who", data, Told())
        assert found.passages == 2 and [one["answer"] for one in found.rows()] == ["abcd"]
    assert tk.answer("who", rows, Told(), text="question").passages == 3


@pytest.mark.slow
def test_listed_passages_are_numbered_from_0_as_everywhere():
    passages = ["The market opens at eight.", "The ferry is red."]
    assert [row.passage for row in tk.answer("When does the market open?", passages, "reader").rows()] == [
        "0"
    ]
    assert tk.search(passages, "market", k=1)[0].id == 0


def test_in_short_the_answer_is_none_where_it_is_none():
    none = Told({"ab cd": 4.0})
    assert repr(answer(none, ["who"], texts("ab cd"))) == "<Answers: 1 question, told: no answer>"
    assert repr(answer(none, ["who", "what"], texts("ab cd", "abcdefg"))).endswith("told: 'abcdefg'>")


def test_passages_and_questions_in_the_wrong_order_are_refused(tmp_path):
    (tmp_path / "passages.txt").write_text("The mill opens at nine.\n")
    for question, passages in [
        (["The mill opens at nine."], "When does the mill open? "),
        (str(tmp_path / "passages.txt"), "When does the mill open"),
    ]:
        with pytest.raises(UsageError) as error:
            tk.answer(question, passages, Told())
        assert error.value.params == ("passages",)
    assert tk.answer(["When?"], "It opens at nine.", Told())[0].answer == "It"


class Overlapping:
    """A reader whose best spans, more than are asked for at first, all begin at the same character."""

    name = "overlapping"

    def __init__(self) -> None:
        self.depths: list[int] = []

    def read(self, questions, passages, *, k=1):
        self.depths.append(k)
        ends = range(300, 1, -1)
        spans = [SpanAnswer(0, end, passages[0][:end], float(end)) for end in ends]
        spans.append(SpanAnswer(310, 315, passages[0][310:315], 0.0))
        return [spans[:k] for _ in questions]


def test_more_spans_are_read_where_too_many_overlap():
    reader, passage = Overlapping(), "word " * 70
    (one,) = answer(reader, ["What?"], Texts(("p",), (passage,)), k=2).questions
    assert [(each.start, each.end) for each in one.answers] == [(0, 300), (310, 315)]
    assert reader.depths == [60, 480]
    (one,) = answer(reader, ["What?"], Texts(("p",), (passage,)), k=1).questions
    assert [(each.start, each.end) for each in one.answers] == [(0, 300)] and reader.depths[2:] == [1]


@pytest.mark.parametrize(
    "passages", [pandas.Series(["ab cd", "abcd e"], index=[7, 7]), {1: "ab cd", "1": "abcd e"}]
)
def test_a_passage_is_found_by_its_id_so_each_has_one_of_its_own(passages):
    """A joined frame's index names two passages alike, and one's words would stand in the other's text."""
    with pytest.raises(UsageError, match="names one text alone") as error:
        tk.answer("who", passages, Told())
    assert error.value.params == ("passages",)
