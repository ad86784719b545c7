"""Answer questions from a prebuilt phrase index.

Questions and contexts are encoded separately: neither side sees the other.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.base.standard_streams import typed_lines
from textkin.cli.output import emit_json, emit_table, emit_text, note, note_read
from textkin.cli.printed_results import show_result
from textkin.cli.shared_options import AsJson, Seed, TextColumn

if TYPE_CHECKING:
    from textkin.collection.phrase_files.embed import EmbeddedFiles
    from textkin.collection.phrases.search import PhraseHits

_MODEL = (
    "The encoder of phrases: a folder with a model of a recipe spans-piqa..., or tfidf, the baseline without "
    "a network, or both in one score, as FOLDER+tfidf:WEIGHT."
)
Model = Annotated[str, Option(_MODEL, metavar="MODEL")]
Contexts = Annotated[Path, Option("Contexts without questions, as JSON.", metavar="CONTEXTS")]
Questions = Annotated[Path, Option("Questions without contexts, as JSON.", metavar="QUESTIONS")]
Out = Annotated[Path, Option("Folder to write, or a .zip file.", flag="--out", metavar="DIR")]
Dtype = Annotated[
    Literal["float32", "float16", "int8"],
    Option("Number type: 4, 2 or 1 bytes.", flag="--dtype"),
]
Compressed = Annotated[bool, Option("Compress each file.", flag="--compressed")]
AskedFolder = Annotated[Path, Option("Phrase index.", metavar="INDEX")]
MovedModel = Annotated[
    str | None,
    Option("New location of the encoder, if it was moved.", flag="--model", metavar="MODEL"),
]
Keep = Annotated[
    int | None,
    Option(
        "Keep the N phrases of a passage that the encoder rates highest.",
        flag="--per-passage",
        metavar="N",
        low=1,
    ),
]


def split(
    data: Annotated[Path, Option("SQuAD's JSON.", metavar="DATA")],
    contexts: Annotated[Path, Option("File to write.", metavar="CONTEXTS")],
    questions: Annotated[Path, Option("File to write.", metavar="QUESTIONS")],
    /,
    *,
    as_json: AsJson = False,
) -> None:
    """Split SQuAD into contexts and questions.

    The file of contexts has no questions. The file of questions has ids, and no contexts or answers.
    """
    from textkin.data.readers.datasets.squad_parts import split_squad
    from textkin.report.figure_words import count

    found = split_squad(data, contexts, questions)
    if as_json:
        emit_json(found)
    else:
        counts = (found.articles, "article"), (found.paragraphs, "context"), (found.asked, "question")
        emit_text(", ".join(count(*one) for one in counts))


def embed_contexts(
    model: Model,
    contexts: Contexts,
    /,
    *,
    out: Out,
    dtype: Dtype = "float32",
    compressed: Compressed = False,
    metadata: Annotated[
        bool, Option("Include each context's text and its phrases' offsets.", flag="--with-texts")
    ] = False,
    keep: Keep = None,
    as_json: AsJson = False,
) -> None:
    """Write the vectors of each context's phrases.

    No question is used. TITLE_NUMBER.npz has one row per phrase, TITLE_NUMBER.json their texts. An
    interrupted call resumes. Files of another model, other contexts or other
    options are never mixed with these.
    """
    from textkin.collection.phrase_files.embed import EmbedOptions
    from textkin.verbs.answer.phrases import embed_contexts as embed

    start = time.perf_counter()
    options = EmbedOptions(dtype=dtype, compressed=compressed, metadata=metadata, keep=keep)
    _print_files(embed(contexts, out, model, options=options), "context", start, as_json=as_json)


def embed_questions(
    model: Model,
    questions: Questions,
    /,
    *,
    out: Out,
    dtype: Dtype = "float32",
    compressed: Compressed = False,
    as_json: AsJson = False,
) -> None:
    """Write the vector of each question.

    No context is used. ID.npz has one row.
    """
    from textkin.collection.phrase_files.embed import EmbedOptions
    from textkin.verbs.answer.phrases import embed_questions as embed

    start = time.perf_counter()
    options = EmbedOptions(dtype=dtype, compressed=compressed)
    _print_files(embed(questions, out, model, options=options), "question", start, as_json=as_json)


def merge(
    contexts: Annotated[Path, Option("Output of embed-contexts.", metavar="CONTEXT_VECTORS")],
    vectors: Annotated[Path, Option("Output of embed-questions.", metavar="QUESTION_VECTORS")],
    /,
    *,
    out: Annotated[Path, Option("File to write.", metavar="PREDICTIONS.json")],
    questions: Annotated[
        Path | None,
        Option("Question file for vectors of another program.", flag="--question-file", metavar="QUESTIONS"),
    ] = None,
    metric: Annotated[
        Literal["ip", "l2", "l1"],
        Option("Largest inner product, or smallest distance."),
    ] = "ip",
    as_json: AsJson = False,
) -> None:
    """Answer each question by its nearest phrase.

    The answer is the nearest phrase of its own context; the first of equal
    ones. Writes {id: text}, which textkin phrases
    evaluate measures.
    """
    from textkin.base.files import overwritten
    from textkin.collection.phrase_files.merge import merge as decided
    from textkin.report.figure_words import count

    if overwritten([out], [contexts, vectors, *([] if questions is None else [questions])]):
        raise UsageError(f"{out} is read and would be written", fix="give another name for the answers")
    found = decided(contexts, vectors, questions=questions, metric=metric)
    found.write(out)
    counts = found.rows()[0]
    if as_json:
        emit_json({"out": out, "metric": metric, **counts})
        return
    emit_text(
        f"{len(found.answers):,} of {count(found.questions, 'question')} answered; "
        f"written to {shown_output(out)}"
    )
    for key, (noun, what) in _COUNTED.items():
        if counts[key]:
            note(f"{count(counts[key], noun)} {what}")


def evaluate(
    data: Annotated[Path, Option("SQuAD's JSON.", metavar="DATA")],
    predictions: Annotated[Path, Option("Answers, {id: text}.", metavar="PREDICTIONS.json")],
    /,
    *,
    resamples: Annotated[int, Option("Bootstrap resamples for the intervals.", metavar="N", low=1)] = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Measure answers by SQuAD's rules.

    The figures are those of textkin compare --predictions.
    """
    from textkin.verbs.evaluate.compare import compare

    show_result(compare(data, predictions=predictions, resamples=resamples, seed=seed), as_json=as_json)


