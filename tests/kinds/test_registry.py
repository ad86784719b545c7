"""The kind of given data, from files and from records."""

import json

import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.data.records import DuplicateSet, Suite
from textkin.kinds.registry import KINDS, data_kind, load_data, records_of


def test_a_file_of_which_nothing_is_left_is_refused_with_the_reasons(tmp_path):
    spans = tmp_path / "squad.json"
    asked = {"id": "1", "question": "When?", "answers": [{"text": "1911", "answer_start": 99}]}
    article = {"title": "mill", "paragraphs": [{"context": "Built in 1911.", "qas": [asked]}]}
    spans.write_text(json.dumps({"version": "1.1", "data": [article]}))
    with pytest.raises(
        DataError, match=r"squad\.json: 1 row, 0 kept; skipped 1: .*beyond the passage \(question 1\)"
    ):
        load_data(spans)


def test_records_are_of_one_kind():
    pairs = tk.as_pairs([("a", "b", 1)])
    records = [
        pairs,
        tk.as_pairs([("a", "b", "same"), ("c", "d", "other"), ("e", "f", "none")]),
        tk.CandidateSet(()),
        tk.RetrievalSet({}, {}, tk.Qrels.from_dict({})),
        tk.SpanSet({}, ()),
        tk.ChoiceSet(()),
        DuplicateSet({}, ()),
    ]
    for one in records:
        assert [kind for kind in KINDS if kind.holds(one)] == [data_kind(one)]
    assert len({type(data_kind(one)) for one in records}) == len(records)
    kind, loaded = load_data(pairs)
    assert kind is data_kind(pairs) and loaded.data == pairs


def test_three_data_sets_are_of_no_kind():
    collection = tk.RetrievalSet({}, {}, tk.Qrels.from_dict({}))
    with pytest.raises(UsageError) as error:
        data_kind(Suite(tk.as_pairs([("a", "b", 1)]), DuplicateSet({}, ()), collection))
    assert error.value.params == ("data",)


@pytest.mark.parametrize(("every", "queries"), [(False, 1), (True, 2)])
def test_questions_without_a_right_candidate_are_read_if_asked_for(tmp_path, every, queries):
    path = tmp_path / "WikiQA-train.tsv"
    names = ("QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence", "Label")
    right = ("Q1", "who is it", "D1", "T", "D1-0", "it is me", "1")
    wrong = ("Q2", "where", "D2", "T", "D2-0", "nowhere at all", "0")
    path.write_text("".join("\t".join(row) + "\n" for row in (names, right, wrong)))
    assert len(load_data(path, every=every)[1].data) == queries


READERS = """
import textkin as tk
from textkin.data.records import DuplicateSet

def classes(path):
    return [("a", "b", "same"), ("c", "d", "other"), ("e", "f", "none")]

def exam(path):
    yield tk.ChoiceQuestion("1", "What melts?", ("ice", "fire"), answer=0)

def spans(path):
    text = path.read_text()
    asked = tk.SpanQuestion("q1", "Who met Bob?", "0", (tk.Span(0, "Ada"),))
    return tk.SpanSet({"0": tk.Passage("0", "Ada", text)}, (asked,))

def duplicates(path):
    return DuplicateSet({"1": "open", "2": "Open!", "3": "parking"}, (("1", "2"),))

def preferences(path):
    return [{"anchor": "open", "first": "hours", "second": "parking", "preference": "first"}]

def ranked(path):
    return [tk.Candidates("q", "open", ("1", "2"), ("hours", "parking"), (1, 0))]

def corpus(path):
    return tk.RetrievalSet({"d": "hours"}, {"q": "open"}, tk.Qrels.from_dict({"q": {"d": 1}}))

def unlike(path):
    return [{"anchor": "open", "first": "hours", "second": "parking", "preference": "maybe"}]

def nothing(path):
    return [object()]

def failing(path):
    yield 1 / 0
"""
WORDS = {
    "classes": "classes of pairs",
    "corpus": "a corpus with queries",
    "duplicates": "texts with duplicates to find",
    "exam": "multiple-choice questions",
    "preferences": "triplets with a preference",
    "ranked": "queries with candidates",
    "spans": "questions about passages",
}


@pytest.mark.parametrize("part", WORDS)
def test_ones_own_reader_gives_data_of_every_kind(own_module, tmp_path, part):
    (tmp_path / "data.txt").write_text("Ada met Bob.")
    format = f"{own_module(READERS)}:{part}"
    kind, loaded = load_data(tmp_path / "data.txt", reading=tk.Reading(format=format))
    assert kind.words == WORDS[part] and kind.holds(loaded.data)
    system = {"spans": "sentence-tfidf", "classes": "majority"}.get(part, "tfidf")
    found = tk.compare(tmp_path / "data.txt", system, format=format, resamples=10, rounds=10)
    assert system in [one.system for one in found]


@pytest.mark.parametrize("part", ["unlike", "nothing", "failing"])
def test_what_is_no_data_of_any_kind_is_refused(own_module, tmp_path, part):
    (tmp_path / "data.txt").write_text("a")
    format = f"{own_module(READERS)}:{part}"
    with pytest.raises(UsageError) as error:
        load_data(tmp_path / "data.txt", reading=tk.Reading(format=format))
    assert (error.value.params, error.value.value) == (("format",), format)


def test_columns_of_unlike_lengths_are_refused():
    run = {"q1": {"d1": 0.9, "d2": 0.5}, "q2": {"d1": 0.2}}
    with pytest.raises(UsageError) as told:
        records_of(run, {"a": "q1", "b": "q2"})
    assert "'q2' has 1 value" in told.value.message
