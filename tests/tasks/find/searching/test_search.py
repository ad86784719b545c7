"""Rankings by words and by vectors as one."""

import numpy as np
import pytest

import textkin as tk

TEXTS = ["Where can I park my car?", "When do you open?", "Is there a car park?", "Do you sell bread?"]


def test_hybrid_sums_reciprocal_ranks(places):
    with tk.open_collection(places / "notes", create=True) as notes:
        notes.add(TEXTS)
        words, vectors, both = (
            [hit.entry_id for hit in notes.search("park the car", k=4, mode=mode).hits[0]]
            for mode in ("words", "vectors", "hybrid")
        )
        found = {hit.entry_id: hit.score for hit in notes.search("park the car", k=4).hits[0]}
    expected = {
        name: sum(1 / (61 + ranking.index(name)) for ranking in (words, vectors) if name in ranking)
        for name in {*words, *vectors}
    }
    assert found == pytest.approx(expected)
    assert both == sorted(found, key=lambda name: (np.float32(found[name]), name.encode()), reverse=True)
    assert len(words) == 2 < len(both) == 4


def test_nothing_is_found_where_there_is_nothing(places):
    with tk.open_collection(places / "notes", create=True) as notes:
        assert notes.search("bread").hits == ((),)
