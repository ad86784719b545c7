"""``textkin score``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.errors import UsageError, is_column_file
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.cli.attention import AttentionFile, Heads, Layers, check_attention, write_attention
from textkin.cli.explain import show_explanation
from textkin.cli.output import emit_json, emit_table, emit_tsv, note, note_read, note_truncation, write_tsv
from textkin.cli.shared_options import (
    AnalyserName,
    AsJson,
    DecisionFile,
    Download,
    FileLayout,
    Fit,
    ModelName,
    Seed,
    Threshold,
    Vectors,
    fetch,
)

if TYPE_CHECKING:
    from textkin.data.readers import Reading
    from textkin.data.records import Pair, PairSet
    from textkin.verbs.use.score import Scored

EXAMPLES = """
textkin score runs/lstm/model "reset my password" "I forgot my password"
textkin score runs/lstm/model --pairs new.csv --out scored.tsv
textkin score runs/esim/model "reset my password" "I forgot my password" --attention attention.html
textkin score default --pairs new.csv --threshold 0.7
textkin score tfidf --pairs new.csv --fit corpus.txt
"""


def command(
    model: ModelName,
    a: Annotated[str | None, Option("A text.", metavar="A")] = None,
    b: Annotated[str | None, Option("The text to compare it with.", metavar="B")] = None,
    /,
    *,
    pairs: Annotated[Path | None, Option("Score the pairs of a file instead.", metavar="FILE")] = None,
    out: Annotated[Path | None, Option("Write the scored pairs to a file.", metavar="FILE.tsv")] = None,
    analyser: AnalyserName = "plain",
    decision: DecisionFile = None,
    threshold: Threshold = None,
    fit: Fit = None,
    vectors: Vectors = None,
    seed: Seed = 0,
    layout: FileLayout,
    explain: Annotated[
        bool,
        Option("With two texts: show which words make their score, as textkin explain does."),
    ] = False,
    attention: AttentionFile = None,
    layer: Layers = None,
    head: Heads = None,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Score two texts, or the pairs of a file.

    Higher is more similar. A model with a calibration also gives the probability that two texts are the
    same, and one with a threshold decides, as any does at --threshold. Scored pairs are tab separated lines;
    row counts the file's data rows from 1.
    """
    from textkin.verbs.use.score import score

    for given, option in ((attention is not None, "--attention"), (explain, "--explain")):
        if given and pairs is not None:
            raise UsageError(f"{option} goes with two texts", fix="leave it out, or give two texts")
    if explain and as_json:
        raise UsageError("--explain prints tables", fix="use textkin explain --json")
    check_attention(attention, layer, head)
    if decision is not None and threshold is not None:
        raise UsageError("--threshold and --decision at once", fix="give one of them")
    data = _given(a, b, pairs, out, layout.reading())
    fetch(model, download=download)
    scored = score(
        model,
        data.texts,
        fit_texts=fit,
        vectors=vectors,
        seed=seed,
        analyser=analyser,
        decision=decision if threshold is None else threshold,
    )
    if attention is not None:
        write_attention(attention, model, data.texts[0], layer, head)
    note_truncation(scored.truncation)
    for words in scored.notes:
        note(words)
    if pairs is None:
        _show_one(scored, as_json=as_json)
        if explain:
            show_explanation(model, *data.texts[0], fit=fit, vectors=vectors, seed=seed, analyser=analyser)
    elif out is None:
        _show_all(data, scored, as_json=as_json)
    else:
        _save_all(data, scored, out, as_json=as_json)


