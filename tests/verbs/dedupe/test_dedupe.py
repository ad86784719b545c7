"""tk.dedupe: what it takes, and what its result gives."""

from collections.abc import Sequence

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import UsageError

TEXTS = ["When do you open?", "when do you open?", "Where can I park?", "When do you open?"]


def kept(**options: object) -> list[int]:
    return tk.dedupe(TEXTS, **options).kept.tolist()


def test_the_result_says_which_texts_are_duplicates():
    found = tk.dedupe(TEXTS, threshold=0.9)
    assert found.is_duplicate.tolist() == [False, True, False, True]
    assert found.kept_texts == [TEXTS[0], TEXTS[2]]
    assert [(row.id, row.kept_id) for row in found] == [(1, 0), (3, 0)]
    assert repr(found) == "<Deduped: 4 texts, 2 kept, threshold 0.9>"
    assert found.as_dict()["removed"] == len(found) == 2
    assert "<table>" in found._repr_html_()


def test_a_frame_keeps_its_index():
    frames = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = frames.DataFrame({"text": TEXTS, "votes": [1, 2, 3, 4]}, index=list("abcd"))
    found = tk.dedupe(frame, threshold=0.9, keep="votes")
    assert list(frame[~found.is_duplicate].index) == ["c", "d"]
    assert list(found.to_pandas().index) == ["a", "b"]
    assert list(tk.dedupe(frame["text"], threshold=0.9).to_pandas()["kept_id"]) == ["a", "a"]


@pytest.mark.parametrize("values", [[1, 3, 2, 0], np.array([1.0, 3.0, 2.0, 0.0])], ids=["list", "array"])
def test_keep_takes_numbers(values: Sequence[float]):
    assert kept(keep=values) == [1, 2]


def test_keep_takes_a_column_of_a_file(tmp_path):
    table = tmp_path / "texts.csv"
    table.write_text("text,votes\n" + "".join(f"{text},{n}\n" for n, text in enumerate(TEXTS)))
    assert tk.dedupe(table, keep="votes").kept.tolist() == [2, 3]
    assert (tk.dedupe(table, keep="votes", out=tmp_path / "out").counts.kept) == 2


def test_guards_are_words_a_list_or_none():
    texts = ["a 1", "a 2", "not a 1"]
    same = np.ones((3, 2), dtype=np.float32)
    for guards, count in ((None, 1), ("none", 1), ((), 1), ("numbers", 2), (["numbers", "negation"], 3)):
        assert len(tk.dedupe(texts, embeddings=same, guards=guards).kept) == count


@pytest.mark.parametrize(
    ("options", "param"),
    [
        ({"keep": "bogus"}, "keep"),
        ({"keep": ["a"]}, "keep"),
        ({"guards": ["numbers", "nonsense"]}, "guards"),
        ({"guards": 5}, "guards"),
        ({"most": 0}, "most"),
        ({"threshold": 1.5}, "threshold"),
        ({"sample": 0, "out": "x"}, "sample"),
        ({"sample": 5}, "out"),
        ({"gold": "groups.csv"}, "out"),
        ({"linkage": "single"}, "linkage"),
        ({"embeddings": "x.npy", "unknown": "accept"}, "unknown"),
        ({"embeddings": "x.npy", "long": "windows"}, "long"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], param: str):
    with pytest.raises(UsageError) as error:
        kept(**options)
    assert error.value.params == (param,)


@pytest.mark.parametrize("options", [{}, {"precision": 0.9}, {"labelled": "sample.csv"}])
def test_a_rule_is_for_a_precision_by_labels(options: dict[str, object]):
    with pytest.raises(UsageError) as error:
        kept(rule="estimate", **options)
    assert error.value.params == ("labelled", "precision")


@pytest.mark.parametrize("options", [{"model": object()}, {"embeddings": np.ones((4, 2))}, {"keep": [1, 2]}])
def test_a_folder_needs_names(options: dict[str, object], tmp_path):
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS))
    with pytest.raises(UsageError) as error:
        tk.dedupe(tmp_path / "texts.txt", out=tmp_path / "out", **options)
    assert error.value.params == tuple(options)
