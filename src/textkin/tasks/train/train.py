"""Train one recipe on labelled pairs or on candidates, and leave a run directory.

::

    recipe.toml        the recipe as it was resolved
    run.json           what decides the run: recipe, seed and hashes of the data; another run is refused
    metrics.jsonl      losses and dev score of every evaluation
    checkpoints/       latest and best, or all
    model/             the model directory, written at the end
    result.json        what came out; a run that has it is not trained again
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

from textkin import __version__
from textkin.config import FOR_TEXTS, Recipe
from textkin.errors import TrainingError, UsageError
from textkin.files import sha256_of_json, sole_writer, write_json
from textkin.hub import DEFAULT, located
from textkin.pair_sets import content_hash, join, with_classes
from textkin.progress import note
from textkin.provenance import hash_of_model, hash_of_vectors
from textkin.records import PairSet
from textkin.results import Result, ResultRow
from textkin.splits.components import bonds, gold_components
from textkin.splits.seen import Seen
from textkin.tasks.train.run_folder import ELSEWHERE, RESULT, claim, read_json, require_own
from textkin.tasks.train.training_data import (
    Material,
    TrainingPairs,
    classes_of,
    rows_of,
    shared_with_dev,
    truncation_in,
)
from textkin.text.truncation import Truncation
from textkin.text.vocabulary import read_word_list

if TYPE_CHECKING:
    from textkin.text.pipeline import TextPipeline
    from textkin.training.assemble import Assembled
    from textkin.training.checkpoint import Evaluation
    from textkin.training.loop import Dev
    from textkin.training.objective import Objective

MODEL = "model"


@final
@dataclass(frozen=True, slots=True)
class EvaluationFigures:
    """What one evaluation on dev gave.

    Attributes:
        epoch: that it lies in, counted from 1.
        loss: the sum of the objectives' mean losses since the evaluation before.
        dev: the dev score.
        steps: of the optimiser, since the start; None in results of the first versions.
    """

    epoch: int
    loss: float
    dev: float
    steps: int | None = None


@final
@dataclass(frozen=True, slots=True, repr=False)
class TrainingRun(Result):
    """What training left behind.

    Attributes:
        name: of the recipe.
        seed: of initial weights, batches and dropout.
        folder: the run directory.
        evaluations: on dev, one an epoch, or more if the recipe says ``evaluate_every``.
        best: the evaluation whose weights were kept, counted from 1.
        measure: what was maximised on dev.
        dev: its value at the best evaluation.
        seconds: of training, evaluation on dev included.
        parameters: numbers that were learnt.
        warnings: what dev shares with the training data; a shared text flatters the model.
        truncation: how many texts of train and dev are longer than the model reads.

    Example:
        >>> import textkin as tk
        >>> from textkin import samples
        >>> run = tk.train(samples.pairs("travel"), dev=samples.pairs("cooking"), recipe="static", out="run")
        >>> len(run.evaluations), run.model.name
        (5, 'model')
    """

    name: str
    seed: int
    folder: Path
    evaluations: tuple[EvaluationFigures, ...]
    best: int
    measure: str
    dev: float
    seconds: float
    parameters: int
    warnings: tuple[str, ...] = ()
    truncation: Truncation | None = None

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.evaluations:
            yield {"epoch": one.epoch, "step": one.steps, "loss": one.loss, f"dev {self.measure}": one.dev}

    def _said(self) -> tuple[str, ...]:
        warnings = (f"warning: {words}" for words in self.warnings)
        return (f"{self.name}, seed {self.seed}: {self.kept} was kept, in {self.model}", *warnings)

    @property
    def by_step(self) -> bool:
        """Whether an epoch has several evaluations, so that only the step tells them apart."""
        return len({one.epoch for one in self.evaluations}) < len(self.evaluations)

    @property
    def kept(self) -> str:
        """The place of the best evaluation, in words."""
        best = self.evaluations[self.best - 1]
        return f"epoch {best.epoch}" + (f", step {best.steps:,}" if self.by_step else "")

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
    keep_checkpoints: Literal["best", "all"] = "best",
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
        keep_checkpoints: the best one and the latest, or all.
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
    if material.suite is not None:
        _require_encoder(recipe)
    identity = _identity(recipe, material, seed)
    with sole_writer(out):
        require_own(out, identity)
        run = _finished(out)
        if run is None:
            warnings = tuple(shared_with_dev(material)) if look_for_leaks else ()
            run = _fit(
                recipe,
                material,
                out,
                seed=seed,
                device=device,
                identity=identity,
                warnings=warnings,
                keep=keep_checkpoints,
            )
        if tensorboard:
            write_events(out / "tensorboard", run.evaluations)
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


def _require_encoder(recipe: Recipe) -> None:
    """Make sure that a recipe's model can find duplicates and search."""
    from textkin.models.table import architecture
    from textkin.models.tower import Tower

    if not issubclass(architecture(recipe.model.architecture), Tower):
        raise UsageError(
            f"recipe {recipe.name} compares two texts at a time, and dev asks for duplicates among all texts",
            fix="give dev pairs, or train an encoder",
        )


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
    keep: Literal["best", "all"],
) -> TrainingRun:
    from textkin.model_dir import Model, save_model
    from textkin.training.device import Device
    from textkin.training.loop import RunOptions
    from textkin.training.loop import train as run_loop
    from textkin.training.lora import merge_adapters

    trained_on = Device(device, precision=recipe.training.precision)
    classes = classes_of(recipe, material.train)
    rows, chooses = rows_of(material.train), material.dev
    if classes and isinstance(chooses, PairSet):
        chooses = with_classes(chooses, classes)
    untrained = _untrained(recipe, material, join(rows.pairs, material.more), classes, seed)
    module, pipeline = untrained.module, untrained.pipeline
    trained_on.require(module)
    dev = _dev(replace(material, dev=chooses), pipeline)
    truncation = truncation_in(material, pipeline, name=recipe.name)
    objectives = _objectives(recipe, rows, material, untrained, seed=seed)
    claim(out, identity, recipe)
    _warn(*warnings, truncation and truncation.sentence(), aloud=trained_on.is_main)
    result = run_loop(
        module,
        objectives,
        settings=recipe.training,
        dev=dev,
        folder=out,
        seed=seed,
        device=trained_on,
        options=RunOptions(f"{recipe.name}, seed {seed}", keep),
    )
    run = TrainingRun(
        name=recipe.name,
        seed=seed,
        folder=out,
        evaluations=_figures(result.history),
        best=result.best,
        measure=dev.measure,
        dev=result.history[result.best - 1].dev,
        seconds=result.seconds,
        parameters=sum(tensor.numel() for tensor in module.parameters() if tensor.requires_grad),
        warnings=warnings,
        truncation=truncation,
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


def _dev(material: Material, pipeline: TextPipeline) -> Dev:
    from textkin.tasks.train.dev_score import dev_of, dev_of_suite

    if material.suite is None:
        return dev_of(material.dev, pipeline)
    return dev_of_suite(material.suite, pipeline, choose_by=material.choose_by)


def _warn(*warnings: str | None, aloud: bool) -> None:
    for words in filter(None, warnings if aloud else ()):
        note(f"warning: {words}")


def _figures(history: Sequence[Evaluation]) -> tuple[EvaluationFigures, ...]:
    return tuple(
        EvaluationFigures(one.epoch, sum(one.losses.values()), one.dev, one.steps) for one in history
    )


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
        return assemble(
            recipe,
            texts,
            seed=seed,
            vectors=material.vectors,
            vocabulary=material.vocabulary,
            outputs=outputs,
        )
    for what, given, option in (
        ("word vectors", material.vectors, "--vectors"),
        ("words", material.vocabulary, "--vocabulary"),
    ):
        if given is not None:
            raise UsageError(
                f"training that starts from a model takes its {what} from there", fix=f"leave out {option}"
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
    vectors, vocabulary, suite = material.vectors, material.vocabulary, material.suite
    return {
        "recipe": recipe.to_dict(),
        "seed": seed,
        "train_sha256": content_hash(material.train),
        "dev_sha256": content_hash(material.dev),
        "suite": None if suite is None else [material.choose_by, content_hash(suite)],
        "more_sha256": [content_hash(others) for others in material.more],
        "vectors_sha256": None if vectors is None else hash_of_vectors(vectors),
        "vocabulary_sha256": None if vocabulary is None else sha256_of_json(read_word_list(vocabulary)),
        "start_sha256": None if material.start is None else hash_of_model(material.start),
        "teacher_sha256": None if material.teacher is None else hash_of_model(material.teacher),
    }


def _finished(out: Path) -> TrainingRun | None:
    path = out / RESULT
    if not path.exists():
        return None
    values = read_json(path)
    try:
        # The first versions evaluated at the end of epochs only, and named the list after them.
        listed = values.pop("epochs") if "epochs" in values else values["evaluations"]
        evaluations = tuple(EvaluationFigures(**one) for one in listed)
        warnings, cut = tuple(values.get("warnings", ())), values.get("truncation")
        truncation = None if cut is None else Truncation(**cut)
        made = {"evaluations": evaluations, "folder": out, "warnings": warnings, "truncation": truncation}
        return TrainingRun(**{**values, **made})
    except (KeyError, TypeError) as error:
        raise UsageError(f"{path} does not hold the result of a run: {error!r}", fix=ELSEWHERE) from error
