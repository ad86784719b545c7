from pathlib import Path

from textkin.base.text_table import cells_of, text_table


def test_columns_of_numbers_are_right_aligned():
    lines = text_table(("name", "count"), [("one", "1"), ("twelve", "1,200")], title="Words").splitlines()
    assert lines[0] == "Words"
    assert lines[1].split() == ["name", "count"]
    assert lines[3:] == ["one          1", "twelve   1,200"]


def test_values_become_cells_of_one_line():
    values = (None, float("nan"), True, 12345, 0.123456, 123456.7, " a\n b\t", "x" * 80, "\x07\u202e")
    assert cells_of(values) == [
        *("", "", "yes", "12,345", "0.1235", "123,457", "a b", "x" * 57 + "...", r"\x07\u202e"),
    ]
    long = Path("a" * 90)
    assert cells_of([long]) == [str(long)]
    assert cells_of([12_345.6, 7.184e18, -2.5e9]) == ["12,346", "7.184e+18", "-2.5e+09"]


def test_a_long_cell_lengthens_no_rule():
    lines = text_table(("what", "found"), [("one", "word " * 80), ("two", "a ─ b")]).splitlines()
    assert lines[1] == "─" * 100
    assert len(lines[2]) > 400 and lines[3].endswith("a ─ b")
