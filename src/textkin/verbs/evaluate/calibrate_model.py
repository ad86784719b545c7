"""Fit a scorer's threshold and calibration on labelled pairs, and save both.

They go into a textkin model's directory, or into a file of their own, which suits any scorer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.argument_checks import check_fields
from textkin.base.errors import DataError, LeakError, UsageError, inapplicable, required
from textkin.base.files import refuse_overwriting, sha256_of_file
from textkin.base.paths import is_file, name_of
from textkin.base.results import Result, ResultRow, with_interval
from textkin.base.spelling import spelt
from textkin.base.text_table import text_table
from textkin.data.protocols import Scorer
from textkin.data.readers import Reading, load_texts
from textkin.data.readers.labels import two_values
from textkin.data.readers.read_report import note_read
from textkin.data.records import PairSet
from textkin.data.splits.leak_proof import leaks
from textkin.data.splits.training_texts import seen_of
from textkin.kinds import decisions
from textkin.kinds.judge import as_scorer
from textkin.kinds.leak_check import require_unseen, seen_in_words
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.registry import load_data
from textkin.kinds.systems import AnyModel, ensemble_in, resolve, takes_frequencies
from textkin.measures.decisions.calibration import Calibration, Method
from textkin.measures.decisions.fit_threshold import Threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.saved_thresholds import LabelProof, SavedDecision, SavedThreshold
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.calibration import brier, expected_calibration_error
from textkin.models.ensembles.ensemble_folder import save_ensemble_decision
from textkin.models.interop.folder_kinds import ENSEMBLE, MANIFEST
from textkin.models.provenance import hash_of_scorer
from textkin.report import content as say
from textkin.report.figure_words import full, recall_paid
from textkin.report.model_card import decision as decision_in_words
from textkin.report.model_card import tell_decision
from textkin.text.baselines import with_analyser
from textkin.text.baselines.analysers import PLAIN
from textkin.text.baselines.names import BASELINES
from textkin.text.baselines.user_objects import given
from textkin.text.truncation_account import Truncation, truncation_of_pairs
from textkin.vectors.unknown_token_report import Coverage, coverage_of
from textkin.verbs.evaluate.proven_decisions import proven_decision, require_provable

if TYPE_CHECKING:
    from textkin.models.ensembles.ensemble_folder import SavedEnsemble
    from textkin.models.manifest import ModelFacts


@dataclass(frozen=True, slots=True, repr=False)
class Calibrated(Result):
    """Fitted threshold and probabilities, with their quality on other pairs.

    Attributes:
        saved_in: the model directory or the file that now holds threshold and calibration; None for neither.
        fitted_on: the file they were fitted on.
        threshold: with its figures on that file.
        calibration: scores to probabilities.
        fitted: these figures with intervals of what to expect on other pairs of the kind.
        decision: the decision that :meth:`save` writes.
        test: the threshold on a test file, unchanged, with intervals; None without one.
        test_ece: expected calibration error of the probabilities on the test file.
        test_brier: their Brier score.
        notes: overlap of the model's training data with either file.
        coverage: the fraction of the distinct texts of both that the model knows; baselines know all.
        truncation: number of texts of both longer than the model's maximum; None if unknown.
        paid: the cost of a promised precision or recall in words; "" without a promise.
        proof: the proof by labels for the threshold; None where none was requested.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> run = tk.train(samples.pairs("travel"), dev=samples.pairs("cooking"), recipe="static", out="run")
        >>> fitted = tk.calibrate(samples.pairs("support-desk"), run.model)
        >>> 0 <= fitted.threshold.precision <= 1
        True
    """

    saved_in: Path | None
    fitted_on: str
    threshold: Threshold
    calibration: Calibration
    fitted: Mapping[str, say.Estimate]
    coverage: Coverage
    decision: SavedDecision
    test: say.FittedThreshold | None = None
    test_ece: float | None = None
    test_brier: float | None = None
    notes: tuple[str, ...] = ()
    truncation: Truncation | None = None
    paid: str = ""
    proof: LabelProof | None = None

    def _rows(self) -> Iterator[ResultRow]:
        sides = {f"fitted on {self.fitted_on}": self.fitted}
        if self.test is not None:
            sides["test, unchanged"] = self.test.test
        for name, figures in sides.items():
            row: ResultRow = {"pairs": name}
            for figure in ("precision", "recall", "F1", "accuracy"):
                row |= with_interval(figure, figures.get(figure))
            yield row

    def _summary(self) -> str:
        return f"threshold {self.threshold.value:.4f} for {self.threshold.goal}"

    def text(self) -> str:
        """The metrics of each side, the proof, and the threshold."""
        header = ("precision", "recall", "F1", "accuracy")
        sides = {f"fitted on {self.fitted_on}": self.fitted}
        if self.test is not None:
            sides["test, unchanged"] = self.test.test
        rows = [[name, *(full(found[one]) for one in header)] for name, found in sides.items()]
        said = [self.paid, *([] if self.proof is None else [self.proof.sentence]), self._place()]
        lines = [text_table(("", *header), rows), *(f"\n{line}" for line in said if line)]
        if self.test_ece is not None and self.test_brier is not None:
            lines.append(f"Probabilities on test: ECE {self.test_ece:.3f}, Brier score {self.test_brier:.3f}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """All fields but the decision's file."""
        return self._values(but="decision")

    def save_decision(self, path: Path | str) -> Path:
        """Write the decision to a file, which the verbs that decide take as ``decision``.

        Raises:
            UsageError: the model was an object, which the file couldn't be tied to.
            OutputError: it can't be written.
        """
        if not self.decision.model_sha256:
            raise _untied(self.decision.model)
        self.decision.write(path)
        return Path(path)

    def _place(self) -> str:
        where = spelt("not saved: give `out`") if self.saved_in is None else f"saved in {self.saved_in}"
        return f"Threshold {self.threshold.value:.4f} for {self.threshold.goal}, {where}"

    def _said(self) -> tuple[str, ...]:
        return (
            self._place(),
            *([self.paid] if self.paid else []),
            *([self.proof.sentence] if self.proof is not None else []),
            *self.notes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrateOptions:
    """Options of calibration.

    Attributes:
        out: a file for the decision; None to save it with the model, which must be textkin's then.
        fit: a file of texts that a baseline takes its word frequencies from.
        vectors: for the baseline mean-vectors.
        analyser: analyser of tfidf and bm25: plain, or a language whose words they stem.
        seed: seed of the baseline random.
        method: of the calibration; None for isotonic from 1,000 pairs on, else Platt's.
        sampling: the draws for intervals on the test file.
        accept_leaks: fit even where the model was trained on more than 1 % of the pairs.
        proof: take the goal, a precision, for reached only where the labels prove it, however often anybody
            looked. They must be of random draws, and the file say so, as that of ``textkin label`` does.
    """

    out: Path | str | None = None
    fit: Path | str | None = None
    vectors: Path | None = None
    analyser: str = PLAIN
    seed: int = 0
    method: Method | None = None
    sampling: Sampling = field(default_factory=Sampling)
    accept_leaks: bool = False
    proof: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


def calibrate_model(
    model: AnyModel,
    data: Path | str,
    *,
    goal: Goal,
    test: Path | str | None = None,
    options: CalibrateOptions | None = None,
    reading: Reading | None = None,
) -> Calibrated:
    """Fit on ``data``, save, and measure on ``test`` if it is given.

    Args:
        model: a folder with a model, the name of a cached one, a baseline, or an object, whose decision isn't
            saved.
        data: labelled pairs that the model was not trained on.
        goal: goal of the threshold.
        test: labelled pairs that share no text with ``data``.
        options: see :class:`CalibrateOptions`.
        reading: reading options of both files.

    Raises:
        UsageError: a baseline lacks its texts, or the goal can't be proven.
        ModelError: there is no such model, or it is not textkin's and there is no ``out``.
        DataError: the pairs are not of both kinds, or don't say how they were drawn, where a proof is wanted.
        PromiseError: no threshold reaches the goal; then nothing is saved.
        LeakError: ``data`` and ``test`` share texts, or the model was trained on more than 1 % of
            either.
    """
    options, fitted_on = options or CalibrateOptions(), name_of(data)
    if options.out is not None:
        refuse_overwriting([Path(options.out)], [data, test, options.fit])
    if options.proof:
        require_provable(goal)
    scorer, sha256 = _opened(model, options)
    judge = _judge(data, options.sampling, reading)
    held_out = None if test is None else _judge(test, options.sampling, reading)
    for one in (judge, held_out):
        if one is not None:
            require_unseen(scorer.name, seen_of(scorer), one.data, accept_leaks=options.accept_leaks)
    if held_out is not None:
        _refuse_leaks(judge.data, held_out.data)
    texts = [*judge.data.texts, *(() if held_out is None else held_out.data.texts)]
    scores = scorer.score(judge.data.texts)
    decision, there, proof = _fitted(judge, scores, data, goal=goal, system=scorer.name, options=options)
    threshold = decisions.require_threshold(decision)
    tested: dict[str, Any] = {}
    if held_out is not None:
        tested = _judged(held_out, decision, scorer.score(held_out.data.texts).astype(np.float64), there.dev)
    expected = decisions.expected_precision(tested["test"].test if tested else there.dev)
    saved = SavedThreshold(threshold, fitted_on, sha256_of_file(data), expected, proof)
    result = Calibrated(
        _place(model, options),
        fitted_on,
        threshold,
        decision.calibration,
        there.dev,
        coverage_of(scorer, dict.fromkeys(text for pair in texts for text in pair)),
        SavedDecision(scorer.name, sha256, saved, decision.calibration),
        notes=_notes(scorer.name, getattr(scorer, "model", None), judge, held_out),
        truncation=truncation_of_pairs(scorer, texts),
        paid=recall_paid(there),
        proof=proof,
        **tested,
    )
    if options.out is not None:
        result.save_decision(options.out)
    elif result.saved_in is not None:
        _save_with_model(result, result.saved_in, decision, result.test or there)
    return result


def _fitted(
    judge: PairJudge,
    scores: NDArray[np.floating[Any]],
    data: Path | str,
    *,
    goal: Goal,
    system: str,
    options: CalibrateOptions,
) -> tuple[decisions.Decision, say.FittedThreshold, LabelProof | None]:
    """The decision, with expected figures on other pairs, and the proof."""
    precise = scores.astype(np.float64)
    if not options.proof:
        decision = decisions.fit_decision(judge, scores, system=system, goal=goal, method=options.method)
        decisions.require_threshold(decision)
        return decision, decisions.expected_on(judge, decision, precise), None
    decision, proof = proven_decision(judge, precise, data, system=system, goal=goal, method=options.method)
    there = decisions.threshold_on(judge, decision, precise)
    threshold = decisions.require_threshold(decision)
    proven = say.Estimate(max(threshold.precision, proof.precision), proof.precision, 1.0)
    return decision, replace(there, dev={**there.test, "precision": proven}, test={}), proof


def _opened(model: AnyModel, options: CalibrateOptions) -> tuple[Scorer, str]:
    """The scorer and its hash, once it is known that the decision has a place."""
    if (is_object := not isinstance(model, str | Path)) and options.out is not None:
        raise _untied(given(model).name)
    (name,) = with_analyser([model if is_object else str(model)], options.analyser)
    frequencies = takes_frequencies(name)
    if frequencies and options.out is None and _place(name, options) is not None:
        raise required(
            "out", "fit", by=f"{name}, whose word frequencies come from texts,", fix="give a file for each"
        )
    if frequencies and options.fit is None:
        raise required(
            "fit",
            by=f"{name}, whose word frequencies come from texts,",
            fix="give a file of texts, here and where the decision is used",
        )
    texts = () if options.fit is None else load_texts(options.fit).data.texts
    scorer = resolve(name, fit_texts=texts, vectors=options.vectors, seed=options.seed)
    if is_object:
        return as_scorer(scorer.name, scorer), ""
    sha256 = hash_of_scorer(name, fit_texts=texts, vectors=options.vectors, seed=options.seed)
    return as_scorer(name, scorer), sha256


def _untied(name: str) -> UsageError:
    return inapplicable(
        "out",
        to=f"the object {name}, of which a decision file couldn't say which one it is for",
        fix="give its import path, such as my_models:Overlap, or use the threshold of the result",
    )


def _place(model: AnyModel, options: CalibrateOptions) -> Path | None:
    """The file or model folder for the decision; None for models that have none."""
    if options.out is not None or not isinstance(model, str | Path):
        return None if options.out is None else Path(options.out)
    own = model not in BASELINES and any(is_file(Path(model) / each) for each in (MANIFEST, ENSEMBLE))
    return Path(model) if own else None


def _save_with_model(
    result: Calibrated, folder: Path, decision: decisions.Decision, said: say.FittedThreshold
) -> None:
    """Write into the model's directory and its card."""
    from textkin.models.model_folder import CARD, save_decision

    saved = result.decision.threshold
    save = save_decision if ensemble_in(folder) is None else save_ensemble_decision
    save(folder, threshold=saved, calibration=decision.calibration)
    words = decision_in_words(said, fitted_on=result.fitted_on)
    tell_decision(folder / CARD, words, name=decision.system)


def _notes(name: str, model: ModelFacts | SavedEnsemble | None, *judges: PairJudge | None) -> tuple[str, ...]:
    if model is None:
        return ()
    return tuple(
        f"{judge.data.name}: {words}"
        for judge in judges
        if judge is not None
        for words in seen_in_words(name, model, judge.data)
    )


def _judge(path: Path | str, sampling: Sampling, reading: Reading | None) -> PairJudge:
    kind, loaded = load_data(path, reading=reading)
    note_read(loaded.report)
    pairs = kind.as_pairs(loaded.data)
    judge = PairJudge(pairs, sampling=sampling)
    if not judge.is_binary:
        raise DataError(
            "has graded labels, and a threshold decides between yes and no",
            path=path,
            fix=two_values(pairs.labels) or "give pairs with labels 1 and 0",
        )
    return judge


def _judged(
    judge: PairJudge,
    decision: decisions.Decision,
    scores: NDArray[np.float64],
    fitted: Mapping[str, say.Estimate],
) -> dict[str, Any]:
    """Fields of the result: the threshold and the probabilities on test pairs."""
    probabilities = decision.calibration.probability(scores)
    return {
        "test": replace(decisions.threshold_on(judge, decision, scores), dev=fitted),
        "test_ece": expected_calibration_error(judge.test.labels, probabilities),
        "test_brier": brier(judge.test.labels, probabilities),
    }


def _refuse_leaks(pairs: PairSet, held_out: PairSet) -> None:
    report = leaks(pairs, held_out)
    shared = sum(overlap.keys for overlap in report.overlaps)
    if shared:
        example = next(text for overlap in report.overlaps for text in overlap.examples)
        raise LeakError(
            f"{pairs.name} and {held_out.name} share {shared} texts, for example {example!r}: "
            "figures on such a test would be too good",
            fix="split them with `split()`",
        )
