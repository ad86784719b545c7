"""Score pairs with any model or baseline, and decide where the model can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import ModelError
from textkin.base.results import Result, ResultRow
from textkin.base.spelling import spelt
from textkin.data.readers import load_texts
from textkin.kinds.systems import FEW, AnyModel, resolve, takes_frequencies
from textkin.measures.decisions.fit_threshold import Threshold
from textkin.measures.decisions.saved_thresholds import SavedDecision
from textkin.measures.decisions.user_thresholds import NOT_FITTED, check_threshold, decide
from textkin.models.provenance import hash_of_scorer
from textkin.text.baselines import with_analyser
from textkin.text.baselines.analysers import PLAIN
from textkin.text.truncation_account import Truncation, truncation_of_pairs
from textkin.vectors.unknown_token_report import Coverage, coverage_of

if TYPE_CHECKING:
    from textkin.models.ensembles.ensemble_folder import SavedEnsemble
    from textkin.models.model_folder import Model


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scored(Result):
    """Scores with their probabilities and decisions.

    Attributes:
        model: how tables call the scorer.
        scores: shape [pairs], higher is more similar.
        probabilities: that each pair is the same, if the model is calibrated. Shape [pairs].
        same: which pairs are the same, if there is a threshold. Shape [pairs].
        threshold: the score from which on a pair is the same: as it was given, or else the model's own, if
            it has one.
        coverage: how much of the different texts the model knows; of a baseline, nothing is unknown.
        truncation: how many texts are longer than the model reads; None if it is not known.
        texts: the pairs.
        notes: what a reader of the scores must know.
        threshold_fitted: whether the threshold was fitted on labelled pairs; None if there is none.

    Example:
        >>> import textkin as tk
        >>> found = tk.score([("one", "one")])
        >>> found.scores.tolist(), found.same is None
        ([1.0], True)
    """

    model: str
    scores: NDArray[np.float32]
    coverage: Coverage
    probabilities: NDArray[np.float64] | None = None
    same: NDArray[np.bool_] | None = None
    threshold: float | None = None
    truncation: Truncation | None = None
    texts: Sequence[tuple[str, str]] = ()
    notes: tuple[str, ...] = ()
    threshold_fitted: bool | None = None

    def _column(self) -> NDArray[np.float32]:
        return self.scores

    def _rows(self) -> Iterator[ResultRow]:
        """One row a pair, with what the model can say of it."""
        for place, score in enumerate(self.scores.tolist()):
            a, b = self.texts[place] if self.texts else ("", "")
            row: ResultRow = {"text_a": a, "text_b": b, "score": score}
            if self.probabilities is not None:
                row["probability"] = float(self.probabilities[place])
            if self.same is not None:
                row["same"] = bool(self.same[place])
            yield row

    def _count(self) -> int:
        return len(self.scores)

    @property
    def threshold_words(self) -> str:
        """The threshold, and whether it is fitted; "" if there is none."""
        if self.threshold is None:
            return ""
        return f"{self.threshold:.4f}" + ("" if self.threshold_fitted else f" ({NOT_FITTED})")

    def _said(self) -> tuple[str, ...]:
        cut = "" if self.threshold is None else f", the same from {self.threshold_words} on"
        return (f"scores of {self.model}{cut}", *self.notes)


def score(
    model: AnyModel,
    pairs: Sequence[tuple[str, str]],
    *,
    fit_texts: Sequence[str] | Path | None = None,
    vectors: Path | None = None,
    seed: int = 0,
    analyser: str = PLAIN,
    decision: Path | str | float | None = None,
) -> Scored:
    """Score pairs of texts.

    Args:
        model: a folder with a model, the name of a cached one, a baseline, or an object.
        pairs: the texts.
        fit_texts: where a baseline takes its word frequencies from, or the path of a file of texts; the
            pairs' own texts if None.
        vectors: for the baseline mean-vectors.
        seed: of the baseline random.
        analyser: how tfidf and bm25 read: plain, or a language whose words they stem.
        decision: a file of ``textkin calibrate`` for this scorer; it stands for what is saved with the model.
            Or a threshold of the user's, in place of the model's own.

    Raises:
        UsageError: there is neither a folder nor a baseline of that name, it does not read by an analyser, or
            the threshold is no finite number.
        ModelError: the folder can't be read, or the decision was made for another model or other texts.
        DataError: the decision can't be read.
    """
    given = None if decision is None or isinstance(decision, str | Path) else check_threshold(decision)
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    notes: tuple[str, ...] = ()
    if isinstance(fit_texts, Path):
        fit_texts = load_texts(fit_texts).data.texts
    if fit_texts is None:
        if len(pairs) == 1 and takes_frequencies(model):
            notes = (
                f"{model} takes its word frequencies from these two texts; "
                + spelt("give more of them with `fit_texts`"),
            )
        fit_texts = texts
    (model,) = with_analyser([model], analyser)
    scorer = resolve(model, fit_texts=fit_texts, vectors=vectors, seed=seed, few=len(texts) <= FEW)
    saved: Model | SavedEnsemble | SavedDecision | None = getattr(scorer, "model", None)
    if isinstance(decision, str | Path):
        saved = SavedDecision.read(decision)
        if not isinstance(model, str | Path):
            raise ModelError(
                f"{scorer.name} is given as an object, so {decision} may have been made for another model",
                fix="give the model's folder or name",
            )
        own = hash_of_scorer(model, fit_texts=fit_texts, vectors=vectors, seed=seed)
        saved.require(own, path=decision, name=str(model))
    scores = scorer.score(pairs)
    coverage = coverage_of(scorer, texts)
    coverage.tell()
    fitted = None if saved is None or saved.threshold is None else saved.threshold.threshold
    calibration = None if saved is None else saved.calibration
    same = None if fitted is None else fitted.decide(scores)
    if given is not None:
        notes, same = (*notes, *_given_notes(given, fitted)), decide(scores, given)
    cut = given if given is not None else None if fitted is None else fitted.value
    return Scored(
        model=scorer.name,
        scores=scores,
        probabilities=None if calibration is None else calibration.probability(scores),
        same=same,
        threshold=cut,
        threshold_fitted=None if cut is None else given is None,
        coverage=coverage,
        truncation=truncation_of_pairs(scorer, pairs),
        texts=pairs,
        notes=notes,
    )


def _given_notes(given: float, fitted: Threshold | None) -> Iterator[str]:
    """What is to be known of decisions at a threshold that was given."""
    own = "" if fitted is None else f"; the model's own, {fitted.value:.4f}, is left aside"
    yield f"decisions are made at the threshold {given:g}, which was given and is {NOT_FITTED}{own}"
