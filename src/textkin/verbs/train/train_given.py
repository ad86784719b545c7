"""Train one recipe on files or records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, final

from textkin.base.argument_checks import check_fields
from textkin.base.errors import UsageError, inapplicable, invalid
from textkin.base.hub import located
from textkin.base.python_inputs import path_of, several
from textkin.base.standard_streams import refuse_two_inputs
from textkin.data.choice_records import ChoiceSet
from textkin.data.pair_set_operations import candidates_of, pairs_of
from textkin.data.readers import Reading
from textkin.data.readers.from_python import GivenPairs, loaded_data, loaded_spans
from textkin.data.readers.row_pairs import as_pairs
from textkin.data.records import CandidateSet, PairSet
from textkin.data.span_records import SpanSet
from textkin.kinds.suite_figures import Part
from textkin.kinds.systems import fetch
from textkin.networks.recipes.recipe import Recipe, Task, load_recipe
from textkin.verbs.train.train_files import TrainingFiles, train_files
from textkin.verbs.train.train_recipe import TrainingRun
from textkin.verbs.train.train_recipe import train as train_recipe
from textkin.verbs.train.training_files import Learnt, Material

_LEARNT: Mapping[Task, tuple[type[PairSet | CandidateSet | SpanSet], str]] = MappingProxyType(
    {
        "pairs": (PairSet, "pairs"),
        "classes": (PairSet, "pairs"),
        "ranking": (CandidateSet, "a CandidateSet"),
        "spans": (SpanSet, "a SpanSet"),
    }
)
"""What a recipe of each task learns from, and its name."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """Options of training.

    Attributes:
        seed: seed of all random draws.
        more: further pairs that mean the same: paths, or records.
        vectors: pretrained word vectors, or a model2vec folder.
        vocabulary: a file of words, one a line, in the place of those of the training texts.
        start: the folder or cached name of a model to go on from.
        teacher: likewise of an encoder whose vectors are learnt.
        device: the device to train on.
        tensorboard: also write event files into ``out/tensorboard``.
        keep_checkpoints: the best one and the latest, or all.
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
    keep_checkpoints: Literal["best", "all"] = "best"
    choose_by: Part | None = None
    reading: Reading | None = None
    download: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        several(self.more, "more")


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
    paths = [path for one in (data, dev, *options.more) if (path := path_of(one)) is not None]
    if len(paths) == 2 + len(options.more):
        files = TrainingFiles(
            train=paths[0],
            dev=paths[1],
            more=tuple(paths[2:]),
            vectors=options.vectors,
            vocabulary=options.vocabulary,
            choose_by=options.choose_by,
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
        raise UsageError(
            f"{paths[0]} is a path, and others are records",
            fix="give paths or records only",
            params=("data", "dev", "more"),
        )
    if options.choose_by is not None:
        raise inapplicable("choose_by", to="records: it is for a folder as `dev`")
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
    exam = isinstance(dev, ChoiceSet) and recipe.task != "spans"
    if options.download:
        fetch(*models)
    return Material(
        _records(_learnt(data, recipe), recipe, options.reading),
        candidates_of(dev) if exam else _records(dev, recipe, options.reading),
        tuple(one if isinstance(one, SpanSet) else as_pairs(one) for one in options.more),
        options.vectors,
        start=None if options.start is None else located(options.start),
        teacher=None if options.teacher is None else located(options.teacher),
        vocabulary=options.vocabulary,
        exam=dev if exam else None,
    )


def _learnt(data: Any, recipe: Recipe) -> Any:
    """Questions with choices as training data of a recipe; all else unchanged."""
    if not isinstance(data, ChoiceSet) or recipe.task == "spans":
        return data
    candidates = candidates_of(data)
    return candidates if recipe.task == "ranking" else pairs_of(candidates)


def _records(data: Any, recipe: Recipe, reading: Reading | None) -> Learnt:
    """Records, if a recipe of its task learns from such.

    Raises:
        UsageError: it doesn't.
    """
    asked = loaded_spans(data, reading=reading)
    found = loaded_data(data, reading=reading).data if asked is None else asked.data
    if isinstance(found, _LEARNT[recipe.task][0]):
        return found
    raise invalid(
        "train",
        type(found).__name__,
        expected=f"{_LEARNT[recipe.task][1]} for the recipe {recipe.name}",
    )
