import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.example import bare_report, full_report
from textkin.report.data_facts import Reproduction
from textkin.report.markdown import markdown, plain_text, table
from textkin.report.tables import Grid


def test_words_and_tables_of_every_part():
    text = markdown(full_report())
    for words in (
        "# Study of quora\\_duplicate\\_questions.tsv",
        "**siamese-lstm beats TF-IDF by 0.041 AP",
        "| siamese-lstm | trained | 0.742 (0.731 to 0.753) |",
        "## Class by class\n\nDecisions of siamese-lstm",
        "## Threshold",
        "## Called the same, but they are not",
        "```toml\n[model]",
        "textkin study quora_duplicate_questions.tsv",
    ):
        assert words in text


def test_bare():
    assert markdown(bare_report()) == "# Nothing yet\n\npairs.tsv · 2026-11-21 · measure AP · textkin 0.1.0\n"


def test_every_table_has_as_many_cells_in_each_row():
    blocks = [block for block in markdown(full_report()).split("\n\n") if block.startswith("|")]
    assert len(blocks) >= 8
    for block in blocks:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


@given(st.text(max_size=80))
def test_no_text_can_leave_its_cell_or_make_markup(text):
    shown = plain_text(text)
    assert "\n" not in shown
    assert "\r" not in shown
    bare = re.sub(r"\\.", "", shown)
    assert not set(bare) & set("\\`*_[]<>|~")
    assert len(re.findall(r"(?<!\\)\|", table(Grid(("a", "b"), ((text, text),))).splitlines()[-1])) == 3


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a  b\n\nc", "a b c"),
        ("---", "\\---"),
        ("1. a", "1\\. a"),
        ("-0.5", "-0.5"),
        ("https://x", "https\\:\\/\\/x"),
        ("x" * 400, "x" * 300 + " …"),
    ],
)
def test_plain_text(text, shown):
    assert plain_text(text) == shown


def test_right_to_left_texts_keep_to_themselves():
    assert plain_text("שלום") == "\u2068שלום\u2069"
    assert plain_text("abc") == "abc"


def test_no_text_can_turn_the_order_of_others():
    assert plain_text("\u202eabc\u2069") == r"\\u202eabc\\u2069"
    report = dataclasses.replace(bare_report(), reproduction=Reproduction("x \x1b[2J\u202e"))
    assert r"x \x1b[2J\u202e" in markdown(report)


def test_a_fence_in_a_recipe_stays_inside():
    report = dataclasses.replace(bare_report(), reproduction=Reproduction("x", recipe="a = '```'\n"))
    assert "````toml\na = '```'\n````" in markdown(report)
