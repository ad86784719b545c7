"""``study``: train models on labelled pairs, and compare them with baselines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import (
    Analyser,
    BestAccuracy,
    BestF1,
    Columns,
    Device,
    Download,
    EncodingName,
    Format,
    GoalPrecision,
    GoalRecall,
    GoalRule,
    MorePairs,
    Near,
    Pairs,
    Quoting,
    Resamples,
    Rounds,
    Vectors,
)

if TYPE_CHECKING:
    from textkin.verbs.experiments.study_file import StudyResult

RunFolder = Annotated[Path, Option("Run folder. The same call resumes.", metavar="DIR")]
Models = Annotated[
    Any,
    Option(
        "Recipes by name or path, minilm, cross-encoder, or folders and names of encoders. NAME=FOLDER "
        "starts from another model. Default: static, siamese-lstm, siamese-bag; on few pairs also minilm.",
        metavar="NAME,...",
        command=str,
    ),
]
Seeds = Annotated[int, Option("Trainings of each recipe.", low=1, metavar="N")]
Curve = Annotated[bool, Option("Also train on 12, 25 and 50 % of the labels: would more labels pay?")]
SplitSeed = Annotated[int, Option("Random seed of the split.", metavar="N", low=0, rare=True)]


@verb
def study(
    pairs: Pairs,
    /,
    *,
    out: RunFolder,
    models: Models = None,
    seeds: Seeds = 3,
    precision: GoalPrecision = None,
    recall: GoalRecall = None,
    f1: BestF1 = False,
    accuracy: BestAccuracy = False,
    rule: GoalRule = "lower-end",
    curve: Curve = False,
    near: Near = None,
    more: MorePairs = None,
    vectors: Vectors = None,
    analyser: Analyser = "english",
    split_seed: SplitSeed = 42,
    resamples: Resamples = 1000,
    rounds: Rounds = None,
    device: Device = "auto",
    columns: Columns = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    download: Download = False,
) -> StudyResult:
    """Train models on your pairs and report whether they beat baselines.

    Splits without leaks, trains, compares with baselines, and fits a threshold. The report is in
    DIR/report.html, the model in DIR/model.

    Returns:
        :class:`StudyResult`.

    Raises:
        UsageError: ``out`` holds another study, or an option is wrong.
        ModelError: a pretrained model to start from is not on this machine.
        DataError: the data can't be read, have no labels, or are too few to split.
        ConfigError: a recipe is wrong.
        OutputError: ``out`` can't be written to.
        MissingExtraError: torch is not installed.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> pairs = samples.pairs("support-desk")
        >>> found = tk.study(pairs, out="study", models="static", seeds=1, resamples=100, rounds=100)
        >>> found.page.name, "static" in {row.system for row in found}
        ('report.html', True)
    """
    from textkin.kinds.pair_figures import Sampling
    from textkin.measures.decisions.goal import Goal
    from textkin.verbs.experiments.study_file import study_file
    from textkin.verbs.experiments.study_folder import StudyOptions
    from textkin.verbs.pair_inputs import names_of, pair_reading, pairs_file, paths_of

    options = StudyOptions(
        models=None if models is None else names_of(models, "models"),
        seeds=seeds,
        goal=Goal.of(precision=precision, recall=recall, f1=f1, accuracy=accuracy, rule=rule),
        vectors=vectors,
        analyser=analyser,
        more=paths_of(more, "more"),
        curve=curve,
        split_seed=split_seed,
        similarity=near,
        device=device,
        sampling=Sampling(resamples=resamples, rounds=rounds),
        reading=pair_reading(pairs, columns=columns, format=format, quoting=quoting, encoding=encoding),
        download=download,
    )
    with pairs_file(pairs, columns) as path:
        return study_file(path, out, options=options)
