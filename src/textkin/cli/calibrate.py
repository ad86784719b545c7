"""``textkin calibrate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.cli.calibrate_collection import (
    CollectionFit,
    FitGroups,
    FitGuards,
    FitHits,
    FitRate,
    FitSplit,
    Queries,
    fit_collection,
    fit_matches,
    is_collection,
    refuse,
)
from textkin.cli.collection_options import RerankDepth, RerankModel
from textkin.cli.goal_options import BestAccuracy, BestF1, Precision, Proof, Recall, Rule, goal_of
from textkin.cli.output import emit_json, emit_table, emit_text, note, note_accounts
from textkin.cli.shared_options import (
    AnalyserName,
    AsJson,
    Download,
    FileLayout,
    Fit,
    ModelName,
    Seed,
    Vectors,
    fetch,
)
from textkin.cli.system_tables import AcceptLeaks
from textkin.collection.store.address import place_of

if TYPE_CHECKING:
    from textkin.measures.decisions.calibration import Method
    from textkin.measures.decisions.goal import Goal
    from textkin.verbs.evaluate.calibrate import Calibrated
    from textkin.verbs.evaluate.calibrate_spans import CalibratedReader

EXAMPLES = """
textkin calibrate runs/mine/model dev.tsv --precision 0.95 --test test.tsv
textkin calibrate runs/mine/model dev.tsv --f1
textkin calibrate default dev.tsv --precision 0.95 --out decision.json
textkin calibrate default labelled.tsv --precision 0.95 --proof --out decision.json
textkin calibrate tfidf-char dev.tsv --f1 --fit corpus.txt --out decision.json
textkin calibrate runs/reader/model dev-v2.0.json --f1
textkin calibrate tickets.kin qrels.txt --queries queries.tsv --precision 0.8
textkin calibrate papers.kin scifact --split train --test scifact
textkin calibrate questions.kin --groups topic
textkin calibrate questions.kin labelled.tsv --precision 0.9
"""


def command(
    model: ModelName,
    data: Annotated[
        Path | None,
        Option(
            "Labelled pairs, or of a reader SQuAD's questions, that it was not trained on. Of a "
            "collection pairs, TREC judgements with --queries, or a BEIR folder; nothing with --groups.",
            metavar="[DATA]",
        ),
    ] = None,
    /,
    *,
    groups: FitGroups = None,
    base_rate: FitRate = None,
    guard: FitGuards = None,
    queries: Queries = None,
    split: FitSplit = None,
    k: FitHits = 10,
    rerank: RerankModel = None,
    rerank_depth: RerankDepth = 100,
    precision: Precision = None,
    recall: Recall = None,
    f1: BestF1 = False,
    accuracy: BestAccuracy = False,
    rule: Rule = "lower-end",
    proof: Proof = False,
    test: Annotated[
        Path | None,
        Option("Further data of the kind, to judge the threshold on.", metavar="FILE"),
    ] = None,
    method: Annotated[
        Literal["auto", "isotonic", "platt"],
        Option("Scores to probabilities; auto: isotonic from 1,000 pairs on, of readers platt."),
    ] = "auto",
    out: Annotated[
        Path | None,
        Option(
            "Write the decision to a file for --decision of mine, dedupe and score (of a reader: answer "
            "and evaluate), not into MODEL; needed where MODEL is no directory of textkin.",
            metavar="FILE",
        ),
    ] = None,
    analyser: AnalyserName = "plain",
    fit: Fit = None,
    vectors: Vectors = None,
    seed: Seed = 0,
    accept_leaks: AcceptLeaks = False,
    download: Download = False,
    layout: FileLayout,
    as_json: AsJson = False,
) -> None:
    """Fit a model's threshold and probabilities to labelled pairs.

    Both are saved with the model, and used by every command that decides; or with --out in a file of their
    own, for any model or baseline. A file serves the model that it was made for, and no other.

    Of a reader and SQuAD 2.0's questions, the probability of "no answer" is fitted, and above which one the
    answer is none: for the best F1 or exact match, or with --precision for the most answers of which that
    proportion is right.

    Of a collection, judged queries teach how much words and vectors count in a hybrid search, and how
    probable it is that a hit is relevant. Labels of what textkin match writes, or groups of its entries,
    teach textkin match what says the same. All is kept in the collection.
    """
    from textkin.data.readers.from_python import holds_spans
    from textkin.measures.decisions.calibration import Method

    goal = goal_of(precision, recall, f1, accuracy, rule)
    own = CollectionFit(queries, split, k, rerank, rerank_depth, groups, guard, base_rate)
    asked = layout.reading()
    if is_collection(model):
        others = {
            "--method": method != "auto",
            "--out": out is not None,
            "--analyser": analyser != "plain",
            "--fit": fit is not None,
            "--vectors": vectors is not None,
            "--proof": proof,
        }
        refuse(others, "a collection")
        if own.is_for_matches(data):
            fit_matches(place_of(model), data, own, goal, test, reading=asked, seed=seed, as_json=as_json)
            return
        given = {"--columns": layout.columns is not None, "--format": layout.format != "auto"}
        refuse(given, "judged queries")
        fit_collection(place_of(model), data, own, goal, test, seed=seed, reading=asked, as_json=as_json)
        return
    if data is None:
        raise UsageError("DATA is missing", fix="give labelled pairs, or --help for what else")
    refuse({f"--{name}": True for name in own.asked()}, "a model")
    fetch(model, download=download)
    chosen = None if method == "auto" else Method(method)
    if holds_spans(data, reading=asked):
        others = {"--fit": fit is not None, "--vectors": vectors is not None, "--proof": proof}
        refuse(others, "questions about passages")
        found = _reader(model, data, goal, test, out=out, method=chosen, accept_leaks=accept_leaks)
        emit_json(found) if as_json else _print_reader(found)
        return
    from textkin.verbs.evaluate.calibrate import CalibrateOptions, calibrate

    result = calibrate(
        model,
        data,
        goal=goal,
        test=test,
        options=CalibrateOptions(
            out=out,
            fit=fit,
            vectors=vectors,
            analyser=analyser,
            seed=seed,
            method=chosen,
            accept_leaks=accept_leaks,
            proof=proof,
        ),
        reading=asked,
    )
    note_accounts([result.truncation], [result.coverage])
    for line in result.notes:
        note(f"warning: {line}")
    if as_json:
        emit_json(result)
    else:
        _print(result)


def _reader(
    model: str,
    data: Path,
    goal: Goal,
    test: Path | None,
    *,
    out: Path | None,
    method: Method | None,
    accept_leaks: bool,
) -> CalibratedReader:
    from textkin.verbs.evaluate.calibrate_spans import ReaderOptions, calibrate_reader

    options = ReaderOptions(out=out, method=method, accept_leaks=accept_leaks)
    return calibrate_reader(data, model=model, goal=goal, test=test, options=options)


def _print(result: Calibrated) -> None:
    from textkin.report.figure_words import full

    fitted = result.threshold
    header = ["", "precision", "recall", "F1", "accuracy"]
    rows = [[f"fitted on {result.fitted_on}", *(full(result.fitted[name]) for name in header[1:])]]
    if result.test is not None:
        rows.append(["test, unchanged", *(full(result.test.test[name]) for name in header[1:])])
    emit_table(header, rows)
    if result.paid:
        emit_text(f"\n{result.paid}")
    if result.proof is not None:
        emit_text(f"\n{result.proof.sentence}")
    emit_text(f"\nThreshold {fitted.value:.4f} for {fitted.goal}, saved in {result.saved_in}")
    if result.test_ece is not None and result.test_brier is not None:
        emit_text(f"Probabilities on test: ECE {result.test_ece:.3f}, Brier score {result.test_brier:.3f}")


def _print_reader(result: CalibratedReader) -> None:
    from textkin.kinds.no_answer_rule import FIGURES
    from textkin.report.figure_words import full

    rows = [
        [name, *(full(found[figure]) if figure in found else "" for figure in FIGURES)]
        for name, found in result.sides().items()
    ]
    emit_table(["", *FIGURES], rows)
    emit_text()
    for line in result.said():
        emit_text(line)
