"""A student that learns a teacher's vectors of texts and of their translations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.counts import count
from textkin.base.errors import DataError, ModelError, invalid
from textkin.base.extras import require_torch
from textkin.base.hub import located, name_of
from textkin.base.results import Result, ResultRow
from textkin.data.readers.read_report import note_read
from textkin.data.readers.translations import Translation, translations_of
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet
from textkin.networks.recipes.recipe import Recipe
from textkin.verbs.deploy.translation_retrieval import FoundTranslations, find_translations
from textkin.verbs.train.material import Material
from textkin.verbs.train.train_recipe import MODEL, TrainingRun, train

_HELD_OUT, _MOST_HELD_OUT = 0.1, 1_000
_CHOOSING = 150  # sources that choose the epoch, each a query for all of their translations
_FEW = 10
_TRAINING: dict[str, dict[str, Any]] = {
    "static": {"epochs": 8, "optimiser": "adam", "learning_rate": 1e-3, "schedule": "linear"},
    "transformer": {
        "epochs": 5,
        "optimiser": "adamw",
        "learning_rate": 2e-5,
        "schedule": "linear",
        "warmup_steps": 100,
        "weight_decay": 0.01,
        "clip_norm": 1.0,
    },
}


@dataclass(frozen=True, slots=True, repr=False)
class TaughtStudent(Result):
    """A student that learnt from translations, and how well it finds them.

    Attributes:
        folder: the run folder.
        model: the folder of the student.
        run: its training.
        before: accuracy of the student before training, by language.
        after: afterwards.
        teacher: accuracy of the teacher.
        learnt: number of translations that it learnt from.
        chosen: number of those that chose the epoch.
        measured: number of those that it was measured on.
        left_out: number of those on no side, since they share a text with another side.
        repeated: number of rows that repeat another row.

    Example:
        >>> from textkin.verbs import TaughtStudent
        >>> from dataclasses import fields
        >>> [field.name for field in fields(TaughtStudent)][:3]
        ['folder', 'model', 'run']
    """

    folder: Path
    model: Path
    run: TrainingRun
    before: tuple[FoundTranslations, ...]
    after: tuple[FoundTranslations, ...]
    teacher: tuple[FoundTranslations, ...]
    learnt: int
    chosen: int
    measured: int
    left_out: int
    repeated: int

    def _rows(self) -> Iterator[ResultRow]:
        for system in ("teacher", "before", "after"):
            for one in getattr(self, system):
                yield one.row(system)

    def _said(self) -> tuple[str, ...]:
        sides = (
            f"{self.learnt:,} learnt from, {self.chosen:,} to choose the epoch, {self.measured:,} measured on"
        )
        return (
            "to: sources that find a translation of theirs; back: translations that find a source of theirs; "
            "both among the held-out texts of a language, each of which counts once",
            f"translations: {sides}; left out: {self.left_out:,} that share a text with another side, "
            f"{count(self.repeated, 'repeated row')}",
            f"model: {self.model}",
        )

    def as_dict(self) -> dict[str, Any]:
        """The accuracies as rows, the folder of the student, and the numbers of translations."""
        counts = self._values("learnt", "chosen", "measured", "left_out", "repeated")
        return {"rows": self.rows(), "model": self.model, **counts}


def teach_student(
    teacher: Path | str,
    parallel: Any,
    *,
    student: Path | str,
    out: Path | str,
    dev: Any = None,
    epochs: int | None = None,
    seed: int = 0,
) -> TaughtStudent:
    """Train a student on translations.

    Args:
        teacher: an encoder that knows the language of the sources.
        parallel: translations, see :func:`textkin.data.readers.translations.translations_of`.
        student: a static encoder, a transformer, or another encoder trained by textkin.
        out: the run folder.
        dev: translations to measure on; None to hold out a tenth of ``parallel``.
        epochs: passes over all texts.
        seed: seed of the held-out pairs and of training.

    Raises:
        UsageError: the student gives no vectors.
        DataError: the translations can't be read, or are too few.
        ModelError: a model can't be read.
    """
    from textkin.kinds.systems import load_encoder

    require_torch()
    loaded = translations_of(parallel)
    note_read(loaded.report)
    sides = _sides(loaded.data, dev, seed)
    before, guide = load_encoder(student), load_encoder(teacher)
    recipe = _recipe(located(student), epochs)
    material = Material(
        PairSet(
            tuple(Pair(one.source, one.translation) for one in sides.learnt), LabelKind.NONE, name="parallel"
        ),
        _both_ways(sides.chosen),
        start=located(student),
        teacher=located(teacher),
        translated=True,
    )
    run = train(recipe, material, out=Path(out), seed=seed, look_for_leaks=False)
    model = Path(out) / MODEL
    first, after, best = (
        tuple(find_translations(one, sides.measured)) for one in (before, load_encoder(model), guide)
    )
    return TaughtStudent(
        *(Path(out), model, run, first, after, best),
        learnt=len(sides.learnt),
        chosen=len(sides.chosen),
        measured=len(sides.measured),
        left_out=sides.left_out,
        repeated=sides.repeated,
    )


@dataclass(frozen=True, slots=True)
class _Sides:
    """Translations of three sides that share no text, each of them once.

    Attributes:
        learnt: to train on.
        chosen: to choose the epoch.
        measured: to measure on.
        left_out: number of the others, which share a text with another side.
        repeated: number of rows that repeat another row.
    """

    learnt: tuple[Translation, ...]
    chosen: tuple[Translation, ...]
    measured: tuple[Translation, ...]
    left_out: int
    repeated: int


def _sides(given: Sequence[Translation], dev: Any, seed: int) -> _Sides:
    """The sides, of which ``dev`` is measured on if it is given."""
    data = tuple(dict.fromkeys(given))
    sources = np.random.default_rng(seed).permutation(list(dict.fromkeys(one.source for one in data)))
    tenth = round(_HELD_OUT * len(sources))
    chooses = sources[: min(tenth, _CHOOSING)].tolist()
    all_given, different = len(given), data
    if dev is None:
        held = set(sources[len(chooses) : len(chooses) + min(tenth, _MOST_HELD_OUT)].tolist())
        measured = tuple(one for one in data if one.source in held)
    else:
        loaded = translations_of(dev, "dev")
        note_read(loaded.report)
        measured = tuple(dict.fromkeys(loaded.data))
        all_given, different = all_given + len(loaded.data), data + measured
    rest = _without(data, measured)
    sources_chosen = set(chooses)
    chosen = tuple(one for one in rest if one.source in sources_chosen)
    learnt = _without(rest, chosen)
    on_sides = len(learnt) + len(chosen) + len(measured)
    sides = _Sides(learnt, chosen, measured, len(different) - on_sides, all_given - len(different))
    if len(learnt) < _FEW or not chosen or not measured:
        raise DataError(
            f"{len(given):,} translations are too few: {len(learnt):,} are left to learn from, "
            f"{len(chosen):,} to choose the epoch, {len(measured):,} to measure on",
            fix="give some thousands, and at least 20 that share no text",
        )
    return sides


def _without(data: Sequence[Translation], other: Sequence[Translation]) -> tuple[Translation, ...]:
    """The translations of ``data`` that share no text with ``other``."""
    texts = {text for one in other for text in one[:2]}
    return tuple(one for one in data if texts.isdisjoint(one[:2]))


def _both_ways(pairs: Sequence[Translation]) -> CandidateSet:
    """Each text with all counterparts as candidates; those with the text of its own are right."""
    queries = []
    for way in (0, 1):
        others = list(dict.fromkeys(one[1 - way] for one in pairs))
        ids = tuple(str(place) for place in range(len(others)))
        right: dict[str, set[str]] = {}
        for one in pairs:
            right.setdefault(one[way], set()).add(one[1 - way])
        for number, (text, own) in enumerate(right.items()):
            labels = tuple(int(other in own) for other in others)
            queries.append(Candidates(f"{way}-{number}", text, ids, tuple(others), labels))
    return CandidateSet(tuple(queries), name="held-out translations")


def _recipe(student: Path, epochs: int | None) -> Recipe:
    """The recipe of a student: its own architecture, which learns the teacher's vectors."""
    from textkin.models.model_folder import load_model
    from textkin.networks.architectures.static import StaticTower
    from textkin.networks.architectures.tower import Tower

    model = load_model(student)
    if not isinstance(model.module, Tower):
        raise ModelError(
            f"{name_of(student)} compares two texts and gives no vectors",
            fix="give an encoder as `student`",
        )
    settings = dict(_TRAINING.get(model.architecture, _TRAINING["static"]))
    if isinstance(model.module, StaticTower):  # only directions count, so rates are relative to lengths
        settings["learning_rate"] *= float(model.module.table.detach().norm(dim=1).median())
    if epochs is not None and epochs < 1:
        raise invalid("epochs", epochs, expected="at least 1 for translations")
    return Recipe.model_validate(
        {
            "name": "translations",
            "task": "pairs",
            "description": "Texts and their translations learn a teacher's vectors of the texts",
            "source": "Reimers and Gurevych 2020",
            "model": {
                "architecture": model.architecture,
                "arguments": {"train_table": True} if model.architecture == "static" else {},
            },
            "objectives": [{"loss": "distillation", "rows": "texts", "batch_size": 64, "sampler": "length"}],
            "training": {**settings, **({} if epochs is None else {"epochs": epochs})},
        }
    )
