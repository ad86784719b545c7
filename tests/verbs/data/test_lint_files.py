import pytest

from tests.verbs.making_long import documents, siamese
from textkin.base.errors import ModelError, UsageError
from textkin.data.readers import Reading
from textkin.data.splits.findings import Severity, Topic
from textkin.verbs.data.lint_files import lint_files

pytestmark = pytest.mark.torch


def _write(path, *rows):
    path.write_text("text1\ttext2\tlabel\n" + "".join("\t".join(row) + "\n" for row in rows))
    return path


def test_findings_name_files_and_lines(tmp_path):
    (tmp_path / "other").mkdir()
    one = _write(
        tmp_path / "pairs.tsv", ("a", "b", "1"), ("", "skipped", "1"), ("b", "a", "0"), ("c", "d", "0")
    )
    two = _write(tmp_path / "other" / "pairs.tsv", ("x", "y", "1"), ("d", "C?", "0"))
    report = lint_files([one, two])
    (clash,) = report.of(Topic.CONTRADICTORY_LABEL)
    assert [str(place) for place in clash.examples[0].places] == [f"{one}:2", f"{one}:4"]
    (shared,) = report.of(Topic.SHARED_PAIR)
    assert [str(place) for place in shared.examples[0].places] == [f"{one}:5", f"{two}:3"]
    assert report.pairs == ((str(one), 3), (str(two), 2))


def test_lines_count_breaks_within_cells(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text('text1,text2,label\n"two\nlines",b,1\nc,d,0\n"two\nlines",b,1\n')
    (finding,) = lint_files([path]).of(Topic.REPEATED_PAIR)
    assert [place.line for place in finding.examples[0].places] == [2, 5]


def test_columns_are_passed_on(tmp_path):
    path = tmp_path / "in.tsv"
    path.write_text("l\tr\tv\n" + "a\tb\t1\n" * 2)
    report = lint_files([path], reading=Reading(columns={"a": "l", "b": "r", "label": "v"}))
    assert report.of(Topic.REPEATED_PAIR)[0].count == 1


def test_a_file_given_twice(tmp_path):
    path = _write(tmp_path / "pairs.tsv", ("a", "b", "1"))
    with pytest.raises(UsageError) as error:
        lint_files([path, tmp_path / "." / "pairs.tsv"])
    assert error.value.params == ("files",)
    with pytest.raises(UsageError):
        lint_files([])


def test_rows_that_the_reader_skips_are_a_finding(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("question1\tquestion2\tis_duplicate\na b\tc d\t1\n\tx\t0\ne f\tg h\t0\n")
    (finding,) = lint_files([path]).of(Topic.SKIPPED_ROW)
    assert finding.count == 1
    assert str(finding.examples[0].places[0]).endswith("pairs.tsv:3")


WIKIQA = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"


def _questions(path, *rows):
    path.write_text(
        WIKIQA + "".join(f"Q{n}\t{q}\tD\tt\tD-{n}\t{text}\t0\n" for n, (q, text) in enumerate(rows))
    )
    return path


def test_questions_with_candidates_are_pairs(tmp_path):
    train = _questions(tmp_path / "train.tsv", ("who?", "he"), ("why?", "so"), ("why?", "So."))
    test = _questions(tmp_path / "test.tsv", ("Who?", "he"), ("where?", "here"))
    report = lint_files([train, test])
    assert report.pairs == ((str(train), 3), (str(test), 2)), "also questions without a right candidate"
    (shared,) = report.of(Topic.SHARED_PAIR)
    assert [str(place) for place in shared.examples[0].places] == [f"{train}: row 0", f"{test}: row 0"]
    assert report.of(Topic.REPEATED_PAIR)[0].count == 1


def test_triplets_are_pairs_of_anchor_and_positive_and_of_anchor_and_negative(tmp_path):
    path = tmp_path / "triplets.tsv"
    path.write_text("anchor\tpositive\tnegative\na\tb\tc\na\tb\td\ne\tf\tg\nd\ta\tb\nh\t\ti\n")
    pairs = _write(tmp_path / "pairs.tsv", ("x", "y", "1"), ("F", "e", "1"))
    report = lint_files([path, pairs])
    # Rows say of a and d that they aren't the same, then that they are. A repeated positive isn't a finding.
    assert report.pairs == ((str(path), 7), (str(pairs), 2))
    assert not report.of(Topic.REPEATED_PAIR)
    (clash,) = report.of(Topic.CONTRADICTORY_LABEL)
    assert [str(place) for place in clash.examples[0].places] == [f"{path}:3", f"{path}:5"]
    (shared,) = report.of(Topic.SHARED_PAIR)
    assert [str(place) for place in shared.examples[0].places] == [f"{path}:4", f"{pairs}:3"]
    (skipped,) = report.of(Topic.SKIPPED_ROW)
    assert skipped.count == 1


def test_texts_that_a_model_would_cut_are_found(tmp_path):
    (one, other), encoder = documents(2), siamese()
    path = _write(tmp_path / "pairs.tsv", ("a", "b", "1"), (one, "c", "0"), ("d", other, "0"))
    assert not lint_files([path]).of(Topic.LONG_TEXT)
    (finding,) = lint_files([path], model=encoder).of(Topic.LONG_TEXT)
    assert (finding.count, finding.severity) == (2, Severity.WARNING)
    assert [example.places[0].line for example in finding.examples] == [3, 4]
    assert finding.message.startswith("2 of 6 texts are longer than the 64 tokens that siamese-lstm reads")
    assert not lint_files([path], model="default").of(Topic.LONG_TEXT)
    with pytest.raises(ModelError):
        lint_files([path], model=str(tmp_path / "nowhere"))


def test_files_are_read_again_in_their_encoding(tmp_path):
    pairs, texts = tmp_path / "pairs.csv", tmp_path / "texts.csv"
    pairs.write_text("text1,text2,label\n" + "Öl,Fett,1\n" * 2, encoding="cp1252")
    texts.write_text("text\n" + "Öl und " * 900 + "Fett\n", encoding="cp1252")
    reading = Reading(encoding="cp1252")
    (twice,) = lint_files([pairs], reading=reading).of(Topic.REPEATED_PAIR)
    assert [place.line for place in twice.examples[0].places] == [2, 3]
    (long,) = lint_files([texts], reading=reading, model="minilm").of(Topic.LONG_TEXT)
    assert "Öl und" in long.examples[0].text
