"""``textkin contest``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_table, emit_text, note
from textkin.cli.shared_options import AsJson, Device, EitherAnalyser, FileLayout, Vectors
from textkin.cli.system_tables import DrawOptions, Labels, Measures, Questions
from textkin.verbs.experiments.study_defaults import ANALYSER

if TYPE_CHECKING:
    from textkin.verbs.experiments.contest import ContestOptions, ContestResult
    from textkin.verbs.train.dataset_splits import Sources

EXAMPLES = """
textkin contest --data wikiqa/ --vectors glove.txt --seeds 3 --out runs/wikiqa
textkin contest --recipes pairs-esim,mine.toml --train train.tsv --test test.tsv --out runs/two
textkin contest --recipes ranking-knrm --data wikiqa/ --start runs/squad --jobs 2 --out runs/more
"""


def command(
    *,
    questions: Questions = "answered",
    recipes: Annotated[
        list[str] | None,
        Option(
            "Recipes to train, by name or path. Default: all that fit the data. May be repeated.",
            metavar="NAME,...",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        Option("Folder with files named train, dev and test.", flag="--data", metavar="FOLDER"),
    ] = None,
    train: Annotated[
        Path | None, Option("Training data, with --test, instead of --data.", metavar="FILE")
    ] = None,
    dev: Annotated[
        Path | None,
        Option("Data that choose epochs. Default: a part of the training data.", metavar="FILE"),
    ] = None,
    test: Annotated[
        Path | None, Option("Test data, with --train, instead of --data.", metavar="FILE")
    ] = None,
    seeds: Annotated[int, Option("Trainings of each recipe.", low=1, metavar="N")] = 3,
    jobs: Annotated[
        int | None,
        Option(
            "Train N at a time, each in a process with one thread.",
            low=1,
            metavar="N",
        ),
    ] = None,
    start: Annotated[
        str | None,
        Option(
            "Model to start from, or the folder of another contest, whose models each recipe and seed "
            "continues.",
            metavar="MODEL",
        ),
    ] = None,
    task: Annotated[
        Literal["pairs", "ranking", "classes"] | None,
        Option("Task of the data. Default: recognised."),
    ] = None,
    decisions: Annotated[
        bool,
        Option("Measure the accuracy of decisions, with thresholds fitted on dev, instead of scores."),
    ] = False,
    measures: Measures = None,
    train_questions: Annotated[
        Literal["answered", "mixed", "all"],
        Option("As --questions, for train and dev."),
    ] = "answered",
    labels: Labels = "entailment",
    vectors: Vectors = None,
    analyser: EitherAnalyser = ANALYSER,
    out: Annotated[Path | None, Option("Folder for models, runs and the report.", metavar="DIR")] = None,
    draws: DrawOptions,
    device: Device = "auto",
    layout: FileLayout,
    as_json: AsJson = False,
) -> None:
    """Train recipes with several seeds, and test differences.

    Texts that train and dev share with test are removed and counted. The same call resumes an
    interrupted one, and accepts further recipes. The report is in DIR/report.html.
    """
    from textkin.base.hub import located
    from textkin.verbs.experiments.contest import ContestOptions

    chosen = ContestOptions(
        recipes=tuple(name for each in recipes or ["all"] for name in each.split(",") if name),
        seeds=seeds,
        task=task,
        vectors=vectors,
        analyser=analyser,
        jobs=jobs,
        start=None if start is None else located(start),
        questions=questions,
        train_questions=train_questions,
        measures=tuple(measures or ()),
        decisions=decisions,
        device=device,
        sampling=draws.sampling(),
        reading=layout.reading(labels=labels),
    )
    _hold(_sources(folder, train, dev, test), out, chosen, as_json=as_json)


def _sources(folder: Path | None, train: Path | None, dev: Path | None, test: Path | None) -> Sources:
    """The files of the data set.

    Raises:
        UsageError: both a folder and files, or neither.
        DataError: the folder's files have errors.
    """
    from textkin.verbs.train.dataset_splits import Sources

    if folder is not None:
        given = {"--train": train, "--dev": dev, "--test": test}
        if wrong := [name for name, value in given.items() if value]:
            raise UsageError(
                f"{', '.join(wrong)} can't be given beside --data", fix="give the folder or the files"
            )
        return Sources.of_folder(folder)
    if train is None or test is None:
        raise UsageError("there is nothing to train on", fix="give --data, or --train and --test")
    return Sources(train, test, dev)


def _hold(sources: Sources, out: Path | None, options: ContestOptions, *, as_json: bool) -> None:
    """Run the contest and print its results.

    Raises:
        UsageError: there is no place for it.
    """
    from textkin.verbs.experiments.contest import contest

    if out is None:
        raise UsageError("what is trained needs a place", fix="give --out")
    result = contest(sources, out=out, options=options, tell=note)
    if as_json:
        emit_json(
            {
                "report": result.report.to_dict(),
                "page": result.page,
                "failures": dict(result.failures),
                "truncations": result.truncations,
                "coverages": result.coverages,
            }
        )
    else:
        _show(result)


def _show(result: ContestResult) -> None:
    from textkin.report.figure_words import sentence, standings
    from textkin.report.tables import contest_grid, systems_caption

    report = result.report
    if report.systems is not None:
        grid = contest_grid(report.systems, report.measure)
        emit_table(grid.header, grid.rows, title=report.data)
        emit_text("\n" + systems_caption(report.systems, report.measure))
        emit_text("p values are corrected for the number of comparisons (Holm).")
        for line in standings(report.systems):
            emit_text(line)
    for line in report.notes:
        emit_text(line)
    for line in report.facts.proof if report.facts is not None else ():
        emit_text(line)
    if report.verdict is not None:
        emit_text("\n" + sentence(report.verdict))
    emit_text(f"\nreport: {result.page}")
