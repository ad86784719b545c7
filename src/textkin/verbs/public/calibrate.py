"""``tk.calibrate`` and ``tk.calibrate_reader``: a model's threshold and probabilities."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.base.standard_streams import refuse_two_inputs
from textkin.data.readers import Reading
from textkin.data.readers.from_python import GivenPairs, file_of_pairs
from textkin.measures.decisions.goal import Goal
from textkin.verbs.evaluate.calibrate import Calibrated, CalibrateOptions
from textkin.verbs.evaluate.calibrate import calibrate as calibrate_model


@checked
def calibrate(
    data: GivenPairs,
    *,
    model: Path | str,
    goal: Goal | str = "f1",
    test: GivenPairs | None = None,
    options: CalibrateOptions | None = None,
    reading: Reading | None = None,
) -> Calibrated:
    """Fit a threshold and probabilities on labelled pairs, save both with the model, and judge on ``test``.

    Args:
        data: labelled pairs that the model was not trained on: the path of a file, a ``PairSet``, or rows of
            texts and labels.
        model: a folder with a model, the name of a cached one, or a baseline. What is no textkin model
            directory needs ``options.out``.
        goal: of the threshold, such as "precision=0.95", "f1" or "accuracy".
        test: labelled pairs that share no text with ``data``.
        options: where to save, and how to fit; see :class:`CalibrateOptions`.
        reading: how the files are read.

    Raises:
        UsageError: a baseline lacks what it is made from.
        ModelError: there is no such model, or it is not textkin's and there is no ``options.out``.
        DataError: the pairs are not of both kinds.
        LeakError: ``data`` and ``test`` share texts, or the model was trained on more than 1 % of
            either.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> run = tk.train(samples.pairs("travel"), dev=samples.pairs("cooking"), recipe="static", out="run")
        >>> fitted = tk.calibrate(samples.pairs("support-desk"), model=run.model, goal="f1")
        >>> tk.load(run.model).model.threshold.threshold == fitted.threshold
        True
    """
    refuse_two_inputs({"data": data, "test": test})
    chosen = Goal.parse(goal) if isinstance(goal, str) else goal
    with ExitStack() as stack:
        fitted_on = stack.enter_context(file_of_pairs(data))
        held_out = None if test is None else stack.enter_context(file_of_pairs(test))
        return calibrate_model(
            str(model),
            fitted_on,
            goal=chosen,
            test=held_out,
            options=options,
            reading=reading,
        )
