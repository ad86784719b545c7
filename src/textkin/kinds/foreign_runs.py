"""Rankings of other systems, measured next to models, with missing and unknown ids counted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.counts import count
from textkin.base.errors import DataError, invalid
from textkin.base.frames import Records, column_names, tabular
from textkin.base.python_inputs import a_path, listed
from textkin.base.python_values import id_of
from textkin.base.spelling import spelt
from textkin.data.ranking import run_of as run_of_candidates
from textkin.data.ranking import without_identical_ids
from textkin.data.readers.trec import read_run
from textkin.data.records import CandidateSet, Qrels, Run
from textkin.kinds.judge import Judge
from textkin.kinds.predicted_scores import PredictedScorer
from textkin.kinds.ranking_judge import CandidateJudge, RankingJudge, RetrievalJudge
from textkin.kinds.systems.predictions import KnownByPredictions, Predicted, Predictions, some

QUERY_COLUMNS = "q_id", "query_id", "query-id", "qid", "query"
DOCUMENT_COLUMNS = "doc_id", "docid", "docno", "did", "corpus_id", "corpus-id", "document_id", "doc"
_SCORES = "score", "scores", "sim"

_MOSTLY = 0.9
"""The fraction of queries above which an anomaly is systematic."""


class PredictedRanking(KnownByPredictions):
    """The ranking of another system.

    Attributes:
        name: its name in tables.
        run: the ranking; of candidates in their order, if none is missing and none is strange.
    """

    def __init__(self, name: str, run: Run, data: CandidateSet | None) -> None:
        self.name, self._data = name, data
        aligned = None if data is None else _aligned(run, data)
        self.is_complete, self.run = aligned is not None, aligned or run

    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The score of each pair, shape [pairs].

        Raises:
            DataError: the run lacks candidates, or a pair is not among those ranked.
        """
        self.require_complete()
        assert self._data is not None  # noqa: S101 - it is complete
        return PredictedScorer(self.name, self._data.texts, self.run.scores).score(pairs)

    def require_complete(self) -> None:
        """Check that the run has all candidates, and nothing else.

        Raises:
            DataError: it hasn't.
        """
        if not self.is_complete:
            raise DataError(
                f"the run {self.name} doesn't rank the candidates of each query, all of them and no others",
                fix="complete the run",
            )


def ranking_from(judge: RankingJudge, given: Predictions, *, drop_identical_ids: bool = False) -> Predicted:
    """The system that gave a ranking.

    Args:
        judge: the judge of candidates, of a collection or of runs alone.
        given: the ranking.
        drop_identical_ids: drop the document with the query's own id.

    Raises:
        DataError: the run can't be read, a score is NaN, or it shares no query or no document with the data.
    """
    run = run_of(given.given, given.name)
    if np.isnan(run.scores).any():
        row = int(np.flatnonzero(np.isnan(run.scores))[0])
        raise given.wrong(
            f"the score of document {run.doc_ids[row].decode()[:40]!r} is not a number",
            fix="give finite scores",
        )
    if drop_identical_ids:
        run = without_identical_ids(run)
    notes = tuple(_account(judge, given, run))
    data = judge.data if isinstance(judge, CandidateJudge) else None
    return Predicted(PredictedRanking(given.name, run, data), notes)


def run_of(given: Any, name: str = "run") -> Run:
    """A run from records, ``{query: {document: score}}``, a data frame, rows or a TREC file.

    Raises:
        UsageError: it is none of these.
        DataError: the file can't be read.
    """
    if isinstance(given, Run):
        return given
    given = as_rows(given)
    if isinstance(given, Mapping):
        return Run.from_dict(given, name=name)
    if column_names(given) is not None:
        return Run.from_dict(nested(given, name, _SCORES), name=name)
    if isinstance(given, list | tuple) or hasattr(given, "shape"):
        raise invalid(
            name,
            given,
            expected="{query: {document: score}}",
            fix="scores of labelled pairs are a system of `compare()`: {'mine': scores}",
        )
    return read_run(a_path(given, name))


