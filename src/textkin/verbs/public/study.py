"""``tk.study`` and ``tk.contest``: train, compare and report in one run."""

from __future__ import annotations

from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.data.readers.from_python import GivenPairs, file_of_pairs
from textkin.verbs.experiments.study import StudyOptions, StudyResult
from textkin.verbs.experiments.study import study as study_file


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
