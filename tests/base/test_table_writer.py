import io
import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import UsageError
from textkin.base.table_writer import RowWriter, check_ending


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("x.tsv", 'n\ttext\n1\t"a\tb"\n2\tc,d\n'),
        ("x.csv", 'n,text\n1,a\tb\n2,"c,d"\n'),
        ("x.jsonl", '{"n": 1, "text": "a\\tb"}\n{"n": 2, "text": "c,d"}\n'),
    ],
)
def test_rows_in_three_formats(name: str, wanted: str) -> None:
    stream = io.StringIO()
    check_ending(Path(name))
    writer = RowWriter(stream, Path(name), ("n", "text"))
    writer.write([(1, "a\tb")])
    writer.write([(2, "c,d")])
    assert stream.getvalue() == wanted


def test_other_letters_are_written_as_they_are() -> None:
    stream = io.StringIO()
    RowWriter(stream, Path("x.jsonl"), ("text",)).write([("naïve",)])
    assert "naïve" in stream.getvalue() and json.loads(stream.getvalue()) == {"text": "naïve"}


def test_other_endings_are_refused() -> None:
    with pytest.raises(UsageError) as error:
        check_ending(Path("pairs.xlsx"))
    assert error.value.params == ("out",)


@pytest.mark.parametrize("ending", ["tsv", "jsonl", "parquet", "feather"])
def test_figures_of_results_are_numbers_where_files_keep_types(tmp_path, ending):
    texts, examples = (
        ["my cat sleeps", "nothing at all", "my cat sleeps"],
        {"cat": ["cats sleep"], "x": ["y"]},
    )
    made = {
        "score": tk.score([("my cat", "my cats")], "tfidf-char", out=tmp_path / f"score.{ending}"),
        "classify": tk.classify(texts, examples, "tfidf-char", out=tmp_path / f"classify.{ending}"),
    }
    (tmp_path / "texts.txt").write_text("\n".join(texts))
    tk.cluster(tmp_path / "texts.txt", out=tmp_path / f"cluster.{ending}", threshold=0.9)
    read = {"tsv": partial(pd.read_csv, sep="\t"), "jsonl": partial(pd.read_json, lines=True)}
    found = {
        name: read.get(ending, getattr(pd, f"read_{ending}", None))(tmp_path / f"{name}.{ending}")
        for name in (*made, "cluster")
    }
    assert found["score"]["score"].dtype == found["classify"]["similarity"].dtype == np.float64
    digits = 1e-7 if ending == "tsv" else 1e-15
    assert abs(found["score"]["score"][0] - made["score"].scored[0]) <= digits
    marks = found["cluster"]["is_central"].tolist()
    assert marks == (["yes", "no", "no"] if ending == "tsv" else [True, False, False])