def as_rows(given: Any) -> Any:
    """Rows of query, document and value as records; other data as they are.

    They may come from an iterator. The pairs of ``{query: [(document, value), ...]}`` are such rows, too.

    Example:
        >>> as_rows([("q1", "d1", 0.5)])
        [{'query_id': 'q1', 'doc_id': 'd1', 'score': 0.5}]
    """
    if isinstance(given, Mapping):
        if not given or not all(isinstance(row, list) and _are_rows(row, 2) for row in given.values()):
            return given
        given = [(query, *pair) for query, row in given.items() for pair in row]
    elif column_names(given) is not None or isinstance(given, str | Path) or hasattr(given, "shape"):
        return given
    elif isinstance(given, Iterable):
        given = list(given)
    found = tabular(given)
    if found is given and isinstance(given, list) and given and _are_rows(given, 3):
        return Records({"query_id": query, "doc_id": doc, "score": value} for query, doc, value in given)
    return found


def _are_rows(rows: Sequence[Any], width: int) -> bool:
    return all(isinstance(row, list | tuple) and len(row) == width for row in rows)


def nested(frame: Any, name: str, values: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The rows of a frame as ``{query: {document: value}}``.

    Raises:
        UsageError: a column is missing, an id is none, or a document comes twice for a query.
    """
    columns = column_names(frame) or []

    def column(known: tuple[str, ...]) -> list[Any]:
        found = next((one for one in known if one in columns), None)
        if found is None:
            raise invalid(name, ", ".join(map(str, columns)), expected=f"a column called {known[0]}")
        return list(listed(frame[found], name))

    found: dict[str, dict[str, Any]] = {}
    ids = ([id_of(one, name) for one in column(known)] for known in (QUERY_COLUMNS, DOCUMENT_COLUMNS))
    for query, document, value in zip(*ids, column(values), strict=True):
        if document in found.setdefault(query, {}):
            raise invalid(name, f"{query} {document}", expected="each document once a query")
        found[query][document] = value
    return found


def _aligned(run: Run, data: CandidateSet) -> Run | None:
    """The run in the order of the candidates; None if it lacks some, or has others."""
    scores = run.to_dict()
    found = []
    for one in data:
        of_query = scores.get(one.query_id, {})
        if of_query.keys() != set(one.doc_ids):
            return None
        found += [of_query[doc] for doc in one.doc_ids]
    return run_of_candidates(data, np.array(found, dtype=np.float64), name=run.name)


def suggestion(judge: Judge, reference: str, baselines: Sequence[str]) -> str:
    """The reason for the choice of reference, and the name of one the reader may have meant.

    "Is it better than BM25?" is asked more often than "better than the best baseline?".
    """
    others = [name for name in judge.fair(baselines) if name != reference]
    if reference not in baselines or not others:
        return ""
    meant = next((name for name in others if name.partition(":")[0] == "bm25"), judge.best(others))
    return spelt(f"{reference} is the best baseline here; `against={meant}` compares with another")


def _account(judge: RankingJudge, given: Predictions, run: Run) -> Iterator[str]:
    """The unknown ids of a run, and the candidates that it lacks."""
    name = given.name
    if strange := unjudged(name, run, judge.qrels):
        yield f"{name}: {without_judgements(strange)}"
    if (known := _known(judge)) is not None:
        yield from _documents(judge, name, run, known)
    else:
        yield from nothing_judged(name, run, judge.qrels)
    yield from odd_scores(name, run)


def unjudged(name: str, run: Run, qrels: Qrels) -> list[str]:
    """The queries of a run that have no judgements.

    Raises:
        DataError: none has any, as if their ids were others.
    """
    judged = set(qrels.query_ids)
    strange = [query for query in run.query_ids if query not in judged]
    if len(strange) == len(run.query_ids):
        raise DataError(
            f"{name} shares no query with the data: it has {some(run.query_ids) or 'none'}, "
            f"the data have {some(qrels.query_ids) or 'none'}",
            fix="give a run of these queries",
        )
    return strange


def without_judgements(queries: Sequence[str]) -> str:
    """Queries of a run that no one judged, in words."""
    return f"{count(len(queries), 'query')} of the run without judgements, not counted: {some(queries)}"


def nothing_judged(name: str, run: Run, qrels: Qrels) -> Iterator[str]:
    """A note on a run none of whose documents is judged for its query, as if their ids were others."""
    place = {query: number for number, query in enumerate(qrels.query_ids)}
    asked = [number for number, query in enumerate(run.query_ids) if query in place]
    for number in asked:
        ranked = run.doc_ids[run.offsets[number] : run.offsets[number + 1]].tolist()
        at = place[run.query_ids[number]]
        if not set(ranked).isdisjoint(qrels.doc_ids[qrels.offsets[at] : qrels.offsets[at + 1]].tolist()):
            return
    if len(run.doc_ids):
        yield (
            f"{name}: none of its documents is judged: its ids are {some(run.doc_ids[:9].tolist())}, "
            f"those of the judgements {some(qrels.doc_ids[:9].tolist())}"
        )


def _documents(
    judge: RankingJudge, name: str, run: Run, known: Mapping[str, frozenset[bytes]]
) -> Iterator[str]:
    """The unknown documents of a run, and the candidates that it lacks."""
    found, unknown, ranked = 0, [], 0
    spans = zip(run.query_ids, run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True)
    for query, start, end in spans:
        there = known.get(query)
        if there is None:
            continue
        documents = run.doc_ids[start:end].tolist()
        ranked += len(documents)
        unknown += [one for one in documents if one not in there]
        found += len(documents)
    found -= len(unknown)
    if ranked and not found:
        raise DataError(
            f"no document of the run {name} is in the data, such as {some(unknown)}",
            fix="give a run of these documents",
        )
    if unknown:
        yield (
            f"{name}: {len(unknown):,} of {ranked:,} ranked documents are not in the data; they keep their "
            f"ranks and count as not relevant: {some(unknown)}"
        )
    if isinstance(judge, CandidateJudge):
        lacking = sum(map(len, known.values())) - found
        if lacking:
            yield f"{name}: {lacking:,} candidates are missing from the run and count as not found"
    deepest = int(np.diff(run.offsets).max(initial=0))
    if isinstance(judge, RetrievalJudge) and deepest < min(judge.depth, len(judge.data.corpus)):
        yield (
            f"{name}: at most {deepest:,} documents a query, where others rank up to {judge.depth:,}: "
            "measures that look deeper find less"
        )


def odd_scores(name: str, run: Run) -> Iterator[str]:
    """A note on constant or distance-like scores; metrics rank by score, as in trec_eval."""
    several = np.diff(run.offsets) > 1
    asked = int(several.sum())
    if not asked:
        return
    query = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets))
    within = query[1:] == query[:-1]
    with np.errstate(invalid="ignore"):  # of two infinite scores
        step = np.diff(run.scores)
    fallen, risen = (
        np.bincount(query[1:][within & changed], minlength=len(run.query_ids)) > 0
        for changed in (step < 0, step > 0)
    )
    level = int((several & ~fallen & ~risen).sum())
    rising = int((several & ~fallen & risen).sum())
    if level >= _MOSTLY * asked:
        yield (
            f"{name}: in {level:,} of {asked:,} queries all documents have one score, so their ids decide "
            "the order, as in trec_eval, whatever their ranks say"
        )
    elif rising >= _MOSTLY * asked:
        yield (
            f"{name}: in {rising:,} of {asked:,} queries scores rise from line to line; the highest counts "
            "as the best, as in trec_eval, whatever the ranks say: change the signs if these are distances"
        )


def _known(judge: RankingJudge) -> Mapping[str, frozenset[bytes]] | None:
    """The documents that may be ranked for each query; None if the data have judgements only."""
    if isinstance(judge, CandidateJudge):
        return {one.query_id: frozenset(doc.encode() for doc in one.doc_ids) for one in judge.data}
    if isinstance(judge, RetrievalJudge):
        corpus = frozenset(doc.encode() for doc in judge.data.corpus)
        return dict.fromkeys(judge.qrels.query_ids, corpus)
    return None
