"""Train one recipe on pairs and leave a run directory.

::

    recipe.toml        the recipe as it was resolved
    run.json           what decides the run: recipe, seed and hashes of the data; another run is refused
    metrics.jsonl      losses and dev score of every epoch
    checkpoints/       latest and best
    model/             the model directory, written at the end
    result.json        what came out; a run that has it is not trained again
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np

from textkin import __version__
from textkin.config import Recipe
from textkin.errors import TrainingError, UsageError
from textkin.files import ensure_folder, sha256_of_json, write_json, write_text
from textkin.records import Pair, PairSet
from textkin.splits.components import bonds, gold_components
from textkin.tasks.pair_figures import main_figure, test_set
from textkin.tasks.provenance import hash_of_vectors

if TYPE_CHECKING:
    from textkin.models.tower import Tower
    from textkin.text.pipeline import TextPipeline
    from textkin.training.loop import Dev
    from textkin.training.objective import Objective

RESULT, RUN, RECIPE, MODEL = "result.json", "run.json", "recipe.toml", "model"
_ELSEWHERE = "choose another output folder, or remove that one"
_IN_WORDS = {
    "seed": "seed",
    "train_sha256": "training pairs",
    "dev_sha256": "dev pairs",
    "more_sha256": "further pairs",
    "vectors_sha256": "word vectors",
}


@final
@dataclass(frozen=True, slots=True)
class Material:
    """What a model is made from.

    Attributes:
        train: labelled training pairs; pairs without labels count as positives.
        dev: labelled pairs that choose the epoch.
        more: further pairs for the objectives that take positives; must share nothing with dev.
        vectors: pretrained word vectors, or a model2vec folder.
    """

    train: PairSet
    dev: PairSet
    more: tuple[PairSet, ...] = ()
    vectors: Path | None = None


@final
@dataclass(frozen=True, slots=True)
class EpochFigures:
    """An epoch: the sum of its objectives' mean losses, and the dev score."""

    epoch: int
    loss: float
    dev: float


@final
@dataclass(frozen=True, slots=True)
class TrainingRun:
    """What training left behind.

    Attributes:
        name: of the recipe.
        seed: of initial weights, batches and dropout.
        folder: the run directory.
        epochs: figures of every epoch.
        best: the epoch whose weights were kept.
        measure: what was maximised on dev.
        dev: its value at the best epoch.
        seconds: of training, evaluation on dev included.
        parameters: numbers that were learnt.
    """

    name: str
    seed: int
    folder: Path
    epochs: tuple[EpochFigures, ...]
    best: int
    measure: str
    dev: float
    seconds: float
    parameters: int

    @property
    def model(self) -> Path:
        """The model directory."""
        return self.folder / MODEL


def train(
    recipe: Recipe,
    material: Material,
    *,
    out: Path,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    tensorboard: bool = False,
) -> TrainingRun:
    """Train a recipe, or go on where an interrupted run stopped, or return what a finished one gave.

    Args:
        recipe: what to train.
        material: what to train it on.
        out: the run directory.
        seed: of everything that is drawn.
        device: where to train.
        tensorboard: also write event files into ``out/tensorboard``.

    Raises:
        UsageError: ``out`` holds another run, or there are no such vectors.
        TrainingError: dev has one kind of label only, or a loss is not finite.
        OutputError: ``out`` can't be written to.
        MissingExtraError: event files are asked for, but tensorboard is not installed.
    """
    if tensorboard:
        from textkin.training.tensorboard import require_tensorboard, write_events

        require_tensorboard()
    identity = _identity(recipe, material, seed)
    _claim(out, identity)
    run = _finished(out)
    if run is None:
        write_text(out / RECIPE, recipe.to_toml())
        run = _fit(recipe, material, out, seed=seed, device=device, identity=identity)
    if tensorboard:
        write_events(out / "tensorboard", run.epochs)
    return run


def _fit(
    recipe: Recipe,
    material: Material,
    out: Path,
    *,
    seed: int,
    device: str,
    identity: dict[str, Any],
) -> TrainingRun:
    from textkin.model_dir import Model, save_model
    from textkin.training.assemble import assemble
    from textkin.training.device import Device
    from textkin.training.loop import train as run_loop

    rows = join(material.train, material.more)
    texts = list(dict.fromkeys(text for pair in rows.texts for text in pair))
    if not texts:
        raise TrainingError("there are no training pairs", fix="give a file with pairs")
    untrained = assemble(recipe, texts, seed=seed, vectors=material.vectors)
    module, pipeline = untrained.module, untrained.pipeline
    dev = _dev(material.dev, pipeline)
    trained_on = Device(device, precision=recipe.training.precision)
    result = run_loop(
        module,
        _objectives(recipe, material.train, rows, pipeline, seed=seed),
        settings=recipe.training,
        dev=dev,
        folder=out,
        seed=seed,
        device=trained_on,
        title=f"{recipe.name}, seed {seed}",
    )
    best = result.history[result.best - 1].dev
    run = TrainingRun(
        name=recipe.name,
        seed=seed,
        folder=out,
        epochs=tuple(EpochFigures(log.epoch, sum(log.losses.values()), log.dev) for log in result.history),
        best=result.best,
        measure=dev.measure,
        dev=best,
        seconds=result.seconds,
        parameters=sum(tensor.numel() for tensor in module.parameters() if tensor.requires_grad),
    )
    if trained_on.is_main:
        model = Model(
            name=recipe.name,
            architecture=recipe.model.architecture,
            arguments=untrained.arguments,
            module=module,
            pipeline=pipeline,
            provenance={**identity, "textkin": __version__, "dev": {dev.measure: best}},
        )
        save_model(model, out / MODEL)
        write_json(out / RESULT, {**asdict(run), "folder": None})
    trained_on.wait()
    return run