def index(
    passages: Annotated[
        Path,
        Option(
            "Passages: one a line, a table, SQuAD's JSON, or a folder of text files.",
            metavar="PASSAGES",
        ),
    ],
    /,
    *,
    model: Annotated[str, Option(_MODEL, metavar="MODEL")],
    out: Annotated[Path, Option("Folder to write.", metavar="INDEX")],
    metric: Annotated[Literal["ip", "l2"], Option("Largest inner product, or smallest distance.")] = "ip",
    keep: Keep = None,
    cells: Annotated[
        int,
        Option("Clusters of approximate search by faiss; 0 searches exactly.", metavar="N", low=0),
    ] = 0,
    probe: Annotated[int, Option("Clusters to search per question.", metavar="N", low=1)] = 16,
    code_bytes: Annotated[
        int,
        Option(
            "Bytes of compressed vectors; 0 for whole vectors.", flag="--bytes-per-vector", metavar="N", low=0
        ),
    ] = 0,
    refine: Annotated[int, Option("Phrases to score again exactly.", metavar="N", low=1)] = 200,
    questions: Annotated[
        Path | None,
        Option("Questions, one a line, to measure the recall.", flag="--recall-questions", metavar="TEXTS"),
    ] = None,
    column: TextColumn = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Build an index of the phrases of many passages.

    textkin phrases search queries it. With --cells a search compares few phrases; its recall is measured
    against an exact search, and printed with every answer. An interrupted call resumes.
    """
    from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
    from textkin.data.readers import TextReading, load_texts
    from textkin.data.readers.passages import read_passages
    from textkin.report.figure_words import count
    from textkin.verbs.answer.phrases import index_phrases

    options = PhraseIndexOptions(
        metric=metric, keep=keep, cells=cells, probe=probe, code_bytes=code_bytes, refine=refine, seed=seed
    )
    loaded = read_passages(passages, reading=TextReading(text=column))
    note_read(loaded.report)
    asked = () if questions is None else load_texts(questions).data.texts
    start = time.perf_counter()
    found = index_phrases(loaded.data, out, model, options=options, questions=asked)
    if as_json:
        recall = [each.as_json() for each in found.recall]
        row: dict[str, Any] = found.rows()[0]
        emit_json({**row, "recall": recall, "seconds": time.perf_counter() - start})
        return
    emit_text(
        f"{count(found.phrases, 'phrase')} of {count(found.passages, 'passage')}, "
        f"{found.dim:,} dimensions; "
        f"{found.bytes / 2**20:,.1f} MiB, {found.bytes_per_phrase:,.0f} bytes a phrase"
    )
    for each in found.recall:
        emit_text(each.sentence())
    emit_text(f"{time.perf_counter() - start:.1f} s; written to {found.out}")


def search(
    index: AskedFolder,
    question: Annotated[
        str | None, Option("Question. Default: one a line from standard input.", metavar="QUESTION")
    ] = None,
    /,
    *,
    k: Annotated[int, Option("Number of phrases.", flag="-k", metavar="N", low=1)] = 5,
    model: MovedModel = None,
    as_json: AsJson = False,
) -> None:
    """Find the phrases that answer a question best.

    Without QUESTION, each line of standard input is a question.
    """
    from textkin.verbs.answer.phrases import AskedIndex

    questions = _asked(question)
    with AskedIndex(index, model=model) as asked:
        for one in questions:
            start = time.perf_counter()
            [found] = asked.ask([one], k)
            seconds = time.perf_counter() - start
            if as_json:
                recall = [each.as_json() for each in found.recall]
                said = {"hits": found.hits, "no_answer": found.no_answer, "is_none": found.is_none}
                emit_json({"question": one, **said, "recall": recall, "seconds": seconds})
            else:
                _print_hits(found, seconds)
            sys.stdout.flush()


def audit(
    index: AskedFolder,
    questions: Annotated[Path, Option("Questions: one a line, or a table.", metavar="TEXTS")],
    /,
    *,
    model: MovedModel = None,
    column: TextColumn = None,
    as_json: AsJson = False,
) -> None:
    """Measure the recall of an approximate search again.

    Each question is searched for as search does, and exactly. The measured recall is printed beside the
    one stated when the index was built.
    """
    from textkin.data.readers import TextReading, load_texts
    from textkin.verbs.answer.phrases import AskedIndex

    texts = load_texts(questions, reading=TextReading(text=column)).data.texts
    with AskedIndex(index, model=model) as asked:
        found = asked.audit(texts)
    sides = found.sides()
    if as_json:
        stated, measured = ([one.as_json() for one in some] for some in (found.stated, found.measured))
        emit_json({"stated": stated, "measured": measured, "sides": sides})
        return
    for one, other, side in zip(found.stated, found.measured, sides, strict=True):
        emit_text(f"stated    {one.sentence()}")
        emit_text(f"measured  {other.sentence()}, {side} the stated interval")


_COUNTED = {
    "tied": ("answer", "with an equal, which stands behind it"),
    "without_contexts": ("question", "about contexts that have no file"),
    "without_vectors": ("question", "without a file"),
    "without_phrases": ("question", "about contexts without a phrase"),
}


def _asked(question: str | None) -> Iterator[str]:
    if question is None:
        return (line for _, line in typed_lines())
    if not question.strip():
        raise UsageError("the question is blank", fix="say what is asked, or leave it out to be asked")
    return iter([question])


def _print_files(found: EmbeddedFiles, what: str, start: float, *, as_json: bool) -> None:
    if as_json:
        emit_json({**found.rows()[0], "seconds": time.perf_counter() - start})
        return
    from textkin.report.figure_words import count

    a_word = f", {found.bytes_per_word:,.0f} bytes a word" if found.words else ""
    emit_text(
        f"{count(found.items, what)}, {count(found.vectors, 'vector')} of {found.dim:,} dimensions; "
        f"{found.bytes / 2**20:,.1f} MiB{a_word}"
    )
    if found.empty:
        note(f"{count(found.empty, what)} without a phrase")
    emit_text(
        f"were there already: {found.out}"
        if found.already
        else f"{time.perf_counter() - start:.1f} s; written to {found.out}"
    )


def _print_hits(found: PhraseHits, seconds: float) -> None:
    rows = [
        (hit.phrase, f"{hit.score:.4g}", hit.passage_id, " ".join(hit.marked().split())) for hit in found.hits
    ]
    if found.hits and found.is_none:
        emit_text(f"no answer   score {found.no_answer:.4g}")
    if rows:
        emit_table(("phrase", "score", "passage", "where"), rows)
    else:
        emit_text("no phrase shares anything with the question")
    recall = "; ".join(each.sentence() for each in found.recall) or "exact search"
    emit_text(f"{1000 * seconds:.0f} ms, {recall}")
