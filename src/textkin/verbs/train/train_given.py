"""Train one recipe on files or records."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from textkin.base.argument_checks import check_fields
from textkin.base.errors import inapplicable, invalid
from textkin.base.extras import import_torch, require_torch
from textkin.base.hub import located
from textkin.base.python_inputs import path_of, several
from textkin.base.standard_streams import refuse_two_inputs
from textkin.data.readers import Reading
from textkin.data.readers.datasets.quora_ir import is_quora_ir, read_quora_ir
from textkin.data.readers.from_python import GivenPairs
from textkin.data.readers.read_report import Loaded, ReadReport, note_read
from textkin.kinds.suite_figures import Part
from textkin.kinds.systems import fetch
from textkin.networks.recipes.files import bundled_recipes
from textkin.networks.recipes.recipe import Recipe, load_recipe
from textkin.verbs.train.material import Material, read_dev, read_for, read_train, require_grades
from textkin.verbs.train.train_recipe import WATCH, TrainingRun, Watch
from textkin.verbs.train.train_recipe import train as train_recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """Options of training.

    Attributes:
        seed: seed of all random draws.
        more: further pairs that mean the same: paths, or records.
        vectors: pretrained word vectors, or a model2vec folder.
        vocabulary: a file of words, one per line, in the place of those of the training texts.
        start: the folder or cached name of a model to go on from.
        teacher: likewise of an encoder whose vectors are learnt.
        device: the device to train on.
        tensorboard: also write event files into ``out/tensorboard``.
        watch: what is done after each evaluation.
        choose_by: pairs, mining or search, where dev is a folder of a split by ``quora-ir``.
        reading: the reading options of the files.
        download: fetch ``start`` and ``teacher`` from the hub where they are not at hand.
    """

    seed: int = 0
    more: tuple[GivenPairs, ...] = ()
    vectors: Path | None = None
    vocabulary: Path | None = None
    start: str | None = None
    teacher: str | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    tensorboard: bool = False
    watch: Watch = WATCH
    choose_by: Part | None = None
    reading: Reading | None = None
    download: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        several(self.more, "more")


def refuse_recipe_first(data: Any, recipe: Any) -> None:
    """Refuse a recipe in the place of the data, as on the command line, where it comes first.

    Raises:
        UsageError: there is one.
    """
    known = bundled_recipes()
    is_recipe = isinstance(data, Recipe) or (isinstance(data, str) and data in known)
    if is_recipe and not (isinstance(recipe, str) and recipe in known):
        name = data.name if isinstance(data, Recipe) else data
        raise invalid("train", name, expected="data", fix=f"write `train=...` and `recipe={name}`")


def train_given(
    data: GivenPairs,
    *,
    dev: GivenPairs,
    recipe: Recipe | Path | str,
    out: Path | str,
    options: TrainOptions,
) -> TrainingRun:
    """Train a recipe, resume an interrupted run, or return the result of a finished one.

    Args:
        data: labelled pairs or questions with candidates: a file, records, or rows of texts and labels.
        dev: data of the same sort, or questions with choices, which choose the epoch.
        recipe: a recipe, its name or its path.
        out: the run directory.
        options: options of training.

    Raises:
        UsageError: ``out`` holds another run, or the data don't fit the recipe.
        ConfigError: the recipe is wrong.
        DataError: a file has errors.
        ModelError: a model to start from is not on this machine.
        TrainingError: dev has one kind of label only, or a loss is not finite.
        OutputError: ``out`` can't be written to.
    """
    refuse_two_inputs({"train": data, "dev": dev})
    chosen = recipe if isinstance(recipe, Recipe) else load_recipe(str(recipe))
    require_torch(extra="tensorboard" if options.tensorboard else "lora" if chosen.model.lora else "train")
    _refuse_unused(chosen, options)
    material, reports = _material(chosen, data, dev, options)
    if os.environ.get("RANK", "0") == "0":  # of several processes one says it
        for report in reports:
            note_read(report)
    models = [model for model in (options.start, options.teacher) if model is not None]
    if options.download:
        fetch(*models)
    return train_recipe(
        chosen,
        replace(
            material,
            start=None if options.start is None else located(options.start),
            teacher=None if options.teacher is None else located(options.teacher),
        ),
        out=Path(out),
        seed=options.seed,
        device=options.device,
        tensorboard=options.tensorboard,
        watch=options.watch,
    )


def _refuse_unused(recipe: Recipe, options: TrainOptions) -> None:
    """Refuse vectors that the recipe has of its own, and a teacher of nothing.

    Raises:
        UsageError: one is given.
    """
    if recipe.model.architecture == "static" and options.start is None and options.vectors is not None:
        raise inapplicable("vectors", to=f"the recipe {recipe.name}, which starts from the built-in encoder")
    if options.teacher is not None and not _is_taught(recipe):
        raise inapplicable(
            "teacher",
            to=f"the recipe {recipe.name}",
            fix="leave it out, or give a recipe with the loss distillation",
        )


def _is_taught(recipe: Recipe) -> bool:
    """True if a loss takes a teacher's vectors."""
    import_torch()
    from textkin.networks.losses.common import LossInput
    from textkin.networks.losses.table import find

    return any(find(one.loss).takes is LossInput.TEACHER_VECTORS for one in recipe.objectives)


def _material(
    recipe: Recipe, data: Any, dev: Any, options: TrainOptions
) -> tuple[Material, tuple[ReadReport, ...]]:
    """The data, without models, and the skipped rows of each file."""
    reading, path = options.reading or Reading(), path_of(dev)
    train = read_train(recipe, data, reading=reading)
    suite = read_quora_ir(path, split="dev") if path is not None and is_quora_ir(path) else None
    if suite is None and options.choose_by is not None:
        raise inapplicable(
            "choose_by",
            to="`dev` with one task",
            fix="leave it out, or give a folder of `split()` with `scheme=quora-ir`",
        )
    shown, chooses = (
        read_dev(recipe.task, dev, reading=reading, split="dev")
        if suite is None
        else (Loaded(suite.data.pairs, suite.report, suite.format), None)
    )
    for loaded in (train, shown if recipe.training.grades else train):
        if recipe.task != "spans":
            require_grades(loaded, recipe=recipe, reading=reading)
    # Further pairs have no question set and need no labels.
    plain = replace(reading.layout(), labels=None)
    further = [
        read_for("spans" if recipe.task == "spans" else "pairs", one, reading=plain) for one in options.more
    ]
    material = Material(
        train.data,
        shown.data,
        tuple(one.data for one in further),
        vectors=options.vectors,
        vocabulary=options.vocabulary,
        suite=None if suite is None else suite.data,
        choose_by=options.choose_by or "pairs",
        chooses=chooses,
    )
    return material, tuple(one.report for one in (train, shown, *further))
