"""The folder of a study."""

import pytest

from textkin.data.readers import Reading, load_pairs
from textkin.verbs.data.split_file import split_file
from textkin.verbs.experiments.study_folder import SPLIT, read_sides


@pytest.mark.parametrize("ending", [".tsv", ".parquet"])
def test_sides_are_those_of_the_split_whatever_kind_of_file_it_left(tmp_path, ending):
    rows = [(f"first {number % 40}", f"second {number}", number % 2) for number in range(60)]
    path = tmp_path / f"pairs{ending}"
    if ending == ".tsv":
        lines = [("a", "b", "label"), *rows]
        path.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
    else:
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(
            arrow.table(dict(zip(("a", "b", "label"), zip(*rows, strict=True), strict=True))), path
        )
    report = split_file(path, tmp_path / SPLIT)
    sides = read_sides(tmp_path, Reading())
    assert list(sides) == ["train", "dev", "test"]
    for name, side in sides.items():
        assert side.pairs == load_pairs(tmp_path / SPLIT / f"{name}{ending}").data.pairs
        assert report.side_hash(name) == report.files[f"{name}{ending}"]
    assert sum(map(len, sides.values())) == 60
