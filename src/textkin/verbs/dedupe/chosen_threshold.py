"""The threshold that answers chose, kept as a decision that other commands take."""

from pathlib import Path

from textkin.base.files import sha256_of_file
from textkin.base.hub import DEFAULT
from textkin.kinds.systems import encoder_of
from textkin.measures.decisions.fit_threshold import Threshold
from textkin.measures.decisions.goal import Aim, Goal, GoalRule
from textkin.measures.decisions.saved_thresholds import LabelProof, SavedDecision, SavedThreshold
from textkin.models.provenance import hash_of_scorer
from textkin.verbs.dedupe.sample_answers import JudgedSample, PrecisionAt


def threshold_of(sample: JudgedSample, chosen: PrecisionAt, level: float, rule: GoalRule) -> Threshold | None:
    """A threshold with its figures on the pairs that were drawn from; None where these aren't known.

    Recall is of the duplicates that the lowest threshold of the sample finds.
    """
    if chosen.precision is None:
        return None
    lowest = float(sample.ranges.edges[0])
    whole = sample.share_same(lowest)
    if whole is None:
        return None
    pairs, taken = sample.pairs_from(lowest), sample.pairs_from(chosen.threshold)
    positives, hits = whole * pairs, chosen.precision.value * taken
    hits = min(hits, positives)  # estimates are smoothed, each for itself
    return Threshold(
        value=chosen.threshold,
        goal=str(Goal(Aim.PRECISION, level, rule)),
        precision=chosen.precision.value,
        recall=hits / positives if positives else 0.0,
        f1=2 * hits / (taken + positives) if taken + positives else 0.0,
        accuracy=(pairs - taken - positives + 2 * hits) / pairs,
        pairs=pairs,
        positives=round(positives),
    )


def decision_for(
    sample: JudgedSample,
    chosen: PrecisionAt,
    path: Path,
    *,
    goal: tuple[float, GoalRule],
    model: str | None,
    proof: LabelProof | None = None,
) -> SavedDecision | None:
    """The decision for an encoder; None with too few labels.

    Args:
        sample: the answers.
        chosen: their estimate at the threshold that they chose.
        path: the file of the answers.
        goal: the required precision, and the figure that had to reach it.
        model: the encoder's folder or name; None for the built-in one.
        proof: the proof for the threshold, where one was requested.
    """
    found = threshold_of(sample, chosen, *goal)
    if found is None or chosen.precision is None:
        return None
    name = DEFAULT if model is None else model
    saved = SavedThreshold(
        found,
        f"a sample of similar pairs, {path.name}",
        sha256_of_file(path),
        (chosen.precision.low, chosen.precision.high),
        proof,
    )
    return SavedDecision(encoder_of(name).name, hash_of_scorer(name), saved, None)
