"""Train one recipe on labelled pairs or on candidates, and leave a run directory.

::

    recipe.toml        the recipe as it was resolved
    run.json           identity of the run: recipe, seed and hashes of the data; another run is refused
    metrics.jsonl      losses and dev score of every evaluation
    checkpoints/       latest and best
    epochs/            the model of every evaluation, if wanted: epochs/1, epochs/2 and so on
    model/             the model directory, written at the end
    result.json        the result; a run that has it is not trained again
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from textkin.base.errors import ModelError, TextkinError, TrainingError, conflict, invalid, said
from textkin.base.extras import import_torch
from textkin.base.files import sha256_of_json, sole_writer, write_json
from textkin.base.hub import DEFAULT, located
from textkin.base.import_path import line_of, takes
from textkin.base.json_records import restored
from textkin.base.locks import is_first_process, is_one_of_several
from textkin.base.progress import note
from textkin.base.results import Result, ResultRow
from textkin.base.text_table import text_table
from textkin.data.pair_set_operations import content_hash
from textkin.data.splits.label_grades import GradeScale
from textkin.data.splits.training_texts import Seen
from textkin.kinds.data_coverage import DataCoverage
from textkin.models.pretraining import PRETRAINED_ON, pretraining_of
from textkin.models.provenance import hash_of_model, hash_of_vectors
from textkin.networks.recipes.recipe import Recipe
from textkin.report.content import Epoch, TrainingCurve
from textkin.report.notebook_plots import Plot, figure_plot
from textkin.report.plots import training_figure
from textkin.text.truncation_account import Truncation
from textkin.text.vocabulary import read_word_list
from textkin.training.transferred_parts import TakenOver
from textkin.vectors.unknown_token_report import Coverage
from textkin.verbs.train.live import LivePage
from textkin.verbs.train.material import Material, shared_with_dev
from textkin.verbs.train.run_folder import RESULT, claim, give_up, in_words, require_own, run_json, taken
from textkin.verbs.train.training_data import Lessons, lessons_of
from textkin.version import __version__

if TYPE_CHECKING:
    from textkin.models.model_folder import Model
    from textkin.training.assemble import Assembled
    from textkin.training.checkpoint import Evaluation

MODEL, EPOCHS = "model", "epochs"


@dataclass(frozen=True, slots=True)
class EvaluationFigures:
    """Figures of one evaluation on dev.

    Attributes:
        epoch: that it lies in, counted from 1.
        loss: the sum of the objectives' mean losses since the evaluation before.
        dev: the dev score.
        steps: number of the optimiser's steps since the start.
        seconds: since the evaluation before, evaluating included.
    """

    epoch: int
    loss: float
    dev: float
    steps: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Watch:
    """Work after each evaluation of a run, without effect on the weights.

    Attributes:
        keep: "all" to save the model of every evaluation, too.
        callback: gets the figures of each evaluation; training stops if it returns True.
        live: a page to write anew.
    """

    keep: Literal["best", "all"] = "best"
    callback: Callable[[EvaluationFigures], bool | None] | None = None
    live: LivePage | None = None

    def __post_init__(self) -> None:
        if self.callback is not None and not takes(self.callback, 1):
            raise invalid("callback", self.callback, expected="a function of one evaluation")


WATCH = Watch()
"""Nothing is done after an evaluation but a checkpoint."""


@dataclass(frozen=True, slots=True, repr=False)
class TrainingRun(Result):
    """Result of training.

    Attributes:
        name: name of the recipe.
        seed: seed of initial weights, batches and dropout.
        folder: the run directory.
        evaluations: figures on dev, one per epoch, or more if the recipe has ``evaluate_every``.
        best: the evaluation whose weights were kept, counted from 1.
        measure: the measure maximised on dev.
        dev: its value at the best evaluation.
        seconds: training time, evaluation on dev included.
        parameters: numbers that were learnt.
        warnings: overlap of dev with the training data, which inflates the dev score.
        truncation: number of texts of train and dev longer than the model's maximum.
        coverage: the fraction of these texts that the model knows.
        taken_over: the parts taken from the model to start from, where there was one.
        scale: on which graded labels were read; None where labels are no grades.
        stopped: True if a callback ended it.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
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
    coverage: Coverage | None = None
    taken_over: TakenOver | None = None
    scale: GradeScale | None = None
    stopped: bool = False

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.evaluations:
            yield {"epoch": one.epoch, "step": one.steps, "loss": one.loss, f"dev {self.measure}": one.dev}

    def _said(self) -> tuple[str, ...]:
        warnings = (f"warning: {words}" for words in self.warnings)
        scale = () if self.scale is None else (self.scale.sentence(),)
        stopped = ("stopped by the callback",) if self.stopped else ()
        kept = f"{self.name}, seed {self.seed}: {self.kept} was kept, in {self.model}"
        return (kept, *stopped, *scale, *warnings)

    def _summary(self) -> str:
        return f"{self.name}, seed {self.seed}, dev {self.measure} {self.dev:.4f}"

    def plot(self) -> Plot:
        """Loss and dev after each evaluation, for notebooks and files."""
        return figure_plot(f"Training of {self.name}", training_figure([self.curve()], self.measure))

    def curve(self) -> TrainingCurve:
        """Its curve in reports."""
        moments = tuple(
            Epoch(one.epoch, one.loss, one.dev, one.steps if self.by_step else None)
            for one in self.evaluations
        )
        kept = moments[self.best - 1]
        return TrainingCurve(self.name, self.seed, moments, best_epoch=kept.epoch, best_step=kept.step)

    def text(self) -> str:
        """The evaluations, the size, and where the model is."""
        best = self.evaluations[self.best - 1]
        steps = ("step",) if self.by_step else ()
        rows = [
            (
                f"{one.epoch}",
                *(f"{one.steps}" for _ in steps),
                f"{one.loss:.4f}",
                f"{one.dev:.4f}",
                "best" if one is best else "",
            )
            for one in self.evaluations
        ]
        table = text_table(("epoch", *steps, "loss", f"dev {self.measure}", ""), rows)
        return (
            f"{table}\n\n{self.parameters:,} parameters, trained in {self.seconds:.0f} s\nmodel: {self.model}"
        )

    def as_dict(self) -> dict[str, Any]:
        """The model's folder, and all that is known of the run."""
        return {"model": self.model, **asdict(self)}

    @property
    def by_step(self) -> bool:
        """True if an epoch has several evaluations, which only the step distinguishes."""
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

    @property
    def epochs(self) -> tuple[Path, ...]:
        """The model directory of each evaluation; empty unless all were kept."""
        found = (one.parent for one in (self.folder / EPOCHS).glob("*/textkin.json"))
        return tuple(sorted(found, key=_order_of_epochs))


