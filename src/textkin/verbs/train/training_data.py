"""Training data of a run, and the dev data that choose its epoch, for every kind of data.

``train.py`` keeps the run directory and runs the loop; what differs between pairs, candidates and spans is
said here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.errors import ConfigError, DataError, TrainingError, UsageError, inapplicable, invalid
from textkin.base.progress import note
from textkin.data.pair_set_operations import join, join_spans
from textkin.data.records import LabelKind, PairSet
from textkin.data.span_records import SpanSet
from textkin.data.splits.components import gold_components
from textkin.data.splits.label_grades import GradeScale, grades_of
from textkin.data.splits.training_texts import Seen
from textkin.kinds.data_coverage import DataCoverage
from textkin.kinds.dev_score import dev_of_spans, dev_of_suite
from textkin.kinds.registry import data_kind
from textkin.networks.recipes.recipe import FOR_TEXTS, Recipe
from textkin.text.pipeline import TextPipeline
from textkin.vectors.unknown_token_report import coverage_of
from textkin.verbs.train.material import Judged, Material, accounts_in, classes_of, rows_of

if TYPE_CHECKING:
    from textkin.training.assemble import Assembled
    from textkin.training.loop import Dev
    from textkin.training.objective import Objective
    from textkin.training.pair_data import TrainingPairs
    from textkin.training.source_teacher import Teacher


_LABELS = {
    LabelKind.BINARY: "yes or no",
    LabelKind.GRADED: "grades",
    LabelKind.CLASSES: "classes",
}


class Lessons(ABC):
    """The data of a run, as training asks for them.

    Attributes:
        classes: the classes that the model predicts; empty where it gives a score or spans.
        scale: of graded labels; None for others.
    """

    classes: tuple[str, ...] = ()
    scale: GradeScale | None = None

    def warnings(self) -> Iterator[str]:
        """Warnings of anything that may make the dev score misleading."""
        yield from ()

    @abstractmethod
    def texts(self) -> list[str]:
        """The distinct texts that are learnt from."""

    @abstractmethod
    def accounts(self, pipeline: TextPipeline, *, name: str) -> DataCoverage:
        """Truncated and unknown parts of the texts of train and dev, for a model by name."""

    @abstractmethod
    def dev(self, pipeline: TextPipeline) -> Dev:
        """The dev data that choose the epoch.

        Raises:
            TrainingError: no epoch could be chosen by these data.
        """

    @abstractmethod
    def objectives(self, untrained: Assembled, *, seed: int) -> list[Objective[Any]]:
        """The losses to minimise."""

    @abstractmethod
    def seen(self) -> Seen:
        """Hashes of the training data."""


class PairLessons(Lessons):
    """Labelled pairs, or questions with candidates.

    Args:
        recipe: the recipe.
        train: to learn from.
        dev: chooses the epoch.
        material: further pairs and a teacher.

    Raises:
        ConfigError: the recipe learns classes and the data are graded, or the other way round; or it states a
            scale, and the data have no grades.
        DataError: dev has a class that train lacks, or a label is outside of the scale, or far from others.
        TrainingError: all labels are the same, so that there is nothing to learn from them.
    """

    def __init__(self, recipe: Recipe, train: Judged, dev: Judged, *, material: Material) -> None:
        self._recipe, self._material = recipe, material
        self._more = [data_kind(one).as_pairs(one) for one in material.more]
        self.classes = classes_of(recipe, train)
        self._rows = rows_of(train, recipe=recipe)
        self.scale = self._rows.scale if self._rows.pairs.kind is LabelKind.GRADED else None
        _require_contrast(recipe, self._rows)
        _require_one_kind(train, dev)
        self._dev = data_kind(dev).with_labels(dev, self.classes) if self.classes else dev
        self._pairs = join(self._rows.pairs, self._more, scale=self._rows.scale)

    def warnings(self) -> Iterator[str]:
        """Grades of dev beyond those of train, which say that these are on different scales."""
        scale, dev = self.scale, data_kind(self._dev).as_pairs(self._dev)
        if scale is None or dev.kind is not LabelKind.GRADED:
            return
        lowest, highest = dev.labels.min(), dev.labels.max()
        if lowest < scale.low or highest > scale.high:
            yield (
                f"the grades of {dev.name or 'dev'} are {lowest:g} to {highest:g}, beyond the scale of the "
                f"training pairs, {scale.low:g} to {scale.high:g}"
            )

    def texts(self) -> list[str]:
        """Both texts of every pair."""
        return list(dict.fromkeys(text for pair in self._pairs.texts for text in pair))

    def accounts(self, pipeline: TextPipeline, *, name: str) -> DataCoverage:
        """Cut are texts, or pairs where a model joins both."""
        return accounts_in(self._pairs, self._dev, pipeline, name=name)

    def dev(self, pipeline: TextPipeline) -> Dev:
        """MAP, AP or accuracy by the kind of data, nDCG of a search, or the figure of a suite."""
        if self._material.suite is not None:
            return dev_of_suite(self._material.suite, pipeline, choose_by=self._material.choose_by)
        dev = self._material.chooses or self._dev
        return data_kind(dev).dev(dev, pipeline)

    def objectives(self, untrained: Assembled, *, seed: int) -> list[Objective[Any]]:
        """The recipe's objectives, with the texts as a teacher encodes them."""
        from textkin.training.objectives import build_objective
        from textkin.training.pair_data import TrainingPairs, training_data

        rows, pairs = self._rows, self._pairs
        teacher = self._teacher()
        same = np.concatenate([rows.same, np.ones(len(pairs) - len(rows.same), dtype=np.bool_)])
        options: Any = {
            "pipeline": untrained.pipeline,
            "components": gold_components(pairs, same=same),
            "pad_to": self._recipe.text.pad_to,
        }
        # Labelled pairs alone have negatives to learn from; further pairs only say what is the same.
        labelled = training_data(rows, **options)
        everything = labelled
        if self._more or teacher is not None:
            everything = training_data(TrainingPairs(pairs, same, rows.scale), teacher=teacher, **options)
        return [
            build_objective(
                config,
                everything if config.rows in FOR_TEXTS else labelled,
                model=untrained.module,
                seed=seed + 1_000 * index,
            )
            for index, config in enumerate(self._recipe.objectives)
        ]

    def _teacher(self) -> Teacher | None:
        """The teacher of vectors, if any."""
        from textkin.kinds.systems import load_encoder
        from textkin.training.source_teacher import SourceTeacher

        if self._material.teacher is None:
            return None
        found = load_encoder(self._material.teacher)
        if not (self._material.translated and self._material.start):
            return found
        return SourceTeacher(found, self._pairs.texts, student=load_encoder(self._material.start))

    def seen(self) -> Seen:
        """Hashes of all pairs."""
        return Seen.of(self._pairs.texts)


