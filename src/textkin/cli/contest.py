"""``textkin compare --recipes``: its options, and how a contest is printed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from textkin.cli.output import emit_json, emit_table, emit_text, note
from textkin.errors import UsageError

if TYPE_CHECKING:
    from textkin.tasks.experiments.contest import ContestOptions, ContestResult, Sources

Recipes = Annotated[
    list[str] | None,
    typer.Option(
        "--recipes",
        metavar="NAME,...",
        help="Train these recipes and compare them, instead of DATA and MODEL: names, paths of .toml files, "
        "or all for those that fit the data. May be repeated.",
    ),
]
DataFolder = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="FOLDER", help="With --recipes: has files whose names say train, dev and test."
    ),
]
Train = Annotated[
    Path | None, typer.Option("--train", metavar="FILE", help="With --recipes, instead of --data.")
]
Dev = Annotated[
    Path | None,
    typer.Option(
        "--dev",
        metavar="FILE",
        help="Fit a threshold for each system on these pairs, for the best accuracy, and measure decisions. "
        "With --recipes: what chooses epochs; a part of --train if left out.",
    ),
]
Test = Annotated[
    Path | None, typer.Option("--test", metavar="FILE", help="With --recipes, instead of --data.")
]
Seeds = Annotated[
    int | None,
    typer.Option("--seeds", min=1, metavar="N", help="With --recipes: how often each is trained; 3 times."),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=1,
        metavar="N",
        help="With --recipes: train N at a time, each in a process with one thread. One after the other, "
        "with all threads, if left out.",
    ),
]
Start = Annotated[
    str | None,
    typer.Option(
        "--start",
        metavar="MODEL",
        help="With --recipes: go on from a trained model, by its folder or name, or, given the folder of "
        "another such call, each recipe and seed from its own model there.",
    ),
]
TaskName = Annotated[
    Literal["pairs", "ranking", "classes"] | None,
    typer.Option("--task", help="With --recipes: what to make of the data; found by itself if left out."),
]
TrainQuestions = Annotated[
    Literal["answered", "mixed", "all"] | None,
    typer.Option(
        "--train-questions", help="With --recipes: as --questions, but for train and dev; answered."
    ),
]


Decisions = Annotated[
    bool,
    typer.Option(
        "--decisions",
        help="With --recipes, for yes-or-no pairs: measure the accuracy of decisions, by thresholds that are "
        "fitted on dev, rather than scores.",
    ),
]


def refuse(given: dict[str, Any], *, why: str, fix: str) -> None:
    """Make sure that none of these options was given.

    Raises:
        UsageError: one was.
    """
    if wrong := [name for name, value in given.items() if value]:
        raise UsageError(f"{', '.join(wrong)} {why}", fix=fix)


def sources_of(folder: Path | None, train: Path | None, dev: Path | None, test: Path | None) -> Sources:
    """The files of the data set.

    Raises:
        UsageError: both a folder and files, or neither.
        DataError: the folder's files are not what they must be.
    """
    from textkin.tasks.train.dataset import Sources

    if folder is not None:
        given = {"--train": train, "--dev": dev, "--test": test}
        refuse(given, why="can't be given beside --data", fix="give the folder or the files")
        return Sources.of_folder(folder)
    if train is None or test is None:
        raise UsageError("there is nothing to train on", fix="give --data, or --train and --test")
    return Sources(train, test, dev)


def hold(sources: Sources, out: Path | None, options: ContestOptions, *, as_json: bool) -> None:
    """Hold the contest and print what it says.

    Raises:
        UsageError: there is no place for it.
    """
    from textkin.tasks.experiments.contest import contest

    if out is None:
        raise UsageError("what is trained needs a place", fix="give --out")
    result = contest(sources, out, options=options, tell=note)
    if as_json:
        emit_json({"report": result.report.to_dict(), "page": result.page, "failures": dict(result.failures)})
    else:
        _show(result)


def _show(result: ContestResult) -> None:
    from textkin.report.tables import contest_grid, systems_caption
    from textkin.report.words import sentence, standings

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
