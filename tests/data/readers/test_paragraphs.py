"""Paragraphs of plain documents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.data.readers.paragraphs import paragraphs

_LONG = "a line of eighty-one characters that is no heading though it ends without any stop"


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ("", []),
        ("\n \n", []),
        ("One.\nMore.\n\n\nTwo.", [(1, "One.\nMore."), (5, "Two.")]),
        ("\n# Hours\n\n## Mornings\n\nWe open.\n", [(2, "# Hours\n\n## Mornings\n\nWe open.")]),
        ("When do you open?\n\nAt nine.\n\nOn Sundays?\n\nNever.",
         [(1, "When do you open?\n\nAt nine."), (5, "On Sundays?\n\nNever.")]),
        ("Hours\nWe open.\n\nThe end", [(1, "Hours\nWe open."), (4, "The end")]),
        (f"{_LONG}\n\nNext.", [(1, _LONG), (3, "Next.")]),
        (f"# {_LONG}\n\nNext.", [(1, f"# {_LONG}\n\nNext.")]),
        ("  indented \n\nNext.  ", [(1, "  indented \n\nNext.  ")]),
    ],
)  # fmt: skip
def test_paragraphs(document, found):
    assert list(paragraphs(document.split("\n"))) == found


@given(st.lists(st.sampled_from(["", " ", "A.", "b", "# c", _LONG]), max_size=12))
def test_no_line_is_lost_and_each_number_is_that_of_the_first_line(lines):
    found = list(paragraphs(lines))
    kept = [line for _, text in found for line in text.split("\n") if line.strip()]
    assert kept == [line for line in lines if line.strip()]
    assert all(lines[number - 1] == text.split("\n")[0] for number, text in found)
