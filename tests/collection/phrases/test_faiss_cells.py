import numpy as np
import pytest

from tests.collection.phrases.drawn import clustered
from textkin.base.errors import DataError, UsageError
from textkin.collection.phrases.exact_search import DenseSearch, searchable_rows
from textkin.collection.phrases.faiss_cells import (
    CellSearch,
    CodeSearch,
    PhraseIndexOptions,
    check_cells,
    write_cells,
)

pytest.importorskip("faiss")


def cells(folder, *, metric="ip", bytes_per_vector=0, probe=16, refine=50, rows=10_000):
    stored = searchable_rows(clustered(rows, 16), metric)
    path = folder / "c.faiss"
    options = PhraseIndexOptions(
        metric=metric, cells=16, bytes_per_vector=bytes_per_vector, probe=probe, refine=refine
    )
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
    rows, search = cells(tmp_path, metric=metric, bytes_per_vector=4)
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
@pytest.mark.parametrize("metric", ["ip", "l2"])
def test_codes_alone_score_as_the_decoded_vectors_do(tmp_path, metric):
    faiss = pytest.importorskip("faiss")
    cells(tmp_path, metric=metric, bytes_per_vector=4)
    search = CodeSearch(tmp_path / "c.faiss", 10_000, PhraseIndexOptions(metric=metric, probe=16))
    questions = clustered(25, 16, seed=4)
    index = faiss.read_index(str(tmp_path / "c.faiss"))
    index.make_direct_map()
    decoded = index.reconstruct_n(0, 10_000).astype(np.float64)
    found = search.nearest(questions, 10)
    for question, numbers, scores in zip(questions, found.documents, found.scores, strict=True):
        wanted = decoded @ question if metric == "ip" else -np.linalg.norm(decoded - question, axis=1)
        np.testing.assert_allclose(scores, np.sort(wanted)[:-11:-1], rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(scores, wanted[numbers], rtol=1e-3, atol=1e-4)
    assert search.nearest(questions[:0], 10).documents.shape == (0, 10)
    few = CodeSearch(tmp_path / "c.faiss", 10_000, PhraseIndexOptions(metric=metric, probe=1))
    few = few.nearest(questions, 9_000)
    assert (few.documents[:, -1] == -1).all() and np.isneginf(few.scores[:, -1]).all()


@pytest.mark.slow
def test_the_same_seed_makes_the_same_file(tmp_path):
    contents = []
    for _ in range(2):
        cells(tmp_path, bytes_per_vector=4)
        contents.append((tmp_path / "c.faiss").read_bytes())
    assert contents[0] == contents[1]


def test_what_does_not_fit():
    good = {"rows": 100_000, "cells": 256, "probe": 8, "bytes_per_vector": 64}

    def check(*, rows, **options):
        check_cells(PhraseIndexOptions(**options), dim=512, rows=rows)

    check(**good)
    for wrong, told in [
        ({"probe": 300}, ("probe",)),
        ({"probe": 0}, ("probe",)),
        ({"cells": 5000}, ("cells",)),
        ({"bytes_per_vector": 60}, ("bytes_per_vector",)),
        ({"rows": 9_983, "cells": 200}, ("bytes_per_vector",)),
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
