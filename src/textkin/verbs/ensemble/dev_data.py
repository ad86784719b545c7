"""The data that an ensemble is fitted on, with its members' scores and their quality.

There is one class per kind of data. Where there is a judge, it computes figures, intervals and tests.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError, invalid
from textkin.base.first_seen_numbers import enumerated
from textkin.data.choice_records import ChoiceSet
from textkin.data.choice_scores import answers_of, rows_of
from textkin.data.pair_set_operations import with_classes
from textkin.data.protocols import Chooser, Classifier, Scorer
from textkin.data.records import CandidateSet, LabelKind, PairSet, RetrievalSet
from textkin.data.span_answers import answers_by
from textkin.data.span_records import SpanSet
from textkin.kinds.choice_judge import ChoiceJudge
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.judge import Judge, as_scorer
from textkin.kinds.leak_check import judged_pairs
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.ranking_judge import CandidateJudge, RetrievalJudge
from textkin.kinds.span_grouping import gold_of
from textkin.kinds.span_judge import GivenAnswers, SpanJudge, as_reader
from textkin.measures.decisions.member_scores import JudgedBy, Votes
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.paired_tests import Difference
from textkin.measures.metrics.spans import score_answers
from textkin.models.ensembles.ensemble_folder import Together
from textkin.models.ensembles.reader import LISTED, Ballots, ballots_of
from textkin.models.ensembles.scorer import classify_by, flat_scores, numbers_of
from textkin.vectors.index.rank_fusion import Pool, relevance_in

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

THEM = "the ensemble"
_POOLED = 100  # documents of each member that a rule is fitted and judged on


@final
@dataclass(frozen=True, slots=True)
class ComparedOnDev:
    """The ensemble, cross-fitted, beside its members, on the data it is fitted on.

    Attributes:
        measure: measure of all figures.
        ensemble: its figure.
        members: the figure of each.
        best: the best member.
        gain: the ensemble minus that.
    """

    measure: str
    ensemble: Interval
    members: dict[str, Interval]
    best: str
    gain: Difference


class DevData(ABC):
    """Scores of an ensemble's members on labelled data.

    Attributes:
        kind: kind of the data.
        pairs: the texts that count as seen by the ensemble, in pairs.
    """

    kind: ClassVar[Together]
    pairs: Sequence[tuple[str, str]]
    classes: tuple[str, ...] = ()
    _judge: Judge

    @abstractmethod
    def ask(self, name: str, system: Any) -> None:
        """Let a member speak.

        Raises:
            UsageError: it can't on such data.
            DataError: a score isn't finite.
        """

    @abstractmethod
    def votes(self) -> Votes:
        """The scores of all members."""

    @abstractmethod
    def take(self, combined: _Floats) -> None:
        """Give the judge an ensemble's scores, one for each row of :meth:`votes`."""

    @property
    def texts(self) -> list[str]:
        """For baselines to take word frequencies from."""
        return self._judge.texts

    def value(self, combined: _Floats) -> float:
        """The main measure of an ensemble by its numbers."""
        self.take(combined)
        return self._judge.value(THEM)

    def compared(self, combined: _Floats) -> ComparedOnDev:
        """The ensemble by its cross-fitted numbers beside the members."""
        self.take(combined)
        judge = self._judge
        figures = {name: judge.figures(name)[judge.main] for name in judge.names}
        best = judge.best([name for name in judge.names if name != THEM])
        ensemble = figures.pop(THEM)
        return ComparedOnDev(judge.main, ensemble, figures, best, judge.difference(THEM, best))


@final
class DevPairs(DevData):
    """Labelled pairs: yes or no, or graded."""

    kind = Together.PAIRS

    def __init__(self, data: PairSet, *, sampling: Sampling) -> None:
        self._judge: PairJudge = PairJudge(data, sampling=sampling)
        self.pairs = data.texts

    def ask(self, name: str, system: Any) -> None:
        """Score all pairs."""
        self._judge.take(name, system)

    def votes(self) -> Votes:
        """A row a pair."""
        judge = self._judge
        values = np.stack([one[0] for one in judge.scores.values()], axis=1)
        judged = JudgedBy.PAIRS if judge.is_binary else JudgedBy.GRADED
        return Votes(values, judge.test.labels, judge.test.clusters, judged)

    def take(self, combined: _Floats) -> None:
        """By AP or Spearman."""
        self._judge.take_scores(THEM, combined.astype(np.float32).astype(np.float64)[None, :])


