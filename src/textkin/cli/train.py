"""``textkin train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textkin.cli.options import AsJson, Columns, Device, Format, Quoting, Seed, Vectors, reading
from textkin.cli.output import emit_json, emit_table, emit_text, jsonable, note, note_skips

if TYPE_CHECKING:
    from textkin.records import PairSet
    from textkin.tasks.train import TrainingRun

EXAMPLES = """
textkin train siamese-lstm --train split/train.tsv --dev split/dev.tsv --out runs/lstm
textkin train mine.toml --train train.tsv --dev dev.tsv --more duplicates.tsv --out runs/mine
"""


def command(
    recipe: Annotated[
        str, typer.Argument(metavar="RECIPE", help="Name of a bundled recipe, or path of a .toml file.")
    ],
    train: Annotated[Path, typer.Option("--train", metavar="FILE", help="Pairs to learn from.")],
    dev: Annotated[
        Path, typer.Option("--dev", metavar="FILE", help="Labelled pairs that choose the best epoch.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Run folder; the model is in DIR/model.")],
    more: Annotated[
        list[Path] | None,
        typer.Option("--more", metavar="FILE", help="Further pairs that mean the same. May be repeated."),
    ] = None,
    seed: Seed = 0,
    vectors: Vectors = None,
    device: Device = "auto",
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Also write TensorBoard events, to DIR/tensorboard.")
    ] = False,
    columns: Columns = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    as_json: AsJson = False,
) -> None:
    """Train one recipe on pairs; go on where it was interrupted."""
    from textkin.config import load_recipe
    from textkin.readers import load_pairs
    from textkin.tasks.material import Material
    from textkin.tasks.train import train as run_training

    chosen = load_recipe(recipe)
    options = reading(columns, format, quoting)
    loaded = [load_pairs(path, **options) for path in (train, dev, *(more or ()))]
    for one in loaded:
        note_skips(one.report)
    learnt_from, chooses, *further = (one.data for one in loaded)
    _warn_of_leaks(chooses, [learnt_from, *further])
    run = run_training(
        chosen,
        Material(learnt_from, chooses, tuple(further), vectors),
        out=out,
        seed=seed,
        device=device,
        tensorboard=tensorboard,
    )
    if as_json:
        emit_json({"model": run.model, **jsonable(run)})
    else:
        _print(run)


def _warn_of_leaks(dev: PairSet, others: list[PairSet]) -> None:
    from textkin.splits.proof import leaks

    for other in others:
        (found,) = leaks(dev, other).overlaps
        if found.keys:
            note(
                f"warning: {found.keys:,} texts of {dev.name} are in {other.name} too, so the score flatters "
                f"the model; for example {found.examples[0]!r}; make both with: textkin split"
            )


def _print(run: TrainingRun) -> None:
    emit_table(
        ("epoch", "loss", f"dev {run.measure}", ""),
        [
            (f"{one.epoch}", f"{one.loss:.4f}", f"{one.dev:.4f}", "best" if one.epoch == run.best else "")
            for one in run.epochs
        ],
    )
    emit_text(f"\n{run.parameters:,} parameters, trained in {run.seconds:.0f} s")
    emit_text(f"model: {run.model}")
