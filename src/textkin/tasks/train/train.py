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
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

from textkin import __version__
from textkin.config import FOR_TEXTS, Recipe
from textkin.errors import ConfigError, TrainingError, UsageError
from textkin.files import sole_writer, write_json, write_text
from textkin.hub import DEFAULT, located
from textkin.pair_sets import content_hash, join, with_classes
from textkin.progress import note
from textkin.provenance import hash_of_model, hash_of_vectors
from textkin.records import CandidateSet, PairSet
from textkin.results import Result, ResultRow
from textkin.splits.components import bonds, gold_components
from textkin.splits.seen import Seen
from textkin.tasks.train.training_data import (
    Material,
    TrainingPairs,
    accounts_in,
    classes_of,
    rows_of,
    shared_with_dev,
)
from textkin.text.truncation import Truncation
from textkin.vectors.coverage import Coverage

if TYPE_CHECKING:
    from textkin.training.assemble import Assembled
    from textkin.training.objective import Objective

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
        coverage: how much of these texts the model knows; None of a run of before this was counted.

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
    coverage: Coverage | None = None

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
    outputs, start = max(1, len(classes_of(recipe, material.train))), _begun(recipe, material).start
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
    from textkin.tasks.train.dev_score import dev_of
    from textkin.training.device import Device
    from textkin.training.loop import train as run_loop
    from textkin.training.lora import merge_adapters

    trained_on = Device(device, precision=recipe.training.precision)
    classes = classes_of(recipe, material.train)
    rows = rows_of(material.train)
    untrained = _untrained(recipe, material, join(rows.pairs, material.more), classes, seed)
    module, pipeline = untrained.module, untrained.pipeline
    trained_on.require(module)
    dev = dev_of(_numbered(material.dev, classes), pipeline)
    accounts = accounts_in(material, pipeline, name=recipe.name)
    objectives = _objectives(recipe, rows, material, untrained, seed=seed)
    _claim(out, identity, recipe)
    if trained_on.is_main:
        for words in (*warnings, *accounts.sentences()):
            note(f"warning: {words}")
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
        truncation=next(iter(accounts.truncations), None),
        coverage=next(iter(accounts.coverages), None),
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
            classes=classes,
            seen=_seen(material),
        )
        save_model(model, out / MODEL)
        write_json(out / RESULT, {**asdict(run), "folder": None})
    trained_on.wait()
    return run


def _numbered(dev: PairSet | CandidateSet, classes: Sequence[str]) -> PairSet | CandidateSet:
    """Dev with its classes numbered as in train."""
    return with_classes(dev, classes) if classes and isinstance(dev, PairSet) else dev


def _seen(material: Material) -> Seen:
    """What the model has learnt from, and what the model that it started from had."""
    from textkin.model_dir import read_seen

    own = Seen.of(join(rows_of(material.train).pairs, material.more).texts)
    before = None if material.start is None else read_seen(material.start)
    return own if before is None else before | own


def _untrained(
    recipe: Recipe, material: Material, rows: PairSet, classes: Sequence[str], seed: int
) -> Assembled:
    """The pipeline and the network that training starts from."""
    from textkin.model_dir import load_model
    from textkin.training.assemble import assemble, continued

    texts = list(dict.fromkeys(text for pair in rows.texts for text in pair))
    if not texts:
        raise TrainingError("there are no training pairs", fix="give a file with pairs")
    outputs = max(1, len(classes))
    if material.start is None:
        return assemble(recipe, texts, seed=seed, vectors=material.vectors, outputs=outputs)
    if material.vectors is not None:
        raise UsageError(
            "training that starts from a model takes its word vectors from there", fix="leave out --vectors"
        )
    return continued(recipe, load_model(material.start), seed=seed, outputs=outputs)


def _objectives(
    recipe: Recipe, data: TrainingPairs, material: Material, untrained: Assembled, *, seed: int
) -> list[Objective[Any]]:
    from textkin.training.data import training_data
    from textkin.training.objectives import build_objective

    pairs, teacher = join(data.pairs, material.more), None
    if material.teacher is not None:
        from textkin.systems import load_encoder

        teacher = load_encoder(material.teacher)
    options: Any = {
        "pipeline": untrained.pipeline,
        "components": gold_components(pairs),
        "pad_to": recipe.text.pad_to,
    }
    # Labelled pairs alone have negatives to learn from; further pairs only say what is the same.
    labelled = training_data(data.pairs, same=data.same, query=data.query, scores=data.scores, **options)
    everything = labelled
    if material.more or teacher is not None:
        everything = training_data(pairs, same=bonds(pairs), teacher=teacher, **options)
    return [
        build_objective(
            config,
            everything if config.rows in FOR_TEXTS else labelled,
            model=untrained.module,
            seed=seed + 1_000 * index,
        )
        for index, config in enumerate(recipe.objectives)
    ]


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
        cut, known = values.get("truncation"), values.get("coverage")
        made = {
            "epochs": epochs,
            "folder": out,
            "warnings": tuple(values.get("warnings", ())),
            "truncation": None if cut is None else Truncation(**cut),
            "coverage": None if known is None else Coverage(**known),
        }
        return TrainingRun(**{**values, **made})
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
