"""A table of systems as a folder describes it: trained, combined, compared.

``table.toml`` has these keys; paths are from its folder::

    test = "test.tsv"               # what is measured
    dev = "dev.tsv"                 # chooses epochs, and fits ensembles
    train = "train.tsv"             # what recipes learn from; only for recipes
    systems = ["net.toml", "lucene:100", "bm25", "../model"]
    corpus = ["questions/"]         # and support, for choosers; optional, as all below
    seeds = 1                       # trainings of each recipe
    combine = "logistic"            # of ensembles
    against = "Lucene3"             # the system to compare with
    baselines = ["first", "longest"]

    [predictions.google]            # of other programs: a file, or several for several seeds
    dev = "google-dev.csv"          # only for ensembles
    test = "google-test.csv"

    [ensembles]
    Lucene3 = ["lucene:100", "lucene:500", "lucene:1000"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from textkin.base.errors import ConfigError, did_you_mean
from textkin.base.files import sole_writer
from textkin.base.paths import exists, is_file
from textkin.base.progress import note
from textkin.base.results import Result, ResultRow
from textkin.data.choice_records import LOOKING_UP, SUPPORT, with_number
from textkin.data.readers.text_files import read_bytes
from textkin.kinds.exam_corpora import Corpora
from textkin.kinds.measured_table import Measured
from textkin.kinds.measuring import Options
from textkin.measures.intervals.sampling import Sampling
from textkin.networks.recipes.recipe import Recipe, load_recipe
from textkin.verbs.ensemble.fitted_ensemble import fit_ensemble
from textkin.verbs.evaluate.agree import AgreementResult, agree
from textkin.verbs.evaluate.comparison import compared
from textkin.verbs.train.train_given import TrainOptions, train_given

TABLE = "table.toml"

Files = str | tuple[str, ...]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Foreign(_Section):
    """Files with the predictions of another program."""

    test: Files
    dev: str | None = None


class TableFile(_Section):
    """The contents of ``table.toml``; see the module."""

    test: str
    systems: tuple[str, ...] = ()
    dev: str | None = None
    train: str | None = None
    corpus: tuple[str, ...] = ()
    support: tuple[str, ...] = ()
    seeds: int = Field(default=1, ge=1)
    combine: Literal["mean", "rank", "rrf", "weighted", "logistic", "sum"] = "logistic"
    against: str | None = None
    baselines: tuple[str, ...] | None = None
    predictions: Mapping[str, Foreign] = Field(default_factory=dict)
    ensembles: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Settings of a run."""

    device: Literal["auto", "cpu", "cuda"] = "auto"
    accept_leaks: bool = False
    download: bool = False
    sampling: Sampling = field(default_factory=Sampling)


@dataclass(frozen=True, slots=True, repr=False)
class TableResult(Result):
    """Systems side by side, and their agreement.

    Attributes:
        folder: where models, ensembles, ``table.md``, ``.csv`` and ``.tex``, and ``agreement.html`` are.
        measured: the table.
        agreement: who agrees with whom, without ensembles.

    Example:
        >>> import textkin as tk
        >>> from pathlib import Path
        >>> def write(name, *lines):
        ...     with Path(name).open("w") as file:
        ...         print(*lines, sep=chr(10), file=file)
        >>> asked = "What melts?,ice,stone,A", "What burns?,tea,wood,B"
        >>> write("test.csv", "question,answerA,answerB,correctAnswer", *asked)
        >>> write("table.toml", 'test = "test.csv"', 'systems = ["longest", "tfidf"]')
        >>> found = tk.table(Path("."), out="out", resamples=100, rounds=100)
        >>> found.agreement.items
        2
    """

    folder: Path
    measured: Measured
    agreement: AgreementResult

    def _rows(self) -> Iterator[ResultRow]:
        yield from self.measured._rows()

    def text(self) -> str:
        """The table, then the agreement."""
        return "\n\n".join([self.measured.text(), self.agreement.text(), f"written: {self.folder}"])

    def _summary(self) -> str:
        return self.measured._summary()

    def as_dict(self) -> dict[str, Any]:
        """Both tables."""
        measured, agreement = self.measured.as_dict(), self.agreement.as_dict()
        return {"folder": self.folder, "measured": measured, "agreement": agreement}


def read_table(folder: Path) -> TableFile:
    """Read ``table.toml``.

    Raises:
        ConfigError: it is missing, no TOML, or has an unknown key or a wrong value.
    """
    path = folder / TABLE
    if not is_file(path):
        raise ConfigError(f"{folder} has no {TABLE}", fix="name test, systems and ensembles there")
    try:
        return TableFile.model_validate(tomllib.loads(read_bytes(path).decode("utf-8-sig")))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        known = (
            did_you_mean(key, TableFile.model_fields) if first["type"] == "extra_forbidden" else "correct it"
        )
        raise ConfigError(f"{path}: {key}: {first['msg']}", fix=known) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}", fix="correct it") from error


