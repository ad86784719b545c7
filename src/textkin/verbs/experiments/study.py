"""``study``: train models, and compare them with baselines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option, rarely
from textkin.base.verbs import verb, written_call
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
    Labels,
    Live,
    Measures,
    MorePairs,
    Near,
    QuestionSet,
    Quoting,
    Resamples,
    Rounds,
    TableColumns,
    TableFile,
    Vectors,
)

if TYPE_CHECKING:
    from textkin.verbs.experiments.study_result import StudyResult

_SIDES = "Train, dev and test"

StudyData = Annotated[
    Any,
    Option(
        "Labelled pairs or queries with candidates, in a file; or a folder with train, dev and test.",
        metavar="PAIRS",
        command=Path,
    ),
]
RunFolder = Annotated[Path, Option("Run folder. The same call resumes.", metavar="DIR")]
Models = Annotated[
    Any,
    Option(
        "Recipes by name or path, minilm, cross-encoder, or encoders to fine-tune; NAME=FOLDER starts from "
        "another model. Default: static, siamese-lstm, siamese-bag; on few pairs also minilm; for train, dev "
        "and test all that fit.",
        metavar="NAME,...",
        command=str,
        also=("recipes",),
    ),
]
Train = Annotated[
    Any,
    Option(
        "Training data: pairs, classes or candidates to rank.", metavar="FILE", panel=_SIDES, command=Path
    ),
]
Dev = Annotated[
    Any,
    Option(
        "Data or BEIR folder that choose epochs. Default: part of train.",
        metavar="FILE",
        panel=_SIDES,
        command=Path,
    ),
]
Test = Annotated[Any, Option("Test data or BEIR folder.", metavar="FILE", panel=_SIDES, command=Path)]
Start = Annotated[
    str | None,
    Option(
        "Model to start from; or the folder of another study of train, dev and test, whose models each "
        "recipe and seed continues.",
        metavar="MODEL",
        panel=_SIDES,
        rare=True,
    ),
]
Jobs = Annotated[
    int | None,
    Option("Train N at a time, each in a process with one thread.", low=1, metavar="N", rare=True),
]
Decisions = Annotated[
    bool,
    Option(
        "Measure the accuracy of decisions, with thresholds fitted on dev, instead of scores.",
        panel=_SIDES,
        rare=True,
    ),
]
TaskName = Annotated[
    Literal["pairs", "ranking", "classes"] | None,
    Option("Task of the data. Default: recognised.", panel=_SIDES, rare=True),
]
TrainQuestions = Annotated[
    Literal["answered", "mixed", "all"],
    Option("Questions of train and dev, as `questions`.", panel="Rankings", rare=True),
]
Seeds = Annotated[int, Option("Trainings of each recipe.", low=1, metavar="N")]
Curve = Annotated[bool, Option("Also train on 12, 25 and 50 % of the labels.")]
DrawSeed = Annotated[
    int, Option("Random seed of intervals and tests.", metavar="N", low=0, high=2**32 - 1, rare=True)
]
SplitSeed = Annotated[int, Option("Random seed of the split.", metavar="N", low=0, rare=True)]


@verb
def study(
    pairs: StudyData = None,
    /,
    *,
    out: RunFolder,
    models: Models = None,
    seeds: Seeds = 3,
    curve: Curve = False,
    near: Annotated[Near, rarely(Near)] = None,
    more: Annotated[MorePairs, rarely(MorePairs)] = None,
    precision: GoalPrecision = None,
    recall: GoalRecall = None,
    f1: BestF1 = False,
    accuracy: BestAccuracy = False,
    rule: GoalRule = "lower-end",
    train: Train = None,
    dev: Dev = None,
    test: Test = None,
    start: Start = None,
    jobs: Jobs = None,
    decisions: Decisions = False,
    task: TaskName = None,
    measures: Annotated[Measures, rarely(Measures)] = (),
    questions: QuestionSet = "answered",
    train_questions: TrainQuestions = "answered",
    vectors: Annotated[Vectors, rarely(Vectors)] = None,
    analyser: Analyser = "english",
    split_seed: SplitSeed = 42,
    resamples: Resamples = 1000,
    rounds: Rounds = None,
    live: Live = False,
    table: Annotated[TableFile, rarely(TableFile)] = None,
    table_columns: TableColumns = None,
    seed: DrawSeed = 0,
    device: Device = "auto",
    columns: Columns = None,
    labels: Labels = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    download: Download = False,
) -> StudyResult:
    """Train models on your data and report whether they beat baselines.

    A file is split without leaks. The best model of pairs is saved in DIR/model with a threshold, the report
    in DIR/report.html.

    Returns:
        :class:`StudyResult`, a row for each system.

    Raises:
        UsageError: ``out`` holds another study, or an option is wrong.
        ModelError: a pretrained model to start from is not on this machine.
        DataError: the data can't be read, have no labels, or are too few to split.
        ConfigError: a recipe is wrong, or for another task.
        TrainingError: no model could be trained.
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
    from contextlib import ExitStack

    from textkin.base.hub import located
    from textkin.measures.decisions.goal import Goal
    from textkin.measures.intervals.sampling import Sampling
    from textkin.measures.metrics.measure_names import named
    from textkin.report.table_file import WantedTable
    from textkin.verbs.experiments.study_file import study_file
    from textkin.verbs.experiments.study_folder import StudyOptions
    from textkin.verbs.experiments.study_models import words_of
    from textkin.verbs.experiments.study_sides import candidates_split, has_candidates, sides_of, study_sides
    from textkin.verbs.pair_inputs import in_memory, names_of, pair_reading, pairs_file

    call = written_call(study, locals())
    given = {"pairs": pairs, "train": train, "dev": dev, "test": test}
    further = in_memory(more, "more")
    reading = pair_reading(
        *(*given.values(), *further),
        columns=columns,
        format=format,
        quoting=quoting,
        encoding=encoding,
        questions=questions,
        labels=labels,
    )
    wanted = WantedTable(table, names_of(table_columns, "table_columns") or ())
    with ExitStack() as stack:
        files = {
            name: None if data is None else stack.enter_context(pairs_file(data, columns, name, reading))
            for name, data in given.items()
        }
        sides, file = sides_of(**files), files["pairs"]
        is_split = sides is None and file is not None and has_candidates(file, reading)
        options = StudyOptions(
            models=words_of(models),
            seeds=seeds,
            goal=Goal.of(precision=precision, recall=recall, f1=f1, accuracy=accuracy, rule=rule),
            vectors=vectors,
            analyser=analyser,
            more=tuple(stack.enter_context(pairs_file(data, columns, "more", reading)) for data in further),
            curve=curve,
            split_seed=split_seed,
            similarity=near,
            device=device,
            sampling=Sampling(resamples, rounds, seed),
            reading=reading,
            download=download,
            task=task,
            start=None if start is None else located(start),
            jobs=jobs,
            train_questions=train_questions,
            measures=named(measures),
            decisions=decisions,
            call=call,
            live=live,
        )
        options.refuse_of_others(of_sides=sides is not None or is_split, is_split=is_split)
        if is_split and file is not None:
            sides = candidates_split(file, out, options=options)
        if sides is not None:
            found = study_sides(sides, out, options=options)
        else:
            assert file is not None  # noqa: S101 - else there are sides
            found = study_file(file, out, options=options)
    wanted.write([found.titled()])
    return found
