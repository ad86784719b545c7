"""The report of a study of given sides: table, verdict, and how to reproduce it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from textkin.base.counts import count
from textkin.base.files import sha256_of_file
from textkin.base.paths import is_file
from textkin.data.pair_set_operations import content_hash
from textkin.data.readers.read_report import columns_in_words
from textkin.data.records import LabelKind
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.judge import Judge
from textkin.kinds.registry import data_kind
from textkin.kinds.verdict import above_chance, verdict_of
from textkin.models.provenance import hash_of_vectors
from textkin.report import content as say
from textkin.report import data_facts as facts
from textkin.report.figure_words import number
from textkin.verbs.experiments import study_report
from textkin.verbs.experiments.study_folder import StudyOptions, hash_of_test
from textkin.verbs.experiments.study_models import Entrant
from textkin.verbs.train.dataset_splits import Data, Dataset, Sources
from textkin.verbs.train.train_recipe import TrainingRun

_SAME = {
    "ranking": "No question of test is in train or dev, and none of dev in train",
    LabelKind.BINARY: "No text of test is in train or dev, and none of dev in train",
    LabelKind.GRADED: "No pair of test is in train or dev, and none of dev in train",
    LabelKind.CLASSES: "No pair of test is in train or dev, and none of dev in train",
}
_SAME_SEARCHED = "No query and no judged document of test is in train or dev, and no text of dev in train"


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Everything that such a report is written from.

    Attributes:
        sources: the files.
        dataset: the data that were read.
        options: options of the study.
        entrants: the models that were trained to the end.
        runs: runs of each recipe, one for each seed.
        failures: the reasons of failed runs.
        judge: of test, or of decisions on it; has taken all systems.
        references: the systems that all are compared with.
        notes: further notes for the table.
    """

    sources: Sources
    dataset: Dataset
    options: StudyOptions
    entrants: Mapping[str, Entrant]
    runs: Mapping[str, tuple[TrainingRun, ...]]
    failures: Mapping[str, str]
    judge: Judge
    references: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def favourite(self) -> str:
        """The recipe with the highest mean over its seeds on dev; of equals the first."""
        return max(self.runs, key=self.dev)

    def dev(self, name: str) -> float:
        """A recipe's mean over its seeds on dev."""
        return float(np.mean([run.dev for run in self.runs[name]]))


def report_of(held: Held) -> say.StudyReport:
    """The full report of the study."""
    report = replace(
        study_report.begun(held.dataset.test.name, held.judge.main, held.runs),
        notes=tuple(_notes(held)),
        facts=_facts(held.dataset),
        reproduction=_reproduction(held),
    )
    report = with_standings(
        report, held.judge, trained=tuple(held.runs), references=held.references, favourite=held.favourite
    )
    return study_report.with_costs(report, held.runs)


def with_standings(
    report: say.StudyReport,
    judge: Judge,
    *,
    trained: Sequence[str],
    references: Sequence[str],
    favourite: str,
) -> say.StudyReport:
    """The report with all that follows from the results on test.

    Args:
        report: without it.
        judge: has taken all systems.
        trained: the names of those that were trained.
        references: the names of those that all are compared with.
        favourite: the one that was best on dev, so that the verdict's system was chosen without a look at
            test.
    """
    systems = judge.table(*references, trained=trained)
    verdict = verdict_of(systems, favourite, measure=judge.main, seeds=len(report.seeds))
    return replace(
        report,
        systems=systems,
        verdict=replace(verdict, above_chance=above_chance(judge, favourite, verdict.reference)),
        by_class=judge.by_class(favourite) if isinstance(judge, ClassJudge) else None,
    )


def _notes(held: Held) -> Iterator[str]:
    favourite = held.favourite
    measure, dev = held.runs[favourite][0].measure, held.dev(favourite)
    yield (
        f"The verdict is about {favourite} because it was best on dev ({measure} {number(dev)}, the mean "
        f"over {count(held.options.seeds, 'seed')}). Figures of trained systems are means over the seeds."
    )
    for name, why in held.failures.items():
        yield f"{name} is not in the table: {why}"
    if (start := held.options.start) is not None:
        spared = held.options.start_spared(hash_of_test(held.sources, held.dataset))
        known = "kept apart from this test, too" if spared else "not checked for overlap with test"
        yield f"Training started from {start.name}, pretrained on data that was {known}."
    else:
        yield from study_report.sources_in_words(
            held.entrants.values(), with_vectors=held.options.vectors is not None
        )
    yield from study_report.scales(held.runs)
    yield from held.notes
    yield from held.judge.notes()


def _facts(dataset: Dataset) -> facts.DataFacts:
    skipped: Counter[str] = Counter()
    for read in dataset.reads:
        skipped.update(read.skipped)
    kind = data_kind(dataset.test).label_kind(dataset.test) or "ranking"
    same = _SAME[kind]
    if dataset.searched is not None and kind is LabelKind.BINARY:
        same = _SAME_SEARCHED
    return facts.DataFacts(
        files=tuple(Path(read.path).name for read in dataset.reads),
        columns=columns_in_words(dataset.reads),
        rows=sum(read.rows for read in dataset.reads),
        skipped=dict(skipped),
        sides=tuple(
            _side(name, data)
            for name, data in (("train", dataset.train), ("dev", dataset.dev), ("test", dataset.test))
        ),
        dropped=dataset.left_out,
        proof=(f"{same}, ignoring case, blanks and punctuation.", *dataset.notes),
    )


def _side(name: str, data: Data) -> facts.SplitSide:
    """Size and labels; of candidates, the questions are independent."""
    kind = data_kind(data)
    pairs = kind.as_pairs(data)
    if kind.label_kind(data) is None:
        return facts.SplitSide(name, len(pairs), len(data), {"right": float(np.mean(pairs.labels > 0))})
    if pairs.kind is LabelKind.GRADED:
        return facts.SplitSide(name, len(pairs))
    values, counts = np.unique(pairs.labels, return_counts=True)
    names = [pairs.classes[int(value)] if pairs.classes else f"{value:g}" for value in values.tolist()]
    shares = dict(zip(names, (counts / len(pairs)).tolist(), strict=True))
    return facts.SplitSide(name, len(pairs), label_shares=shares)


def _reproduction(held: Held) -> facts.Reproduction:
    sources, options = held.sources, held.options
    files = {"train": sources.train, "dev": sources.dev, "test": sources.test}
    given = {name: path for name, path in files.items() if path is not None and is_file(path)}
    hashes = {name: sha256_of_file(path) for name, path in given.items()}
    for name, corpus in (("dev", held.dataset.chooses), ("test", held.dataset.searched)):
        if corpus is not None:
            hashes[name] = content_hash(corpus)
    if options.vectors is not None:
        hashes["vectors"] = hash_of_vectors(options.vectors)
    if (start := options.start_hash()) is not None:
        hashes["start"] = start
    return study_report.reproduction(
        options.call,
        held.entrants.values(),
        hashes,
        jobs=options.jobs,
    )
