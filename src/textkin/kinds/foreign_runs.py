"""TREC runs of other systems, measured next to models, with missing and unknown ids counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from textkin.base.errors import DataError, inapplicable, invalid
from textkin.base.python_inputs import a_path
from textkin.base.spelling import spelt
from textkin.data.ranking import without_identical_ids
from textkin.data.readers.trec import read_run
from textkin.data.records import Run
from textkin.kinds.judge import Judge
from textkin.kinds.ranking_judge import CandidateJudge, RankingJudge, RetrievalJudge

GivenRun = Run | Path | str

_SHOWN = 3
_MOSTLY = 0.9
"""The fraction of queries above which an anomaly is systematic."""


def named_runs(words: Sequence[str]) -> dict[str, Path]:
    """Run files by name, from NAME=FILE; a bare file is named after itself, without endings.

    Raises:
        UsageError: a name or file is empty, or two runs have one name.
    """
    found: dict[str, Path] = {}
    for word in words:
        name, equals, file = word.partition("=")
        if not equals or Path(word).exists():
            name, file = Path(word).name.partition(".")[0], word
        if not name or not file:
            raise invalid("runs", word, expected="NAME=FILE")
        if name in found:
            raise invalid("runs", name, expected="a name that no other run has", fix="write NAME=FILE")
        found[name] = Path(file)
    return found


def take_given(judge: Judge, runs: Mapping[str, GivenRun], *, drop_identical_ids: bool) -> tuple[str, ...]:
    """Measure runs next to the systems of a ranking judge.

    Args:
        judge: the judge of candidates or of a collection.
        runs: the runs by their names in tables.
        drop_identical_ids: drop the document with the query's own id.

    Returns:
        Notes on each: unknown queries and documents, and missing ones.

    Raises:
        UsageError: the data aren't rankings, or a name is taken.
        DataError: a run can't be read, or shares no query or no document with the data.
    """
    if not isinstance(judge, RankingJudge):
        refuse_runs(runs)
        return ()
    notes: list[str] = []
    for name, given in runs.items():
        if name in judge.names:
            raise invalid("runs", name, expected="a name that no system has", fix="write NAME=FILE")
        run = given if isinstance(given, Run) else read_run(a_path(given, name))
        if drop_identical_ids:
            run = without_identical_ids(run)
        notes += _account(judge, name, run)
        judge.take_runs(name, [run])
    return tuple(notes)


def suggestion(judge: Judge, rival: str, baselines: Sequence[str]) -> str:
    """The reason for the choice of rival, and the name of one the reader may have meant.

    "Is it better than BM25?" is asked more often than "better than the best baseline?".
    """
    others = [name for name in judge.fair(baselines) if name != rival]
    if rival not in baselines or not others:
        return ""
    meant = next((name for name in others if name.partition(":")[0] == "bm25"), judge.best(others))
    return f"{rival} is the best of the baselines here; " + spelt(
        f"to compare with another: `against={meant}`"
    )


def refuse_runs(runs: Mapping[str, GivenRun]) -> None:
    """Reject runs if the data aren't rankings.

    Raises:
        UsageError: there are runs.
    """
    if runs:
        raise inapplicable("runs", to="data without queries to rank for")


def _account(judge: RankingJudge, name: str, run: Run) -> Iterator[str]:
    """The unknown ids of a run, and the candidates that it lacks."""
    judged = set(judge.qrels.query_ids)
    strange = [query for query in run.query_ids if query not in judged]
    if len(strange) == len(run.query_ids):
        raise DataError(
            f"the run {name} shares no query with the data: it has {_some(run.query_ids)}, "
            f"the data have {_some(judge.qrels.query_ids)}",
            fix="give a run of these queries",
        )
    if strange:
        words = (
            "query of the run has no judgements and doesn't"
            if len(strange) == 1
            else "queries of the run have no judgements and don't"
        )
        yield f"{name}: {len(strange):,} {words} count: {_some(strange)}"
    if (known := _known(judge)) is not None:
        yield from _documents(judge, name, run, known)
    yield from odd_scores(name, run)


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
            f"no document of the run {name} is in the data, such as {_some(unknown)}",
            fix="give a run of these documents",
        )
    if unknown:
        yield (
            f"{name}: {len(unknown):,} of {ranked:,} ranked documents are not in the data; they keep their "
            f"ranks and count as not relevant: {_some(unknown)}"
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


def _some(ids: Sequence[str] | Sequence[bytes]) -> str:
    shown = (one.decode() if isinstance(one, bytes) else one for one in ids[:_SHOWN])
    return ", ".join(shown) + (", ..." if len(ids) > _SHOWN else "")
