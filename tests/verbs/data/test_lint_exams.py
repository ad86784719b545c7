from pathlib import Path

import pytest

from tests.making_choices import as_table, exam
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet
from textkin.data.splits.findings import Severity, Topic
from textkin.verbs.data.lint_files import lint_files

HEADER = "id\tquestion\tcorrectAnswer\tanswerA\tanswerB\tanswerC\tanswerD\n"


def write(folder: Path, rows: str, name: str = "exam.tsv") -> Path:
    path = folder / name
    path.write_text(HEADER + rows)
    return path


def only(report, kind):
    (found,) = report.of(kind)
    return found


def test_a_sound_exam_has_no_findings(tmp_path):
    path = tmp_path / "exam.tsv"
    path.write_text(as_table(exam(200)))
    report = lint_files([path])
    assert report.findings == ()
    assert report.pairs == ((str(path), 200),)


def test_questions_that_no_command_reads(tmp_path):
    rows = "1\tWhat melts?\tE\tfire\tiron\tice\tair\n1\t \tA\ta\tb\tc\td\n3\tWhat flows?\tB\ta\twater\t\t\n"
    report = lint_files([write(tmp_path, rows)])
    found = only(report, Topic.FAULTY_QUESTION)
    assert (found.severity, found.count) == (Severity.ERROR, 2)
    assert [str(one.places[0]).rpartition(":")[2] for one in found.examples] == ["2", "3", "2", "3"]
    told = " ".join(one.text for one in found.examples)
    assert "the answer 'E' is none of the 4 choices" in told
    assert "the question is empty" in told and "the id '1' comes twice" in told
    assert report.has_errors


@pytest.mark.parametrize(("answer", "severity"), [("A", "error"), ("B", "warning")])
def test_a_choice_that_is_offered_twice(tmp_path, answer, severity):
    rows = f"1\tWhat melts?\t{answer}\tice\tfire\tIce.\tair\n2\tWhat burns?\tA\twood\tice\tair\tiron\n"
    found = only(lint_files([write(tmp_path, rows)]), Topic.REPEATED_CHOICE)
    assert (found.severity.value, found.count) == (severity, 1)
    assert str(found.examples[0].places[0]).endswith(":2")


def test_questions_that_come_again(tmp_path):
    rows = (
        "1\tWhat melts?\tA\tice\tfire\tiron\tair\n"
        "2\twhat MELTS\tC\tair\tfire\tice\tiron\n"  # the same choice in another place
        "3\tWhat melts?\tB\tice\tfire\tiron\tair\n"
        "4\tWhat melts?\tA\tsnow\tfire\tiron\tair\n"  # other choices
    )
    report = lint_files([write(tmp_path, rows)])
    again, clashing = only(report, Topic.REPEATED_QUESTION), only(report, Topic.CONTRADICTORY_LABEL)
    assert again.count == clashing.count == 1
    assert [str(place).rpartition(":")[2] for place in again.examples[0].places] == ["2", "3", "4"]
    assert clashing.severity is Severity.ERROR
    same = lint_files([write(tmp_path, rows.split("3\t")[0])])
    assert only(same, Topic.REPEATED_QUESTION).count == 1 and not same.of(Topic.CONTRADICTORY_LABEL)


def test_a_favoured_letter(tmp_path):
    questions = tuple(
        ChoiceQuestion(str(at), f"Which {at}?", (f"a{at}", f"b{at}", f"c{at}", f"d{at}"), min(at % 6, 3))
        for at in range(120)
    )
    path = tmp_path / "exam.tsv"
    path.write_text(as_table(ChoiceSet(questions)))
    found = only(lint_files([path]), Topic.LABEL_SHARE)
    assert found.count == 60
    assert "D is right 60 times of 120, by chance it would be 30" in found.message


def test_questions_that_stand_in_other_files(tmp_path):
    asked = "What melts in the warm sun of a long day in May?"
    first = write(tmp_path, f"1\t{asked}\tA\tice\tfire\tiron\tair\n")
    second = write(
        tmp_path,
        "1\twhat melts in the warm sun of a long day in May\tA\tsnow\tfire\tiron\tair\n",
        "second.tsv",
    )
    corpus = tmp_path / "corpus.tsv"
    corpus.write_text(
        f"question\tanswer\n{asked.replace('May', 'Mai')}\tice\nWhat burns at once?\twood\nWhy?\tno\n"
    )
    report = lint_files([first, second, corpus])
    shared = {finding.files: finding for finding in report.of(Topic.SHARED_TEXT)}
    assert shared[str(second), str(first)].count == 1
    assert "1 of 1, 1 of them word for word" in shared[str(second), str(first)].message
    near = shared[str(first), str(corpus)]
    assert "1 of 1, 0 of them word for word" in near.message
    assert [str(place) for place in near.examples[0].places] == [f"{first}:2", f"{corpus}:2"]


def test_films_are_named_by_their_ids(tmp_path):
    (tmp_path / "qa.json").write_text(
        '[{"qid": "t:0", "question": "Who?", "answers": ["Ada", "ada", "Bob"], "imdb_key": "tt1"}]'
    )
    found = only(lint_files([tmp_path]), Topic.REPEATED_CHOICE)
    assert "t:0" in str(found.examples[0].places[0])
