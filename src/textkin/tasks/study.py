"""From a file of labelled pairs to a model that can be trusted, or the advice not to use one.

Split without leaks, train every recipe with several seeds, measure on test beside the baselines, fit the
threshold and the calibration on dev, and leave a run directory::

    study.json       what decides the study; another study in the folder is refused
    split/           train.tsv, dev.tsv, test.tsv, split.json
    trained/         one run directory for each recipe and seed
    scores/          dev.tsv and test.tsv: every system's score of every pair
    model/           the model to use, with threshold, calibration and card
    report.html      and report.json, report.md
    hashes.json      SHA-256 of all of these; ``textkin verify`` checks them and recomputes the figures

What is there from an interrupted study is not done again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from textkin.config import Recipe, load_recipe
from textkin.decision.threshold import Goal
from textkin.errors import DataError, UsageError
from textkin.files import atomic_text, ensure_folder, sha256_of_file, write_json
from textkin.readers import load_pairs
from textkin.records import LabelKind, PairSet
from textkin.report.content import StudyReport
from textkin.scorers import build as build_baseline
from textkin.splits.components import text_graph
from textkin.tasks.judges import PairJudge
from textkin.tasks.pair_figures import Sampling
from textkin.tasks.split import SplitReport, split_file
from textkin.tasks.train import Material, TrainingRun, train

DEFAULT_MODELS = ("siamese-lstm", "siamese-bag")
STUDY, SPLIT, TRAINED, SCORES, MODEL, HASHES = (
    "study.json",
    "split",
    "trained",
    "scores",
    "model",
    "hashes.json",
)
_CURVE_SHARES = (0.12, 0.25, 0.5)


@final
@dataclass(frozen=True, slots=True)
class StudyOptions:
    """How to study.

    Attributes:
        models: recipes, by name or path.
        seeds: how many times each is trained, with the seeds 0, 1, ...
        goal: of the threshold.
        vectors: pretrained word vectors or a model2vec folder, for the recipes and for the baseline
            mean-vectors.
        more: files of further pairs that mean the same, to train on; what touches dev or test is left out.
        curve: also train the best recipe on 12, 25 and 50 % of the labels.
        split_seed: of the split.
        similarity: also keep texts together that are this similar; see ``splits/near.py``.
        device: where to train.
        sampling: of intervals and tests.
        reading: ``columns``, ``format``, ``quoting``, ``labels`` for ``readers.load_pairs``.
    """

    models: tuple[str, ...] = DEFAULT_MODELS
    seeds: int = 3
    goal: Goal = field(default_factory=lambda: Goal.parse("f1"))
    vectors: Path | None = None
    more: tuple[Path, ...] = ()
    curve: bool = False
    split_seed: int = 42
    similarity: float | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    sampling: Sampling = field(default_factory=Sampling)
    reading: Mapping[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class StudyResult:
    """Where a study is and what it says.

    Attributes:
        folder: the run directory.
        report: everything that was found.
        page: the HTML report.
        model: the directory of the model to use.
    """

    folder: Path
    report: StudyReport
    page: Path
    model: Path


@final
@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The three sides as they were read back, and how the file was split."""

    train: PairSet
    dev: PairSet
    test: PairSet
    split: SplitReport


@final
@dataclass(frozen=True, slots=True, eq=False)
class Studied:
    """All that a report is written from.

    Attributes:
        source: the file of pairs.
        out: the run directory.
        options: of the study.
        sides: the data.
        runs: of every recipe, by its name, one for each seed.
        dev: every system's scores on dev: a baseline's of shape [1, pairs], a recipe's [seeds, pairs].
        test: the same on test.
        left_out: pairs of ``more`` that touched dev or test.
        curve: runs of the best recipe on shares of the labels: share, labels, scores on test [seeds, pairs].
    """

    source: Path
    out: Path
    options: StudyOptions
    sides: Sides
    runs: Mapping[str, tuple[TrainingRun, ...]]
    dev: PairJudge
    test: PairJudge
    left_out: int
    curve: tuple[tuple[float, int, NDArray[np.float64]], ...] = ()


def study(path: Path | str, out: Path | str, *, options: StudyOptions | None = None) -> StudyResult:
    """Study a file of labelled pairs; the same call goes on where an interrupted one stopped.

    Args:
        path: yes-or-no or graded pairs, in any format that textkin reads.
        out: the run directory.
        options: see :class:`StudyOptions`.

    Raises:
        UsageError: ``out`` holds another study, or an option is wrong.
        DataError: the file can't be read, has no labels, or is too small to split.
        ConfigError: a recipe is wrong.
    """
    from textkin.tasks.study_report import finish

    options = options or StudyOptions()
    source, folder = Path(path), ensure_folder(out)
    if options.seeds < 1 or not options.models:
        raise UsageError("a study needs one model and one seed or more", fix="set --models and --seeds")
    recipes = {recipe.name: recipe for recipe in map(load_recipe, options.models)}
    _claim(folder, source, recipes, options)
    sides = _split(source, folder, options)
    more, left_out = _more(sides, options)
    runs = {name: _train(recipe, sides, more, folder, options) for name, recipe in recipes.items()}
    dev, test = _score(sides, runs, options)
    studied = Studied(source, folder, options, sides, runs, dev, test, left_out)
    if options.curve:
        studied = _with_curve(studied, recipes[best_trained(studied)], more)
    _write_scores(folder / SCORES, studied)
    return finish(studied)


def best_trained(studied: Studied) -> str:
    """The recipe with the highest mean figure on dev."""
    return max(studied.runs, key=studied.dev.value)


def best_baseline(studied: Studied) -> str:
    """The baseline with the highest figure on dev."""
    return max((name for name in studied.dev.names if name not in studied.runs), key=studied.dev.value)


