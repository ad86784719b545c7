"""The folder of a contest, and the identity of contests.

::

    contest.json     the settings and the data; another contest in the folder is refused
    data/            a copy of the test file
    trained/         one run directory for each recipe and seed
    runs/            qrels.trec and a run of each system and seed; for pairs scores.tsv, classes.tsv or both
    report.html      and report.json, report.md
    hashes.json      SHA-256 of all of these but checkpoints

Recipes, seeds, question sets and measures can be added later: trained models are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, final

from textkin.base.argument_checks import check_fields
from textkin.base.errors import UsageError, invalid
from textkin.base.files import sha256_of_file, write_bytes, write_json
from textkin.base.python_inputs import several
from textkin.data.pair_set_operations import content_hash
from textkin.data.readers import Reading
from textkin.data.readers.read_options import Questions
from textkin.kinds.pair_figures import Sampling
from textkin.models.provenance import hash_of_model, hash_of_vectors
from textkin.networks.recipes.recipe import Recipe, Task
from textkin.verbs.experiments.contestants import ALL
from textkin.verbs.experiments.study_defaults import ANALYSER
from textkin.verbs.experiments.study_folder import read_json
from textkin.verbs.train.dataset_splits import Dataset, Selection, Sources
from textkin.verbs.train.train_recipe import MODEL

CONTEST, DATA, TRAINED, RUNS = "contest.json", "data", "trained", "runs"
_ELSEWHERE = "choose another output folder, or remove that one"
_IN_WORDS = {
    "task": "task",
    "train": "training data",
    "dev": "dev data",
    "test": "test file",
    "vectors": "word vectors",
    "start": "model to start from",
}
"""What all that is trained and measured in one folder must have in common."""


@final
@dataclass(frozen=True, slots=True)
class ContestOptions:
    """Options of a contest.

    Attributes:
        recipes: names of bundled recipes, paths of TOML files, or "all" for the bundled ones that fit.
        seeds: number of runs of each, with the seeds 0, 1, ...
        task: the task; None to infer it from the recipes, or else from the training file.
        vectors: pretrained word vectors or a model2vec folder, for the recipes and for the baseline
            mean-vectors.
        analyser: a language: tfidf and bm25 read plainly and by its stemmer and stop words, and test has the
            one that is stronger on dev; or plain.
        start: a model directory that every recipe and seed starts from; or the folder of another contest,
            where each starts from the model of the same recipe and seed.
        jobs: number of parallel trainings, each in a process with one thread; None for one at a time.
        questions: for candidates: the question set that is measured.
        train_questions: for candidates: the question set of train and dev.
        measures: for rankings; the first is the main one.
        decisions: for yes-or-no pairs: measure decisions of systems by thresholds that are fitted on dev for
            the best accuracy, one for each seed, rather than their scores.
        device: the device to train on.
        sampling: the draws for intervals and tests.
        reading: reading options of all files, but for the question sets.

    Example:
        >>> import textkin as tk
        >>> tk.ContestOptions(recipes=("siamese-bag", "static"), seeds=1).seeds
        1
    """

    recipes: tuple[str, ...] = (ALL,)
    seeds: int = 3
    task: Task | None = None
    vectors: Path | None = None
    analyser: str = ANALYSER
    start: Path | None = None
    jobs: int | None = None
    questions: Questions = "answered"
    train_questions: Questions = "answered"
    measures: tuple[str, ...] = ()
    decisions: bool = False
    device: Literal["auto", "cpu", "cuda"] = "auto"
    sampling: Sampling = field(default_factory=Sampling)
    reading: Reading = field(default_factory=Reading)

    def __post_init__(self) -> None:
        check_fields(self)
        several(self.recipes, "recipes")
        several(self.measures, "measures")

    def choice(self, task: Task | None) -> Selection:
        """The selection of questions and columns of the files."""
        return Selection(task, self.questions, self.train_questions, self.reading)

    @property
    def earlier(self) -> Mapping[str, Any] | None:
        """The settings of the contest to start from, if ``start`` is a contest's folder.

        Raises:
            UsageError: its description can't be read.
        """
        path = None if self.start is None else self.start / CONTEST
        return read_json(path) if path is not None and path.exists() else None

    def start_of(self, name: str, seed: int) -> Path | None:
        """The model that training of a recipe with a seed starts from."""
        if self.start is None or self.earlier is None:
            return self.start
        return self.start / TRAINED / f"{name}-seed{seed}" / MODEL

    def start_hash(self) -> str | None:
        """The hash of the model to start from, or of the training data of another contest's models.

        Raises:
            UsageError: the folder is neither.
        """
        if self.start is None:
            return None
        return hash_of_model(self.start) if self.earlier is None else str(self.earlier.get("train"))

    def start_spared(self, test: Path) -> bool:
        """True if the contest to start from excluded this test, as all do."""
        return self.earlier is not None and self.earlier.get("test") == sha256_of_file(test)


def settings_of(
    sources: Sources, dataset: Dataset, recipes: Mapping[str, Recipe], options: ContestOptions
) -> dict[str, Any]:
    """All that decides a contest, in JSON's types.

    Raises:
        UsageError: the vectors or a model to start from can't be read.
    """
    return {
        "task": dataset.task,
        "train": content_hash(dataset.train),
        "dev": content_hash(dataset.dev),
        "test": sha256_of_file(sources.test),
        "vectors": None if options.vectors is None else hash_of_vectors(options.vectors),
        "start": options.start_hash(),
        "test_file": sources.test.name,
        "classes": list(getattr(dataset.test, "classes", ())),
        "kind": getattr(dataset.test, "kind", None),
        "recipes": {name: recipe.to_dict() for name, recipe in recipes.items()},
        "seeds": options.seeds,
        "questions": options.questions,
        "measures": list(options.measures),
        "decisions": options.decisions,
        "analyser": options.analyser,
        "sampling": asdict(options.sampling),
        "reading": options.reading.to_dict(),
    }


def claim(folder: Path, settings: Mapping[str, Any], *, test: Path) -> None:
    """Make ``folder`` that of this contest, with a copy of the test file.

    Raises:
        UsageError: it holds anything else.
        OutputError: it can't be written to.
    """
    path = folder / CONTEST
    if path.exists():
        found = read_json(path)
        if changed := [words for key, words in _IN_WORDS.items() if found.get(key) != settings[key]]:
            raise UsageError(
                f"`out` {folder} holds another contest, with other {', '.join(changed)}",
                fix=_ELSEWHERE,
                params=("out",),
                value=folder,
            )
    elif any(not item.name.startswith(".") for item in folder.iterdir()):
        raise invalid("out", folder, expected="an empty folder, or one with a contest")
    else:
        write_json(path, settings)
    write_bytes(folder / DATA / test.name, test.read_bytes())
