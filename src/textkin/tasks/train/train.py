"""Train one recipe on labelled pairs or on candidates, and leave a run directory.

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
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

from textkin import __version__
from textkin.config import Recipe
from textkin.errors import ConfigError, TrainingError, UsageError
from textkin.files import sole_writer, write_json, write_text
from textkin.hub import DEFAULT, located
from textkin.pair_sets import content_hash
from textkin.progress import note
from textkin.provenance import hash_of_model, hash_of_vectors
from textkin.results import Result, ResultRow
from textkin.splits.seen import Seen
from textkin.tasks.train.lessons import Lessons, lessons_of
from textkin.tasks.train.training_data import Material, shared_with_dev
from textkin.text.truncation import Truncation
from textkin.training.taken_over import TakenOver

if TYPE_CHECKING:
    from textkin.training.assemble import Assembled

RESULT, RUN, RECIPE, MODEL = "result.json", "run.json", "recipe.toml", "model"
_ELSEWHERE = "choose another output folder, or remove that one"
_IN_WORDS = {
    "seed": "seed",
    "train_sha256": "training pairs",
    "dev_sha256": "dev pairs",
    "more_sha256": "further pairs",
    "vectors_sha256": "word vectors",
    "start_sha256": "model to start from",
    "teacher_sha256": "teacher",
}


@final
@dataclass(frozen=True, slots=True)
class EpochFigures:
    """An epoch: the sum of its objectives' mean losses, and the dev score."""

    epoch: int
    loss: float
    dev: float


@final
@dataclass(frozen=True, slots=True, repr=False)
class TrainingRun(Result):
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
        warnings: what dev shares with the training data; a shared text flatters the model.
        truncation: how many texts of train and dev are longer than the model reads.
        taken_over: what the model to start from gave, where there was one.

    Example:
        >>> import textkin as tk
        >>> from textkin import samples
        >>> run = tk.train(samples.pairs("travel"), dev=samples.pairs("cooking"), recipe="static", out="run")
        >>> len(run.epochs), run.model.name
        (5, 'model')
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
    warnings: tuple[str, ...] = ()
    truncation: Truncation | None = None
    taken_over: TakenOver | None = None

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.epochs:
            yield {"epoch": one.epoch, "loss": one.loss, f"dev {self.measure}": one.dev}

    def _said(self) -> tuple[str, ...]:
        warnings = (f"warning: {words}" for words in self.warnings)
        return (f"{self.name}, seed {self.seed}: epoch {self.best} was kept, in {self.model}", *warnings)

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
    look_for_leaks: bool = True,
) -> TrainingRun:
    """Train a recipe, or go on where an interrupted run stopped, or return what a finished one gave.

    A static encoder without ``material.start`` starts from the encoder in the box.

    Args:
        recipe: what to train.
        material: what to train it on.
        out: the run directory.
        seed: of everything that is drawn.
        device: where to train.
        tensorboard: also write event files into ``out/tensorboard``.
        look_for_leaks: say which texts dev shares with the training data; False where that was done before.

    Raises:
        UsageError: ``out`` holds another run, or there are no such vectors.
        TrainingError: dev has one kind of label only, or a loss is not finite.
        OutputError: ``out`` can't be written to, or another process is writing there.
        MissingExtraError: event files are asked for, but tensorboard is not installed.
    """
    if tensorboard:
        from textkin.training.tensorboard import require_tensorboard, write_events

        require_tensorboard()
    material = _begun(recipe, material)
    identity = _identity(recipe, material, seed)
    with sole_writer(out):
        _require_own(out, identity)
        run = _finished(out)
        if run is None:
            warnings = tuple(shared_with_dev(material)) if look_for_leaks else ()
            run = _fit(recipe, material, out, seed=seed, device=device, identity=identity, warnings=warnings)
        if tensorboard:
            write_events(out / "tensorboard", run.epochs)
    return run


def require_precision(recipe: Recipe, material: Material, *, device: Literal["auto", "cpu", "cuda"]) -> None:
    """Make sure that a recipe can be trained at its precision on this machine, before other work is done.

    Raises:
        UsageError: it can't.
    """
    if recipe.training.precision == "fp32":
        return
    from textkin.model_dir import load_model
    from textkin.training.assemble import continued, few_words
    from textkin.training.device import Device

    trained_on = Device(device, precision=recipe.training.precision)
    outputs, start = max(1, len(lessons_of(recipe, material).classes)), _begun(recipe, material).start
    module = (
        few_words(recipe, outputs=outputs)
        if start is None
        else continued(recipe, load_model(start), seed=0, outputs=outputs).module
    )
    trained_on.require(module)


def _begun(recipe: Recipe, material: Material) -> Material:
    """A static encoder starts from the one in the box unless told otherwise, and takes no other vectors."""
    if recipe.model.architecture != "static" or material.start is not None:
        return material
    return replace(material, start=located(DEFAULT), vectors=None)