def train(
    recipe: Recipe,
    material: Material,
    *,
    out: Path,
    seed: int = 0,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    tensorboard: bool = False,
    watch: Watch = WATCH,
    look_for_leaks: bool = True,
) -> TrainingRun:
    """Train a recipe, resume an interrupted run, or return the result of a finished one.

    A static encoder without ``material.start`` starts from the built-in encoder.

    Args:
        recipe: the recipe.
        material: the training material.
        out: the run directory.
        seed: seed of all random draws.
        device: the device to train on.
        tensorboard: also write event files into ``out/tensorboard``.
        watch: what is done after each evaluation.
        look_for_leaks: report texts that dev shares with the training data; False if already done.

    Raises:
        UsageError: ``out`` holds another run, or one without the models that are to be kept, or there are no
            such vectors.
        TrainingError: dev has one kind of label only, or a loss is not finite.
        OutputError: ``out`` can't be written to, or another process is writing there.
        MissingExtraError: torch is not installed, or tensorboard, if event files are asked for.
    """
    import_torch()
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
        if watch.keep == "all":
            _require_kept(out)
        if is_one_of_several():
            _agree(recipe, identity, is_finished=run is not None, device=device)
        if run is None:
            warnings = tuple(shared_with_dev(material)) if look_for_leaks else ()
            try:
                run = _fit(
                    recipe,
                    material,
                    out,
                    seed=seed,
                    device=device,
                    identity=identity,
                    warnings=warnings,
                    watch=watch,
                )
            except TextkinError:
                give_up(out)
                raise
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
    from textkin.models.model_folder import load_model
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


def _agree(recipe: Recipe, identity: dict[str, Any], *, is_finished: bool, device: str) -> None:
    """Join the processes that torchrun started, and make sure that they have the same run before them.

    Raises:
        UsageError: they don't.
        TrainingError: one of them can't be reached.
    """
    from textkin.training.device import Device

    joined = Device(device, precision=recipe.training.precision)
    joined.require_same({**in_words(identity), "results": is_finished})


