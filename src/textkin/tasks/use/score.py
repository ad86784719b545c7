"""Score pairs with any model or baseline, and decide where the model can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from textkin.decision.saved import SavedDecision
from textkin.errors import ModelError
from textkin.provenance import hash_of_scorer
from textkin.readers import load_texts
from textkin.results import Result, ResultRow
from textkin.scorers import with_analyser
from textkin.scorers.analysers import PLAIN
from textkin.systems import AnyModel, resolve, takes_frequencies
from textkin.text.truncation import Truncation, truncation_of_pairs
from textkin.vectors.coverage import Coverage, coverage_of

if TYPE_CHECKING:
    from textkin.ensembles.saved import SavedEnsemble
    from textkin.model_dir import Model


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scored(Result):
    """Scores with their probabilities and decisions.

    Attributes:
        model: how tables call the scorer.
        scores: shape [pairs], higher is more similar.
        probabilities: that each pair is the same, if the model is calibrated. Shape [pairs].
        same: which pairs are the same, if the model has a threshold. Shape [pairs].
        threshold: the score from which on a pair is the same, if the model has one.
        coverage: how much of the different texts the model knows; of a baseline, nothing is unknown.
        truncation: how many texts are longer than the model reads; None if it is not known.
        texts: the pairs.
        notes: what a reader of the scores must know.

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

    def _said(self) -> tuple[str, ...]:
        cut = "" if self.threshold is None else f", the same from {self.threshold:.4f} on"
        return (f"scores of {self.model}{cut}", *self.notes)


def score(
    model: AnyModel,
    pairs: Sequence[tuple[str, str]],
    *,
    fit_texts: Sequence[str] | Path | None = None,
    vectors: Path | None = None,
    seed: int = 0,
    analyser: str = PLAIN,
    decision: Path | str | None = None,
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

    Raises:
        UsageError: there is neither a folder nor a baseline of that name, or it does not read by an analyser.
        ModelError: the folder can't be read, or the decision was made for another model or other texts.
        DataError: the decision can't be read.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    notes: tuple[str, ...] = ()
    if isinstance(fit_texts, Path):
        fit_texts = load_texts(fit_texts).data.texts
    if fit_texts is None:
        if len(pairs) == 1 and takes_frequencies(model):
            notes = (
                f"{model} takes its word frequencies from these two texts; name a file of texts with --fit",
            )
        fit_texts = texts
    (model,) = with_analyser([model], analyser)
    scorer = resolve(model, fit_texts=fit_texts, vectors=vectors, seed=seed)
    saved: Model | SavedEnsemble | SavedDecision | None = getattr(scorer, "model", None)
    if decision is not None:
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
    threshold = None if saved is None or saved.threshold is None else saved.threshold.threshold
    calibration = None if saved is None else saved.calibration
    return Scored(
        model=scorer.name,
        scores=scores,
        probabilities=None if calibration is None else calibration.probability(scores),
        same=None if threshold is None else threshold.decide(scores),
        threshold=None if threshold is None else threshold.value,
        coverage=coverage,
        truncation=truncation_of_pairs(scorer, pairs),
        texts=pairs,
        notes=notes,
    )
