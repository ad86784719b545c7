"""``textkin study``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.options import Option
from textkin.cli.goal_options import BestAccuracy, BestF1, Precision, Recall, Rule, goal_of
from textkin.cli.output import emit_json, emit_table, emit_text, note_accounts
from textkin.cli.shared_options import AsJson, Device, Download, EitherAnalyser, FileLayout, Vectors
from textkin.cli.system_tables import Resamples, Rounds
from textkin.verbs.experiments.study_defaults import ANALYSER, MODELS, SMALL

if TYPE_CHECKING:
    from textkin.report.content import StudyReport
    from textkin.verbs.experiments.study import StudyResult

EXAMPLES = """
textkin study pairs.csv --out runs/mine
textkin study pairs.csv --out runs/strict --precision 0.95 --curve
textkin study pairs.csv --out runs/pretrained --models static,minilm,cross-encoder
textkin study pairs.tsv --out runs/vectors --vectors glove.6B.300d.txt --models siamese-lstm
"""


def command(
    pairs: Annotated[
        Path, Option("File of labelled pairs: CSV, TSV, JSONL, Quora, STS, ...", metavar="PAIRS")
    ],
    /,
    *,
    out: Annotated[Path, Option("Run folder; the same call resumes.", metavar="DIR")],
    models: Annotated[
        str | None,
        Option(
            "Recipes, by name or path; minilm and cross-encoder (from minilm in the box), or folders "
            "and cached names of encoders to train on; NAME=FOLDER to start from another model. "
            f"{','.join(MODELS)} if left out, and minilm with {SMALL:,} pairs or fewer.",
            metavar="NAME,...",
        ),
    ] = None,
    seeds: Annotated[int, Option("How many times each recipe is trained.", low=1, metavar="N")] = 3,
    vectors: Vectors = None,
    analyser: EitherAnalyser = ANALYSER,
    more: Annotated[
        list[Path] | None,
        Option(
            "Further pairs that mean the same, to train on; what touches dev or test is left out. "
            "May be repeated.",
            metavar="FILE",
        ),
    ] = None,
    precision: Precision = None,
    recall: Recall = None,
    f1: BestF1 = False,
    accuracy: BestAccuracy = False,
    rule: Rule = "lower-end",
    curve: Annotated[bool, Option("Also train on 12, 25 and 50 % of the labels: would more pay?")] = False,
    near: Annotated[
        float | None,
        Option("Keep texts this similar (0 to 1) on one side of the split too.", metavar="X"),
    ] = None,
    split_seed: Annotated[int, Option("Of the split.", low=0)] = 42,
    resamples: Resamples = 1000,
    rounds: Rounds = None,
    device: Device = "auto",
    layout: FileLayout,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Train models on your pairs and say if they are worth using.

    Splits without leaks, trains, measures beside baselines, and fits a threshold. The report is in
    DIR/report.html, the model in DIR/model.
    """
    from textkin.kinds.pair_figures import Sampling
    from textkin.verbs.experiments.study import StudyOptions, study

    options = StudyOptions(
        models=None if models is None else tuple(name for name in models.split(",") if name),
        seeds=seeds,
        goal=goal_of(precision, recall, f1, accuracy, rule),
        vectors=vectors,
        analyser=analyser,
        more=tuple(more or ()),
        curve=curve,
        split_seed=split_seed,
        similarity=near,
        device=device,
        sampling=Sampling(resamples=resamples, rounds=rounds),
        reading=layout.reading(),
        download=download,
    )
    result = study(pairs, out, options=options)
    note_accounts(result.truncations, result.coverages)
    if as_json:
        emit_json(
            {
                "report": result.report.to_dict(),
                "page": result.page,
                "model": result.model,
                "truncations": result.truncations,
                "coverages": result.coverages,
            }
        )
    else:
        show(result)


def show(result: StudyResult) -> None:
    """The table, the threshold, the verdict, and where things are."""
    print_table(result.report)
    emit_text(f"\nreport: {result.page}\nmodel:  {result.model}")


def print_table(report: StudyReport) -> None:
    """The table, the threshold, the verdict and, if there is one, the curve of labels."""
    from textkin.report.figure_words import full, good_enough, recall_paid, sentence
    from textkin.report.tables import label_curve_grid, systems_caption, terminal_rows

    header, rows = terminal_rows(report)
    emit_table(header, rows)
    if report.systems is not None:
        emit_text("\n" + systems_caption(report.systems, report.measure))
    if report.threshold is not None:
        figures = ", ".join(f"{name} {full(value)}" for name, value in report.threshold.test.items())
        emit_text(
            f"Threshold {report.threshold.value:.3f}, fitted on dev for {report.threshold.goal}; on test:"
        )
        emit_text(f"  {figures}")
        if paid := recall_paid(report.threshold):
            emit_text(paid)
    if report.no_threshold:
        emit_text(f"{report.no_threshold}.")
    if report.verdict is not None:
        emit_text("\n" + sentence(report.verdict))
    if report.threshold is not None and (said := good_enough(report.threshold)):
        emit_text(said)
    if report.label_curve is not None:
        grid = label_curve_grid(report.label_curve, report.measure)
        emit_text(f"\n{report.label_curve.system} by the labels that it learns from:")
        emit_table(grid.header, grid.rows)
