"""Output of a study: the chosen model with its card, and the report."""

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from textkin.base.counts import count
from textkin.base.files import atomic_folder, write_bytes, write_text
from textkin.base.hub import name_of
from textkin.data.readers.read_report import Loaded, columns_in_words
from textkin.data.records import PairSet
from textkin.kinds.data_coverage import DataCoverage
from textkin.kinds.decisions import expected_precision
from textkin.kinds.reproduction import how_made
from textkin.kinds.verdict import ChosenRecipe, Scores, choose_recipe, with_findings
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.models.provenance import code_hash
from textkin.networks.recipes.recipe import PRETRAINED
from textkin.report import content as say
from textkin.report import data_facts as facts
from textkin.report.model_card import card
from textkin.verbs.data.lint_files import lint_loaded
from textkin.verbs.data.split_file import SplitReport
from textkin.verbs.experiments.study_folder import MODEL, StudyOptions
from textkin.verbs.experiments.study_models import Entrant
from textkin.verbs.train.train_recipe import TrainingRun
from textkin.version import __version__


@dataclass(frozen=True, slots=True)
class Further:
    """Further positive pairs to train on, and the number of those dropped as linked to dev or test."""

    pairs: tuple[PairSet, ...]
    left_out: int


@dataclass(frozen=True, slots=True, eq=False)
class Studied:
    """All that a report is written from.

    Attributes:
        loaded: the pairs, as they were read from their file.
        out: the run directory.
        options: options of the study.
        split: the split of the file.
        entrants: the trained models.
        runs: runs of every recipe, by its name, one for each seed.
        scores: scores of all systems.
        further: pairs beside those of the file.
        baselines: notes on those that are in the table, and those that are not.
        accounts: truncated and unknown parts of the texts of dev and test, by trained model.
        curve_labels: number of labels at each point of the label curve.
    """

    loaded: Loaded[PairSet]
    out: Path
    options: StudyOptions
    split: SplitReport
    entrants: tuple[Entrant, ...]
    runs: Mapping[str, tuple[TrainingRun, ...]]
    scores: Scores
    further: Further
    baselines: tuple[str, ...] = ()
    accounts: DataCoverage = field(default_factory=DataCoverage)
    curve_labels: tuple[int, ...] = ()

    @property
    def source(self) -> Path:
        """The file of pairs."""
        return Path(self.loaded.report.path)


def finish(studied: Studied) -> tuple[say.StudyReport, Path]:
    """Choose, measure and save the model to use; the report is not written yet."""
    choice = choose_recipe(studied.scores, goal=studied.options.goal)
    report = replace(
        begun(studied.source.name, studied.scores.test.main, studied.runs),
        title=f"{choice.name} on {studied.source.name}",
        notes=(*_notes(studied), *studied.baselines),
        facts=_facts(studied),
        reproduction=_reproduction(studied),
    )
    report = with_findings(report, studied.scores, choice, labels=studied.curve_labels)
    report = with_costs(report, studied.runs)
    return report, _save_model(studied, choice, report)


def begun(data: str, measure: str, runs: Mapping[str, tuple[TrainingRun, ...]]) -> say.StudyReport:
    """A report with what was trained; ``runs`` of each recipe, one per seed."""
    return say.StudyReport(
        title=f"{count(len(runs), 'recipe')} on {data}",
        data=data,
        made=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        version=__version__,
        measure=measure,
        seeds=tuple(range(max(map(len, runs.values())))),
        training=tuple(run.curve() for seeds in runs.values() for run in seeds),
    )


def with_costs(report: say.StudyReport, runs: Mapping[str, tuple[TrainingRun, ...]]) -> say.StudyReport:
    """The report with training times and model sizes; ``runs`` of each recipe, one per seed."""
    if report.systems is None:
        return report
    rows = tuple(
        replace(
            row,
            seconds=float(np.mean([run.seconds for run in runs[row.name]])),
            parameters=runs[row.name][0].parameters,
        )
        if row.name in runs
        else row
        for row in report.systems.rows
    )
    return replace(report, systems=replace(report.systems, rows=rows))


def scales(runs: Mapping[str, tuple[TrainingRun, ...]]) -> Iterator[str]:
    """The scales on which recipes read graded labels, each once."""
    names: dict[str, list[str]] = {}
    for name, (run, *_) in runs.items():
        if run.scale is not None:
            names.setdefault(run.scale.sentence(), []).append(name)
    for words, some in names.items():
        yield f"{', '.join(some)}: {words}."