def _fit(
    recipe: Recipe,
    material: Material,
    out: Path,
    *,
    seed: int,
    device: str,
    identity: dict[str, Any],
    warnings: tuple[str, ...],
) -> TrainingRun:
    from textkin.model_dir import Model, save_model
    from textkin.training.device import Device
    from textkin.training.loop import train as run_loop
    from textkin.training.lora import merge_adapters

    trained_on = Device(device, precision=recipe.training.precision)
    lessons = lessons_of(recipe, material)
    untrained = _untrained(recipe, material, lessons, seed)
    module, pipeline = untrained.module, untrained.pipeline
    trained_on.require(module)
    dev = lessons.dev(pipeline)
    truncation = lessons.truncation(pipeline, name=recipe.name)
    objectives = lessons.objectives(untrained, seed=seed)
    _claim(out, identity, recipe)
    if trained_on.is_main:
        for words in filter(None, (*warnings, "" if truncation is None else truncation.sentence())):
            note(f"warning: {words}")
        if untrained.taken_over is not None and (words := untrained.taken_over.sentence()):
            note(words)
    result = run_loop(
        module,
        objectives,
        settings=recipe.training,
        dev=dev,
        folder=out,
        seed=seed,
        device=trained_on,
        title=f"{recipe.name}, seed {seed}",
    )
    run = TrainingRun(
        name=recipe.name,
        seed=seed,
        folder=out,
        epochs=tuple(EpochFigures(log.epoch, sum(log.losses.values()), log.dev) for log in result.history),
        best=result.best,
        measure=dev.measure,
        dev=result.history[result.best - 1].dev,
        seconds=result.seconds,
        parameters=sum(tensor.numel() for tensor in module.parameters() if tensor.requires_grad),
        warnings=warnings,
        truncation=truncation,
        taken_over=untrained.taken_over,
    )
    merge_adapters(module)
    if trained_on.is_main:
        model = Model(
            name=recipe.name,
            architecture=recipe.model.architecture,
            arguments=untrained.arguments,
            module=module,
            pipeline=pipeline,
            provenance={**identity, "textkin": __version__, "dev": {dev.measure: run.dev}},
            classes=lessons.classes,
            seen=_seen(lessons, material.start),
        )
        save_model(model, out / MODEL)
        write_json(out / RESULT, {**asdict(run), "folder": None})
    trained_on.wait()
    return run


def _seen(lessons: Lessons, start: Path | None) -> Seen:
    """What the model has learnt from, and what the model that it started from had."""
    from textkin.model_dir import read_seen

    own, before = lessons.seen(), None if start is None else read_seen(start)
    return own if before is None else before | own


def _untrained(recipe: Recipe, material: Material, lessons: Lessons, seed: int) -> Assembled:
    """The pipeline and the network that training starts from."""
    from textkin.model_dir import load_model
    from textkin.training.assemble import assemble, continued

    texts = lessons.texts()
    if not texts:
        raise TrainingError("there are no training pairs", fix="give a file with pairs")
    outputs = max(1, len(lessons.classes))
    if material.start is None:
        return assemble(recipe, texts, seed=seed, vectors=material.vectors, outputs=outputs)
    if material.vectors is not None:
        raise UsageError(
            "training that starts from a model takes its word vectors from there", fix="leave out --vectors"
        )
    return continued(recipe, load_model(material.start), seed=seed, outputs=outputs)


def _identity(recipe: Recipe, material: Material, seed: int) -> dict[str, Any]:
    vectors = material.vectors
    return {
        "recipe": recipe.to_dict(),
        "seed": seed,
        "train_sha256": content_hash(material.train),
        "dev_sha256": content_hash(material.dev),
        "more_sha256": [content_hash(others) for others in material.more],
        "vectors_sha256": None if vectors is None else hash_of_vectors(vectors),
        "start_sha256": None if material.start is None else hash_of_model(material.start),
        "teacher_sha256": None if material.teacher is None else hash_of_model(material.teacher),
    }


def _claim(out: Path, identity: dict[str, Any], recipe: Recipe) -> None:
    """Make ``out`` this run's directory, now that nothing but training can fail any more."""
    if not (out / RUN).exists():
        write_json(out / RUN, identity)
    write_text(out / RECIPE, recipe.to_toml())


def _require_own(out: Path, identity: dict[str, Any]) -> None:
    """Make sure that ``out`` holds no other run."""
    path = out / RUN
    if not path.exists():
        from textkin.training.loop import CHECKPOINTS

        if (out / RESULT).exists() or (out / CHECKPOINTS).exists():
            raise UsageError(f"{out} holds results of an unknown run", fix=_ELSEWHERE)
        return
    found = _described(path)
    if found.keys() != identity.keys():
        raise UsageError(f"{path} does not describe a run", fix=_ELSEWHERE)
    if changed := list(_changes(found, identity)):
        raise UsageError(f"{out} holds another run, with other {', '.join(changed)}", fix=_ELSEWHERE)


def _described(path: Path) -> dict[str, Any]:
    """What decides the run in a folder; what an older textkin did not write yet has its default."""
    found = {"start_sha256": None, "teacher_sha256": None, **_read(path)}
    try:
        return {**found, "recipe": Recipe.from_dict(found["recipe"]).to_dict()}
    except (KeyError, TypeError, ConfigError) as error:
        raise UsageError(f"{path} does not describe a run", fix=_ELSEWHERE) from error


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
        warnings, cut = tuple(values.get("warnings", ())), values.get("truncation")
        truncation = None if cut is None else Truncation(**cut)
        start = values.get("taken_over")
        taken_over = None if start is None else TakenOver.from_dict(start)
        made = {"epochs": epochs, "folder": out, "warnings": warnings, "truncation": truncation}
        return TrainingRun(**{**values, **made, "taken_over": taken_over})
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
