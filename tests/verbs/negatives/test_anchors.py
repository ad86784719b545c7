from pathlib import Path

import pytest

import textkin as tk
from textkin.base.errors import UsageError
from textkin.data.readers import Reading
from textkin.data.readers.columns import parse_columns
from textkin.data.records import CandidateSet, PairSet
from textkin.verbs.negatives.anchors import read_gold

WIKIQA = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"


def write_wikiqa(folder: Path) -> Path:
    path = folder / "WikiQA-train.tsv"
    rows = [
        ("Q1", "who is it", "D1", "T", "D1-0", "it is me", "1"),
        ("Q1", "who is it", "D1", "T", "D1-1", "no", "0"),
    ]
    rows += [("Q2", "where", "D2", "T", "D2-0", "nowhere at all", "0")]
    path.write_text(WIKIQA + "".join("\t".join(row) + "\n" for row in rows))
    return path


def test_questions_without_a_right_candidate_are_read_too(tmp_path: Path) -> None:
    found = read_gold(write_wikiqa(tmp_path)).data
    assert isinstance(found, CandidateSet) and [one.query_id for one in found] == ["Q1", "Q2"]


def test_pairs_are_read_with_the_columns_that_are_named(tmp_path: Path) -> None:
    path = tmp_path / "p.tsv"
    path.write_text("x\ty\tz\na\tb\t1\nc\td\t0\n")
    found = read_gold(path, reading=Reading(columns=parse_columns("a=x,b=y,label=z"))).data
    assert isinstance(found, PairSet) and len(found) == 2


def test_a_path_serves_as_well_as_what_is_in_it(tmp_path: Path) -> None:
    pairs = [(f"green apple {n}", f"apple of green {n}", 1) for n in range(8)]
    path = tmp_path / "pairs.tsv"
    path.write_text("question1\tquestion2\tis_duplicate\n" + "".join(f"{a}\t{b}\t{c}\n" for a, b, c in pairs))
    for name, gold in (("a", path), ("b", str(path)), ("c", read_gold(path).data)):
        tk.negatives(gold, out=tmp_path / f"{name}.tsv", model=["tfidf"], ranks="1-5", each=1)
    first, second, third = ((tmp_path / f"{name}.tsv").read_bytes() for name in "abc")
    assert first == second == third and first.count(b"\n") > 8


def test_a_suite_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from textkin.data.readers.read_report import Loaded, ReadReport
    from textkin.data.records import Suite
    from textkin.verbs.negatives import anchors

    suite = object.__new__(Suite)
    report = ReadReport(tmp_path, 0, 0, {}, {})
    monkeypatch.setattr(anchors, "load", lambda path, **options: Loaded(suite, report, "quora-ir"))
    with pytest.raises(UsageError) as error:
        read_gold(tmp_path, reading=Reading(format="quora-ir"))
    assert error.value.params == ("data",)
