"""Searches for many queries together, compared with searches for one."""

from pathlib import Path

import numpy as np
import pytest

from textkin.collection.store import segment
from textkin.collection.store.open_store import open_store
from textkin.data.entry_records import Entry


@pytest.mark.parametrize("removed", [[], ["0", "7"]])
def test_many_queries_together_find_what_each_finds(
    tmp_path: Path, removed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = list[int]()

    class Told(segment.Searcher):
        def nearest(self, queries, *others, **named):
            searches.append(len(queries))
            return super().nearest(queries, *others, **named)

    monkeypatch.setattr(segment, "_REPAY", 90)
    monkeypatch.setattr(segment, "Searcher", Told)
    draws = np.random.default_rng(0)
    vectors = draws.integers(1, 4, (200, 5)).astype(np.float32)  # many ties
    queries = np.vstack([draws.integers(1, 4, (39, 5)), np.zeros((1, 5))]).astype(np.float32)
    with open_store(tmp_path / "some.kin", create={}) as store:
        entries = [Entry(str(number), str(number), {"number": number}) for number in range(200)]
        for _ in store.add(entries, lambda part: vectors[[int(text) for text in part]]):
            pass
        store.nearest(queries[:1], 7)  # so that rows are removed from what is searched, not before
        store.remove(removed)
        alone = [store.nearest(one[None], 7)[0] for one in queries]
        together = [store.nearest(queries, 7) for _ in range(4)]
        assert all(found == alone for found in together)
        where = "number < 50"
        alone = [store.nearest(one[None], 7, where=where)[0] for one in queries]
        assert store.nearest(queries, 7, where=where) == alone
    assert searches == ([] if removed else [40, 40])
