"""What a study says: decides on dev, judges on test, writes the model, the report and the hashes."""

from __future__ import annotations

import datetime
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from textkin import __version__
from textkin.config import load_recipe
from textkin.decision.calibration import Calibration
from textkin.decision.threshold import Threshold
from textkin.errors import UsageError
from textkin.files import write_json, write_text
from textkin.records import LabelKind
from textkin.report import content as say
from textkin.report.words import full, sentence
from textkin.report.write import write_report
from textkin.stats.seeds import over_seeds
from textkin.tasks.calibrate import fit_decision
from textkin.tasks.decided import Decision, with_decision
from textkin.tasks.judges import PairJudge, estimate
from textkin.tasks.lint import lint_files
from textkin.tasks.pair_figures import main_figure
from textkin.tasks.provenance import code_hash, hashes_of, machine, versions
from textkin.tasks.study import (
    HASHES,
    MODEL,
    SCORES,
    SPLIT,
    Studied,
    StudyResult,
    best_baseline,
    best_trained,
)
from textkin.tasks.train import TrainingRun

_LEVEL = 0.05


def finish(studied: Studied) -> StudyResult:
    """Judge, decide, save the model to use, and write the report."""
    name, rival = best_trained(studied), best_baseline(studied)
    chosen = max(studied.runs[name], key=lambda run: run.dev)
    systems = _systems(studied, rival)
    verdict = _verdict(studied, systems, name, rival)
    threshold, calibration = _decision(studied, name, chosen)
    report = say.StudyReport(
        title=f"{name} on {studied.source.name}",
        data=studied.source.name,
        made=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        version=__version__,
        measure=studied.test.main,
        seeds=tuple(range(studied.options.seeds)),
        notes=tuple(_notes(studied)),
        verdict=verdict,
        systems=systems,
        training=tuple(_training(run) for runs in studied.runs.values() for run in runs),
        label_curve=_label_curve(studied, name, rival),
        facts=_facts(studied),
        reproduction=_reproduction(studied),
    )
    if threshold is not None and calibration is not None:
        decision = Decision(name, threshold, calibration, studied.options.goal)
        scores = studied.test.scores[name][chosen.seed]
        report = with_decision(report, studied.test, decision, scores, rival=rival)
    model = _save_model(studied, chosen, report, threshold, calibration)
    page = write_report(report, studied.out)
    _write_hashes(studied.out)
    return StudyResult(studied.out, report, page, model)


def _systems(studied: Studied, rival: str) -> say.Systems:
    table = studied.test.table(rival, trained=list(studied.runs))
    return replace(table, rows=tuple(_with_costs(row, studied) for row in table.rows))


def _with_costs(row: say.SystemRow, studied: Studied) -> say.SystemRow:
    runs = studied.runs.get(row.name)
    if runs is None:
        return row
    values = [main_figure(studied.test.test, scores) for scores in studied.test.scores[row.name]]
    return replace(
        row,
        seeds_sd=over_seeds(values).sd,
        seconds=float(np.mean([run.seconds for run in runs])),
        parameters=runs[0].parameters,
    )


def _verdict(studied: Studied, systems: say.Systems, name: str, rival: str) -> say.Verdict:
    compared = next(row.against_best for row in systems.rows if row.name == name)
    if compared is None:
        raise UsageError(f"{name} is the rival itself", fix="study one recipe or more")
    kind = say.VerdictKind.INDISTINGUISHABLE
    if compared.p < _LEVEL:
        better = compared.difference.value > 0
        kind = say.VerdictKind.BETTER if better else say.VerdictKind.WORSE
    return say.Verdict(
        kind=kind,
        model=name,
        rival=rival,
        measure=studied.test.main,
        difference=compared.difference.value,
        low=float(compared.difference.low or 0.0),
        high=float(compared.difference.high or 0.0),
        p=compared.p,
        seeds=studied.options.seeds,
    )


def _decision(
    studied: Studied, name: str, chosen: TrainingRun
) -> tuple[Threshold | None, Calibration | None]:
    """Threshold and calibration of the model to use, both fitted on dev; neither for graded labels."""
    if studied.dev.test.kind is not LabelKind.BINARY:
        return None, None
    return fit_decision(
        studied.dev.test.labels, studied.dev.scores[name][chosen.seed], goal=studied.options.goal
    )