def _require_encoder(recipe: Recipe) -> None:
    """Make sure that a recipe's model can find duplicates and search."""
    from textkin.networks.architectures.table import architecture
    from textkin.networks.architectures.tower import Tower

    if not issubclass(architecture(recipe.model.architecture), Tower):
        raise invalid(
            "dev",
            "duplicates",
            expected=f"pairs: the recipe {recipe.name} compares two texts at a time",
            fix="or train an encoder",
        )


def _begun(recipe: Recipe, material: Material) -> Material:
    """The material with its start: by default, a static encoder starts from the built-in one."""
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
    watch: Watch,
) -> TrainingRun:
    from textkin.models.manifest import ModelFacts
    from textkin.models.model_folder import Model, save_model
    from textkin.training.device import Device
    from textkin.training.loop import RunOptions
    from textkin.training.loop import train as run_loop
    from textkin.training.lora import merge_adapters

    trained_on = Device(device, precision=recipe.training.precision)
    lessons = lessons_of(recipe, material)
    untrained = _untrained(recipe, material, lessons, seed)
    module, pipeline = untrained.module, untrained.pipeline
    trained_on.require(module)
    dev = lessons.dev(pipeline)
    accounts = lessons.accounts(pipeline, name=recipe.name)
    objectives = lessons.objectives(untrained, seed=seed)
    claim(out, identity, recipe)
    warnings = (*warnings, *lessons.warnings())
    _tell(warnings, accounts, lessons.scale, untrained.taken_over)
    facts = ModelFacts(
        recipe.name,
        provenance={
            **identity,
            PRETRAINED_ON: [] if material.start is None else list(pretraining_of(material.start)),
            "textkin": __version__,
        },
        classes=lessons.classes,
        seen=_seen(lessons, material.start),
    )
    model = Model(facts, recipe.model.architecture, untrained.arguments, module, pipeline)
    result = run_loop(
        module,
        objectives,
        settings=recipe.training,
        dev=dev,
        folder=out,
        seed=seed,
        device=trained_on,
        options=RunOptions(
            f"{recipe.name}, seed {seed}",
            keep=partial(_save_epoch, model, out, dev.measure) if watch.keep == "all" else None,
            stops=partial(_after, watch) if watch.callback or watch.live else None,
        ),
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
        truncation=next(iter(accounts.truncations), None),
        coverage=next(iter(accounts.coverages), None),
        taken_over=untrained.taken_over,
        scale=lessons.scale,
        stopped=result.stopped,
    )
    merge_adapters(module)
    if trained_on.is_main:
        model = _scored(model, {dev.measure: run.dev})
        save_model(model, out / MODEL)
        _keep_passport(model, out / MODEL)
        write_json(out / RESULT, {**asdict(run), "folder": None})
    trained_on.wait()
    return run


def _scored(model: Model, dev: dict[str, float]) -> Model:
    """A model with its dev score in its provenance."""
    facts = model.facts
    return replace(model, facts=replace(facts, provenance={**facts.provenance, "dev": dev}))


def _save_epoch(model: Model, out: Path, measure: str, evaluation: Evaluation) -> None:
    """Save the model of an evaluation beside that of the best one."""
    from textkin.models.model_folder import save_model
    from textkin.training.lora import merge_adapters

    name = _name_of_epoch(evaluation)
    module = copy.deepcopy(model.module)
    merge_adapters(module)
    facts = replace(model.facts, name=f"{model.name}, epoch {name}")
    found = replace(model, facts=facts, module=module.eval())
    save_model(_scored(found, {measure: evaluation.dev}), out / EPOCHS / name)


def _name_of_epoch(evaluation: Evaluation) -> str:
    """The name of an evaluation's folder in ``epochs/``."""
    return f"{evaluation.epoch}" + ("" if evaluation.ends_epoch else f"-step-{evaluation.steps}")


def _require_kept(out: Path) -> None:
    """Refuse to go on with a run, or to return it, that did not keep the model of every evaluation so far.

    Raises:
        UsageError: a model is missing.
        ModelError: the latest checkpoint is broken.
    """
    from textkin.training.checkpoint import latest_checkpoint
    from textkin.training.loop import CHECKPOINTS

    latest = latest_checkpoint(out / CHECKPOINTS)
    for one in () if latest is None else latest.history:
        if not (out / EPOCHS / _name_of_epoch(one)).is_dir():
            raise invalid(
                "keep_checkpoints",
                "all",
                expected=f"best: {out} holds a run that did not keep the model of {one.where}",
                fix="or train into another folder",
            )