def _notes(studied: Studied) -> Iterator[str]:
    used, left_out = sum(map(len, studied.further.pairs)), studied.further.left_out
    if used or left_out:
        yield (
            f"{used:,} further positive pairs were used in training; {left_out:,} others were left out, as "
            "they are linked to a text of dev or test."
        )
    yield from scales(studied.runs)
    yield from studied.accounts.sentences()
    yield from sources_in_words(studied.entrants, with_vectors=studied.options.vectors is not None)


def sources_in_words(entrants: Iterable[Entrant], *, with_vectors: bool) -> Iterator[str]:
    """The starting points of training, and recipes without word vectors."""
    started = False
    for entrant in entrants:
        recipe = entrant.recipe
        if recipe.model.architecture in PRETRAINED:
            started = True
            start = "the built-in encoder" if entrant.start is None else name_of(entrant.start)
            unchecked = "pretrained on data that was not checked for overlap with test"
            yield f"{recipe.name} started from {start}, {unchecked}."
        elif with_vectors and not recipe.text.whole_words:
            yield f"{recipe.name} reads no whole words, so it doesn't use the pretrained vectors."
    if not with_vectors:
        others = "Nothing else was pretrained" if started else "No pretrained vectors were used"
        yield f"{others}: everything was learnt from the training data."


def reproduction(
    call: str, entrants: Iterable[Entrant], hashes: Mapping[str, str], *, jobs: int | None = None
) -> facts.Reproduction:
    """How to repeat a study.

    Args:
        call: the call in Python, if no command line made the study.
        entrants: the trained models.
        hashes: SHA-256 of what was read.
        jobs: number of parallel trainings.
    """
    return how_made(
        "study",
        settings={} if jobs is None else {"training": f"{jobs} at a time, with one thread each"},
        hashes={**hashes, "code": code_hash()},
        call=call,
        recipe="\n".join(entrant.recipe.to_toml() for entrant in entrants),
    )


def _facts(studied: Studied) -> facts.DataFacts:
    split, shared = studied.split, studied.split.shared
    findings = lint_loaded({studied.source: studied.loaded}, reading=studied.options.reading).findings
    return facts.DataFacts(
        files=(studied.source.name,),
        columns=columns_in_words([studied.loaded.report]),
        rows=split.input.rows,
        skipped=dict(split.input.skipped),
        sides=tuple(
            facts.SplitSide(name, side.pairs, side.components, dict(side.labels))
            for name, side in split.sides.items()
        ),
        dropped=sum(split.dropped.values()),
        proof=(
            f"Counted on the written sides: {shared.texts} shared texts, "
            f"{shared.keys} shared normalised texts, {shared.ids} shared ids, "
            f"{shared.components} shared components.",
            "Intervals and tests resample whole components, so that texts which share a pair move together.",
        ),
        lint=tuple(
            facts.LintFinding(
                finding.message, finding.count, finding.examples[0].text if finding.examples else ""
            )
            for finding in findings
        ),
    )


def _reproduction(studied: Studied) -> facts.Reproduction:
    files = {f"split/{name}": value for name, value in studied.split.files.items()}
    return reproduction(
        studied.options.call,
        studied.entrants,
        {"data": studied.split.input.sha256, **files},
        jobs=studied.options.jobs,
    )


def _save_model(studied: Studied, choice: ChosenRecipe, report: say.StudyReport) -> Path:
    from textkin.models.model_folder import CARD, load_model, origin_in_words, save_decision

    folder = studied.out / MODEL
    with atomic_folder(folder) as staged:
        trained = studied.runs[choice.name][choice.seed].model
        origin = origin_in_words(load_model(trained))
        for item in sorted(one for one in trained.rglob("*") if one.is_file()):
            write_bytes(staged / item.relative_to(trained), item.read_bytes())
        if (decision := choice.decision) is not None:
            threshold = kept_threshold(choice, report, studied.split.side_hash("dev"))
            save_decision(staged, threshold=threshold, calibration=decision.calibration)
        write_text(staged / CARD, card(report, choice.name, choice.seed, origin=origin))
    return folder


def kept_threshold(choice: ChosenRecipe, report: say.StudyReport, dev_sha256: str) -> SavedThreshold | None:
    """The threshold that is kept with the model; None where none was chosen.

    Args:
        choice: made on dev.
        report: has the threshold's figures on test.
        dev_sha256: SHA-256 of the file of dev.
    """
    if choice.decision is None or choice.decision.threshold is None:
        return None
    expected = None if report.threshold is None else expected_precision(report.threshold.test)
    return SavedThreshold(choice.decision.threshold, f"dev of {report.data}", dev_sha256, expected)
