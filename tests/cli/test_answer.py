"""textkin answer."""

from pathlib import Path

import pytest

from tests.cli.conftest import Textkin

PASSAGES = "The mill stands by the river. Ada built it in 1911.\nThe barn is red.\n"


def test_an_answer_is_shown_in_its_passage(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "passages.txt"
    path.write_text(PASSAGES)
    told = textkin("answer", "Who built it?", path, "--model", "sentence-tfidf", "-k", "1", "--json").json
    (one,) = told["questions"][0]["answers"]
    assert (one["passage_id"], one["text"]) == ("1", "Ada built it in 1911.")
    assert PASSAGES[one["start"] : one["end"]] == one["text"]
    shown = textkin("answer", "Who built it?", path, "--model", "sentence-tfidf").out
    assert "passage 1, characters 30 to 51: The mill stands by the river. [Ada built it in 1911.]" in shown
    assert "sentence-tfidf read 2 of 2 passages" in shown


def test_an_answer_over_several_lines_takes_one(textkin: Textkin, tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "mill.txt").write_text("Ada built\nthe mill in 1911.\n")
    shown = textkin("answer", "Who built it?", tmp_path / "book", "--model", "constant").out
    assert shown.splitlines()[0].startswith("Ada built the   score 0.0000")
    assert shown.splitlines()[-1] == "constant read 1 of 1 passage"


def test_no_answer_is_an_answer(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "passages.txt"
    path.write_text(PASSAGES)
    assert textkin("answer", "Why?", path, "--model", "no-answer").out.splitlines()[0] == "no answer"
    told = textkin("answer", "Zzz?", path, "--model", "sentence-bm25").out
    assert "probability" not in told
    assert told.startswith("no answer: no passage has anything in common with the question")


@pytest.mark.slow
def test_wrong_arguments_take_one_line(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "passages.txt"
    path.write_text(PASSAGES)
    for arguments, code in (
        (("Why?", path, "nothing-there"), 5),
        (("Why?", path, "default"), 5),
        (("Why?", tmp_path / "none.txt", "no-answer"), 3),
        (("Why?", path, "no-answer", "-k", "0"), 2),
        ((" ", path, "no-answer"), 2),
        (("Why?", path, "no-answer", "--kaggle"), 2),
    ):
        question, passages, model, *others = arguments
        failed = textkin("answer", question, passages, "--model", model, *others)
        assert (failed.code, failed.out) == (code, "") and "Traceback" not in failed.err
