"""``textkin train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.locks import is_first_process
from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_table, emit_text, jsonable
from textkin.cli.shared_options import AsJson, Device, Download, FileLayout, Seed, Vectors
from textkin.cli.system_tables import Labels, Questions

if TYPE_CHECKING:
    from textkin.verbs.train.train import TrainingRun

EXAMPLES = """
textkin train siamese-lstm --train split/train.tsv --dev split/dev.tsv --out runs/lstm
textkin train ranking-knrm --train WikiQA-train.tsv --dev WikiQA-dev.tsv --vectors glove.txt --out runs/knrm
textkin train mine.toml --train train.tsv --dev dev.tsv --more duplicates.tsv --out runs/mine
textkin train quora-mnrl --start all-MiniLM-L6-v2 --train train.tsv --dev dev.tsv --out runs/minilm
textkin train small.toml --teacher all-MiniLM-L6-v2 --train texts.txt --dev dev.tsv --out runs/small
"""


def command(
    recipe: Annotated[str, Option("Name of a bundled recipe, or path of a .toml file.", metavar="RECIPE")],
    /,
    *,
    questions: Questions = "answered",
    train: Annotated[
        Path,
        Option(
            "What to learn from: labelled pairs, questions with candidates for a ranking recipe, a "
            "document in SQuAD's form for a recipe of spans, or one text a line for a recipe whose rows are "
            "texts.",
            metavar="FILE",
        ),
    ],
    dev: Annotated[
        Path,
        Option("The same sort of data, or a folder of quora-ir; chooses the best epoch.", metavar="FILE"),
    ],
    out: Annotated[Path, Option("Run folder; the model is in DIR/model.", metavar="DIR")],
    more: Annotated[
        list[Path] | None,
        Option(
            "Further pairs that mean the same, or further files in SQuAD's form. May be repeated.",
            metavar="FILE",
        ),
    ] = None,
    start: Annotated[
        str | None,
        Option(
            "Go on from a model of the same architecture: a model directory, or a folder of "
            "sentence-transformers, Hugging Face or model2vec, or the name of one in the cache.",
            metavar="MODEL",
        ),
    ] = None,
    teacher: Annotated[
        str | None,
        Option(
            "An encoder whose vectors of the training texts a recipe with the loss distillation learns.",
            metavar="MODEL",
        ),
    ] = None,
    seed: Seed = 0,
    vectors: Vectors = None,
    vocabulary: Annotated[
        Path | None,
        Option(
            "The model's words, one a line, such as a model's vocabulary.txt; else those of training "
            "texts and vectors.",
            metavar="FILE",
        ),
    ] = None,
    device: Device = "auto",
    tensorboard: Annotated[bool, Option("Also write TensorBoard events, to DIR/tensorboard.")] = False,
    choose_by: Annotated[
        Literal["pairs", "mining", "search"] | None,
        Option("What decides where --dev is a folder of quora-ir; pairs if left out."),
    ] = None,
    keep_checkpoints: Annotated[
        Literal["best", "all"],
        Option("Keep the best checkpoint and the latest, or one of every evaluation."),
    ] = "best",
    layout: FileLayout,
    labels: Labels = "entailment",
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Train one recipe; go on where it was interrupted."""
    from textkin.verbs.train.train_files import TrainingFiles, train_files

    files = TrainingFiles(
        train=train,
        dev=dev,
        more=tuple(more or ()),
        vectors=vectors,
        vocabulary=vocabulary,
        choose_by=choose_by,
        start=start,
        teacher=teacher,
        reading=layout.reading(questions=questions, labels=labels),
        download=download,
    )
    run = train_files(
        recipe,
        files,
        out=out,
        seed=seed,
        device=device,
        tensorboard=tensorboard,
        keep_checkpoints=keep_checkpoints,
    ).run
    if not is_first_process():
        return
    if as_json:
        emit_json({"model": run.model, **jsonable(run)})
    else:
        _print(run)


def _print(run: TrainingRun) -> None:
    best = run.evaluations[run.best - 1]
    rows = [
        (
            f"{one.epoch}",
            *((f"{one.steps}",) if run.by_step else ()),
            f"{one.loss:.4f}",
            f"{one.dev:.4f}",
            "best" if one is best else "",
        )
        for one in run.evaluations
    ]
    emit_table(("epoch", *(("step",) if run.by_step else ()), "loss", f"dev {run.measure}", ""), rows)
    emit_text(f"\n{run.parameters:,} parameters, trained in {run.seconds:.0f} s")
    emit_text(f"model: {run.model}")
