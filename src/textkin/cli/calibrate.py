"""``textkin calibrate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from textkin.cli.goals import BestAccuracy, BestF1, Precision, Recall, Rule, goal_of
from textkin.cli.measured import AcceptLeaks
from textkin.cli.options import (
    AnalyserName,
    AsJson,
    Columns,
    Download,
    Fit,
    Format,
    ModelName,
    Quoting,
    Seed,
    Vectors,
    fetch,
    reading,
)
from textkin.cli.output import emit_json, emit_table, emit_text, note, note_accounts

if TYPE_CHECKING:
    from textkin.tasks.evaluate.calibrate import Calibrated

EXAMPLES = """
textkin calibrate runs/mine/model dev.tsv --precision 0.95 --test test.tsv
textkin calibrate runs/mine/model dev.tsv --f1
textkin calibrate default dev.tsv --precision 0.95 --out decision.json
textkin calibrate tfidf-char dev.tsv --f1 --fit corpus.txt --out decision.json
"""


def command(
    model: ModelName,
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="Labelled pairs that the model was not trained on.")
    ],
    precision: Precision = None,
    recall: Recall = None,
    f1: BestF1 = False,
    accuracy: BestAccuracy = False,
    rule: Rule = "lower-end",
    test: Annotated[
        Path | None,
        typer.Option("--test", metavar="FILE", help="Further labelled pairs, to judge the threshold on."),
    ] = None,
    method: Annotated[
        Literal["auto", "isotonic", "platt"],
        typer.Option("--method", help="Scores to probabilities; auto: isotonic from 1,000 pairs on."),
    ] = "auto",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write the decision to a file for --decision of mine, dedupe and score, not into MODEL; "
            "needed where MODEL is no directory of textkin.",
        ),
    ] = None,
    analyser: AnalyserName = "plain",
    fit: Fit = None,
    vectors: Vectors = None,
    seed: Seed = 0,
    accept_leaks: AcceptLeaks = False,
    download: Download = False,
    columns: Columns = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    as_json: AsJson = False,
) -> None:
    """Fit a model's threshold and probabilities to labelled pairs.

    Both are saved with the model, and used by every command that decides; or with --out in a file of their
    own, for any model or baseline. A file serves the model that it was made for, and no other.
    """
    from textkin.decision.calibration import Method
    from textkin.tasks.evaluate.calibrate import CalibrateOptions, calibrate

    fetch(model, download=download)
    result = calibrate(
        model,
        data,
        goal=goal_of(precision, recall, f1, accuracy, rule),
        test=test,
        options=CalibrateOptions(
            out=out,
            fit=fit,
            vectors=vectors,
            analyser=analyser,
            seed=seed,
            method=None if method == "auto" else Method(method),
            accept_leaks=accept_leaks,
        ),
        reading=reading(columns, format, quoting),
    )
    note_accounts([result.truncation], [result.coverage])
    for line in result.notes:
        note(f"warning: {line}")
    if as_json:
        emit_json(result)
    else:
        _print(result)


def _print(result: Calibrated) -> None:
    from textkin.report.words import full

    fitted = result.threshold
    header = ["", "precision", "recall", "F1", "accuracy"]
    rows = [[f"fitted on {result.fitted_on}", *(full(result.fitted[name]) for name in header[1:])]]
    if result.test is not None:
        rows.append(["test, unchanged", *(full(result.test.test[name]) for name in header[1:])])
    emit_table(header, rows)
    if result.paid:
        emit_text(f"\n{result.paid}")
    emit_text(f"\nThreshold {fitted.value:.4f} for {fitted.goal}, saved in {result.saved_in}")
    if result.test_ece is not None and result.test_brier is not None:
        emit_text(f"Probabilities on test: ECE {result.test_ece:.3f}, Brier score {result.test_brier:.3f}")