@final
class DevRankings(DevData):
    """Questions with candidates."""

    kind = Together.RANKINGS

    def __init__(self, data: CandidateSet, *, sampling: Sampling) -> None:
        self._judge: CandidateJudge = CandidateJudge(data, measures=("AP",), sampling=sampling)
        self._data = data
        self.pairs = [(one.query, text) for one in data for text in one.docs]
        self._scores: list[_Floats] = []

    def ask(self, name: str, system: Any) -> None:
        """Score all candidates in one call."""
        scores = np.asarray(as_scorer(name, system).score(self.pairs), dtype=np.float64)
        self._judge.take_scores(name, scores[None, :])
        self._scores.append(scores)

    def votes(self) -> Votes:
        """A row a candidate; questions of one text are one group."""
        counts = [len(one.docs) for one in self._data]
        groups, _ = enumerated(one.query for one in self._data)
        ids = np.array([name.encode() for one in self._data for name in one.doc_ids], dtype=np.bytes_)
        return Votes(
            np.stack(self._scores, axis=1),
            np.array([label for one in self._data for label in one.labels], dtype=np.float64),
            np.repeat(groups, counts),
            JudgedBy.RANKED,
            questions=np.repeat(np.arange(len(counts)), counts),
            ties=np.unique(ids, return_inverse=True)[1],
        )

    def take(self, combined: _Floats) -> None:
        """By AP."""
        self._judge.take_scores(THEM, combined[None, :])


@final
class DevCollection(DevData):
    """Queries of a corpus: rows are the documents that any member found.

    Args:
        data: the collection.
        sampling: the draws for intervals and the test.
    """

    kind = Together.RANKINGS

    def __init__(self, data: RetrievalSet, *, sampling: Sampling) -> None:
        self._judge: RetrievalJudge = RetrievalJudge(data, measures=("nDCG@10",), sampling=sampling)
        self._data = data
        self._pool: Pool | None = None
        self.pairs = judged_pairs(data)

    def ask(self, name: str, system: Any) -> None:
        """Search the corpus."""
        self._judge.take(name, as_scorer(name, system))

    def votes(self) -> Votes:
        """One row per document among the best 100 of any member; unjudged documents are not relevant."""
        judge = self._judge
        pool = self._pool = Pool.of([runs[0] for runs in judge.runs.values()], depth=_POOLED)
        worth, queries = relevance_in(pool, self._data.qrels), pool.questions
        groups, _ = enumerated(self._data.queries[one] for one in pool.query_ids)
        return Votes(
            pool.scores,
            worth.astype(np.float64),
            np.asarray(groups)[queries],
            JudgedBy.RANKED,
            questions=queries,
            ties=np.unique(pool.doc_ids, return_inverse=True)[1],
            partial=True,
        )

    def take(self, combined: _Floats) -> None:
        """By nDCG@10."""
        if self._pool is None:
            raise UsageError("members were not asked yet", fix="call votes first")
        self._judge.take_runs(THEM, [self._pool.run(combined, name=THEM)])


@final
class DevClasses(DevData):
    """Pairs with classes; the first member says in which order the classes stand."""

    kind = Together.CLASSES

    def __init__(self, data: PairSet, *, sampling: Sampling) -> None:
        self._given, self._sampling = data, sampling
        self._judge: ClassJudge = ClassJudge(data, sampling=sampling)
        self.pairs = data.texts
        self._probabilities: list[_Floats] = []

    def ask(self, name: str, system: Any) -> None:
        """Classify all pairs."""
        if not isinstance(system, Classifier):
            raise invalid("members", name, expected="models that predict the classes of the data")
        if not self.classes:
            self.classes = tuple(system.labels)
            self._judge = ClassJudge(with_classes(self._given, self.classes), sampling=self._sampling)
        found = classify_by(system, self.pairs, self.classes)
        self._judge.take_scores(name, found[None])
        self._probabilities.append(found)

    def votes(self) -> Votes:
        """A row a pair and class."""
        test, width = self._judge.test, len(self.classes)
        right = np.arange(width) == test.labels[:, None]
        return Votes(
            np.stack([one.ravel() for one in self._probabilities], axis=1),
            right.ravel().astype(np.float64),
            np.repeat(test.clusters, width),
            JudgedBy.CHOSEN,
            questions=np.repeat(np.arange(len(right)), width),
            are_probabilities=True,
        )

    def take(self, combined: _Floats) -> None:
        """By accuracy."""
        single = combined.astype(np.float32).astype(np.float64)
        self._judge.take_scores(THEM, single.reshape(1, -1, len(self.classes)))


