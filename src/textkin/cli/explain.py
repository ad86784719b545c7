"""``textkin explain``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.cli.output import emit_json, emit_text, note, note_read, note_truncation
from textkin.cli.shared_options import AsJson, Download, FileLayout, Fit, ModelName, Seed, Vectors, fetch

if TYPE_CHECKING:
    from textkin.kinds.explanation import Explained

EXAMPLES = """
textkin explain default "reset my password" "I forgot my password"
textkin explain runs/cross/model "reset my password" "I forgot my password" --out why.html
textkin explain bm25 "opening hours" "When do you open?" --fit corpus.txt
textkin explain default --pairs new.csv --sample 200
"""


def command(
    model: ModelName,
    a: Annotated[str | None, Option("A text.", metavar="A")] = None,
    b: Annotated[str | None, Option("The text beside it.", metavar="B")] = None,
    /,
    *,
    pairs: Annotated[
        Path | None,
        Option("Measure on pairs how faithful explanations are.", metavar="FILE"),
    ] = None,
    sample: Annotated[int, Option("With --pairs: draw so many.", metavar="N", low=2)] = 200,
    out: Annotated[
        Path | None,
        Option(
            "Write a page with heat maps to a name that ends in .html, all numbers to one in .json.",
            metavar="FILE",
        ),
    ] = None,
    top: Annotated[int, Option("Show the N pairs with the largest shares.", metavar="N", low=0)] = 5,
    fit: Fit = None,
    vectors: Vectors = None,
    seed: Seed = 0,
    layout: FileLayout,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Show which words make the score of two texts.

    Of static embeddings, tfidf, bm25, models that add up vectors of tokens, and late interaction, each pair
    of tokens has a share, and all shares together are the score. Of other models each word is left out in
    turn, and its weight is what the score loses. --pairs leaves out words in the order of their weights,
    beside random orders: the faster the scores fall, the more the explanations know.
    """
    from textkin.data.readers import load_texts

    fetch(model, download=download)
    texts = () if fit is None else load_texts(fit).data.texts
    if pairs is not None:
        from textkin.data.readers import load_pairs
        from textkin.kinds.pair_figures import Sampling
        from textkin.verbs.use.faithfulness import faithfulness

        if a is not None or out is not None:
            raise UsageError("--pairs takes neither texts nor --out", fix="leave one or the other out")
        loaded = load_pairs(pairs, reading=layout.reading())
        note_read(loaded.report)
        measured = faithfulness(
            loaded.data,
            model=model,
            sample=sample,
            fit_texts=texts,
            vectors=vectors,
            sampling=Sampling(seed=seed),
        )
        if as_json:
            emit_json(measured)
        else:
            emit_text(str(measured))
        return
    if a is None or b is None:
        raise UsageError("there is nothing to explain", fix="give two texts, or --pairs FILE")
    from textkin.kinds.explanation import explain
    from textkin.report.attention_page import attention_path

    if out is not None:
        attention_path(out)
    found = explain(model, a, b, fit_texts=texts, vectors=vectors, seed=seed)
    show(found, out=out, top=top, as_json=as_json)


def show_explanation(
    model: str, a: str, b: str, *, fit: Path | None, vectors: Path | None, seed: int, analyser: str
) -> None:
    """Explain a score below it."""
    from textkin.data.readers import load_texts
    from textkin.kinds.explanation import explain
    from textkin.kinds.explanation_tables import explanation_tables
    from textkin.text.baselines import with_analyser

    (model,) = with_analyser([model], analyser)
    texts = () if fit is None else load_texts(fit).data.texts
    emit_text()
    found = explain(model, a, b, fit_texts=texts, vectors=vectors, seed=seed)
    emit_text(explanation_tables(found, top=5))


def show(found: Explained, *, out: Path | None, top: int, as_json: bool) -> None:
    """Print an explanation, or write it."""
    from textkin.kinds.explanation_tables import explanation_tables

    note_truncation(found.truncation)
    found.coverage.tell()
    for words in found.notes:
        note(words)
    if out is not None:
        found.save(out)
    if as_json:
        emit_json(found.to_dict())
        return
    emit_text(explanation_tables(found, top=top))
    if out is not None:
        emit_text(f"\nwritten to {shown_output(out)}")
