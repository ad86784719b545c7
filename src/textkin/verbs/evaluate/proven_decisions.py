"""Decisions whose precision labels prove, by the test of ``textkin label``."""

from pathlib import Path

import numpy as np

from textkin.base.arrays import Bools, Floats
from textkin.base.errors import DataError, PromiseError, inapplicable
from textkin.kinds.decisions import Decision, fit_probabilities
from textkin.kinds.pair_judge import PairJudge
from textkin.measures.decisions.calibration import Method
from textkin.measures.decisions.fit_threshold import Threshold
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.decisions.saved_thresholds import LabelProof
from textkin.measures.labels.draws import DrawnLabels, ThresholdProof
from textkin.measures.labels.labelled_file import Drawing, read_drawing
from textkin.measures.metrics.binary_pairs import confusion

_MOVED = 0.005  # a score may differ by so much from that by which a pair was drawn


def require_provable(goal: Goal) -> float:
    """The precision of a goal.

    Raises:
        UsageError: it is another goal, or no promise.
    """
    if goal.aim is not Aim.PRECISION or goal.level is None or not goal.is_promise or goal.level >= 1:
        raise inapplicable(
            "proof", to=f"the goal {goal}", fix="give a `precision` below 1, or leave `proof` out"
        )
    return goal.level


def proven_decision(
    judge: PairJudge,
    scores: Floats,
    path: Path | str,
    *,
    system: str,
    goal: Goal,
    method: Method | None = None,
) -> tuple[Decision, LabelProof]:
    """The lowest threshold that labels prove a precision of, with the calibration by these labels.

    Args:
        judge: the judge of the labelled pairs.
        scores: the system's, shape [pairs].
        path: the file of the pairs, which says how they were drawn.
        system: its name.
        goal: a precision.
        method: the method of calibration.

    Raises:
        UsageError: the goal can't be proven.
        DataError: the file doesn't say how its pairs were drawn, or they were drawn by other scores.
        PromiseError: no threshold is proven.
    """
    level = require_provable(goal)
    same = judge.test.labels > 0
    drawing = read_drawing(Path(path), same.tolist())
    _refuse_other_scores(drawing, scores, Path(path), system)
    proofs = [drawing.drawn.proof(place, level) for place in range(len(drawing.drawn.sizes))]
    best = next((one for one in reversed(proofs) if one.proven), None)
    if best is None:
        raise _not_proven(proofs, level)
    calibration = fit_probabilities(judge, scores, method)
    threshold = _threshold(best, goal, same, scores)
    return Decision(system, threshold, calibration), _kept(best, drawing.drawn)


def _refuse_other_scores(drawing: Drawing, scores: Floats, path: Path, system: str) -> None:
    """Require the model that pairs were drawn by: thresholds refer to its scores only."""
    off = np.abs(drawing.scores - scores)
    if (off > _MOVED).any():
        row = int(off.argmax())
        raise DataError(
            f"was drawn by other scores than those of {system}: row {row + 1} by {drawing.scores[row]:.4f}, "
            f"which is {scores[row]:.4f} here",
            path=path,
            fix="name the model that mined the pairs, or leave `proof` out",
        )


def _not_proven(proofs: list[ThresholdProof], level: float) -> PromiseError:
    best = max(proofs, key=lambda one: one.least)
    left = "" if best.left is None else f"; about {best.left:,} more labels would prove it there"
    return PromiseError(
        f"no threshold is proven to have a precision of {level:g}: the labels prove {best.least:.3f} from "
        f"{best.threshold:.4f} on{left}",
        fix="label more pairs, or give a lower `precision`",
    )


def _threshold(proof: ThresholdProof, goal: Goal, same: Bools, scores: Floats) -> Threshold:
    """The threshold with its figures on the labelled pairs, each counted once."""
    value = float(np.float32(proof.threshold))
    cells = confusion(same.astype(np.float64), scores, value)
    return Threshold(
        value=value,
        goal=str(goal),
        precision=cells.precision,
        recall=cells.recall,
        f1=cells.f1,
        accuracy=cells.accuracy,
        pairs=len(same),
        positives=int(same.sum()),
    )


def _kept(proof: ThresholdProof, drawn: DrawnLabels) -> LabelProof:
    # With a threshold, only the pairs from it on are drawn from; a recall is among all of them.
    pairs = drawn.sizes[-1] if proof.recall is None else drawn.pairs
    return LabelProof(proof.least, pairs, len(drawn.labels), drawn.error, proof.recall)
