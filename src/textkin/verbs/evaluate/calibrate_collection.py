"""The calibration of a collection: its search by judged queries, its matches by pairs or groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from textkin.base.errors import conflict, inapplicable, invalid, required
from textkin.base.python_inputs import path_of
from textkin.base.results import ResultRow, Summary
from textkin.collection.match.match import told
from textkin.collection.match.match_labels import MatchLabels
from textkin.collection.store.address import Place
from textkin.data.readers.from_python import loaded_pairs
from textkin.data.readers.read_options import Reading
from textkin.data.readers.read_report import note_read
from textkin.data.readers.trec import looks_like_qrels
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.decisions.match_rule import MatchGoal, MatchRule
from textkin.measures.intervals.sampling import Sampling
from textkin.text.truncation_account import note_truncation
from textkin.verbs.evaluate.ranking_inputs import qrels_of, texts_by_id

if TYPE_CHECKING:
    from textkin.collection.calibration.calibration_result import CalibratedCollection

ONLY_GOAL = "`precision`, the only goal of matches"

_OF_MATCHES = ("groups", "guards", "base_rate")


@dataclass(frozen=True, slots=True)
class CollectionFit:
    """Options that are for collections alone, see ``calibrate``."""

    queries: Any = None
    split: str | None = None
    k: int = 10
    rerank: Any = None
    rerank_depth: int = 100
    groups: str | None = None
    guards: tuple[str, ...] | None = None
    base_rate: float | None = None

    def is_for_matches(self, data: Any) -> bool:
        """True for pairs or groups, False for judged queries."""
        if self.groups is not None or data is None:
            return True
        path = path_of(data)
        if self.queries is not None:
            return False
        return path is None or not (path.is_dir() or looks_like_qrels(path))

    def asked(self) -> list[str]:
        """The names of those that were given."""
        others = [one for one in fields(self)[1:] if getattr(self, one.name) != one.default]
        return [*(["queries"] if self.queries is not None else []), *(one.name for one in others)]


@dataclass(frozen=True, slots=True, repr=False)
class CalibratedMatches(Summary):
    """Calibration of the verdicts of ``match``, kept in the collection.

    Attributes:
        labels: the labels.
        rule: the fitted rule.

    Example:
        >>> import textkin as tk
        >>> found = tk.calibrate("labelled.tsv", "questions.kin", precision=0.9)  # doctest: +SKIP
    """

    labels: MatchLabels
    rule: MatchRule

    def _rows(self) -> Iterator[ResultRow]:
        yield from self.labels.rows()

    def text(self) -> str:
        """The labels, and the rule in sentences."""
        rate = f"base rate {self.labels.base_rate.in_words}"
        return "\n".join([str(self.labels), *told(self.rule, rate)])

    def as_dict(self) -> dict[str, Any]:
        """The labels, and the rule in sentences."""
        return {**self.labels.rows()[0], "rule": told(self.rule, self.labels.source)}


def fit_matches(
    folder: Place, data: Any, asked: CollectionFit, goal: Goal, *, reading: Reading, seed: int
) -> CalibratedMatches:
    """Fit the verdict "duplicate" to labelled pairs or to groups.

    Raises:
        UsageError: there are no labels, or they come from both.
    """
    from textkin.collection.match.fit_matching import fit_matching
    from textkin.collection.match.labelled_matches import Rehearsal
    from textkin.collection.open_collection import open_collection
    from textkin.vectors.groups.guards import STANDARD

    if others := [name for name in asked.asked() if name not in _OF_MATCHES]:
        raise inapplicable(*others, to="pairs and groups")
    if data is None and asked.groups is None:
        raise required(
            "data", by="a collection", fix="give labelled pairs, `groups`, or judgements with `queries`"
        )
    if data is not None and asked.groups is not None:
        raise conflict("data", "groups", why="labels come from pairs or from groups")
    if goal.aim not in (Aim.PRECISION, Aim.F1):  # F1 is what stands for no goal
        raise invalid(str(goal.aim), goal.level or True, expected=ONLY_GOAL)
    wanted = MatchGoal() if goal.level is None else MatchGoal(precision=goal.level)
    guards = STANDARD if asked.guards is None else tuple(one for one in asked.guards if one != "none")
    pairs = None
    if data is not None:
        loaded = loaded_pairs(data, reading=reading)
        note_read(loaded.report)
        pairs = loaded.data
    with open_collection(folder) as opened:
        opened.store.catch_up()
        fit = Rehearsal(opened.store, opened.model, guards, asked.base_rate, seed)
        found = fit_matching(
            fit, pairs=pairs, path=path_of(data), groups=asked.groups, precision=wanted.precision
        )
    return CalibratedMatches(found, found.rule(wanted))


def fit_collection(
    folder: Place,
    data: Any,
    asked: CollectionFit,
    goal: Goal,
    test: Any,
    *,
    sampling: Sampling,
    reading: Reading,
) -> CalibratedCollection:
    """Fit the search to judged queries, and keep the fit in the collection.

    Raises:
        UsageError: options of matches are given.
    """
    from textkin.collection.calibration.calibrate import FitOptions, calibrate_collection
    from textkin.collection.calibration.judged_queries import judged_queries
    from textkin.collection.open_collection import open_collection
    from textkin.collection.search.reranker import Reranker
    from textkin.data.readers import TextReading

    if own := [name for name in ("guards", "base_rate") if getattr(asked, name) is not None]:
        raise inapplicable(*own, to="judged queries")
    of_queries = TextReading(quoting=reading.quoting, encoding=reading.encoding)
    queries = asked.queries
    if queries is not None and path_of(queries) is None:
        queries = texts_by_id(queries, "queries")
    data, test = (one if one is None or path_of(one) is not None else qrels_of(one) for one in (data, test))
    sides = [judged_queries(data, queries, split=asked.split, reading=of_queries)]
    if test is not None:
        sides.append(judged_queries(test, queries, reading=of_queries))
    for one in sides:
        if one.read is not None:
            note_read(one.read)
    reranker = None if asked.rerank is None else Reranker(asked.rerank)
    options = FitOptions(
        goal=goal,
        k=asked.k,
        test=sides[1] if test is not None else None,
        rerank_depth=asked.rerank_depth,
        sampling=sampling,
    )
    with open_collection(folder) as opened:
        opened.store.catch_up()
        found = calibrate_collection(opened.store, opened.model, sides[0], options=options, reranker=reranker)
    if reranker is not None:
        note_truncation(reranker.truncation)
    return found