def _training(run: TrainingRun) -> say.TrainingCurve:
    return say.TrainingCurve(
        system=run.name,
        seed=run.seed,
        epochs=tuple(say.Epoch(figures.epoch, figures.loss, figures.dev) for figures in run.epochs),
        best_epoch=run.best,
    )


def _label_curve(studied: Studied, name: str, rival: str) -> say.LabelCurve | None:
    if not studied.curve:
        return None
    judge = studied.test
    points = []
    for share, labels, scores in studied.curve:
        part = PairJudge(judge.data, sampling=judge.sampling)
        part.take_scores(name, scores)
        points.append(say.LabelPoint(share, labels, estimate(part.figures(name)[judge.main])))
    return say.LabelCurve(name, tuple(points), baseline=rival, baseline_value=judge.value(rival))


def _notes(studied: Studied) -> Iterator[str]:
    if studied.left_out:
        yield (
            f"{studied.left_out:,} of the further positive pairs were left out of training because they are "
            "linked to a text of dev or test."
        )
    if studied.options.vectors is None:
        yield "No pretrained vectors were used: everything was learnt from the training pairs."


def _facts(studied: Studied) -> say.DataFacts:
    split = studied.sides.split
    findings = lint_files([studied.source], **studied.options.reading).findings
    shared = split.shared
    return say.DataFacts(
        files=(studied.source.name,),
        rows=split.input.rows,
        skipped=dict(split.input.skipped),
        sides=tuple(
            say.SplitSide(name, side.pairs, side.components, dict(side.labels))
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
            say.LintFinding(
                finding.message, finding.count, finding.examples[0].text if finding.examples else ""
            )
            for finding in findings
        ),
    )


def _reproduction(studied: Studied) -> say.Reproduction:
    return say.Reproduction(
        command=command_line(),
        recipe="\n".join(load_recipe(model).to_toml() for model in studied.options.models),
        hashes={
            "data": studied.sides.split.input.sha256,
            "code": code_hash(),
            **{f"split/{name}": value for name, value in studied.sides.split.files.items()},
        },
        versions=versions(),
        machine=machine(),
    )


def command_line() -> str:
    """The command that this process was started with, without its folders."""
    return " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])


def _save_model(
    studied: Studied,
    chosen: TrainingRun,
    report: say.StudyReport,
    threshold: Threshold | None,
    calibration: Calibration | None,
) -> Path:
    from textkin.model_dir import CARD, SavedThreshold, save_decision

    folder = studied.out / MODEL
    shutil.copytree(chosen.model, folder, dirs_exist_ok=True)
    fitted = studied.sides.split.files["dev.tsv"]
    saved = None if threshold is None else SavedThreshold(threshold, f"dev of {studied.source.name}", fitted)
    save_decision(folder, threshold=saved, calibration=calibration)
    write_text(folder / CARD, _card(studied, chosen, report))
    return folder


def _card(studied: Studied, chosen: TrainingRun, report: say.StudyReport) -> str:
    lines = [f"# {chosen.name}", ""]
    if report.verdict is not None:
        lines += [sentence(report.verdict), ""]
    if report.systems is not None:
        lines += [
            f"Measured on {report.systems.pairs:,} test pairs of {studied.source.name} in "
            f"{report.systems.components:,} components, with 95 % intervals; mean of "
            f"{studied.options.seeds} seeds. This folder holds seed {chosen.seed}.",
            "",
            "| system | " + " | ".join(report.systems.rows[0].measures) + " |",
            "|---|" + "---|" * len(report.systems.rows[0].measures),
        ]
        lines += [
            f"| {row.name} | " + " | ".join(full(figure) for figure in row.measures.values()) + " |"
            for row in report.systems.rows
        ]
    if report.threshold is not None:
        figures = ", ".join(f"{key} {full(value)}" for key, value in report.threshold.test.items())
        lines += [
            "",
            f"Threshold {report.threshold.value:.4f}, fitted on dev for {report.threshold.goal}; "
            f"on test: {figures}.",
        ]
    lines += ["", "```python", "import textkin as tk", "", 'model = tk.load("this/folder")']
    lines += ['model.score([("one text", "another text")])', "```", ""]
    return "\n".join(lines)


def _write_hashes(out: Path) -> None:
    names = [
        path.relative_to(out).as_posix()
        for folder in (SPLIT, SCORES, MODEL)
        for path in sorted((out / folder).rglob("*"))
        if path.is_file()
    ]
    write_json(out / HASHES, hashes_of(out, [*names, "report.json"]))