def _order_of_epochs(folder: Path) -> tuple[int, float]:
    """The epoch and the step of a model's folder in ``epochs/``; the end of an epoch comes last."""
    epoch, _, step = folder.name.partition("-step-")
    return int(epoch), float(step or "inf")


def _after(watch: Watch, evaluation: Evaluation) -> bool:
    """Show the evaluation; True if the callback ends the training."""
    if watch.live is not None:
        watch.live.show()
    return watch.callback is not None and _asks_to_stop(watch.callback, evaluation)


def _asks_to_stop(callback: Callable[[EvaluationFigures], bool | None], evaluation: Evaluation) -> bool:
    """The callback's answer after an evaluation.

    Raises:
        TrainingError: it raises an error, or answers something else.
    """
    try:
        (figures,) = _figures([evaluation])
        answer = callback(figures)
    except (Exception, SystemExit) as error:  # a user's code may raise any
        raise TrainingError(
            f"`callback` failed after {evaluation.where}: {type(error).__name__}: {said(error)}",
            fix=f"correct {line_of(error) or 'it'}; the same call resumes from the last checkpoint",
        ) from error
    if answer is None or isinstance(answer, bool | np.bool_):
        return bool(answer)
    raise TrainingError(
        f"`callback` returned {answer!r} after {evaluation.where}, expected True to stop, or False or None",
        fix="correct it; the same call resumes from the last checkpoint",
    )


def _keep_passport(model: Model, folder: Path) -> None:
    """Write the model's passport; a model that can have none is no reason to lose a training."""
    from textkin.kinds.systems.passports import keep_passport
    from textkin.models.inference.any_system import system_of

    try:
        keep_passport(system_of(model), folder)
    except ModelError as error:
        note(f"warning: {folder} gets no passport: {error}")


def _tell(warnings: Iterable[str], accounts: DataCoverage, *taken: GradeScale | TakenOver | None) -> None:
    """Say how a run begins; of processes that torchrun started, the first one does."""
    if not is_first_process():
        return
    for words in (*warnings, *accounts.sentences()):
        note(f"warning: {words}")
    for words in (one.sentence() for one in taken if one is not None):
        if words:
            note(words)


def _figures(history: Sequence[Evaluation]) -> tuple[EvaluationFigures, ...]:
    return tuple(
        EvaluationFigures(one.epoch, sum(one.losses.values()), one.dev, one.steps, one.seconds)
        for one in history
    )


def _seen(lessons: Lessons, start: Path | None) -> Seen:
    """Training data of the model, and of the model it started from."""
    from textkin.models.manifest import read_seen

    own, before = lessons.seen(), None if start is None else read_seen(start)
    return own if before is None else before | own


def _untrained(recipe: Recipe, material: Material, lessons: Lessons, seed: int) -> Assembled:
    """The pipeline and the network that training starts from."""
    from textkin.models.model_folder import load_model
    from textkin.training.assemble import assemble, continued

    texts = lessons.texts()
    if not texts:
        raise TrainingError("there are no training pairs", fix="give a file with pairs")
    outputs = max(1, len(lessons.classes))
    if material.start is None:
        return assemble(
            recipe,
            texts,
            seed=seed,
            vectors=material.vectors,
            vocabulary=material.vocabulary,
            outputs=outputs,
        )
    for option in ("vectors", "vocabulary"):
        if getattr(material, option) is not None:
            raise conflict(option, "start", why="training takes them from the model that it starts from")
    return continued(recipe, load_model(material.start), seed=seed, outputs=outputs)


def _identity(recipe: Recipe, material: Material, seed: int) -> dict[str, Any]:
    from textkin.models.own_code import CODE, code_of_recipe

    vectors, vocabulary, suite = material.vectors, material.vocabulary, material.suite
    code = code_of_recipe(recipe)
    # Labels are numbers of classes, so that content hashes don't tell their names.
    classes = [getattr(one, "classes", ()) for one in (material.train, material.dev, *material.more)]
    return {
        **({CODE: code} if code else {}),
        **({"classes": list(map(list, classes))} if any(classes) else {}),
        "recipe": recipe.to_dict(),
        "seed": seed,
        "train_sha256": content_hash(material.train),
        "dev_sha256": content_hash(material.dev),
        "suite": None if suite is None else [material.choose_by, content_hash(suite)],
        "chooses": None if material.chooses is None else content_hash(material.chooses),
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
    try:
        return restored(TrainingRun, {**run_json(path), "folder": str(out)})
    except ValueError as error:
        raise taken(f"{path} does not hold the result of a run: {error}") from error
