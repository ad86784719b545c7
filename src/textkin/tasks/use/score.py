"""Score pairs with any model or baseline, and decide where the model can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from textkin.progress import note
from textkin.readers import load_texts
from textkin.scorers import BY_FREQUENCY
from textkin.systems import resolve
from textkin.vectors.coverage import Coverage, coverage_of

if TYPE_CHECKING:
    from textkin.model_dir import Model


@final
@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores with their probabilities and decisions.

    Attributes:
        model: how tables call the scorer.
        scores: shape [pairs], higher is more similar.
        probabilities: that each pair is the same, if the model is calibrated. Shape [pairs].
        same: which pairs are the same, if the model has a threshold. Shape [pairs].
        threshold: the score from which on a pair is the same, if the model has one.
        coverage: how much of the different texts the model knows; of a baseline, nothing is unknown.
    """

    model: str
    scores: NDArray[np.float32]
    probabilities: NDArray[np.float64] | None = None
    same: NDArray[np.bool_] | None = None
    threshold: float | None = None
    coverage: Coverage = field(default_factory=Coverage)


def score(
    model: str,
    pairs: Sequence[tuple[str, str]],
    *,
    fit_texts: Sequence[str] | Path | None = None,
    vectors: Path | None = None,
    seed: int = 0,
) -> Scored:
    """Score pairs of texts.

    Args:
        model: a folder with a model, the name of a cached one, or a baseline.
        pairs: the texts.
        fit_texts: where a baseline takes its word frequencies from, or the path of a file of texts; the
            pairs' own texts if None, which is told where it is a single pair's.
        vectors: for the baseline mean-vectors.
        seed: of the baseline random.

    Raises:
        UsageError: there is neither a folder nor a baseline of that name.
        ModelError: the folder can't be read.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    if isinstance(fit_texts, Path):
        fit_texts = load_texts(fit_texts).data.texts
    if fit_texts is None:
        if model in BY_FREQUENCY and len(pairs) == 1:
            note(f"{model} takes its word frequencies from these two texts; name a file of texts with --fit")
        fit_texts = texts
    scorer = resolve(model, fit_texts=fit_texts, vectors=vectors, seed=seed)
    scores = scorer.score(pairs)
    coverage = coverage_of(scorer, texts)
    coverage.tell(scorer.name)
    saved: Model | None = getattr(scorer, "model", None)
    threshold = None if saved is None or saved.threshold is None else saved.threshold.threshold
    calibration = None if saved is None else saved.calibration
    return Scored(
        model=scorer.name,
        scores=scores,
        probabilities=None if calibration is None else calibration.probability(scores),
        same=None if threshold is None else threshold.decide(scores),
        threshold=None if threshold is None else threshold.value,
        coverage=coverage,
    )
