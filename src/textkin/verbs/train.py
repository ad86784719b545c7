"""``tk.train``: one recipe on labelled data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, final

from textkin.config import Recipe, load_recipe
from textkin.errors import UsageError
from textkin.hub import located
from textkin.inputs import path_of, several
from textkin.readers import Reading
from textkin.readers.given import GivenPairs, as_pairs, loaded_data
from textkin.records import CandidateSet, PairSet
from textkin.systems import fetch
from textkin.tasks.train.train import TrainingRun
from textkin.tasks.train.train import train as train_recipe
from textkin.tasks.train.train_files import TrainingFiles, train_files
from textkin.tasks.train.training_data import Material


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """How to train.

    Attributes:
        seed: of everything that is drawn.
        more: further pairs that mean the same: paths, or records.
        vectors: pretrained word vectors, or a model2vec folder.
        vocabulary: a file of words, one a line, in the place of those of the training texts.
        start: the folder or cached name of a model to go on from.
        teacher: likewise of an encoder whose vectors are learnt.
        device: where to train.
        tensorboard: also write event files into ``out/tensorboard``.
        keep_checkpoints: the best one and the latest, or all.
        reading: how the files are read.
        download: fetch ``start`` and ``teacher`` from the hub where they are not at hand.

    Example:
        >>> import textkin as tk
        >>> tk.TrainOptions(seed=1).seed
        1
    """

    seed: int = 0
    more: tuple[GivenPairs, ...] = ()
    vectors: Path | None = None
    vocabulary: Path | None = None
    start: str | None = None
    teacher: str | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    tensorboard: bool = False
    keep_checkpoints: Literal["best", "all"] = "best"
    reading: Reading | None = None
    download: bool = False

    def __post_init__(self) -> None:
        several(self.more, "more")


def train(
    data: GivenPairs,
    *,
    dev: GivenPairs,
    recipe: Recipe | Path | str,
    out: Path | str,
    options: TrainOptions | None = None,
) -> TrainingRun:
    """Train a recipe, or go on where an interrupted run stopped, or return what a finished one gave.

    Args:
        data: labelled pairs (those without labels count as the same) or questions with candidates: the path
            of a file, records, or rows of texts and labels.
        dev: data of the same sort, which choose the epoch. Texts that they share with ``data`` are counted
            and told, since they flatter the model.
        recipe: a recipe, its name or its path.
        out: the run directory.
        options: see :class:`TrainOptions`.

    Raises:
        UsageError: ``out`` holds another run, or the data don't fit the recipe.
        ConfigError: the recipe is wrong.
        DataError: a file is not what it must be.
        ModelError: a model to start from is not on this machine.
        TrainingError: dev has one kind of label only, or a loss is not finite.
        OutputError: ``out`` can't be written to.

    Example:
        >>> import textkin as tk
        >>> from textkin import samples
        >>> run = tk.train(samples.pairs("travel"), dev=samples.pairs("cooking"), recipe="static", out="run")
        >>> run.measure, tk.load_encoder(run.model).name
        ('AP', 'static')
    """
    options = options or TrainOptions()
    chosen = recipe if isinstance(recipe, Recipe) else load_recipe(str(recipe))
    paths = [path for one in (data, dev, *options.more) if (path := path_of(one)) is not None]
    if len(paths) == 2 + len(options.more):
        files = TrainingFiles(
            train=paths[0],
            dev=paths[1],
            more=tuple(paths[2:]),
            vectors=options.vectors,
            vocabulary=options.vocabulary,
            start=options.start,
            teacher=options.teacher,
            reading=options.reading or Reading(),
            download=options.download,
        )
        return train_files(
            chosen,
            files,
            out=out,
            seed=options.seed,
            device=options.device,
            tensorboard=options.tensorboard,
            keep_checkpoints=options.keep_checkpoints,
        ).run
    if paths:
        raise UsageError(f"{paths[0]} is a path, and others are records", fix="give paths or records only")
    return train_recipe(
        chosen,
        _material(chosen, data, dev, options),
        out=Path(out),
        seed=options.seed,
        device=options.device,
        tensorboard=options.tensorboard,
        keep_checkpoints=options.keep_checkpoints,
    )


def _material(recipe: Recipe, data: Any, dev: Any, options: TrainOptions) -> Material:
    models = [model for model in (options.start, options.teacher) if model is not None]
    if options.download:
        fetch(*models)
    return Material(
        _records(data, recipe, options.reading),
        _records(dev, recipe, options.reading),
        tuple(as_pairs(one) for one in options.more),
        options.vectors,
        start=None if options.start is None else located(options.start),
        teacher=None if options.teacher is None else located(options.teacher),
        vocabulary=options.vocabulary,
    )


def _records(data: Any, recipe: Recipe, reading: Reading | None) -> PairSet | CandidateSet:
    """Records, if a recipe of its task learns from such.

    Raises:
        UsageError: it doesn't.
    """
    found = loaded_data(data, reading=reading).data
    if recipe.task == "ranking" and isinstance(found, CandidateSet):
        return found
    if recipe.task != "ranking" and isinstance(found, PairSet):
        return found
    raise UsageError(
        f"recipe {recipe.name} is for {recipe.task}, and got a {type(found).__name__}",
        fix=f"give {'a CandidateSet' if recipe.task == 'ranking' else 'pairs'}, or another recipe",
    )
