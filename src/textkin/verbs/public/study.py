"""``tk.study`` and ``tk.contest``: train, compare and report in one run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.base.errors import UsageError
from textkin.base.python_inputs import path_of
from textkin.data.readers.from_python import GivenPairs, file_of_pairs
from textkin.verbs.experiments.contest import ContestOptions, ContestResult
from textkin.verbs.experiments.contest import contest as hold_contest
from textkin.verbs.experiments.study import StudyOptions, StudyResult
from textkin.verbs.experiments.study import study as study_file
from textkin.verbs.train.dataset_splits import Sources


@checked
def study(data: GivenPairs, *, out: Path | str, options: StudyOptions | None = None) -> StudyResult:
    """Study labelled pairs; the same call goes on where an interrupted one stopped.

    Splits without leaks, trains each model with several seeds, measures all beside the baselines, fits a
    threshold on dev, judges on test, and writes a report.

    Args:
        data: yes-or-no or graded pairs: the path of a file, a ``PairSet``, or rows of texts and labels.
        out: the run directory.
        options: see :class:`StudyOptions`.

    Raises:
        UsageError: ``out`` holds another study, or an option is wrong.
        ModelError: a pretrained model to start from is not on this machine.
        DataError: the data can't be read, have no labels, or are too few to split.
        ConfigError: a recipe is wrong.
        OutputError: ``out`` can't be written to.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> options = tk.StudyOptions(models=("static",), seeds=1, sampling=tk.Sampling(100, 100))
        >>> found = tk.study(samples.pairs("support-desk"), out="study", options=options)
        >>> found.page.name, "static" in {row["system"] for row in found.rows()}
        ('report.html', True)
    """
    with file_of_pairs(data) as path:
        return study_file(path, out, options=options)


@checked
def contest(
    data: Sources | Path | str,
    *,
    out: Path | str,
    options: ContestOptions | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> ContestResult:
    """Train recipes with several seeds, and test their differences from several rivals.

    The same call goes on where an interrupted one stopped.

    Args:
        data: the files of the data set; or the folder that holds them, by their names.
        out: where everything goes.
        options: see :class:`ContestOptions`.
        tell: is called with a line for every (recipe, seed) that is trained or could not be.

    Raises:
        UsageError: ``out`` holds something else, or an option is wrong.
        DataError: the data can't be read or have nothing to measure.
        ConfigError: a recipe is wrong or for another task.
        TrainingError: no recipe could be trained.
        OutputError: ``out`` can't be written to.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> _ = tk.split(samples.pairs("support-desk"), out="split")
        >>> options = tk.ContestOptions(recipes=("static",), seeds=1, sampling=tk.Sampling(100, 100))
        >>> found = tk.contest("split", out="contest", options=options)
        >>> "static" in {row["system"] for row in found.rows()}
        True
    """
    path = path_of(data)
    sources = Sources.of_folder(path) if path is not None else data
    if not isinstance(sources, Sources):
        raise UsageError(
            f"data is of type {type(data).__name__}, expected a folder or Sources",
            fix="write tk.Sources(train=..., test=...)",
        )
    return hold_contest(sources, out, options=options, tell=tell)
