"""``textkin answer``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.cli.attention import AttentionFile, Heads, Layers, check_attention, write_attention
from textkin.cli.output import emit_json, emit_text, jsonable, note_read, note_truncation
from textkin.cli.shared_options import AsJson, DecisionFile, Download, TextColumn, fetch

if TYPE_CHECKING:
    from textkin.verbs.answer.answer import Answered, FoundAnswer

EXAMPLES = """
textkin answer runs/reader/model "When was the mill built?" --in passages.txt
textkin answer runs/reader/model "When was the mill built?" --in handbook/ -k 5 --json
textkin answer runs/bidaf/model "When was the mill built?" --in passages.txt --attention seen.html
textkin answer sentence-bm25 "When was the mill built?" --in dev-v1.1.json
"""
_AROUND = 60


def command(
    model: Annotated[
        str,
        Option(
            "A folder with a model that points at spans, the name of one in the Hugging Face cache, or "
            "a baseline: constant, random, no-answer, sentence-tfidf, sentence-bm25, sliding-window.",
            metavar="MODEL",
        ),
    ],
    question: Annotated[str, Option("What is asked.", metavar="QUESTION")],
    /,
    *,
    passages: Annotated[
        Path,
        Option(
            "Where to look: a file with a passage a line, a table with a column of texts, a document in "
            "SQuAD's form, or a folder of text files.",
            flag="--in",
            metavar="PASSAGES",
        ),
    ],
    k: Annotated[int, Option("Answers, at most.", flag="-k", metavar="N", low=1)] = 1,
    most_passages: Annotated[
        int,
        Option(
            "Read the N passages that BM25 ranks highest; 0 for all.", flag="--passages", metavar="N", low=0
        ),
    ] = 100,
    column: TextColumn = None,
    attention: AttentionFile = None,
    layer: Layers = None,
    head: Heads = None,
    decision: DecisionFile = None,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Find the words in passages that answer a question.

    Offsets count characters of the passage from 0. "no answer" comes first where its probability is above
    the threshold of textkin calibrate; of a model without one, where it scores as high as the best answer in
    every passage. --attention looks at the passage of the best answer.
    """
    from textkin.data.readers.passages import read_passages
    from textkin.data.readers.read_options import TextReading
    from textkin.report.figure_words import count
    from textkin.verbs.answer.answer import answer

    check_attention(attention, layer, head)
    loaded = read_passages(passages, reading=TextReading(column=column))
    note_read(loaded.report)
    fetch(model, download=download)
    found = answer(
        model, [question], loaded.data, k=k, most_passages=most_passages or None, decision=decision
    )
    texts = dict(zip(loaded.data.ids, loaded.data.texts, strict=True))
    if attention is not None:
        best = found.questions[0].answers
        if not best:
            raise UsageError("no answer was found to look at", fix="give passages with other words")
        write_attention(attention, model, (question, texts[best[0].passage_id]), layer, head)
    note_truncation(found.truncation)
    if as_json:
        emit_json(jsonable(found))
        return
    _show(found.questions[0], texts)
    emit_text(f"\n{found.model} read {found.read:,} of {count(found.passages, 'passage')}")


def _show(answered: Answered, texts: dict[str, str]) -> None:
    """Each answer with its place, and the words around it."""
    if answered.nothing_in_common:
        emit_text("no answer: no passage has anything in common with the question")
    elif answered.is_none:
        certainty = "" if answered.no_answer is None else f"   probability {_share(answered.no_answer)}"
        emit_text(f"no answer{certainty}")
    for one in answered.answers:
        likely = (
            f"score {one.score:.4f}" if one.probability is None else f"probability {_share(one.probability)}"
        )
        emit_text(f"{' '.join(one.text.split())}   {likely}")
        emit_text(f"   passage {one.passage_id}, characters {one.start} to {one.end}: {_around(one, texts)}")


def _share(probability: float) -> str:
    """Three places, and small ones by their size."""
    return f"{probability:.3f}" if probability >= 0.001 or not probability else f"{probability:.1e}"


def _around(found: FoundAnswer, texts: dict[str, str]) -> str:
    """The answer in brackets, in the middle of its passage."""
    text = texts[found.passage_id]
    before, after = text[max(0, found.start - _AROUND) : found.start], text[found.end : found.end + _AROUND]
    head = "..." if found.start > _AROUND else ""
    tail = "..." if found.end + _AROUND < len(text) else ""
    return " ".join(f"{head}{before}[{found.text}]{after}{tail}".split())
