"""Parquet and Arrow files instead of other tables, in commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Textkin
from textkin.data import samples

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    found = list(dict.fromkeys(text for a, b, _ in samples.pairs("cooking") for text in (a, b)))[:60]
    table = arrow.table({"id": [f"t{n}" for n in range(60)], "text": found, "year": list(range(1960, 2020))})
    parquet.write_table(table, tmp_path / "texts.parquet", row_group_size=20)
    return tmp_path / "texts.parquet"


def test_pairs_are_mined_from_columns_into_columns(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    plain = tmp_path / "texts.tsv"
    rows = parquet.read_table(texts).to_pylist()
    plain.write_text("id\ttext\n" + "".join(f"{row['id']}\t{row['text']}\n" for row in rows))
    for given, out in ((plain, "pairs.tsv"), (texts, "pairs.feather")):
        assert textkin("mine", given, "--threshold", 0.6, "--out", tmp_path / out).code == 0
    expected = [line.split("\t") for line in (tmp_path / "pairs.tsv").read_text().splitlines()]
    found = feather.read_table(tmp_path / "pairs.feather")
    assert found.schema.field("score").type == arrow.float64()
    assert found.schema.names == expected[0] and len(found) == len(expected) - 1 > 5
    assert [[str(cell) for cell in row.values()] for row in found.to_pylist()] == expected[1:]


def test_texts_that_stay_keep_their_columns(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    assert textkin("dedupe", texts, "--threshold", 0.7, "--out", tmp_path / "kept").code == 0
    before, after = parquet.read_table(texts), parquet.read_table(tmp_path / "kept" / "kept.parquet")
    assert after.schema.types == before.schema.types and 10 < len(after) < 60
    rows = before.to_pylist()
    assert all(row in rows for row in after.to_pylist())


def test_scores_are_numbers_in_columns(textkin: Textkin, tmp_path: Path) -> None:
    a, b, same = zip(*samples.pairs("cooking")[:9], strict=True)
    parquet.write_table(arrow.table({"a": a, "b": b, "label": same}), tmp_path / "pairs.parquet")
    out = tmp_path / "scores.parquet"
    shown = textkin("score", "--pairs", tmp_path / "pairs.parquet", "--out", out, "--json")
    assert shown.json["count"] == 9
    found = parquet.read_table(out)
    assert found.column("score").type == arrow.float64() and found.column("row").to_pylist()[-1] == 9


def test_a_column_file_that_is_none_is_one_line(textkin: Textkin, tmp_path: Path) -> None:
    (tmp_path / "texts.parquet").write_bytes(b"PAR1 and no more")
    shown = textkin("mine", tmp_path / "texts.parquet", "--out", tmp_path / "pairs.tsv")
    assert shown.code == 3 and "can't be read as Parquet" in shown.error
    assert not (tmp_path / "pairs.tsv").exists()
