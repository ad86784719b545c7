"""The run directory of a study, and the identity of studies.

::

    study.json       the settings of the study; another study in the folder is refused
    split/           train.tsv, dev.tsv, test.tsv, or .parquet and the like, split.json
    trained/         one run directory for each recipe and seed
    scores/          dev.tsv and test.tsv: every system's score of every pair; curve.tsv if there is a curve
    model/           the model to use, with threshold, calibration and card
    report.html      and report.json, report.md
    hashes.json      SHA-256 of all of these but checkpoints
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, final

from textkin.base.argument_checks import check_fields
from textkin.base.errors import DataError, UsageError, invalid
from textkin.base.files import sha256_of_file, write_json
from textkin.base.python_inputs import several
from textkin.data.readers import Reading, load_pairs
from textkin.data.records import LabelKind, PairSet
from textkin.kinds.pair_figures import Sampling
from textkin.measures.decisions.goal import Goal
from textkin.models.provenance import hash_of_vectors
from textkin.report.content import StudyReport
from textkin.report.write import write_report
from textkin.verbs.experiments.study_defaults import ANALYSER
from textkin.verbs.experiments.study_models import Entrant

STUDY, SPLIT, TRAINED, SCORES, MODEL = "study.json", "split", "trained", "scores", "model"
REPORT, HASHES = "report.json", "hashes.json"
_ELSEWHERE = "choose another output folder, or remove that one"
_UNHASHED = frozenset({HASHES, "checkpoints"})


@final
@dataclass(frozen=True, slots=True)
class StudyOptions:
    """Options of a study.

    Attributes:
        models: recipes, by name or path, and pretrained models; see ``study_models.py``. None: those that
            ``study_defaults.py`` has for the number of pairs.
        seeds: number of runs of each, with the seeds 0, 1, ...
        goal: goal of the threshold.
        vectors: pretrained word vectors or a model2vec folder, for the recipes and for the baseline
            mean-vectors.
        analyser: a language: tfidf and bm25 read plainly and by its stemmer and stop words, and test has the
            one that is stronger on dev; or plain.
        more: files of further pairs that mean the same, to train on; what is linked to dev or test is left
            out.
        curve: also train the best recipe on 12, 25 and 50 % of the labels.
        split_seed: seed of the split.
        similarity: also keep texts together that are this similar; see ``near_duplicates.py``.
        device: the device to train on.
        sampling: the draws for intervals and tests.
        reading: reading options of the file.
        download: fetch pretrained models from the hub that are not at hand.

    Example:
        >>> StudyOptions(models=("static",), seeds=1).goal
        f1
    """

    models: tuple[str, ...] | None = None
    seeds: int = 3
    goal: Goal = field(default_factory=lambda: Goal.parse("f1"))
    vectors: Path | None = None
    analyser: str = ANALYSER
    more: tuple[Path, ...] = ()
    curve: bool = False
    split_seed: int = 42
    similarity: float | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    sampling: Sampling = field(default_factory=Sampling)
    reading: Reading = field(default_factory=Reading)
    download: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        several(self.models or (), "models")
        several(self.more, "more")


def settings_of(source: Path, entrants: Mapping[str, Entrant], options: StudyOptions) -> dict[str, Any]:
    """All that decides a study, in JSON's types; files count by their content.

    Raises:
        UsageError: a file of vectors or further pairs can't be read.
    """
    return {
        "data": sha256_of_file(source),
        "models": {name: entrant.to_dict() for name, entrant in entrants.items()},
        "seeds": options.seeds,
        "goal": str(options.goal),
        "vectors": None if options.vectors is None else hash_of_vectors(options.vectors),
        "more": [sha256_of_file(path) for path in options.more],
        "curve": options.curve,
        "split_seed": options.split_seed,
        "similarity": options.similarity,
        "device": options.device,
        "analyser": options.analyser,
        "sampling": asdict(options.sampling),
        "reading": options.reading.to_dict(),
    }


def refuse_others(folder: Path, settings: Mapping[str, Any]) -> None:
    """Make sure that ``folder`` is free, or holds the study of these settings.

    A split alone doesn't count: it remains of a study that could not begin.

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
        changed = sorted(key for key in {*settings, *found} if found.get(key) != settings.get(key))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(
            f"{path} does not describe a study", fix=_ELSEWHERE, params=("out",), value=folder
        ) from error
    if changed:
        raise UsageError(
            f"`out` {folder} holds another study, with other {', '.join(changed)}",
            fix=_ELSEWHERE,
            params=("out",),
            value=folder,
        )


def read_sides(folder: Path, reading: Reading) -> dict[str, PairSet]:
    """Train, dev and test of a study, read from its split.

    Args:
        folder: the run directory.
        reading: the study's; the sides are in the format of its file, in textkin's own quoting.

    Raises:
        DataError: a file is missing or has changed.
    """
    split = read_json(folder / SPLIT / "split.json")
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


def read_json(path: Path) -> dict[str, Any]:
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
    except ValueError as error:
        raise DataError(f"is not JSON: {error}", path=path, fix="run the study again") from error
    if not isinstance(found, dict):
        raise DataError("is not a JSON object", path=path, fix="run the study again")
    return found
