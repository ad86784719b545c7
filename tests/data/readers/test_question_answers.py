from __future__ import annotations

from pathlib import Path

import pytest

from textkin.base.errors import DataError
from textkin.data.readers.question_answers import read_question_answers
from textkin.data.readers.read_options import Reading


def test_three_columns_without_header_are_id_question_and_answer(tmp_path: Path) -> None:
    cards, named = tmp_path / "cards.tsv", tmp_path / "named.csv"
    cards.write_text('1\tWhat is "ice"?\tcold water\n2\tWho sings?\tbirds\n2\tWho swims?\t\n')
    named.write_text("answer,question\nfire,What burns?\n")
    first, second = read_question_answers([cards, named])
    assert [(one.id_a, one.a, one.b, one.label) for one in first.data] == [
        ("1", 'What is "ice"?', "cold water", None),
        ("2", "Who sings?", "birds", None),
    ]
    assert first.report.skipped == {"empty text": 1}
    assert [(one.a, one.b) for one in second.data] == [("What burns?", "fire")]


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "cards.tsv"
    path.write_text("birds\tWho sings?\t1\nfish\tWho swims?\t2\n")
    (found,) = read_question_answers([path], reading=Reading(columns={"a": "2", "b": "1", "id_a": "3"}))
    assert [(one.id_a, one.a, one.b) for one in found.data] == [
        ("1", "Who sings?", "birds"),
        ("2", "Who swims?", "fish"),
    ]
    with pytest.raises(DataError) as error:
        read_question_answers([tmp_path / "none.tsv"])
    assert str(error.value.path).endswith("none.tsv")