def _dev(data: PairSet, pipeline: TextPipeline) -> Dev:
    from textkin.encode import encode_ids
    from textkin.training.loop import Dev

    judged = test_set(data)
    if len(np.unique(judged.labels)) < 2:
        raise TrainingError(
            f"dev ({data.name or 'the dev file'}) has one kind of label only: no epoch could be chosen by it",
            fix="give dev pairs that are the same and pairs that are not",
        )
    ids = pipeline.ids([text for pair in data.texts for text in pair])

    def evaluate(module: Tower) -> float:
        vectors = encode_ids(module, ids, pad_id=pipeline.pad_id)
        return main_figure(judged, np.einsum("ij,ij->i", vectors[::2], vectors[1::2]).astype(np.float64))

    return Dev(judged.main, evaluate)


def _objectives(
    recipe: Recipe, data: PairSet, rows: PairSet, pipeline: TextPipeline, *, seed: int
) -> list[Objective[Any]]:
    from textkin.training.data import training_data
    from textkin.training.objective import build_objective

    components = gold_components(rows)
    # Labelled pairs alone have negatives to learn from; further pairs only say what is the same.
    labelled = training_data(
        data, pipeline=pipeline, components=components, same=bonds(data), pad_to=recipe.text.pad_to
    )
    everything = labelled
    if len(rows) > len(data):
        everything = training_data(
            rows, pipeline=pipeline, components=components, same=bonds(rows), pad_to=recipe.text.pad_to
        )
    return [
        build_objective(config, labelled if config.rows == "pairs" else everything, seed=seed + 1_000 * index)
        for index, config in enumerate(recipe.objectives)
    ]


def join(data: PairSet, more: Sequence[PairSet]) -> PairSet:
    """Labelled pairs, then the pairs of ``more`` that mean the same, without their labels."""
    further = (
        Pair(pair.a, pair.b)
        for others in more
        for pair, same in zip(others, bonds(others).tolist(), strict=True)
        if same
    )
    return PairSet((*data.pairs, *further), data.kind, data.classes, data.name)


def content_hash(data: PairSet) -> str:
    """A hash of texts and labels in their order, whatever file they came from."""
    return sha256_of_json([[pair.a, pair.b, pair.label] for pair in data])


def _identity(recipe: Recipe, material: Material, seed: int) -> dict[str, Any]:
    vectors = material.vectors
    return {
        "recipe": recipe.to_dict(),
        "seed": seed,
        "train_sha256": content_hash(material.train),
        "dev_sha256": content_hash(material.dev),
        "more_sha256": [content_hash(others) for others in material.more],
        "vectors_sha256": None if vectors is None else hash_of_vectors(vectors),
    }


def _claim(out: Path, identity: dict[str, Any]) -> None:
    """Make ``out`` this run's directory, or check that it is."""
    ensure_folder(out)
    path = out / RUN
    if not path.exists():
        from textkin.training.loop import CHECKPOINTS

        if (out / RESULT).exists() or (out / CHECKPOINTS).exists():
            raise UsageError(f"{out} holds results of an unknown run", fix=_ELSEWHERE)
        write_json(path, identity)
        return
    found = _read(path)
    if found.keys() != identity.keys() or not isinstance(found["recipe"], dict):
        raise UsageError(f"{path} does not describe a run", fix=_ELSEWHERE)
    if changed := list(_changes(found, identity)):
        raise UsageError(f"{out} holds another run, with other {', '.join(changed)}", fix=_ELSEWHERE)


def _changes(found: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
    """What tells two runs apart, in words."""
    for key, value in wanted.items():
        if found[key] == value:
            continue
        if key == "recipe":
            yield from (f"recipe.{part}" for part in value if found[key].get(part) != value[part])
        else:
            yield _IN_WORDS[key]


def _finished(out: Path) -> TrainingRun | None:
    path = out / RESULT
    if not path.exists():
        return None
    values = _read(path)
    try:
        epochs = tuple(EpochFigures(**epoch) for epoch in values.pop("epochs"))
        return TrainingRun(**{**values, "epochs": epochs, "folder": out})
    except (KeyError, TypeError) as error:
        raise UsageError(f"{path} does not hold the result of a run: {error!r}", fix=_ELSEWHERE) from error


def _read(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} can't be read: {error}", fix=_ELSEWHERE) from error
    if not isinstance(values, dict):
        raise UsageError(f"{path} is not a JSON object", fix=_ELSEWHERE)
    return values
