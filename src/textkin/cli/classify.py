"""``textkin classify``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.cli.output import emit_json, emit_table, emit_text, emit_tsv, note, note_truncation
from textkin.cli.shared_options import (
    AnalyserName,
    AsJson,
    Download,
    EncodingName,
    Fit,
    IdColumn,
    ModelName,
    Quoting,
    Seed,
    TextColumn,
    TextsFile,
    Vectors,
    fetch,
)
from textkin.cli.system_tables import names_of
from textkin.data.readers import TextReading

if TYPE_CHECKING:
    from textkin.verbs.classify.classify import Classified
    from textkin.verbs.classify.few_shot import FewShot

EXAMPLES = """
textkin classify default new.txt --examples labelled.tsv --label topic
textkin classify runs/mine/model test.tsv --examples train.tsv --label topic --threshold 0.6 --out labels.tsv
textkin classify default labelled.tsv --label topic --ways 20 --shots 1
"""

_COLUMNS = ("id", "text", "label", "similarity", "example", "second", "second_similarity")


def command(
    model: ModelName,
    texts: TextsFile,
    /,
    *,
    label: Annotated[str, Option("Column of labels, by name or number from 1.", metavar="COLUMN")],
    examples: Annotated[
        Path | None,
        Option("Table of texts with labels, to compare with.", metavar="FILE"),
    ] = None,
    threshold: Annotated[
        float | None,
        Option(
            "Texts whose nearest example scores below T get the label none. It is not fitted.", metavar="T"
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Option("Write the labels to a .tsv, .csv, .jsonl or .parquet file.", metavar="FILE"),
    ] = None,
    ways: Annotated[
        int | None,
        Option(
            "In place of --examples: measure TEXTS in episodes of N classes drawn at random.", metavar="N"
        ),
    ] = None,
    shots: Annotated[
        int | None,
        Option("With --ways: examples of each class.  [default: 1]", metavar="K"),
    ] = None,
    rounds: Annotated[
        int | None,
        Option("With --ways: how many episodes.  [default: 1000]", flag="--episodes", metavar="N"),
    ] = None,
    baselines: Annotated[str, Option("Baselines to measure beside the model.", metavar="NAME,...")] = "tfidf",
    column: TextColumn = None,
    ids: IdColumn = None,
    analyser: AnalyserName = "plain",
    fit: Fit = None,
    vectors: Vectors = None,
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    seed: Seed = 0,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Give texts the labels of their nearest examples.

    Of equally near examples the first one decides. Where TEXTS has a column of that name, too, its labels
    are compared with those that were found, beside the most frequent label, any label and baselines. Texts
    that are among the examples are left out of that.

    With --ways, it is measured how well that does: each episode draws N classes, K examples of each and a
    further text of one of them. That is N-way K-shot accuracy.
    """
    from textkin.verbs.classify.classify import ClassifyOptions, classify
    from textkin.verbs.classify.labelled_files import read_labelled, read_texts

    how = ClassifyOptions(
        threshold=threshold,
        baselines=names_of(baselines) or (),
        analyser=analyser,
        fit=fit,
        vectors=vectors,
        seed=seed,
    )
    reading = TextReading(column=column, ids=ids, quoting=quoting, encoding=encoding)
    _check(examples, ways, shots, rounds, out)
    fetch(model, download=download)
    if ways is not None:
        from textkin.verbs.classify.few_shot import FewShotOptions, few_shot

        episodes = FewShotOptions(
            ways=ways,
            shots=1 if shots is None else shots,
            rounds=1000 if rounds is None else rounds,
            seed=seed,
        )
        measured = few_shot(model, read_labelled(texts, label, reading), options=episodes, how=how)
        _show_episodes(measured, as_json=as_json)
    if examples is None:
        return
    known = read_labelled(examples, label, reading)
    found = classify(model, read_texts(texts, label, reading), known, options=how)
    note_truncation(found.truncation)
    _show(found, out, as_json=as_json)


def _check(
    examples: Path | None, ways: int | None, shots: int | None, rounds: int | None, out: Path | None
) -> None:
    """Refuse what doesn't go together, before anything is read."""
    if examples is None and ways is None:
        raise UsageError("there are no examples", fix="give --examples FILE, or --ways N to measure TEXTS")
    if examples is not None and ways is not None:
        raise UsageError("--examples and --ways at once", fix="give one of them: episodes draw from TEXTS")
    for name, value in (("--shots", shots), ("--episodes", rounds)):
        if value is not None and ways is None:
            raise UsageError(f"{name} without --ways", fix="leave it out, or give --ways N")
    if out is not None:
        from textkin.base.table_writer import check_ending, check_name

        if ways is not None:
            raise UsageError("--out with --ways, which gives no labels", fix="leave it out")
        check_name(out)
        check_ending(out)


def _show_episodes(found: FewShot, *, as_json: bool) -> None:
    if as_json:
        emit_json(found)
        return
    from textkin.report.figure_words import full
    from textkin.verbs.classify.few_shot import episodes_in_words

    rows = [(name, full(figure)) for name, figure in found.accuracy]
    emit_table(("system", "accuracy"), rows)
    emit_text()
    for line in episodes_in_words(found):
        emit_text(line)


def _show(found: Classified, out: Path | None, *, as_json: bool) -> None:
    from textkin.verbs.classify.classify import figures_in_words

    known = () if found.figures is None else tuple(figures_in_words(found.figures))
    if out is not None:
        from textkin.base.table_writer import written_table

        with written_table(out, _columns(found)) as writer:
            writer.write(_lines(found))
    if as_json:
        emit_json(
            {
                "model": found.model,
                "examples": len(found.examples),
                "threshold": found.threshold,
                "threshold_fitted": None if found.threshold is None else False,
                "figures": found.figures,
                "notes": found.notes,
                "truncation": found.truncation,
                "coverage": found.coverage,
                **({"labels": found.rows()} if out is None else {"count": len(found.labels), "out": out}),
            }
        )
        return
    if out is None:
        emit_tsv(_columns(found), _lines(found))
        for line in (*found.notes, *known):
            note(line)
        return
    for line in (*found.notes, *known):
        emit_text(line)
    emit_text(f"{len(found.labels):,} texts with labels by {found.model} written to {shown_output(out)}")


def _columns(found: Classified) -> tuple[str, ...]:
    return _COLUMNS if not any(found.texts.labels) else (*_COLUMNS, "own")


def _lines(found: Classified) -> Iterator[list[str | int | float]]:
    from textkin.verbs.classify.classify import NONE

    columns = _columns(found)
    for row in found.rows():
        cells = {**row, "label": NONE if row["label"] is None else row["label"]}
        for name in ("similarity", "second_similarity"):
            cells[name] = None if cells[name] is None else f"{cells[name]:.7g}"
        yield ["" if cells[name] is None else cells[name] for name in columns]
