from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.metrics import matching as module
from textkin.metrics.matching import Matches, match
from textkin.records import Qrels, Run

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
        patch.setattr(module, "_slots", lambda words, query, bits: np.zeros(len(words), dtype=np.int64))
        assert listed(matched(run, qrels)) == expected(run, qrels)


def test_a_document_is_judged_for_its_own_query_alone() -> None:
    docs = {f"d{number}": 0.5 for number in range(300)}
    run = {"1": docs, "2": docs, "3": docs}
    qrels = {"2": dict.fromkeys([*docs][::2], 1), "9": dict.fromkeys(docs, 1), "1": {"d7": 0}}
    assert listed(matched(run, qrels)) == expected(run, qrels)
    assert len(matched(run, qrels).rows) == 151


def test_slots_spread_and_stay_within_their_bits() -> None:
    number = 4000
    words = np.arange(number, dtype=np.uint64)[:, None] << np.uint64(8)
    query = np.zeros(number, dtype=np.int64)
    for bits in (8, 14, 20):
        slots = module._slots(words, query, bits)
        assert slots.min() >= 0 and slots.max() < 1 << bits
        # Of n balls in m slots about m (1 - exp(-n / m)) slots are met.
        met = (1 << bits) * -np.expm1(-number / (1 << bits))
        assert len(np.unique(slots)) == pytest.approx(met, rel=0.1)
    assert (module._slots(words, query + 1, 20) != module._slots(words, query, 20)).mean() > 0.99
    two = np.concatenate([words[:1].repeat(number, axis=0), words], axis=1)  # ids that differ at their end
    assert len(np.unique(module._slots(two, query, 20))) > 0.9 * number
    assert (module._slots(two[:, ::-1], query, 20) != module._slots(two, query, 20)).mean() > 0.99
