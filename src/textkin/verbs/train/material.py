"""Training material: labelled pairs, or queries with candidates, and their extras."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.errors import ConfigError, DataError
from textkin.base.paths import is_file, is_folder
from textkin.base.python_inputs import path_of
from textkin.base.spelling import spelt
from textkin.base.text_equality import keys_of
from textkin.data.choice_records import ChoiceSet
from textkin.data.readers import FORMATS, Reading, load_candidates, load_texts
from textkin.data.readers.datasets.beir import is_beir, splits
from textkin.data.readers.datasets.squad import read_squad
from textkin.data.readers.from_python import holds_choices
from textkin.data.readers.read_report import Loaded
from textkin.data.readers.texts import is_table_name
from textkin.data.records import CandidateSet, LabelKind, Pair, PairSet, RetrievalSet, Suite
from textkin.data.splits.components import bonds
from textkin.data.splits.label_grades import GradeScale, odd_grade, scale_of
from textkin.kinds.data_coverage import DataCoverage, accounts_on
from textkin.kinds.registry import data_kind, load_data
from textkin.kinds.suite_figures import Part
from textkin.networks.recipes.recipe import Recipe, Task
from textkin.text.pipeline import TextPipeline
from textkin.verbs.data.split_file import table_of

if TYPE_CHECKING:
    from textkin.training.pair_data import TrainingPairs

YES_OR_NO = ("0", "1")
"""What a classifier calls the labels of yes-or-no pairs and of candidates."""


Judged = PairSet | CandidateSet
"""Pairs, or queries with candidates that pairs are made of."""


@dataclass(frozen=True, slots=True)
class Material:
    """Training material of a model.

    Attributes:
        train: labelled training pairs, of which those without labels count as positives; or queries with
            candidates; or questions about passages.
        dev: labelled data of the same sort that choose the epoch.
        more: further pairs for the objectives that take positives, or further questions about passages to
            learn from; must share nothing with dev.
        vectors: pretrained word vectors, or a model2vec folder.
        teacher: an encoder whose vectors of the training texts objectives of distillation learn.
        translated: True if second texts translate first ones: both learn the teacher's vector of the first.
        start: the folder of a model of the same architecture, which gives pipeline and first weights.
        suite: dev data of three tasks that choose the epoch instead of ``dev``, which then holds its pairs.
        choose_by: the task that decides.
        chooses: questions with choices whose accuracy chooses the epoch, or a corpus that is searched;
            ``dev`` then holds them as queries with candidates.
        vocabulary: a file of words, one per line, in the place of those of the training texts.
    """

    train: Any
    dev: Any
    more: tuple[Any, ...] = ()
    vectors: Path | None = None
    start: Path | None = None
    teacher: Path | None = None
    translated: bool = False
    vocabulary: Path | None = None
    suite: Suite | None = None
    choose_by: Part = "pairs"
    chooses: ChoiceSet | RetrievalSet | None = None


def shared_with_dev(material: Material) -> Iterator[str]:
    """Overlap of dev with each training set in words; it inflates the dev score."""
    dev = material.dev
    for other in (material.train, *material.more):
        known = set(keys_of(data_kind(other).seen(other)).values())
        for what, texts in data_kind(dev).unseen(dev).items():
            if shared := {key: text for text, key in keys_of(texts).items() if key in known}:
                first, second = dev.name or "dev", other.name or "the training data"
                yield (
                    f"{len(shared):,} {what} of {first} are in {second} too, so the score flatters the "
                    f"model; for example {shared[min(shared)][:80]!r}; {spelt('make both with `split()`')}"
                )


def read_for(task: Task, data: Any, *, reading: Reading | None = None) -> Loaded[Any]:
    """Read what a recipe of a task learns from, or is chosen by.

    Triplets serve all tasks but spans, and so do questions with choices and judged documents of a corpus.

    Args:
        task: a recipe's.
        data: a path, records, or rows of texts and labels.
        reading: reading options of a file.

    Raises:
        UsageError: the data don't fit the task.
        DataError: the file has errors.
    """
    return read_dev(task, data, reading=reading)[0]


def read_dev(
    task: Task, data: Any, *, reading: Reading | None = None, split: str = "train"
) -> tuple[Loaded[Any], ChoiceSet | RetrievalSet | None]:
    """Read the same, and what chooses the epoch in its place; see :func:`read_for`.

    Args:
        task: a recipe's.
        data: a path, records, or rows of texts and labels.
        reading: reading options of a file.
        split: the judgements of a BEIR folder that are read, unless it has others alone.

    Raises:
        DataError: a BEIR folder has several judgements, and none of this name.
    """
    path = path_of(data)
    in_folder = path is not None and is_beir(path)
    if path is not None and in_folder:
        reading = _judged(path, split)
    bundled = path is not None and (reading is None or reading.format in ("auto", *FORMATS))
    if task == "spans" and path is not None and not any((reading or Reading()).asked()):
        return read_squad(path), None
    alone = bundled and not in_folder
    if task == "ranking" and path is not None and alone and not holds_choices(path, reading=reading):
        return load_candidates(path, reading=reading), None  # pairs are questions with candidates
    kind, loaded = load_data(data, reading=None if path is None else reading)
    chooses = loaded.data if kind.chooses_epochs else None
    return replace(loaded, data=kind.learnt(loaded.data, task)), chooses


def _judged(folder: Path, split: str) -> Reading:
    """The reading options of a BEIR folder for one side."""
    found = splits(folder)
    if split not in found and len(found) > 1:
        raise DataError(f"has judgements for {', '.join(found)}", path=folder, fix=f"add qrels/{split}.tsv")
    return Reading(split=split if split in found else None)


def read_train(recipe: Recipe, data: Any, *, reading: Reading | None = None) -> Loaded[Any]:
    """Read the training data of a recipe; plain text, one per line, if it uses single texts only.

    Raises:
        UsageError: the data don't fit the task.
        DataError: the file has errors.
    """
    path = path_of(data)
    labelled = any(one.rows != "texts" for one in recipe.objectives)
    if path is None or labelled or is_table_name(path):
        return read_for(recipe.task, data, reading=reading)
    loaded = load_texts(path)
    alone = tuple(Pair(text, text) for text in loaded.data.texts)
    return Loaded(PairSet(alone, LabelKind.NONE, name=loaded.data.name), loaded.report, loaded.format)


def rows_of(data: Judged, *, recipe: Recipe | None = None) -> TrainingPairs:
    """Training data as pairs, on the scale that a recipe states, or that they say themselves.

    Raises:
        ConfigError: the recipe states a scale, and the labels are no grades.
        DataError: a label is outside of the recipe's scale, or far from all others.
    """
    from textkin.training.pair_data import TrainingPairs

    stated = None if recipe is None else recipe.training.grades
    kind = data_kind(data)
    pairs, queries = kind.as_pairs(data), kind.queries(data)
    scale = scale_of(pairs, stated=stated)
    if stated is not None and scale is None:
        raise ConfigError(
            f"the recipe states training.grades = {list(stated)}, and {pairs.name or 'the training data'} "
            "has no graded labels",
            fix="leave it out",
            params=("training.grades",),
            value=list(stated),
        )
    if (odd := odd_grade(pairs, scale)) is not None:
        raise DataError(f"{_named(pairs, odd.place)}: {odd.message}", fix=odd.fix)
    if queries is None:
        return TrainingPairs(pairs, bonds(pairs, scale), scale)
    if scale is not None and not scale.stated:  # relevance counts from 0, whatever there is
        scale = GradeScale(0.0, max(1.0, scale.high))
    same = np.array([(pair.label or 0) > 0 for pair in pairs], dtype=np.bool_)
    query, scores = queries
    return TrainingPairs(pairs, same, scale, query, scores if len(scores) == len(pairs) > 0 else None)


def _named(pairs: PairSet, place: int) -> str:
    """A pair in an error."""
    pair, name = pairs.pairs[place], pairs.name or "the training data"
    if pair.row >= 0:
        return f"{name}: row {pair.row + 1:,}"
    return f"{name}: {pair.id_a} {pair.id_b}" if pair.id_a else f"{name}: pair {place + 1:,}"


def _line_of(loaded: Loaded[Any], row: int, reading: Reading) -> int | None:
    """The line of a row, by its number from 0; None for records, and in folders."""
    path = Path(loaded.report.path)
    if row < 0 or is_folder(path) or not is_file(path):
        return None
    return next((one.line for one in table_of(path, loaded, reading).rows() if one.row == row), None)


def require_grades(loaded: Loaded[Any], *, recipe: Recipe, reading: Reading | None = None) -> None:
    """Make sure that the grades of a file, which was read in this way, can be learnt from.

    Raises:
        DataError: one is outside of the recipe's scale, or far from all others; names its line.
    """
    pairs = data_kind(loaded.data).as_pairs(loaded.data)
    odd = odd_grade(pairs, scale_of(pairs, stated=recipe.training.grades))
    if odd is None:
        return
    line = _line_of(loaded, pairs.pairs[odd.place].row, reading or Reading())
    if line is not None:
        raise DataError(odd.message, path=loaded.report.path, line=line, fix=odd.fix)
    raise DataError(f"{_named(pairs, odd.place)}: {odd.message}", fix=odd.fix)


def accounts_in(learnt: PairSet, dev: Judged, pipeline: TextPipeline, *, name: str) -> DataCoverage:
    """Truncated and unknown parts of the pairs of train and dev, for a model by name."""
    pairs = (*learnt, *data_kind(dev).as_pairs(dev))
    unlabelled = PairSet(tuple(Pair(pair.a, pair.b) for pair in pairs), LabelKind.NONE)
    return accounts_on(unlabelled, {name: [pipeline]})


def classes_of(recipe: Recipe, data: PairSet | CandidateSet) -> tuple[str, ...]:
    """The classes that a recipe's model predicts on these data; empty when it gives a score.

    Raises:
        ConfigError: the recipe learns classes and the data are graded, or the other way round.
    """
    from textkin.networks.losses.common import LossInput
    from textkin.networks.losses.table import find

    takes = [find(one.loss).takes for one in recipe.objectives]
    pairs, _ = data_kind(data).gold(data)
    if LossInput.CLASS_SCORES not in takes:
        return ()
    if set(takes) != {LossInput.CLASS_SCORES}:
        raise ConfigError(
            f"recipe {recipe.name}: a model gives classes or one score, and its losses want both",
            fix="use only losses over classes, such as cross-entropy, or none of them",
        )
    if pairs.kind not in (LabelKind.CLASSES, LabelKind.BINARY):
        raise ConfigError(
            f"recipe {recipe.name} learns classes, and the labels of {pairs.name or 'the data'} are "
            f"{pairs.kind.value}",
            fix="use a recipe with a loss over scores, such as mean-square",
            params=("recipe",),
            value=recipe.name,
            expected="classes",
        )
    return pairs.classes or YES_OR_NO
