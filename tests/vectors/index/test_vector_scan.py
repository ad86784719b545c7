"""Vector scans, compared with a matrix of all cosines."""

import numpy as np
import pytest

from textkin.vectors.index import array_scan
from textkin.vectors.index import vector_scan as scan
from textkin.vectors.index.byte_codes import byte_codes, query_codes
from textkin.vectors.index.vector_scan import scanned
from textkin.vectors.join.nearest import Searcher
from textkin.vectors.join.prepared_rows import by_cosine


def set_path(monkeypatch, block):
    """Scan in blocks of this size by threads, or by arrays."""
    monkeypatch.setattr(scan, "_BLOCK", block)
    monkeypatch.setattr(scan, "cores", lambda: 3 if block == 7 else 1)
    monkeypatch.setattr(scan, "arrays_do", lambda *_: block is None)
    monkeypatch.setattr(array_scan, "_AT_ONCE", 150)


def lowest(block):
    """The lowest number of the vectors; arrays leave a cosine of exactly zero to the loops."""
    return 1 if block is None else -2


@pytest.mark.parametrize("block", [7, 10_000, None], ids=["blocks", "one block", "by arrays"])
@pytest.mark.parametrize("masked", [False, True])
def test_the_best_are_those_of_going_through_all(monkeypatch, block, masked):
    set_path(monkeypatch, block)
    draws, low = np.random.default_rng(0), lowest(block)
    documents = draws.integers(low, 3, (60, 3)).astype(np.float32)  # many ties
    queries = np.vstack([draws.integers(low, 3, (20, 3)), np.zeros((1, 3))]).astype(np.float32)
    allowed = draws.random(60) < 0.3 if masked else None
    floor = np.where(queries.any(axis=1), -np.inf, np.inf).astype(np.float32)
    rows = by_cosine(documents)
    found = scanned(by_cosine(queries), rows, byte_codes(rows), 25, floor=floor, allowed=allowed)
    whole = Searcher(documents, cosine=True).nearest(queries, 60, floor=floor)
    for row in range(len(queries)):
        kept = [n for n in whole.documents[row] if n >= 0 and (allowed is None or allowed[n])][:25]
        assert found.documents[row][: len(kept)].tolist() == kept
        assert (found.documents[row][len(kept) :] == -1).all()
        expected = dict(zip(whole.documents[row], whole.scores[row], strict=True))
        assert [expected[n] for n in kept] == found.scores[row][: len(kept)].tolist()


@pytest.mark.parametrize("dim", [1, 3, 64, 2000])
def test_codes_bound_cosines(dim):
    draws = np.random.default_rng(dim)
    vectors = draws.standard_t(2, (200, dim)).astype(np.float32)
    vectors[0] = 0
    rows, queries = by_cosine(vectors), by_cosine(vectors[:20] + np.float32(0.1))
    codes, asked = byte_codes(rows), query_codes(queries)
    exact = Searcher(vectors, cosine=True).nearest(vectors[:20] + np.float32(0.1), 200)
    products = asked.codes.astype(np.int64) @ codes.codes.astype(np.int64).T
    assert np.abs(products).max() < 2**31
    near = products * asked.steps[:, None] * codes.steps
    bound = codes.errors + asked.errors[:, None] * (1 + codes.errors)
    cosines = np.empty((20, 200))
    np.put_along_axis(cosines, exact.documents, exact.scores.astype(np.float64), axis=1)
    assert (np.abs(cosines - near) <= bound + 1e-6).all()
    assert bound.mean() < 0.2 / np.sqrt(min(dim, 2)) and codes.codes.dtype == np.int8


@pytest.mark.parametrize("block", [7, 10_000, None], ids=["blocks", "one block", "by arrays"])
@pytest.mark.parametrize("masked", [False, True])
def test_the_best_vector_of_a_document_counts(monkeypatch, block, masked):
    set_path(monkeypatch, block)
    draws, low = np.random.default_rng(1), lowest(block)
    sizes = draws.integers(1, 6, 40)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    vectors = draws.integers(low, 3, (starts[-1], 3)).astype(np.float32)  # many ties
    queries = draws.integers(low, 3, (20, 3)).astype(np.float32)
    allowed = draws.random(40) < 0.4 if masked else None
    floor = np.where(queries.any(axis=1), -np.inf, np.inf).astype(np.float32)
    rows = by_cosine(vectors)
    found = scanned(
        by_cosine(queries), rows, byte_codes(rows), 12, floor=floor, allowed=allowed, starts=starts
    )
    whole = Searcher(vectors, cosine=True).nearest(queries, int(starts[-1]), floor=floor)
    for row in range(len(queries)):
        scores = dict(zip(whole.documents[row], whole.scores[row], strict=True))
        best = [
            (-max(scores[n] for n in range(starts[one], starts[one + 1])), one)
            for one in range(40)
            if queries[row].any() and (allowed is None or allowed[one])
        ]
        kept = sorted(best)[:12]
        assert found.documents[row][: len(kept)].tolist() == [one for _, one in kept]
        assert found.scores[row][: len(kept)].tolist() == [-score for score, _ in kept]
        assert (found.documents[row][len(kept) :] == -1).all()


def test_arrays_leave_doubtful_scores_to_the_loops(monkeypatch):
    rows = by_cosine(np.random.default_rng(0).standard_normal((30, 5), dtype=np.float32))
    floor = np.full(2, -np.inf, dtype=np.float32)
    asked = rows[:2], rows, 4
    expected = array_scan.scanned_by_arrays(*asked, floor=floor)
    exact = array_scan.scores_with_errors
    monkeypatch.setattr(
        array_scan, "scores_with_errors", lambda *both: (exact(*both)[0], np.ones_like(exact(*both)[0]))
    )
    assert array_scan.scanned_by_arrays(*asked, floor=floor) is None
    monkeypatch.setattr(scan, "arrays_do", lambda *_: True)
    found = scanned(*asked[:2], byte_codes(rows), 4, floor=floor)
    assert found.documents.tolist() == expected.documents.tolist()
    assert found.scores.tolist() == expected.scores.tolist()
