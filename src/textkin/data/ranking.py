"""The tie rule that turns scores into a ranking, and runs from scorers.

The rule is trec_eval's (version 9): score descending, then document id descending, compared byte by byte.
Scores are compared after rounding to float32, because trec_eval 9 and pytrec_eval store them so: two scores
that differ only beyond the seventh digit are a tie.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Floats, Floats32, Ints
from textkin.base.errors import DataError
from textkin.data.protocols import Scorer
from textkin.data.records import CandidateSet, Hit, Qrels, Run

_SIGN = np.uint32(1 << 31)
_WORD = 8


def best_first(hits: Iterable[Hit]) -> list[Hit]:
    """Hits of one query in ranking order; scores must be float32 already."""
    return sorted(hits, key=lambda hit: (hit.score, hit.doc_id.encode()), reverse=True)


def order(run: Run) -> Ints:
    """The rows of ``run`` in ranking order, shape [documents].

    Queries stay in run order and keep their offsets: the ranking of query i is
    order[offsets[i]:offsets[i+1]].

    Raises:
        DataError: a score is NaN.
    """
    rows = np.arange(len(run.scores))
    with np.errstate(over="ignore"):
        scores = run.scores.astype(np.float32)
    begins = run.offsets[1:-1][(run.offsets[1:-1] > 0) & (run.offsets[1:-1] < len(rows))] - 1
    falls = scores[1:] <= scores[:-1]
    falls[begins] = True
    if falls.all() and not np.isnan(scores).any():  # the usual order of run files
        equal = scores[1:] == scores[:-1]
        equal[begins] = False
        return _with_ties(run, rows, equal)
    keys = _keys(run)
    ranking = np.argsort(keys)
    keys = keys[ranking]
    return _with_ties(run, ranking, keys[1:] == keys[:-1])


def _with_ties(run: Run, ranking: Ints, equal: Bools) -> Ints:
    """A ranking with ties sorted by id.

    ``equal`` marks rows that tie with the next one.
    """
    if equal.any():
        tied = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
        members = ranking[tied]
        groups = np.cumsum(~np.append(False, equal)[tied]).astype(np.uint64)
        ranking[tied] = members[_by_key_then_id_descending(groups, run.doc_ids[members])]
    return ranking


def rising(scores: Floats) -> Ints:
    """Integers in the order of scores in single precision; adjacent floats give adjacent integers."""
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32) + np.float32(0.0)  # adding zero turns -0.0 into 0.0
    bits = single.view(np.uint32)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN).astype(np.int64)


def of_rising(numbers: Ints) -> Floats:
    """The scores in single precision from the integers of :func:`rising`."""
    bits = numbers.astype(np.uint32)
    single: Floats32 = np.where(bits & _SIGN, bits ^ _SIGN, ~bits).astype(np.uint32).view(np.float32)
    return single.astype(np.float64)


def without_identical_ids(run: Run) -> Run:
    """The run without documents that have their query's id, as in BEIR's evaluation."""
    spans = zip(run.query_ids, run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True)
    parts = [run.doc_ids[start:end] != query.encode() for query, start, end in spans]
    kept = np.concatenate(parts) if parts else np.empty(0, dtype=np.bool_)
    ends = np.cumsum([0, *(int(part.sum()) for part in parts)], dtype=np.int64)
    return replace(run, offsets=ends, doc_ids=run.doc_ids[kept], scores=run.scores[kept])


def rank_candidates(scorer: Scorer, candidates: CandidateSet) -> Run:
    """Score every candidate against its query, in one call of the scorer.

    A scorer whose scores depend on the query's other candidates has the method ``score_within``, and is told
    the query of each pair, since queries may have the same text.
    """
    pairs = [(query.query, text) for query in candidates for text in query.docs]
    if not pairs:
        scores = np.empty(0, dtype=np.float32)
    elif (within := getattr(scorer, "score_within", None)) is not None:
        scores = within(pairs, np.repeat(np.arange(len(candidates)), np.diff(_offsets(candidates))))
    else:
        scores = scorer.score(pairs)
    return run_of(candidates, scores.astype(np.float64), name=scorer.name)


def run_of(candidates: CandidateSet, scores: Floats, *, name: str = "textkin") -> Run:
    """A run with the given scores of all candidates, shape [documents].

    Raises:
        DataError: the numbers of scores and candidates differ.
    """
    offsets = _offsets(candidates)
    if scores.shape != (offsets[-1],):
        raise DataError(
            f"scorer {name!r} gave scores of shape {scores.shape} for {offsets[-1]} pairs",
            params=(name,),
            value=scores.shape,
        )
    return Run(
        query_ids=tuple(query.query_id for query in candidates),
        offsets=offsets,
        doc_ids=_doc_ids(candidates),
        scores=scores,
        name=name,
    )


def qrels_of(candidates: CandidateSet) -> Qrels:
    """The labels of the candidates as judgements; queries without a relevant candidate are included."""
    return Qrels(
        query_ids=tuple(query.query_id for query in candidates),
        offsets=_offsets(candidates),
        doc_ids=_doc_ids(candidates),
        relevance=np.array([label for query in candidates for label in query.labels], dtype=np.int64),
    )


def whole_words(ids: NDArray[np.bytes_], width: int) -> NDArray[np.bytes_]:
    """The ids padded to at least ``width`` bytes, so that they can be viewed as 64-bit words."""
    return np.ascontiguousarray(ids, dtype=f"S{-(-max(width, 1) // _WORD) * _WORD}")


def _keys(run: Run) -> NDArray[np.uint64]:
    """Sort keys of rows: smaller for an earlier query, then for a higher score."""
    if np.isnan(run.scores).any():
        row = int(np.flatnonzero(np.isnan(run.scores))[0])
        query = run.query_ids[int(np.searchsorted(run.offsets, row, side="right")) - 1]
        raise DataError(
            f"run {run.name!r}: the score of document {run.doc_ids[row].decode()!r} "
            f"for query {query!r} is not a number",
            params=(run.name,),
            value=(query, run.doc_ids[row].decode()),
        )
    queries = np.repeat(np.arange(len(run.query_ids), dtype=np.uint64), np.diff(run.offsets))
    return (queries << np.uint64(32)) | ~rising(run.scores).astype(np.uint32)


def _by_key_then_id_descending(keys: NDArray[np.uint64], ids: NDArray[np.bytes_]) -> Ints:
    # Big-endian words compare like the bytes; lexsort takes the most significant key last.
    words = whole_words(ids, ids.itemsize).view(">u8").reshape(len(ids), -1).astype(np.uint64)
    return np.lexsort((*(~words.T[::-1]), keys))


def _offsets(candidates: CandidateSet) -> Ints:
    lengths = [len(query.doc_ids) for query in candidates]
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int64)


def _doc_ids(candidates: CandidateSet) -> NDArray[np.bytes_]:
    ids = [doc_id.encode() for query in candidates for doc_id in query.doc_ids]
    return np.array(ids, dtype=np.bytes_) if ids else np.empty(0, dtype="S1")