def _claim(folder: Path, source: Path, recipes: Mapping[str, Recipe], options: StudyOptions) -> None:
    """Make ``folder`` this study's, or check that it is."""
    settings = {
        "data_sha256": sha256_of_file(source) if source.is_file() else "",
        "recipes": {name: recipe.to_dict() for name, recipe in recipes.items()},
        "options": json.loads(json.dumps({**asdict(options), "goal": str(options.goal)}, default=str)),
    }
    path = folder / STUDY
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
        changed = [key for key in settings if found.get(key) != settings[key]]
        if changed:
            raise UsageError(
                f"{folder} holds another study: its {', '.join(changed)} differ",
                fix="choose another output folder, or remove that one",
            )
    elif any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty and holds no study", fix="choose another output folder")
    else:
        load_pairs(source, **options.reading)  # a file that can't be read must not leave a claimed folder
        write_json(path, settings)


def _split(source: Path, folder: Path, options: StudyOptions) -> Sides:
    report = split_file(
        source,
        folder / SPLIT,
        seed=options.split_seed,
        similarity=options.similarity,
        **options.reading,
    )
    train_side, dev, test = (
        load_pairs(folder / SPLIT / f"{name}.tsv", **options.reading).data
        for name in ("train", "dev", "test")
    )
    for side in (dev, test):
        if side.kind is LabelKind.BINARY and len(set(side.labels.tolist())) < 2:
            raise DataError(
                f"{source.name}: {side.name} has one kind of label only, so nothing can be measured",
                fix="give pairs that are the same and pairs that are not",
            )
    return Sides(train_side, dev, test, report)


def _more(sides: Sides, options: StudyOptions) -> tuple[tuple[PairSet, ...], int]:
    """Further positives without those that are linked to a text of dev or test, and how many those are."""
    kept, left_out = [], 0
    for path in options.more:
        data = load_pairs(path).data
        everything = PairSet((*data.pairs, *sides.dev.pairs, *sides.test.pairs), LabelKind.NONE)
        graph = text_graph(everything, quiet=True)
        component = graph.components(pairs=np.ones(len(everything), dtype=np.bool_), ids=False)[graph.a]
        held_out = np.unique(component[len(data) :])
        clean = np.flatnonzero(~np.isin(component[: len(data)], held_out))
        left_out += len(data) - len(clean)
        kept.append(data.select(clean.tolist()))
    return tuple(kept), left_out


def _train(
    recipe: Recipe, sides: Sides, more: tuple[PairSet, ...], folder: Path, options: StudyOptions
) -> tuple[TrainingRun, ...]:
    material = Material(sides.train, sides.dev, more, options.vectors)
    return tuple(
        train(
            recipe,
            material,
            out=folder / TRAINED / f"{recipe.name}-seed{seed}",
            seed=seed,
            device=options.device,
        )
        for seed in range(options.seeds)
    )


def _score(
    sides: Sides, runs: Mapping[str, Sequence[TrainingRun]], options: StudyOptions
) -> tuple[PairJudge, PairJudge]:
    """Every system's scores on dev and test; baselines take word frequencies from training texts only."""
    dev = PairJudge(sides.dev, sampling=options.sampling)
    test = PairJudge(sides.test, sampling=options.sampling)
    fit_texts = list(dict.fromkeys(text for pair in sides.train.texts for text in pair))
    names = [*PairJudge.baselines, *(["mean-vectors"] if options.vectors else [])]
    for name in names:
        scorer = build_baseline(name, fit_texts=fit_texts, vectors=options.vectors)
        for judge in (dev, test):
            judge.take(name, scorer)
    for name, seeds in runs.items():
        for judge in (dev, test):
            judge.take_scores(name, _scores(seeds, judge.data))
    return dev, test


def _scores(runs: Sequence[TrainingRun], data: PairSet) -> NDArray[np.float64]:
    from textkin.encode import load_encoder

    return np.stack([load_encoder(run.model).score(data.texts).astype(np.float64) for run in runs])


def _with_curve(studied: Studied, recipe: Recipe, more: tuple[PairSet, ...]) -> Studied:
    """Train the best recipe on growing shares of the training components."""
    sides, options = studied.sides, studied.options
    clusters = PairJudge(sides.train, sampling=options.sampling).test.clusters
    order = np.random.default_rng(options.split_seed).permutation(np.unique(clusters))
    points = []
    for share in _CURVE_SHARES:
        chosen = np.flatnonzero(np.isin(clusters, order[: max(1, round(share * len(order)))]))
        part = Sides(sides.train.select(chosen.tolist()), sides.dev, sides.test, sides.split)
        runs = _train(recipe, part, more, studied.out / TRAINED / f"share-{share:.2f}", options)
        points.append((share, len(chosen), _scores(runs, sides.test)))
    points.append((1.0, len(sides.train), studied.test.scores[recipe.name]))
    return Studied(**{**{name: getattr(studied, name) for name in Studied.__slots__}, "curve": tuple(points)})


def _write_scores(folder: Path, studied: Studied) -> None:
    for name, judge in (("dev", studied.dev), ("test", studied.test)):
        columns = [
            (system if len(scores) == 1 else f"{system}/{seed}", row)
            for system, scores in judge.scores.items()
            for seed, row in enumerate(scores)
        ]
        with atomic_text(folder / f"{name}.tsv") as stream:
            stream.write("\t".join(["label", *(column for column, _ in columns)]) + "\n")
            for place, label in enumerate(judge.test.labels.tolist()):
                cells = [f"{label:g}", *(repr(float(row[place])) for _, row in columns)]
                stream.write("\t".join(cells) + "\n")
