from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.verbs.label.scored_input import answers_beside, scored_from

TEXTS = ["How do I pay?", "How do I pay now?", "Where do I park?", "Where can I park?"]
ROWS = [("a", "b", 0.25), ("c", "d", 0.75), ("e", "f", 0.5)]
ORDERED = (("c", "d"), ("e", "f"), ("a", "b"))


@pytest.mark.parametrize("library", [None, "pandas", "polars", "pyarrow"])
def test_triples_and_tables_are_ordered_by_score(library):
    data = ROWS
    if library is not None:
        module = pytest.importorskip(library)
        columns = dict(zip(("a", "b", "score"), map(list, zip(*ROWS, strict=True)), strict=True))
        data = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    found = scored_from(data)
    assert (found.texts, found.scores.tolist()) == (ORDERED, [0.75, 0.5, 0.25])


def test_a_result_gives_what_its_file_gives(tmp_path):
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    found = tk.mine(TEXTS, threshold=0.0)
    tk.mine(tmp_path / "texts.txt", threshold=0.0, out=tmp_path / "mined.tsv")
    read, given = scored_from(tmp_path / "mined.tsv"), scored_from(found)
    assert given.texts == read.texts
    assert np.allclose(given.scores, read.scores, atol=1e-4)  # a file has fewer digits


def test_a_score_at_a_threshold_is_in_memory_what_it_is_in_a_file(tmp_path):
    vectors = np.array([[5, 0], [4, 3], [3, 4], [0, 5]], dtype=np.float32)  # cosines .8, .6, .96, 0
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    found = tk.mine(TEXTS, embeddings=vectors, threshold=0.5)
    tk.mine(tmp_path / "texts.txt", embeddings=vectors, threshold=0.5, out=tmp_path / "mined.tsv")
    exact = {0.96: 1, 0.8: 3, 0.6: 5}
    for given in (found, tmp_path / "mined.tsv", pd.DataFrame(list(found))):
        pairs = scored_from(given)
        assert {one: pairs.above(one) for one in exact} == exact


def test_matches_are_labelled_beside_their_nearest_entries():
    found = scored_from(tk.match(TEXTS, ["How can I pay?", TEXTS[0]]))
    assert found.matched
    assert [pair[0] for pair in found.texts] == ["How can I pay?"]
    assert sum(found.read.skipped.values()) == 1  # an exact duplicate


def test_odd_rows_are_skipped_and_counted():
    found = scored_from([*ROWS, ("g", None, 0.9), ("h", "i", float("nan"))])
    assert (len(found), found.read.rows, sum(found.read.skipped.values())) == (3, 5, 2)


@pytest.mark.parametrize("data", [[("a", "b")], ["a text"], [1]])
def test_pairs_without_scores_are_refused(data):
    with pytest.raises(UsageError) as error:
        scored_from(data)
    assert (error.value.params, error.value.value) == (("pairs",), data[0])


def test_a_frame_without_a_score_is_refused():
    with pytest.raises(DataError):
        scored_from(pd.DataFrame({"a": ["x"], "b": ["y"]}))


def test_labels_of_pairs_in_memory_are_kept_and_found_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert answers_beside(scored_from(ROWS)) == Path("pairs.labels.jsonl")
    session = tk.label(ROWS, precision=0.5)
    session.answer(session.next(), "same")
    assert tk.label(ROWS, precision=0.5).state().answered == 1
    with pytest.raises(DataError):
        tk.label([*ROWS, ("g", "h", 0.1)], precision=0.5)
