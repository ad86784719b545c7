"""Explanations on standard output, of ``match`` and ``search``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textkin.base.paths import shown_output
from textkin.base.printable import shortened, visible_line
from textkin.cli.output import emit_json, emit_text, note, note_truncation
from textkin.kinds.explanation_tables import explanation_tables, word_table

if TYPE_CHECKING:
    from textkin.collection.search.explain import ExplainedHit
    from textkin.kinds.explanation import Explained

_LONGEST = 160  # characters of a text that was found


def show_hit(found: ExplainedHit, *, top: int = 3) -> None:
    """Explain a text that was found: the words' parts in BM25, and the tokens' in other scores."""
    emit_text(f"\n{shortened(visible_line(found.text), _LONGEST)}")
    if found.words:
        emit_text(f"\nbm25: What each word of the query adds sums to the score, {found.bm25:.4f}.\n")
        emit_text(word_table(found.words))
    for one in (found.cosine, found.reranked):
        if one is not None:
            emit_text()
            emit_text(explanation_tables(one, top=top))


def show(found: Explained, *, out: Path | None, top: int, as_json: bool) -> None:
    """Print an explanation, or write it."""
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
