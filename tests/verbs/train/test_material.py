"""What a recipe learns from, and what dev shares with it."""

import pytest

from textkin.verbs.train.material import Material, read_for, shared_with_dev


@pytest.mark.parametrize(
    ("rows", "warnings"),
    [
        ([("positive 1", "anchor 1", "x"), ("positive 2", "Anchor 2!", "y")], 1),
        ([("anchor 1", "new", "x")], 1),
        ([("new 1", "positive 1", "x"), ("new 2", "positive 1", "negative 1")], 0),
    ],
)
def test_dev_shares_right_pairs_in_either_order(tmp_path, rows, warnings):
    learnt = [(f"anchor {n}", f"positive {n}", f"negative {n}") for n in range(9)]
    sides = []
    for name, some in (("train.tsv", learnt), ("dev.tsv", rows)):
        lines = ["\t".join(row) for row in [("anchor", "positive", "negative"), *some]]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
        sides.append(read_for("pairs", tmp_path / name).data)
    assert len(list(shared_with_dev(Material(*sides)))) == warnings
