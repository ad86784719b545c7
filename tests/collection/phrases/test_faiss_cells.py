import numpy as np
import pytest

from tests.collection.phrases.drawn import clustered
from textkin.base.errors import DataError, UsageError
from textkin.collection.phrases.exact_search import DenseSearch, searchable_rows
from textkin.collection.phrases.faiss_cells import CellSearch, PhraseIndexOptions, check_cells, write_cells

pytest.importorskip("faiss")


def cells(folder, *, metric="ip", code_bytes=0, probe=16, refine=50, rows=10_000):
    stored = searchable_rows(clustered(rows, 16), metric)
    path = folder / "c.faiss"
    options = PhraseIndexOptions(metric=metric, cells=16, code_bytes=code_bytes, probe=probe, refine=refine)
    write_cells(path, stored, 16, options)
    return stored, CellSearch(path, stored, options)


@pytest.mark.parametrize("metric", ["ip", "l2"])
def test_all_cells_with_whole_vectors_find_what_is_exact(tmp_path, metric):
    rows, search = cells(tmp_path, metric=metric)
    questions = clustered(25, 16, seed=4)
    found, exact = (
        search.nearest(questions, 10),
        DenseSearch(rows, metric=metric, short=None).nearest(questions, 10),
    )
    np.testing.assert_array_equal(found.documents, exact.documents)
    np.testing.assert_array_equal(found.scores, exact.scores)
    assert search.nearest(questions[:0], 10).documents.shape == (0, 10)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["ip", "l2"])
def test_codes_find_most_and_score_exactly(tmp_path, metric):
    rows, search = cells(tmp_path, metric=metric, code_bytes=4)
    questions = clustered(25, 16, seed=4)
    found, exact = (
        search.nearest(questions, 10),
        DenseSearch(rows, metric=metric, short=None).nearest(questions, 10),
    )
    assert (
        np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found.documents, exact.documents, strict=True)])
        > 0.6
    )
    scores = {(q, n): s for q in range(25) for n, s in zip(exact.documents[q], exact.scores[q], strict=True)}
    common = [(q, n, s) for q in range(25) for n, s in zip(found.documents[q], found.scores[q], strict=True)]
    assert all(scores.get((q, n), s) == s for q, n, s in common)
    size = (tmp_path / "c.faiss").stat().st_size
    assert size < 10_000 * (4 + 8) + 50_000  # codes and numbers, centres


@pytest.mark.slow
def test_the_same_seed_makes_the_same_file(tmp_path):
    contents = []
    for _ in range(2):
        cells(tmp_path, code_bytes=4)
        contents.append((tmp_path / "c.faiss").read_bytes())
    assert contents[0] == contents[1]


def test_what_does_not_fit():
    good = {"rows": 100_000, "cells": 256, "probe": 8, "code_bytes": 64}

    def check(*, rows, **options):
        check_cells(PhraseIndexOptions(**options), dim=512, rows=rows)

    check(**good)
    for wrong, told in [
        ({"probe": 300}, ("probe",)),
        ({"probe": 0}, ("probe",)),
        ({"cells": 5000}, ("cells",)),
        ({"code_bytes": 60}, ("code_bytes",)),
        ({"rows": 9_983, "cells": 200}, ("code_bytes",)),
    ]:
        with pytest.raises(UsageError) as error:
            check(**good | wrong)
        assert error.value.params == told


def test_broken_files(tmp_path):
    rows, _ = cells(tmp_path)
    path = tmp_path / "c.faiss"
    with pytest.raises(DataError, match=r"holds 10,000 phrases of 9,999"):
        CellSearch(path, rows[:-1], PhraseIndexOptions(cells=1, probe=1))
    path.write_bytes(b"text")
    with pytest.raises(DataError, match="no index of faiss"):
        CellSearch(path, rows, PhraseIndexOptions(cells=1, probe=1))