@final
class DevSpans(DevData):
    """Questions about passages."""

    kind = Together.SPANS

    def __init__(self, data: SpanSet, *, sampling: Sampling) -> None:
        self._judge: SpanJudge = SpanJudge(data, sampling=sampling)
        self._data = data
        self.pairs = data.texts
        self._listed: dict[str, list[Any]] = {}
        self._ballots: Ballots | None = None

    def ask(self, name: str, system: Any) -> None:
        """Ask all questions."""
        questions, passages = [one for one, _ in self.pairs], [one for _, one in self.pairs]
        found = answers_by(as_reader(name, system), questions, passages, k=LISTED)
        self._listed[name] = found
        self._take(name, [given[0].text if given else "" for given in found])

    def votes(self) -> Votes:
        """A row an answer; it is worth its F1, and questions of one passage are one group."""
        ballots = self._ballots = ballots_of(list(self._listed.values()))
        ids = [one.question_id for one in self._data]
        gold = gold_of(self._data)
        # Each answer is scored as if it were its own question's.
        asked = {str(row): gold[ids[question]] for row, question in enumerate(ballots.questions.tolist())}
        given = {str(row): one.text for row, one in enumerate(ballots.answers)}
        worth = score_answers(asked, given, rules=self._judge.rules).f1
        return Votes(
            ballots.values,
            worth,
            self._judge.groups[ballots.questions],
            JudgedBy.CHOSEN,
            questions=ballots.questions,
            are_probabilities=True,
        )

    def take(self, combined: _Floats) -> None:
        """By F1."""
        ballots = self._ballots
        if ballots is None:
            raise UsageError("members were not asked yet", fix="call votes first")
        texts = [""] * len(self._data)
        order = np.lexsort((-combined.astype(np.float32), ballots.questions))
        for row in order[::-1].tolist():
            texts[int(ballots.questions[row])] = ballots.answers[row].text
        self._take(THEM, texts)

    def _take(self, name: str, texts: Sequence[str]) -> None:
        ids = (one.question_id for one in self._data)
        self._judge.take_answers(name, [GivenAnswers(dict(zip(ids, texts, strict=True)), {})])


@final
class DevChoices(DevData):
    """Questions with choices."""

    kind = Together.CHOICES

    def __init__(self, data: ChoiceSet, *, sampling: Sampling) -> None:
        self._judge: ChoiceJudge = ChoiceJudge(data, sampling=sampling)
        self._data = data
        self.pairs = data.texts
        self._scores: list[_Floats] = []

    def ask(self, name: str, system: Any) -> None:
        """Score all choices."""
        if not isinstance(system, Chooser | Scorer):
            raise invalid("members", name, expected="a chooser or a scorer")
        self._scores.append(flat_scores(system, self._data.questions))
        self._judge.take_scores(name, rows_of(self._scores[-1], self._data.questions))

    def votes(self) -> Votes:
        """A row a choice; questions of one wording are one group."""
        questions = numbers_of(self._data.questions)
        starts = np.flatnonzero(np.diff(questions, prepend=-1))
        right = np.zeros(len(questions))
        right[starts + answers_of(self._data)] = 1.0
        return Votes(
            np.stack(self._scores, axis=1),
            right,
            self._judge.groups[questions],
            JudgedBy.CHOSEN,
            questions=questions,
        )

    def take(self, combined: _Floats) -> None:
        """By accuracy."""
        self._judge.take_scores(THEM, rows_of(combined, self._data.questions))


def dev_data(
    data: PairSet | CandidateSet | RetrievalSet | SpanSet | ChoiceSet,
    *,
    sampling: Sampling,
) -> DevData:
    """The class for such data.

    Raises:
        DataError: there is nothing to measure on.
    """
    if isinstance(data, RetrievalSet):
        return DevCollection(data, sampling=sampling)
    if isinstance(data, ChoiceSet):
        return DevChoices(data, sampling=sampling)
    if isinstance(data, SpanSet):
        return DevSpans(data, sampling=sampling)
    if isinstance(data, CandidateSet):
        return DevRankings(data, sampling=sampling)
    if data.kind is LabelKind.CLASSES:
        return DevClasses(data, sampling=sampling)
    return DevPairs(data, sampling=sampling)
