"""The run directory of a study, and the identity of studies.

::

    study.json       the settings of the study; another study in the folder is refused
    trained/         one run directory for each recipe and seed
    report.html      and report.json, report.md
    hashes.json      SHA-256 of all of these but checkpoints

of a file of pairs::

    split/           train.tsv, dev.tsv, test.tsv, or .parquet and the like, split.json
    scores/          dev.tsv and test.tsv: every system's score of every pair; curve.tsv if there is a curve
    model/           the model to use, with threshold, calibration and card

and of sides that were made before::

    data/            a copy of the test file, or of the folder that is searched
    runs/            qrels.trec and a run of each system and seed; for pairs scores.tsv, classes.tsv or both

To the latter models, seeds, question sets and measures can be added: what is trained is kept.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from textkin.base.argument_checks import check_fields
from textkin.base.errors import DataError, UsageError, inapplicable, invalid
from textkin.base.files import sha256_of_file, write_bytes, write_json
from textkin.base.python_inputs import several
from textkin.data.pair_set_operations import content_hash
from textkin.data.readers import Reading, load_pairs
from textkin.data.readers.datasets.beir import write_beir
from textkin.data.readers.read_options import Questions
from textkin.data.records import LabelKind, PairSet
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.sampling import Sampling
from textkin.models.provenance import hash_of_model, hash_of_vectors
from textkin.networks.recipes.recipe import Task
from textkin.report.content import StudyReport
from textkin.report.write import write_report
from textkin.text.baselines.analysers import analyser_of
from textkin.verbs.experiments.study_defaults import ANALYSER
from textkin.verbs.experiments.study_models import Entrant
from textkin.verbs.train.dataset_splits import Dataset, Selection, Sources
from textkin.verbs.train.live import PAGE as LIVE
from textkin.verbs.train.live import LivePage
from textkin.verbs.train.train_recipe import MODEL as TRAINED_MODEL

STUDY, TRAINED, REPORT, HASHES = "study.json", "trained", "report.json", "hashes.json"
SPLIT, SCORES, MODEL = "split", "scores", "model"
DATA, RUNS = "data", "runs"
_ELSEWHERE = "choose another output folder, or remove that one"
_UNHASHED = frozenset({HASHES, "checkpoints", LIVE})
_FIXED = ("task", "train", "dev", "test", "vectors", "start")
"""What all that is trained and measured on given sides in one folder has in common."""


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """Options of a study.

    Attributes:
        models: recipes, by name or path, and pretrained models; see ``study_models.py``. None: for a file of
            pairs those that ``study_defaults.py`` has for their number, for given sides all that fit.
        seeds: number of runs of each, with the seeds 0, 1, ...
        vectors: pretrained word vectors or a model2vec folder, for the recipes and for the baseline
            mean-vectors.
        analyser: a language: tfidf and bm25 read plainly and by its stemmer and stop words, and test has the
            one that is stronger on dev; or plain. BM25 is tuned on dev, and test has its defaults, too.
        device: the device to train on.
        sampling: the draws for intervals and tests.
        reading: reading options of the file or of the sides; its question set is that of test.
        download: fetch pretrained models from the hub that are not at hand.
        goal: goal of the threshold, of a file of pairs, as are the next four.
        more: files of further pairs that mean the same, to train on; what is linked to dev or test is left
            out.
        curve: also train the best recipe on 12, 25 and 50 % of the labels.
        split_seed: seed of the split.
        similarity: also keep texts together that are this similar; see ``near_duplicates.py``.
        task: the task of given sides, as are the others below; None to infer it from the models, or else from
            the training file.
        start: a model directory that every recipe and seed starts from; or the folder of another study of
            given sides, where each starts from the model of the same recipe and seed.
        jobs: number of parallel trainings, each in a process with one thread; None for one at a time.
        train_questions: for candidates: the question set of train and dev.
        measures: for rankings; the first is the main one.
        decisions: for yes-or-no pairs: measure decisions of systems by thresholds that are fitted on dev for
            the best accuracy, one for each seed, rather than their scores.
        call: the call as the user would write it, for the report.
        live: also write a page that follows the training.

    Example:
        >>> StudyOptions(models=("static",), seeds=1).goal
        f1
    """

    models: tuple[str, ...] | None = None
    seeds: int = 3
    vectors: Path | None = None
    analyser: str = ANALYSER
    device: Literal["auto", "cpu", "cuda"] = "auto"
    sampling: Sampling = field(default_factory=Sampling)
    reading: Reading = field(default_factory=Reading)
    download: bool = False
    goal: Goal = field(default_factory=lambda: Goal.parse("f1"))
    more: tuple[Path, ...] = ()
    curve: bool = False
    split_seed: int = 42
    similarity: float | None = None
    task: Task | None = None
    start: Path | None = None
    jobs: int | None = None
    train_questions: Questions = "answered"
    measures: tuple[str, ...] = ()
    decisions: bool = False
    call: str = field(default="", compare=False)
    live: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("models", "more", "measures"):
            several(getattr(self, name) or (), name)
        if self.models == ():
            raise invalid("models", "", expected="names of recipes or models")
        analyser_of(self.analyser)

    def refuse_of_others(self, *, of_sides: bool, is_split: bool) -> None:
        """Refuse options that are not for such data.

        Args:
            of_sides: train, dev and test are given, or a file is split into them first.
            is_split: a file is split.

        Raises:
            UsageError: one is given.
        """
        names = _OF_FILES if of_sides else _OF_SIDES
        given = [name for name in names if getattr(self, name) != getattr(_USUAL, name)]
        if wrong := [names[name] for name in given if not (is_split and name == "split_seed")]:
            to = "queries with candidates" if is_split else "train, dev and test"
            raise inapplicable(*wrong, to=to if of_sides else "a file of pairs")

    def live_page(self, folder: Path, recipes: Iterable[str]) -> LivePage | None:
        """The page that follows the training of some recipes, if it is wanted."""
        title = f"Training of {', '.join(dict.fromkeys(recipes))}"
        return LivePage(folder, title) if self.live else None

    def choice(self, task: Task | None) -> Selection:
        """The selection of questions and columns of given sides."""
        return Selection(task, self.train_questions, self.reading)

    @property
    def earlier(self) -> Mapping[str, Any] | None:
        """The settings of the study to start from, if ``start`` is a study's folder.

        Raises:
            DataError: its description can't be read.
        """
        path = None if self.start is None else self.start / STUDY
        return study_json(path) if path is not None and path.exists() else None

    def start_of(self, name: str, seed: int) -> Path | None:
        """The model that training of a recipe with a seed starts from."""
        if self.start is None or self.earlier is None:
            return self.start
        return self.start / TRAINED / f"{name}-seed{seed}" / TRAINED_MODEL

    def start_hash(self) -> str | None:
        """The hash of the model to start from, or of the training data of another study's models.

        Raises:
            UsageError: the folder is neither.
        """
        if self.start is None:
            return None
        return hash_of_model(self.start) if self.earlier is None else str(self.earlier.get("train"))

    def start_spared(self, test: str) -> bool:
        """True if the study to start from excluded the test of this hash, as all do."""
        return self.earlier is not None and self.earlier.get("test") == test


_USUAL = StudyOptions()
_OF_FILES = {
    "curve": "curve",
    "goal": "precision",
    "more": "more",
    "similarity": "near",
    "split_seed": "split_seed",
}
_OF_SIDES = {name: name for name in ("decisions", "measures", "start", "task", "train_questions")}


def settings_of(source: Path, entrants: Mapping[str, Entrant], options: StudyOptions) -> dict[str, Any]:
    """All that decides a study of a file of pairs, in JSON's types; files count by their content.

    Raises:
        UsageError: a file of vectors or further pairs can't be read.
    """
    return {
        "data": sha256_of_file(source),
        **_settings(entrants, options),
        "goal": str(options.goal),
        "more": [sha256_of_file(path) for path in options.more],
        "curve": options.curve,
        "split_seed": options.split_seed,
        "similarity": options.similarity,
        "device": options.device,
    }


def settings_of_sides(
    sources: Sources, dataset: Dataset, entrants: Mapping[str, Entrant], options: StudyOptions
) -> dict[str, Any]:
    """All that decides a study of given sides, in JSON's types.

    Raises:
        UsageError: the vectors or a model to start from can't be read.
    """
    return {
        "task": dataset.task,
        "train": content_hash(dataset.train),
        "dev": content_hash(dataset.chooses or dataset.dev),
        "test": hash_of_test(sources, dataset),
        "start": options.start_hash(),
        "test_file": sources.test.name,
        "classes": list(getattr(dataset.test, "classes", ())),
        "kind": getattr(dataset.test, "kind", None),
        **_settings(entrants, options),
        "measures": list(options.measures),
        "decisions": options.decisions,
    }


def hash_of_test(sources: Sources, dataset: Dataset) -> str:
    """The hash of the test file, or of what is in the folder that is searched."""
    return sha256_of_file(sources.test) if dataset.searched is None else content_hash(dataset.searched)


def write_test(sources: Sources, dataset: Dataset, folder: Path) -> None:
    """Copy the test file, or write the folder that is searched, into a run folder.

    Raises:
        OutputError: it can't be written.
    """
    target = folder / DATA / sources.test.name
    if dataset.searched is None:
        write_bytes(target, sources.test.read_bytes())
    else:
        write_beir(dataset.searched, target)


def _settings(entrants: Mapping[str, Entrant], options: StudyOptions) -> dict[str, Any]:
    return {
        "models": {name: entrant.to_dict() for name, entrant in entrants.items()},
        "seeds": options.seeds,
        "vectors": None if options.vectors is None else hash_of_vectors(options.vectors),
        "analyser": options.analyser,
        "sampling": asdict(options.sampling),
        "reading": options.reading.to_dict(),
    }


def refuse_others(folder: Path, settings: Mapping[str, Any]) -> None:
    """Make sure that ``folder`` is free, or holds the study of these settings.

    A split alone doesn't count: it remains of a study that could not begin. A study of given sides may go on
    with other models, seeds or measures.

    Raises:
        UsageError: it holds anything else.
    """
    path = folder / STUDY
    if not path.exists():
        if any(item.name != SPLIT for item in folder.iterdir() if not item.name.startswith(".")):
            raise invalid("out", folder, expected="an empty folder, or one with a study")
        return
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
        found["reading"] = Reading.from_dict(found["reading"]).to_dict()
        decisive = _FIXED if is_of_sides(settings) and is_of_sides(found) else {*settings, *found}
        changed = sorted(key for key in decisive if found.get(key) != settings.get(key))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"{path} does not describe a study", fix=_ELSEWHERE, params=("out",), value=folder
        ) from error
    if changed:
        raise another_study(folder, changed)


def another_study(folder: Path, changed: Sequence[str]) -> UsageError:
    """The error that a folder holds a study of other settings."""
    return UsageError(
        f"`out` {folder} holds another study, with other {', '.join(changed)}",
        fix=_ELSEWHERE,
        params=("out",),
        value=folder,
    )


def is_of_sides(settings: Mapping[str, Any]) -> bool:
    """True for the settings of a study of given sides."""
    return "task" in settings


def read_sides(folder: Path, reading: Reading) -> dict[str, PairSet]:
    """Train, dev and test of a study, read from its split.

    Args:
        folder: the run directory.
        reading: the study's; the sides are in the format of its file, in textkin's own quoting.

    Raises:
        DataError: a file is missing or has changed.
    """
    split = study_json(folder / SPLIT / "split.json")
    asked = reading.side(split["input"]["format"])
    files = {Path(file).stem: file for file in split["files"]}
    sides = {
        name: load_pairs(folder / SPLIT / files[name], reading=asked).data
        for name in ("train", "dev", "test")
    }
    # A small side of graded pairs may hold labels of 0 and 1 only.
    graded = any(side.kind is LabelKind.GRADED for side in sides.values())
    return {name: replace(side, kind=LabelKind.GRADED) if graded else side for name, side in sides.items()}


def publish(report: StudyReport, folder: Path) -> Path:
    """Write the report in all its forms, then the hashes of everything, and return the page."""
    page = write_report(report, folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [path.relative_to(folder) for path in files]
    kept = [
        name
        for name in names
        if not _UNHASHED.intersection(name.parts) and not any(part.startswith(".") for part in name.parts)
    ]
    write_json(folder / HASHES, {name.as_posix(): sha256_of_file(folder / name) for name in kept})
    return page


def study_json(path: Path) -> dict[str, Any]:
    """A JSON object of a finished study.

    Raises:
        DataError: it is missing, or no JSON object.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(
            "can't be read, so this is not the folder of a finished study",
            path=path,
            fix="give the folder that a study wrote to `out`",
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"is not JSON: {error}", path=path, fix="run the study again") from error
    if not isinstance(found, dict):
        raise DataError("is not a JSON object", path=path, fix="run the study again")
    return found
