from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.data.records import Qrels, Run
from textkin.measures.metrics import judgement_lookup as module
from textkin.measures.metrics.judgement_lookup import Matches, match

# Ids around the width of a word of eight bytes, some of them prefixes of others.
_IDS = st.sampled_from(["a", "b", "ab", "abcdefgh", "abcdefghi", "abcdefgi", "é", "漢字", "z" * 17, "z" * 16])
_QUERIES = st.sampled_from(["1", "2", "10", "q"])
_RUNS = st.dictionaries(_QUERIES, st.dictionaries(_IDS, st.just(0.5)))
_QRELS = st.dictionaries(_QUERIES, st.dictionaries(_IDS, st.just(1)))


def matched(run: dict, qrels: dict) -> Matches:
    judged = list(qrels)
    positions = [judged.index(query) if query in qrels else -1 for query in run]
    return match(Run.from_dict(run), Qrels.from_dict(qrels), np.array(positions, dtype=np.int64))


def expected(run: dict, qrels: dict) -> list[tuple[int, int]]:
    judgements = [(query, doc) for query, judged in qrels.items() for doc in judged]
    rows = [(query, doc) for query, docs in run.items() for doc in docs]
    return [(row, judgements.index(pair)) for row, pair in enumerate(rows) if pair in judgements]


def listed(found: Matches) -> list[tuple[int, int]]:
    return list(zip(found.rows.tolist(), found.judgements.tolist(), strict=True))


@given(run=_RUNS, qrels=_QRELS)
def test_rows_meet_their_judgements(run: dict, qrels: dict) -> None:
    found = matched(run, qrels)
    assert listed(found) == expected(run, qrels)
    assert found.rows.dtype == found.judgements.dtype == np.int64


@given(run=_RUNS, qrels=_QRELS)
def test_ids_that_share_all_slots_do_no_harm(run: dict, qrels: dict) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_slots", lambda words, base, mask: (base, base.copy()))
        assert listed(matched(run, qrels)) == expected(run, qrels)


def test_a_document_is_judged_for_its_own_query_alone() -> None:
    docs = {f"d{number}": 0.5 for number in range(300)}
    run = {"1": docs, "2": docs, "3": docs}
    qrels = {"2": dict.fromkeys([*docs][::2], 1), "9": dict.fromkeys(docs, 1), "1": {"d7": 0}}
    assert listed(matched(run, qrels)) == expected(run, qrels)
    assert len(matched(run, qrels).rows) == 151


def test_slots_spread_and_stay_within_their_bits() -> None:
    number = 4000
    words = [np.arange(number, dtype=np.uint64) << np.uint64(8)]
    two = [np.zeros(number, dtype=np.uint64), *words]  # ids that differ at their end
    base = np.full(number, 7)
    for bits in (8, 14, 20):
        mask = np.full(number, (1 << bits) - 1)
        first, second = module._slots(words, base, mask)
        for slots in (first, second):
            assert slots.min() >= 7 and slots.max() < 7 + (1 << bits)
            # Of n balls in m slots about m (1 - exp(-n / m)) slots are met.
            met = (1 << bits) * -np.expm1(-number / (1 << bits))
            assert len(np.unique(slots)) == pytest.approx(met, rel=0.1)
        assert (first != second).mean() > 0.98
    for which in (0, 1):
        assert len(np.unique(module._slots(two, base, mask)[which])) > 0.9 * number
        assert (
            module._slots(two[::-1], base, mask)[which] != module._slots(two, base, mask)[which]
        ).mean() > 0.99


@given(run=_RUNS, qrels=_QRELS)
def test_rows_in_blocks(run: dict, qrels: dict) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_ROWS_AT_ONCE", 3)
        assert listed(matched(run, qrels)) == expected(run, qrels)
