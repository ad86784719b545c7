"""Lint SQuAD's questions and BEIR's folders."""

import json

import pytest

from textkin.data.readers import load
from textkin.data.readers.datasets.squad import read_squad
from textkin.data.readers.trec import looks_like_qrels, read_qrels
from textkin.data.splits.findings import Severity, Topic
from textkin.verbs.data.lint_files import lint_files

TEXT = "The tower was built in 1889 by a company."


def squad(path, *asked, text=TEXT):
    qas = [
        {
            "id": name,
            "question": question,
            "answers": [{"text": answer, "answer_start": start}] if answer else [],
        }
        for name, question, answer, start in asked
    ]
    path.write_text(json.dumps({"data": [{"title": "T", "paragraphs": [{"context": text, "qas": qas}]}]}))
    return path


def test_what_is_left_out_of_squad_is_listed_by_ids(tmp_path):
    bad = [(f"bad{place}", f"Who {place}?", "company", place) for place in range(12)]
    path = squad(tmp_path / "a.json", ("ok", "When?", "1889", 23), *bad, ("out", "Far?", "1889", 999))
    report = lint_files([path])
    (found,) = report.of(Topic.SKIPPED_ROW)
    assert (found.severity, found.count) == (Severity.WARNING, 13)
    assert [str(one.places[0]) for one in found.examples] == [
        f"{path} {name}" for name in (*(f"bad{place}" for place in range(12)), "out")
    ]
    assert report.pairs == ((str(path), 14),)
    assert "(questions bad0, bad1, " in read_squad(path).report.sentence()


def test_questions_that_come_again_and_have_no_answer(tmp_path):
    asked = [("a", "When?", "1889", 23), ("b", "when", "1889", 23), ("c", "Why?", "", 0)]
    report = lint_files([squad(tmp_path / "a.json", *asked)])
    assert {one.kind: one.count for one in report.findings} == {
        Topic.REPEATED_QUESTION: 1,
        Topic.LABEL_SHARE: 1,
        Topic.MISSING_LABEL: 1,
    }
    assert not report.has_errors


def test_passages_in_two_files_are_a_leak(tmp_path):
    one = squad(tmp_path / "a.json", ("a", "When?", "1889", 23))
    other = squad(tmp_path / "b.json", ("b", "Since when?", "1889", 23), text=TEXT.upper())
    apart = squad(tmp_path / "c.json", ("c", "when?", "is", 4), text="Tea is hot.")
    shared = {one.files: one.severity for one in lint_files([one, other, apart]).of(Topic.SHARED_TEXT)}
    assert shared == {
        (str(one), str(other)): Severity.ERROR,
        (str(one), str(apart)): Severity.WARNING,
    }


def beir(folder, judgements, corpus=("a cat", "a dog", "A cat!", "")):
    (folder / "qrels").mkdir(parents=True)
    lines = [json.dumps({"_id": f"d{place}", "text": text}) for place, text in enumerate(corpus)]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n")
    lines = [json.dumps({"_id": f"q{place}", "text": f"query {place}"}) for place in range(3)]
    (folder / "queries.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + judgements)
    return folder


def test_a_corpus(tmp_path):
    folder = beir(tmp_path / "corpus", "q0\td0\t1.0\nq1\td1\t0\nq9\td0\t1\n")
    report = lint_files([folder])
    found = {one.kind: one for one in report.findings}
    assert {kind: one.count for kind, one in found.items()} == {
        Topic.SKIPPED_ROW: 1,
        Topic.MISSING_LABEL: 2,
        Topic.EMPTY_TEXT: 1,
        Topic.TEXT_WITH_OTHER_IDS: 1,
    }
    assert [str(place) for place in found[Topic.TEXT_WITH_OTHER_IDS].examples[0].places] == [
        f"{folder} d0",
        f"{folder} d2",
    ]
    exact = lint_files([folder], equal="exact")
    assert not exact.of(Topic.TEXT_WITH_OTHER_IDS)


@pytest.mark.parametrize("grade", ["1.0", "1.", "1"])
def test_grades_with_a_point_are_whole(tmp_path, grade):
    folder = beir(tmp_path / "corpus", f"q0\td0\t{grade}\nq1\td1\t0.0\n")
    path = folder / "qrels" / "test.tsv"
    assert looks_like_qrels(path)
    expected = {"q0": {"d0": 1}, "q1": {"d1": 0}}
    assert read_qrels(path).to_dict() == load(folder).data.qrels.to_dict() == expected
