"""``tk.train``: one recipe on labelled data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, final

from textkin.config import Recipe, load_recipe
from textkin.errors import UsageError
from textkin.hub import located
from textkin.inputs import path_of, several
from textkin.progress import note
from textkin.readers import Reading
from textkin.readers.given import GivenPairs, loaded_data, loaded_pairs
from textkin.readers.report import Loaded
from textkin.records import CandidateSet, Collection
from textkin.tasks.train.train import TrainingRun
from textkin.tasks.train.train import train as train_recipe
from textkin.tasks.train.training_data import Material, read_for, read_train


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """How to train.

    Attributes:
        seed: of everything that is drawn.
        more: further pairs that mean the same: paths, or records.
        vectors: pretrained word vectors, or a model2vec folder.
        start: the folder or cached name of a model to go on from.
        teacher: likewise of an encoder whose vectors are learnt.
        device: where to train.
        tensorboard: also write event files into ``out/tensorboard``.
        reading: how the files are read.

    Example:
        >>> import textkin as tk
        >>> tk.TrainOptions(seed=1).seed
        1
    """

    seed: int = 0
    more: tuple[GivenPairs, ...] = ()
    vectors: Path | None = None
    start: Path | str | None = None
    teacher: Path | str | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    tensorboard: bool = False
    reading: Reading | None = None

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
    further = (loaded_pairs(one, reading=options.reading) for one in options.more)
    material = Material(
        _told(_learnt_from(data, chosen, options.reading)),
        _told(_chooses(dev, chosen, options.reading)),
        tuple(_told(one) for one in further),
        options.vectors,
        start=None if options.start is None else located(options.start),
        teacher=None if options.teacher is None else located(options.teacher),
    )
    return train_recipe(
        chosen,
        material,
        out=Path(out),
        seed=options.seed,
        device=options.device,
        tensorboard=options.tensorboard,
    )


def _learnt_from(data: Any, recipe: Recipe, reading: Reading | None) -> Loaded[Any]:
    path = path_of(data)
    return _records(data, recipe) if path is None else read_train(recipe, path, reading=reading)


def _chooses(data: Any, recipe: Recipe, reading: Reading | None) -> Loaded[Any]:
    path = path_of(data)
    return _records(data, recipe) if path is None else read_for(recipe.task, path, reading=reading)


def _records(data: Any, recipe: Recipe) -> Loaded[Any]:
    """Records, if a recipe of its task learns from such.

    Raises:
        UsageError: it doesn't.
    """
    if isinstance(data, Collection):
        raise UsageError("a Collection has nothing to learn from by itself", fix="mine it with tk.negatives")
    found = loaded_data(data)
    if (recipe.task == "ranking") is not isinstance(found.data, CandidateSet):
        wanted = "a CandidateSet" if recipe.task == "ranking" else "pairs"
        raise UsageError(
            f"recipe {recipe.name} is for {recipe.task}, and got a {type(found.data).__name__}",
            fix=f"give {wanted}, or another recipe",
        )
    return found


def _told(loaded: Loaded[Any]) -> Any:
    """The data, after what was skipped is told."""
    if loaded.report.skipped:
        note(f"{loaded.report.path}: {loaded.report.sentence()}")
    return loaded.data