class SpanLessons(Lessons):
    """Questions whose answers are spans of passages.

    Args:
        recipe: the recipe.
        train: to learn from.
        dev: chooses the epoch.
        more: to learn from, too.
    """

    def __init__(self, recipe: Recipe, train: SpanSet, dev: SpanSet, *, more: Sequence[SpanSet] = ()) -> None:
        self._recipe, self._train, self._dev = recipe, join_spans(train, more), dev

    def texts(self) -> list[str]:
        """Questions, and the passages that they are about."""
        return list(dict.fromkeys(text for pair in self._train.texts for text in pair))

    def accounts(self, pipeline: TextPipeline, *, name: str) -> DataCoverage:
        """Cut are questions alone; a long passage is read in windows."""
        from textkin.training.span_rows import truncation_of_questions

        questions = [question.question for data in (self._train, self._dev) for question in data]
        texts = list(
            dict.fromkeys(text for data in (self._train, self._dev) for pair in data.texts for text in pair)
        )
        cut = truncation_of_questions(questions, pipeline, name=name)
        return DataCoverage.of([(cut, coverage_of(pipeline, texts, name=name))])

    def dev(self, pipeline: TextPipeline) -> Dev:
        """The mean F1 of SQuAD over the questions."""
        return dev_of_spans(self._dev, pipeline)

    def objectives(self, untrained: Assembled, *, seed: int) -> list[Objective[Any]]:
        """The recipe's objectives, all over the same questions."""
        from textkin.networks.architectures.span_network import SpanNetwork
        from textkin.training.objectives import build_objective
        from textkin.training.span_rows import span_data

        module = untrained.module
        data = span_data(
            self._train,
            pipeline=untrained.pipeline,
            answers_none=isinstance(module, SpanNetwork) and module.answers_none,
            pad_to=self._recipe.text.pad_to,
        )
        for words in data.notes(len(self._train)):
            note(words)
        return [
            build_objective(config, data.rows, model=module, seed=seed + 1_000 * index)
            for index, config in enumerate(self._recipe.objectives)
        ]

    def seen(self) -> Seen:
        """Hashes of all questions with their passages."""
        return Seen.of(self._train.texts)


