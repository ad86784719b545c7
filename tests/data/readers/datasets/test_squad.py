import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.data.readers import detect
from textkin.data.readers.datasets.squad import (
    ambiguous,
    article_of,
    is_squad,
    is_squad_document,
    read_squad,
    squad_of,
)
from textkin.data.readers.span_checks import occurrences
from textkin.data.span_records import Passage, Span
from textkin.verbs.evaluate.comparison import compared

WORD = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=4)


def _document(*contexts):
    paragraphs = [{"context": context, "qas": qas} for context, qas in contexts]
    return {"version": "1.1", "data": [{"title": "A_page", "paragraphs": paragraphs}]}


def _question(key, *answers, question="Who?", **more):
    told = [{"text": text, "answer_start": start} for start, text in answers]
    return {"id": key, "question": question, "answers": told, **more}


def _write(tmp_path, document):
    path = tmp_path / "squad.json"
    path.write_text(json.dumps(document))
    return path


def test_passages_and_questions(tmp_path):
    path = _write(
        tmp_path,
        _document(
            (
                "Ada \U0001f600 met Bob.",
                [_question("1", (10, "Bob"), (0, "Ada")), _question("2", (0, "Bob"))],
            ),
            ("Nobody.", [_question("3", is_impossible=True), _question("4", (0, "N"), question=" ")]),
        ),
    )
    loaded = read_squad(path)
    assert loaded.data.passages == {
        "0-0": Passage("0-0", "A_page", "Ada \U0001f600 met Bob."),
        "0-1": Passage("0-1", "A_page", "Nobody."),
    }
    first, third = loaded.data
    assert first.answers == (Span(10, "Bob"), Span(0, "Ada"))
    assert first.answers[0].end == 13
    assert (third.question_id, third.passage_id, third.answers) == ("3", "0-1", ())
    assert loaded.report.sentence() == (
        "4 rows, 2 kept; skipped 2: 1 answer that does not stand where its offset says (question 2), "
        "1 empty text (question 4)"
    )
    with pytest.raises(DataError) as error:
        detect(path)
    assert str(error.value.path).endswith("squad.json")


@given(st.lists(WORD, min_size=1, max_size=6), st.data())
def test_offsets_count_characters(tmp_path_factory, words, data):
    context = " ".join(words)
    assume(context.strip())  # of blanks alone nothing is asked
    place = data.draw(st.integers(0, len(words) - 1))
    start = len(" ".join(words[:place])) + (place > 0)
    path = _write(
        tmp_path_factory.getbasetemp(), _document((context, [_question("1", (start, words[place]))]))
    )
    (question,) = read_squad(path).data
    span = question.answers[0]
    assert context[span.start : span.end] == span.text == words[place]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"data": 1}, "data: expected a list, found 1"),
        (_document(("a", [_question("1"), _question("1")])), r"qas\[1\]: the id '1' comes twice"),
        (_document(("a", [_question("1", (-1, "a"))])), r"answers\[0\]: answer 'a' at -1"),
        (_document(("a", [_question("1", (0, ""))])), "expected text at an offset"),
        (_document(("a", [{"id": "1", "question": "x"}])), r"qas\[0\].answers: expected a list"),
        (_document(("a", [_question("1", is_impossible="yes")])), "is_impossible: expected true or false"),
        ([], "expected an object, found"),
        (_document((None, [])), r"data\[0\].paragraphs\[0\].context: expected text"),
    ],
)
def test_broken_files_name_the_place(tmp_path, document, words):
    with pytest.raises(DataError, match=words):
        read_squad(_write(tmp_path, document))


@pytest.mark.parametrize(
    "document",
    [
        {"data": []},
        {"version": "1.1", "data": []},
        {"data": [{"title": "a", "paragraphs": []}]},
        {"data": [{"title": "a", "paragraphs": [{"context": "Ada.", "qas": []}]}]},
    ],
)
def test_a_document_that_asks_nothing_says_so(tmp_path, document):
    path = _write(tmp_path, document)
    assert is_squad(path)
    with pytest.raises(DataError) as error:
        compared(path, models=["sentence-bm25"])
    assert str(error.value.path).endswith("squad.json")