def _given(a: str | None, b: str | None, pairs: Path | None, out: Path | None, asked: Reading) -> PairSet:
    from textkin.base.files import overwritten
    from textkin.base.parquet_files import require_columns
    from textkin.data.readers import load_pairs
    from textkin.data.records import LabelKind, Pair, PairSet

    if out is not None:
        require_columns(out)
    if pairs is not None:
        if a is not None:
            raise UsageError("both a text and --pairs are given", fix="give two texts, or --pairs FILE")
        if out is not None and overwritten([out], [pairs]):
            raise UsageError(f"{out} is the file of pairs", fix="choose another file for the scores")
        loaded = load_pairs(pairs, reading=asked)
        note_read(loaded.report)
        return loaded.data
    if a is None or b is None:
        raise UsageError("there is nothing to compare", fix="give two texts, or --pairs FILE")
    if out is not None:
        raise UsageError("--out goes with --pairs", fix="leave it out, or name a file with --pairs")
    return PairSet((Pair(a, b),), LabelKind.NONE)


def _show_one(scored: Scored, *, as_json: bool) -> None:
    (row,) = _figures(scored)
    if as_json:
        emit_json({**_about(scored), **row})
        return
    cells = {"model": scored.model, "score": f"{row['score']:.4f}"}
    if row["probability"] is not None:
        cells["probability"] = f"{row['probability']:.3f}"
    if row["same"] is not None:
        cells |= {"threshold": scored.threshold_words, "decision": _word(row["same"])}
    emit_table(tuple(cells), [tuple(cells.values())])


def _show_all(data: PairSet, scored: Scored, *, as_json: bool) -> None:
    if as_json:
        rows = [{"row": pair.row + 1, **row} for pair, row in zip(data, _figures(scored), strict=True)]
        emit_json({**_about(scored), "pairs": rows})
    else:
        emit_tsv(_header(scored), _lines(data, scored))


def _save_all(data: PairSet, scored: Scored, out: Path, *, as_json: bool) -> None:
    from textkin.base.files import atomic_text
    from textkin.base.table_writer import written_table

    if is_column_file(out):
        with written_table(out, _header(scored)) as writer:
            writer.write(_cells(pair, row) for pair, row in zip(data, _figures(scored), strict=True))
    else:
        with atomic_text(out) as stream:
            write_tsv(stream, _header(scored), _lines(data, scored))
    if as_json:
        emit_json({**_about(scored), "count": len(data), "out": out})
    else:
        emit_table(("model", "pairs", "written to"), [(scored.model, f"{len(data):,}", shown_output(out))])


def _about(scored: Scored) -> dict[str, Any]:
    """What JSON says of all pairs."""
    return {
        "model": scored.model,
        "threshold": scored.threshold,
        "threshold_fitted": scored.threshold_fitted,
        "truncation": scored.truncation,
        "coverage": scored.coverage,
    }


def _figures(scored: Scored) -> Iterator[dict[str, Any]]:
    """What JSON says of each pair; None where the model can't say it."""
    for place, score in enumerate(scored.scores.tolist()):
        yield {
            "score": score,
            "probability": None if scored.probabilities is None else float(scored.probabilities[place]),
            "same": None if scored.same is None else bool(scored.same[place]),
        }


def _header(scored: Scored) -> list[str]:
    from textkin.measures.decisions.user_thresholds import NOT_FITTED

    found = ["row", "text_a", "text_b", "score"]
    found += [] if scored.probabilities is None else ["probability"]
    if scored.same is None:
        return found
    return [*found, "decision" if scored.threshold_fitted else f"decision ({NOT_FITTED})"]


def _cells(pair: Pair, row: dict[str, Any]) -> list[Any]:
    """One pair with every digit, for a file that knows numbers."""
    cells = [pair.row + 1, pair.a, pair.b, row["score"]]
    cells += [] if row["probability"] is None else [row["probability"]]
    return cells if row["same"] is None else [*cells, _word(row["same"])]


def _lines(data: PairSet, scored: Scored) -> Iterator[list[object]]:
    for pair, row in zip(data, _figures(scored), strict=True):
        cells: list[object] = [pair.row + 1, pair.a, pair.b, f"{row['score']:.7g}"]
        cells += [] if row["probability"] is None else [f"{row['probability']:.6f}"]
        yield cells if row["same"] is None else [*cells, _word(row["same"])]


def _word(same: bool) -> str:
    return "same" if same else "different"
