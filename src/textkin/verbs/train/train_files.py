"""Train one recipe on files: all that ``textkin train`` does but print."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, final

from textkin.base.errors import inapplicable
from textkin.base.extras import require_torch
from textkin.base.hub import located
from textkin.data.choice_records import ChoiceSet
from textkin.data.pair_set_operations import candidates_of
from textkin.data.readers import Reading, load_pairs, load_spans
from textkin.data.readers.datasets.quora_ir import is_quora_ir, read_quora_ir
from textkin.data.readers.from_python import loaded_choices
from textkin.data.readers.read_report import Loaded, ReadReport, note_read
from textkin.data.records import PairSet, Suite
from textkin.kinds.suite_figures import Part
from textkin.kinds.systems import fetch
from textkin.networks.recipes.recipe import Recipe, load_recipe
from textkin.verbs.train.train_recipe import WATCH, TrainingRun, Watch, train
from textkin.verbs.train.training_files import Learnt, Material, read_dev, read_train, require_grades


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingFiles:
    """The files and models that a model is made from.

    Attributes:
        train: training data: labelled pairs, questions with candidates for a ranking recipe, questions
            about passages for one of spans, or one text a line for a recipe whose rows are texts.
        dev: data of the same sort, which choose the epoch; or questions with choices, by their accuracy; or a
            folder of a split by ``quora-ir``, whose dev side is measured on three tasks.
        choose_by: the task that decides; default: pairs.
        more: further pairs that mean the same, in the layout of ``train``; for a recipe of spans, further
            files in SQuAD's form.
        vectors: pretrained word vectors, or a model2vec folder.
        vocabulary: words, one a line, in the place of those of the training texts.
        start: the folder or cached name of a model to go on from.
        teacher: likewise of an encoder whose vectors are learnt.
        reading: reading options of the files.
        download: fetch ``start`` and ``teacher`` from the hub where they are not at hand.
    """

    train: Path
    dev: Path
    choose_by: Part | None = None
    more: tuple[Path, ...] = ()
    vectors: Path | None = None
    vocabulary: Path | None = None
    start: str | None = None
    teacher: str | None = None
    reading: Reading = field(default_factory=Reading)
    download: bool = False

    @property
    def models(self) -> Iterator[str]:
        """The models that are needed."""
        return (model for model in (self.start, self.teacher) if model is not None)


@final
@dataclass(frozen=True, slots=True)
class FileTraining:
    """A run, and the rows that the readers skipped in train, dev and the further files."""

    run: TrainingRun
    read: tuple[ReadReport, ...]


def train_files(
    recipe: Recipe | Path | str,
    files: TrainingFiles,
    *,
    out: Path | str,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    tensorboard: bool = False,
    watch: Watch = WATCH,
) -> FileTraining:
    """Train a recipe on files; skipped rows are reported before it begins.

    Args:
        recipe: the recipe, its name or path.
        files: the training files.
        out: the run directory.
        seed: seed of all random draws.
        device: the device to train on.
        tensorboard: also write event files into ``out/tensorboard``.
        watch: what is done after each evaluation.

    Raises:
        ConfigError: the recipe is wrong.
        UsageError: a format or an option does not fit the task, or as ``train``.
        DataError: a file has errors.
        ModelError: a model is not at hand, or can't be fetched.
        TrainingError: as ``train``; so OutputError and MissingExtraError.
    """
    chosen = recipe if isinstance(recipe, Recipe) else load_recipe(recipe)
    require_torch(extra="tensorboard" if tensorboard else "lora" if chosen.model.lora else "train")
    material, read = _read(chosen, files)
    if os.environ.get("RANK", "0") == "0":  # of several processes one says it
        for report in read:
            note_read(report)
    if files.download:
        fetch(*files.models)
    material = replace(
        material,
        start=None if files.start is None else located(files.start),
        teacher=None if files.teacher is None else located(files.teacher),
    )
    run = train(
        chosen,
        material,
        out=Path(out),
        seed=seed,
        device=device,
        tensorboard=tensorboard,
        watch=watch,
    )
    return FileTraining(run, read)


def _read(recipe: Recipe, files: TrainingFiles) -> tuple[Material, tuple[ReadReport, ...]]:
    """The data, without models, and the skipped rows of each file."""
    learnt_from = read_train(recipe, files.train, reading=files.reading)
    chooses = read_quora_ir(files.dev, split="dev") if is_quora_ir(files.dev) else None
    if chooses is None and files.choose_by is not None:
        raise inapplicable(
            "choose_by",
            to="`dev` with one task",
            fix="leave it out, or give a folder of `split()` with `scheme=quora-ir`",
        )
    exam = None if recipe.task == "spans" else loaded_choices(files.dev, reading=files.reading)
    dev = chooses or exam or read_dev(recipe, files.dev, reading=files.reading)
    for loaded in (learnt_from, dev if recipe.training.grades else learnt_from):
        if isinstance(loaded.data, PairSet):
            require_grades(
                Loaded(loaded.data, loaded.report, loaded.format), recipe=recipe, reading=files.reading
            )
    suite = None if chooses is None else chooses.data
    # Further pairs have no question set and need no labels.
    plain = replace(files.reading.layout(), labels=None)
    read = load_spans if recipe.task == "spans" else load_pairs
    further = [read(path, reading=plain) for path in files.more]
    material = Material(
        learnt_from.data,
        _judged(dev.data),
        tuple(one.data for one in further),
        vectors=files.vectors,
        vocabulary=files.vocabulary,
        suite=suite,
        choose_by=files.choose_by or "pairs",
        exam=None if exam is None else exam.data,
    )
    return material, tuple(one.report for one in (learnt_from, dev, *further))


def _judged(dev: Learnt | Suite | ChoiceSet) -> Learnt:
    """The pairs, candidates or questions about passages that choose the epoch."""
    if isinstance(dev, Suite):
        return dev.pairs
    return candidates_of(dev) if isinstance(dev, ChoiceSet) else dev
