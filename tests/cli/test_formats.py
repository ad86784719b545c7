"""What the commands take besides pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Textkin
from textkin.readers import FORMATS

HEADER = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"
ROWS = [("Q1", "who", "x", 1), ("Q1", "who", "y", 0), ("Q2", "what", "x", 1), ("Q3", "why", "z", 0)]
THREAD = """<Thread><RelQuestion RELQ_ID="Q1"><RelQSubject>bank</RelQSubject></RelQuestion>
<RelComment RELC_ID="C1" RELC_RELEVANCE2RELQ="PotentiallyUseful"><RelCText>the bank</RelCText></RelComment>
<RelComment RELC_ID="C2" RELC_RELEVANCE2RELQ="Bad"><RelCText>no</RelCText></RelComment></Thread>
"""


@pytest.fixture
def wikiqa(tmp_path: Path) -> Path:
    path = tmp_path / "WikiQA-test.tsv"
    lines = [f"{key}\t{q}\tD\tt\tD-{n}\t{text}\t{label}\n" for n, (key, q, text, label) in enumerate(ROWS)]
    path.write_text(HEADER + "".join(lines))
    return path


def test_help_names_every_format(textkin: Textkin) -> None:
    for command in ("evaluate", "compare", "lint"):
        shown = " ".join(textkin(command, "--help").out.split())
        assert f"{', '.join(FORMATS)}, or auto" in shown


def test_a_reference_file_says_which_questions(textkin: Textkin, wikiqa: Path) -> None:
    reference = wikiqa.with_name("WikiQA-test-filtered.ref")
    reference.write_text("1 0 0 1\n1 0 1 0\n")
    found = textkin(
        "evaluate", "order", wikiqa, "--reference", reference, "--baselines", "constant", "--json"
    )
    assert found.json["data"] == "WikiQA-test.tsv, questions of WikiQA-test-filtered.ref"
    assert found.json["systems"]["queries"] == 1
    reference.write_text("2 0 0 0\n")
    refused = textkin("evaluate", "order", wikiqa, "--reference", reference)
    assert refused.code == 3 and str(reference) in refused.error
    assert textkin("evaluate", "order", wikiqa, "--labels", "graded").code == 2


def test_graded_comments(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "dev.xml"
    path.write_text(f"<xml>{THREAD}</xml>")
    assert textkin("evaluate", "order", path).code == 3, "no question has a good comment"
    found = textkin(
        "compare", path, "bm25", "--labels", "graded", "--baselines", "order", "-m", "AP", "--json"
    )
    assert found.json["systems"]["queries"] == 1
    assert "graded labels" in found.json["data"]


def test_lint_takes_candidates(textkin: Textkin, wikiqa: Path) -> None:
    assert textkin("lint", wikiqa, "--json").json["pairs"] == [[str(wikiqa), 4]]