def lessons_of(recipe: Recipe, material: Material) -> Lessons:
    """The lessons of a recipe from its material.

    Raises:
        UsageError: dev is of another kind than train, or an option applies to pairs only.
        ConfigError: the recipe is for another kind of data.
    """
    train, dev = material.train, material.dev
    kinds = [data_kind(one) for one in (train, dev, *material.more)]
    passages = [kind.about_passages for kind in kinds]
    if passages[0] != passages[1]:
        raise UsageError(
            "one of `train` and `dev` holds questions about passages, the other doesn't",
            fix="give data of one kind for both",
            params=("train", "dev"),
        )
    if passages[0] != (recipe.task == "spans"):
        raise ConfigError(
            f"recipe {recipe.name} learns {recipe.task}, and the data are {kinds[0].words}",
            fix="choose a recipe for spans, such as spans-bidaf" if passages[0] else "give a file of SQuAD",
            params=("recipe",),
            value=recipe.name,
            expected=recipe.task,
        )
    if wrong := [kind for kind in kinds[2:] if kind.about_passages != passages[0]]:
        raise invalid("more", wrong[0].words, expected=f"{kinds[0].words}, as `train` has")
    if not passages[0]:
        return PairLessons(recipe, train, dev, material=material)
    if material.teacher is not None:
        raise inapplicable("teacher", to=kinds[0].words)
    return SpanLessons(recipe, train, dev, more=material.more)


def _require_one_kind(train: Judged, dev: Judged) -> None:
    """Refuse labels that are grades on one side and decisions or classes on the other.

    Decisions written as 1 and 2 are read as grades, and nothing else would tell. Positives alone, whose
    negatives an objective draws itself, decide nothing.
    """
    if not (isinstance(train, PairSet) and isinstance(dev, PairSet)):
        return
    if train.kind is dev.kind or LabelKind.NONE in (train.kind, dev.kind):
        return
    if len(set(train.labels.tolist())) > 1:
        raise DataError(
            f"the labels of train are {_LABELS[train.kind]}, and those of dev {_LABELS[dev.kind]}",
            fix="write them alike on both sides, such as 1 and 0 for yes and no",
            params=("train", "dev"),
        )


def _require_contrast(recipe: Recipe, rows: TrainingPairs) -> None:
    """Refuse labels that are all the same where labels are learnt.

    Yes-or-no pairs that all mean the same still have negatives where another objective draws these itself.
    """
    by_label = [one.rows == "pairs" for one in recipe.objectives]
    grades = grades_of(rows.pairs)
    different = np.unique(np.where(np.isnan(grades), np.inf, grades))  # what has no label counts as the same
    is_graded = rows.pairs.kind is LabelKind.GRADED
    if not len(grades) or len(different) > 1 or not (any(by_label) if is_graded else all(by_label)):
        return
    label = "no label" if np.isinf(different[0]) else f"the label {different[0]:g}"
    raise TrainingError(
        f"all {len(grades):,} pairs of {rows.pairs.name or 'the training data'} have {label}, so nothing "
        "tells same texts from different ones",
        fix="give pairs of both kinds, or a recipe that draws its negatives, such as quora-mnrl; or learn "
        "translations by `distil()` with `parallel`",
    )