def test_other_documents_with_empty_lists_are_not_squad(tmp_path):
    for other in ({"data": [], "x": 1, "paragraphs": []}, {"data": {"paragraphs": []}}, {"data": [[]]}):
        assert is_squad(_write(tmp_path, other)) is (other["data"] == [])


def test_what_can_not_be_learnt_from_is_counted_and_what_is_measured_keeps_it(tmp_path):
    path = _write(
        tmp_path,
        _document(
            ("Ada met Bob.", [_question("1", (4, "met"), (0, "met")), _question("2", (30, "Bob"))]),
            ("  ", [_question("3", is_impossible=True)]),
            ("Ada.", [_question("4", (0, "Ada"), is_impossible=False), _question("5", is_impossible=True)]),
        ),
    )
    loaded = read_squad(path)
    assert [one.question_id for one in loaded.data] == ["4", "5"]
    assert [one.is_impossible for one in loaded.data] == [False, True]
    assert dict(loaded.report.skipped) == {
        "answer that does not stand where its offset says": 1,
        "answer whose offset is beyond the passage": 1,
        "empty passage": 1,
    }
    everything = read_squad(path, every=True)
    assert [one.question_id for one in everything.data] == ["1", "2", "3", "4", "5"]
    assert everything.report.skipped == {}
    assert [article_of(one.passage_id) for one in everything.data] == ["0"] * 5


def _slow_occurrences(text, answer):
    def word(place):
        return 0 <= place < len(text) and (text[place].isalnum() or text[place] == "_")

    places = [start for start in range(len(text)) if text[start : start + len(answer)] == answer]
    ends = [(start, start + len(answer)) for start in places]
    return [
        start
        for start, end in ends
        if not (word(start - 1) and word(start)) and not (word(end - 1) and word(end))
    ]


@given(st.text("ab $_é", max_size=12), st.text("ab $_é", min_size=1, max_size=3))
def test_occurrences_are_the_slow_ones(text, answer):
    assert occurrences(text, answer) == _slow_occurrences(text, answer)


def test_occurrences_by_example():
    assert occurrences("art, party and art", "art") == [0, 15]
    assert occurrences("a a a", "a a") == [0, 2]
    assert occurrences("$5, $50 and US$5", "$5") == [0, 14]
    assert occurrences("none", "art") == []
    with pytest.raises(DataError, match="empty answer"):
        occurrences("a", "")


def test_ambiguous_questions(tmp_path):
    told = [
        _question("once", (4, "met")),
        _question("twice", (0, "Ada"), (8, "Bob")),
        _question("part of a word", (8, "Bo")),
        _question("first only", (8, "Bob"), (0, "Ada")),
        _question("none", is_impossible=True),
    ]
    path = _write(
        tmp_path, _document(("Ada met Bobs, Ada.", [told[0], told[1], told[4]]), ("Ada met Bob", told[2:4]))
    )
    assert ambiguous(read_squad(path).data) == {"twice"}
    path = _write(tmp_path, _document(("Bobs met Bo.", [_question("inside", (0, "Bo"))])))
    assert ambiguous(read_squad(path).data) == {"inside"}


def test_a_document_in_memory_is_read_as_its_file(tmp_path):
    qas = [{"id": "q", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]}]
    document = {"data": [{"title": "T", "paragraphs": [{"context": "Ada met Bob.", "qas": qas}]}]}
    (tmp_path / "squad.json").write_text(json.dumps(document))
    assert is_squad_document(document) and not is_squad_document({"data": [1]})
    found, read = squad_of(document), read_squad(tmp_path / "squad.json").data
    assert (found.passages, found.questions) == (read.passages, read.questions)
    qas[0]["answers"][0]["answer_start"] = 4
    for wrong in (document, {"data": []}, {"data": [{"paragraphs": [{"context": "Ada"}]}]}):
        with pytest.raises(DataError):
            squad_of(wrong)
