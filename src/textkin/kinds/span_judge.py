"""The judge of systems that extract answers from passages, as in SQuAD."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from textkin.base.arrays import Bools, Floats
from textkin.base.errors import DataError, invalid
from textkin.data.protocols import ByWeight, SpanReader, System
from textkin.data.readers.datasets.squad import ambiguous
from textkin.data.readers.span_predictions import read_no_answer, read_predictions, write_by_question
from textkin.data.span_answers import answers_by
from textkin.data.span_records import SpanAnswer, SpanSet
from textkin.kinds.judge import estimate
from textkin.kinds.mean_judge import MeanJudge, mean_interval
from textkin.kinds.predicted_answers import PredictedReader, SystemAnswers
from textkin.kinds.seed_files import AGAIN, seed_files, tagged
from textkin.kinds.span_grouping import GroupedBy, gold_of, groups_of, rules_of
from textkin.measures.intervals.bootstrap import Interval, bootstrap
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.calibration import calibration_error_by_weight, reliability
from textkin.measures.metrics.risk_coverage import risk_area_by_weight, risk_coverage
from textkin.measures.metrics.spans import SpanScores, SquadRules, score_answers
from textkin.report.content import Estimate, ReliabilityBin
from textkin.report.no_answer_plots import Abstention
from textkin.text.baselines.span_readers import NO_ANSWER, SPAN_BASELINES

_LISTED = 20  # answers requested if "no answer" may be among them
_POINTS = 100  # points of a curve


class SpanJudge(MeanJudge):
    """Questions about passages: F1 and exact match by SQuAD's rules.

    Args:
        data: the questions.
        sampling: settings of intervals and tests.
        by: the unit of resampling.

    Raises:
        DataError: there are no questions.
    """

    kind = "spans"
    known = SPAN_BASELINES

    def __init__(self, data: SpanSet, *, sampling: Sampling, by: GroupedBy = GroupedBy.PARAGRAPH) -> None:
        if not len(data):
            raise DataError(
                f"{data.name or 'the data'} has no questions to measure on", fix="give other data"
            )
        self.data, self.sampling, self.by = data, sampling, by
        self.rules = rules_of(data)
        self.main = "F1"
        abstains = self.rules is SquadRules.V2
        self.baselines = tuple(name for name in SPAN_BASELINES if abstains or name != NO_ANSWER)
        self.groups = groups_of(data, by)
        unclear = ambiguous(data)
        self.unclear = np.array([one.question_id in unclear for one in data])
        self.given: dict[str, tuple[SystemAnswers, ...]] = {}
        self._scores: dict[str, tuple[SpanScores, ...]] = {}

    @property
    def texts(self) -> list[str]:
        """The distinct passages, without questions."""
        return list(dict.fromkeys(one.text for one in self.data.passages.values()))

    @property
    def names(self) -> list[str]:
        """The systems taken so far."""
        return list(self.given)

    def take(self, name: str, *seeds: System | SpanReader) -> None:
        """Ask all questions.

        Raises:
            UsageError: a system can't read answers, or gives none that occur in the passages.
        """
        self.take_answers(name, [self._asked(as_reader(name, system)) for system in seeds])

    def take_answers(self, name: str, seeds: Sequence[SystemAnswers]) -> None:
        """Keep and score a system's answers for each seed.

        Raises:
            DataError: a question has no answer.
        """
        gold = gold_of(self.data)
        found = tuple(score_answers(gold, one.answers, rules=self.rules) for one in seeds)
        for scores in found:
            if not scores.predicted.all():
                raise DataError(f"{name} lacks {np.sum(~scores.predicted):,} answers", fix=AGAIN)
        self.given[name], self._scores[name] = tuple(seeds), found

    def earned(self, name: str) -> Floats:
        """F1 of each question."""
        return np.stack([one.f1 for one in self._scores[name]])

    def figures(self, name: str) -> dict[str, Interval]:
        """F1 and exact match, also for questions with, without and with one clear answer."""
        exact = np.mean([one.exact for one in self._scores[name]], axis=0)
        f1 = self.earned(name).mean(axis=0)
        wanted: dict[str, tuple[Floats, Bools]] = {}
        everything = np.ones(len(f1), dtype=np.bool_)
        has_answer = self._scores[name][0].answerable
        for suffix, inside in (
            ("", everything),
            (" HasAns", has_answer if not has_answer.all() else ~everything),
            (" without ambiguous", ~self.unclear if self.unclear.any() else ~everything),
        ):
            wanted |= {f"F1{suffix}": (f1, inside), f"EM{suffix}": (exact, inside)}
        wanted["NoAns"] = (exact, ~has_answer)
        return {
            key: mean_interval(values, self.groups, inside=inside, sampling=self.sampling)
            for key, (values, inside) in wanted.items()
            if inside.any()
        }

    def notes(self) -> tuple[str, ...]:
        """The rules applied, the unit of resampling, and the number of ambiguous questions."""
        said = [f"SQuAD {self.rules}'s rules; an independent group is the questions of one {self.by}"]
        if count := int(self.unclear.sum()):
            said.append(
                f"{count:,} of {len(self.data):,} questions are ambiguous: their first answer stands in the "
                "passage more than once, and the data name one place; figures without them stand beside"
            )
        return tuple(said)

    def abstention(self, name: str) -> Abstention | None:
        """The quality of the no-answer probability; None without one."""
        given = self.given[name]
        best = [one.best for one in given if one.best is not None]
        if self.rules is SquadRules.V1 or len(best) < len(given):
            return None
        ids = [one.question_id for one in self.data]
        told = np.concatenate([[one.no_answer[key] for key in ids] for one in given])
        gold = gold_of(self.data)
        none = np.tile(~self._scores[name][0].answerable, len(given)).astype(np.float64)
        earned = np.concatenate([score_answers(gold, one, rules=self.rules).f1 for one in best])
        losses = np.where(none > 0, 1.0, 1.0 - earned)
        curve = risk_coverage(losses, -told)
        steps = np.unique(np.searchsorted(curve.coverage, np.arange(1, _POINTS + 1) / _POINTS - 1e-12))
        return Abstention(
            system=name,
            calibration_error=self._over_seeds(calibration_error_by_weight(none, told), len(given)),
            risk_area=self._over_seeds(risk_area_by_weight(losses, -told), len(given)),
            coverage=tuple(curve.coverage[steps].tolist()),
            risk=tuple(curve.risk[steps].tolist()),
            bins=tuple(
                ReliabilityBin(one.predicted, one.observed, one.pairs) for one in reliability(none, told)
            ),
        )

    def write(self, folder: Path) -> None:
        """Write ``NAME.json`` and, for version 2.0, ``NAME.na.json`` for every system and seed."""
        for each, one in tagged(self.given):
            self.write_answers(one, folder / f"{each}.json")

    def write_answers(self, given: SystemAnswers, path: Path) -> None:
        """Write the predictions, and for version 2.0 probabilities as ``NAME.na.json``."""
        write_by_question(path, given.answers)
        if self.rules is SquadRules.V2:
            write_by_question(path.with_suffix(".na.json"), given.no_answer)

    def read(self, folder: Path, names: Sequence[str]) -> None:
        """Read the answers from these files."""
        for name, paths in seed_files(folder, names, ".json", what="predictions"):
            self.take_answers(name, [self._read(path) for path in paths])

    def _read(self, path: Path) -> SystemAnswers:
        if self.rules is SquadRules.V1:
            return SystemAnswers(read_predictions(path), {})
        return SystemAnswers(read_predictions(path), read_no_answer(path.with_suffix(".na.json")))

    def _over_seeds(self, figure: ByWeight, seeds: int) -> Estimate:
        """A metric of all seeds' answers together, with its interval over groups."""
        return estimate(
            bootstrap(
                figure,
                np.tile(self.groups, seeds),
                resamples=self.sampling.resamples,
                seed=self.sampling.seed,
            )
        )

    def _asked(self, reader: SpanReader) -> SystemAnswers:
        if isinstance(reader, PredictedReader):
            return reader.answers
        passages = [self.data.passages[one.passage_id].text for one in self.data]
        k = _LISTED if self.rules is SquadRules.V2 else 1
        found = answers_by(reader, [one.question for one in self.data], passages, k=k)
        answers, no_answer, best = {}, {}, {}
        for one, given in zip(self.data, found, strict=True):
            listed = given or [SpanAnswer(0, 0, "", 0.0)]
            key = one.question_id
            answers[key] = listed[0].text
            no_answer[key] = _of_none(listed)
            best[key] = next((answer.text for answer in listed if answer.text), "")
        return SystemAnswers(answers, no_answer, best)


def _of_none(listed: Sequence[SpanAnswer]) -> float:
    """The probability of no answer; without probabilities, 1 if it ranks first, else 0."""
    none = next((one for one in listed if not one.text), None)
    if none is None:
        return 0.0
    return float(none is listed[0]) if none.probability is None else min(none.probability, 1.0)


def as_reader(name: str, system: System | SpanReader) -> SpanReader:
    """The system, if it reads answers.

    Raises:
        UsageError: it doesn't.
    """
    if isinstance(system, SpanReader):
        return system
    raise invalid(
        "models",
        name,
        expected=f"models that answer from passages, or a baseline: {', '.join(SPAN_BASELINES)}",
    )