def make_table(folder: Path, out: Path, options: TableOptions) -> TableResult:
    """Train, combine and compare what a folder describes; what is trained already is not trained again."""
    asked = read_table(folder)
    systems = _systems(folder, asked)
    with sole_writer(out) as target:
        models = {name: _models(one, name, folder, target, asked, options) for name, one in systems.items()}
        combined = {name: _combined(name, folder, target, asked, models, options) for name in asked.ensembles}
        measured = compared(
            folder / asked.test,
            models={**models, **combined},
            options=replace(
                _options(folder, asked, [*models, *(asked.baselines or ())], options),
                baselines=asked.baselines,
                reference=asked.against,
                out=target / "compare",
            ),
        )
        for ending in ("md", "csv", "tex"):
            measured.save_table(target / f"table.{ending}")
        agreement = agree(
            folder / asked.test, models=models, options=_options(folder, asked, list(models), options)
        )
        agreement.write(target / "agreement.html")
    return TableResult(out, measured, agreement)


def _systems(folder: Path, asked: TableFile) -> dict[str, str | Recipe | Foreign]:
    """The systems by name: recipes, predictions and words for models.

    Raises:
        ConfigError: a name comes twice, a file is missing, or an ensemble has an unknown member.
    """
    found: dict[str, str | Recipe | Foreign] = {}
    for word in asked.systems:
        recipe = load_recipe(str(folder / word)) if word.endswith(".toml") else None
        place = str(folder / word) if recipe is None and exists(folder / word) else word
        name = word if recipe is None else recipe.name
        if name in found:
            raise ConfigError(f"{folder / TABLE}: two systems are called {name}", fix="rename one")
        found[name] = place if recipe is None else recipe
    found |= asked.predictions
    if any(isinstance(one, Recipe) for one in found.values()) and None in (asked.train, asked.dev):
        raise ConfigError(f"{folder / TABLE}: recipes need `train` and `dev`", fix="name the files")
    for name, members in asked.ensembles.items():
        if asked.dev is None:
            raise ConfigError(f"{folder / TABLE}: ensembles are fitted on `dev`", fix="name the file")
        for member in members:
            if member not in found:
                message = f"{folder / TABLE}: the ensemble {name} has {member!r}, which is not a system"
                raise ConfigError(message, fix=did_you_mean(member, found))
    return found


def _models(
    one: str | Recipe | Foreign, name: str, folder: Path, out: Path, asked: TableFile, options: TableOptions
) -> tuple[str, ...]:
    """The models or files of a system, one a seed; recipes are trained."""
    if isinstance(one, Foreign):
        files = (one.test,) if isinstance(one.test, str) else one.test
        return tuple(str(folder / file) for file in files)
    if isinstance(one, str):
        return (one,)
    assert asked.train is not None  # noqa: S101 - _systems() has seen to it
    assert asked.dev is not None  # noqa: S101 - likewise
    found = []
    for seed in range(asked.seeds):
        run = train_given(
            folder / asked.train,
            dev=folder / asked.dev,
            recipe=one,
            out=out / "trained" / f"{name}-seed{seed}",
            options=TrainOptions(seed=seed, device=options.device, download=options.download),
        )
        note(f"{name}, seed {seed}: dev {run.measure} {run.dev:.4f}")
        found.append(str(run.model))
    return tuple(found)


def _combined(
    name: str,
    folder: Path,
    out: Path,
    asked: TableFile,
    models: Mapping[str, tuple[str, ...]],
    options: TableOptions,
) -> tuple[str, ...]:
    """The folder of an ensemble, fitted on dev; all seeds of a system are members."""
    members: dict[str, str] = {}
    for member in asked.ensembles[name]:
        given = asked.predictions.get(member)
        if given is not None and given.dev is None:
            raise ConfigError(
                f"{folder / TABLE}: {name} needs the predictions of {member} on dev", fix="name them"
            )
        members |= {member: str(folder / str(given.dev))} if given else {one: one for one in models[member]}
    target = out / "ensembles" / name
    found = fit_ensemble(
        members,
        folder / str(asked.dev),
        target,
        combine=asked.combine,
        folds=5,
        options=_options(folder, asked, asked.ensembles[name], options),
    )
    note(f"{name}: dev {found.compared.measure} {found.compared.ensemble.value:.4f}, cross-fitted")
    return (str(target),)


def _options(folder: Path, asked: TableFile, words: Sequence[str], options: TableOptions) -> Options:
    """The options of measuring, with the corpora that these systems search."""
    names = [with_number(word)[0] for word in words]
    corpus = asked.corpus if any(name in LOOKING_UP for name in names) else ()
    support = asked.support if any(name.startswith(SUPPORT) for name in names) else ()
    return Options(
        sampling=options.sampling,
        corpora=Corpora(
            corpus=tuple(folder / one for one in corpus), support=tuple(folder / one for one in support)
        ),
        accept_leaks=options.accept_leaks,
        download=options.download,
    )
