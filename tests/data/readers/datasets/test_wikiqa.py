import csv

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers import Reading, load

HEADER = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"
LABELS = {"Q1": (0, 0), "Q2": (0, 1, 1), "Q3": (1,), "Q4": (1, 0)}
REFERENCE = "2 0 0 0\n2 0 1 1\n2 0 2 1\n4 0 0 1\n4 0 1 0\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "WikiQA-test.tsv"
    path.write_text(
        HEADER
        + "".join(
            f"{key}\twho is {key}\tD\tt\tD-{number}\tsentence {number}\t{label}\n"
            for key, labels in LABELS.items()
            for number, label in enumerate(labels)
        )
    )
    return path


def test_the_questions_of_a_reference_file(file):
    reference = file.with_name("WikiQA-test-filtered.ref")
    reference.write_text(REFERENCE)
    data = load(file, reading=Reading(reference=reference)).data
    assert data.name == "WikiQA-test.tsv, questions of WikiQA-test-filtered.ref"
    assert data.queries == load(file, reading=Reading(questions="mixed")).data.queries
    assert [one.query_id for one in data] == ["Q2", "Q4"]
    with pytest.raises(UsageError) as error:
        load(file, reading=Reading(reference=reference, questions="mixed"))
    assert error.value.params == ("reference", "questions")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("4 0 1 0", "4 0 1 1", "question 4 has 2 sentences, right ones 0, 1, and Q4, .* right ones 0;"),
        ("4 0 1 0\n", "", "question 4 has 1 sentences"),
        ("4 0 1 0", "4 0 1 0\n4 0 2 0", "question 4 has 3 sentences"),
        ("4 0", "5 0", "question '5', where the file has questions 1 to 4"),
        ("4 0", "0 0", "question '0'"),
        ("4 0", "Q4 0", "question 'Q4'"),
        ("2 0 0 0\n2 0 1 1", "1 0 0 0\n1 0 1 1", "right ones 1, and Q1, .* right ones none"),
    ],
)
def test_a_reference_that_does_not_agree_is_an_error(file, old, new, words):
    reference = file.with_name("other.ref")
    assert old in REFERENCE
    reference.write_text(REFERENCE.replace(old, new))
    with pytest.raises(DataError, match=words) as caught:
        load(file, reading=Reading(reference=reference))
    assert str(reference) in str(caught.value)


def test_a_copy_with_commas_is_the_same(file):
    rows = [line.split("\t") for line in file.read_text().splitlines()]
    rows[3][5] = rows[3][5].replace(" ", ', "', 1) + '"'
    copy = file.with_suffix(".csv")
    file.write_text("".join("\t".join(row) + "\n" for row in rows))
    with copy.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    one, other = (load(path, reading=Reading(questions="all")) for path in (file, copy))
    assert (other.format, other.data.queries) == ("wikiqa", one.data.queries)
