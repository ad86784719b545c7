"""``phrases index``, ``add``, ``search`` and ``evaluate``: an index of the phrases of many passages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.hub import PHRASES
from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import Resamples, Seed, TextColumn
from textkin.verbs.phrases.options import MovedModel, PerPassage, PhraseModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textkin.collection.phrases.search import PhraseHits
    from textkin.verbs.phrases.evaluated import EvaluatedPhrases
    from textkin.verbs.phrases.indexing import BuiltPhraseIndex

Passages = Annotated[
    Any,
    Option(
        "Passages: one per line, a table, SQuAD's JSON, Markdown, or a folder of text files.",
        metavar="PASSAGES",
        command=Path,
        python="Or texts in a list.",
    ),
]
IndexFolder = Annotated[Path, Option("Folder of the index.", metavar="INDEX")]
RecallQuestions = Annotated[
    Any,
    Option(
        "Questions, one per line, to measure the recall of an approximate search. Default: stored phrases.",
        metavar="TEXTS",
        command=Path,
    ),
]

IndexMetric = Annotated[Literal["ip", "l2"], Option("Largest inner product, or smallest distance.")]
_PROBE = 16
Words = Annotated[
    float | None,
    Option(
        "Weight of the question's words near to a phrase and in its passage; 0 for vectors alone. "
        "Default: 0.6; 0 for tfidf, l2, cells and with a number of phrases per passage.",
        metavar="W",
        low=0,
    ),
]
Cells = Annotated[int, Option("Clusters of phrases, by faiss; 0 searches exactly.", metavar="N", low=0)]
Probe = Annotated[
    int | None, Option("Clusters to search per question. Default: 16, or all if fewer.", metavar="N", low=1)
]
BytesPerVector = Annotated[int, Option("Bytes of a phrase's code; 0 for whole vectors.", metavar="N", low=0)]
Refine = Annotated[
    int,
    Option(
        "Phrases to score again exactly; 0 keeps the codes alone, which takes far less space.",
        metavar="N",
        low=0,
    ),
]
Question = Annotated[
    Any,
    Option(
        "Question. Default: one per line from standard input.",
        metavar="QUESTION",
        command=str,
        python="Or several in a list.",
    ),
]
Count = Annotated[int, Option("Number of phrases.", short="-k", metavar="N", low=1)]
MeasuredQuestions = Annotated[
    Any,
    Option(
        "SQuAD's JSON, whose answers are compared; or questions alone: one per line, or a table.",
        metavar="QUESTIONS",
        command=Path,
        python="Or questions in a list, or a SpanSet.",
    ),
]


@verb
def index(
    passages: Passages,
    /,
    *,
    model: PhraseModel = PHRASES,
    out: IndexFolder,
    words: Words = None,
    metric: IndexMetric = "ip",
    per_passage: PerPassage = None,
    cells: Cells = 0,
    probe: Probe = None,
    bytes_per_vector: BytesPerVector = 0,
    refine: Refine = 200,
    recall_questions: RecallQuestions = None,
    text: TextColumn = None,
    seed: Seed = 0,
) -> BuiltPhraseIndex:
    """Build an index of the phrases of many passages.

    Without cells, search is exact. With cells it compares few phrases; its recall is measured against an
    exact search, and printed with every answer. An interrupted call resumes.

    Returns:
        The index with its size and recall.

    Raises:
        UsageError: there is no such encoder, or the options don't fit.
        DataError: the passages can't be read, or have no phrase.
        ModelError: the model doesn't encode phrases.
        OutputError: ``out`` holds something else, or can't be written.
        MissingExtraError: cells are wanted, and faiss is not installed.

    Example:
        >>> import textkin as tk
        >>> passages = ["The mill was built in 1850.", "Clemency Hurst designed the town hall."]
        >>> made = tk.phrases.index(passages, model="tfidf", out="town")
        >>> tk.phrases.search("town", "Who designed the town hall?", k=1)[0].passage
        '1'
    """
    from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
    from textkin.verbs.phrases.indexing import index_phrases, passages_of, questions_of

    options = PhraseIndexOptions(
        metric=metric,
        words=words,
        per_passage=per_passage,
        cells=cells,
        probe=min(_PROBE, cells or _PROBE) if probe is None else probe,
        bytes_per_vector=bytes_per_vector,
        refine=refine,
        seed=seed,
    )
    asked = questions_of(recall_questions)
    return index_phrases(passages_of(passages, text), out, model, options=options, questions=asked)


@verb
def add(
    index: IndexFolder,
    passages: Passages,
    /,
    *,
    model: MovedModel = None,
    recall_questions: RecallQuestions = None,
    text: TextColumn = None,
) -> BuiltPhraseIndex:
    """Add passages to an index.

    The result is the index of all passages together, with the same options; only the new ones are encoded.
    tfidf weighs words by all passages, so it encodes all of them again. The former index answers until the
    new one takes its place. An interrupted call resumes.

    Returns:
        The index with its size and recall.

    Raises:
        UsageError: the index has codes alone, so that no recall could be measured.
        DataError: the passages can't be read, are in the index already, or the index is broken.
        ModelError: the encoder isn't at its place.
        OutputError: the index can't be written.

    Example:
        >>> import textkin as tk
        >>> made = tk.phrases.index(["The mill was built in 1850."], model="tfidf", out="grown")
        >>> tk.phrases.add("grown", ["Clemency Hurst designed the town hall."]).passages
        2
    """
    from textkin.verbs.phrases.indexing import add_phrases, passages_of, questions_of

    known = passages_of(passages, text)
    return add_phrases(index, known, model=model, questions=questions_of(recall_questions))


@verb
def search(
    index: IndexFolder,
    question: Question = None,
    /,
    *,
    k: Count = 5,
    model: MovedModel = None,
) -> PhraseHits | list[PhraseHits] | Iterator[PhraseHits]:
    """Find the phrases that answer a question best, without those that overlap a better one.

    Returns:
        The phrases in their passages, best first; a list of these for several questions.

    Raises:
        UsageError: a question is blank, or there is none; a command reads lines of standard input then.
        DataError: the folder is no index, or was made by another encoder.
        ModelError: the encoder isn't at its place.

    Example:
        >>> import textkin as tk
        >>> made = tk.phrases.index(["The mill was built in 1850."], model="tfidf", out="mill")
        >>> found = tk.phrases.search("mill", "When was the mill built?")
        >>> found[0].where
        'The mill was built [[in 1850]].'
    """
    from textkin.base.errors import required
    from textkin.base.spelling import is_command
    from textkin.verbs.phrases.indexing import ask_index, ask_typed

    if question is None:
        if not is_command():
            raise required("question", by="a search")
        return ask_typed(index, k, model=model)
    found = ask_index(index, [question] if isinstance(question, str) else list(question), k, model=model)
    return found[0] if isinstance(question, str) else found


@verb
def evaluate(
    index: IndexFolder,
    questions: MeasuredQuestions,
    /,
    *,
    model: MovedModel = None,
    text: TextColumn = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> EvaluatedPhrases:
    """Measure an index: its answers out of all passages, and its recall.

    Each question of SQuAD is answered by the best phrase of all passages, of whichever article: exact match
    and F1 in the open domain. Of an approximate search, the recall on these questions is measured against an
    exact search, and printed beside the one stated when the index was built.

    Returns:
        Exact match and F1 with intervals; the stated and the measured recall.

    Raises:
        UsageError: there is nothing to measure: questions alone, of an index that is searched exactly or has
            codes alone.
        DataError: a file can't be read, or the folder is no index.
        ModelError: the encoder isn't at its place.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> data = samples.path("town.json")
        >>> made = tk.phrases.index(data, model="tfidf", out="measured")
        >>> found = tk.phrases.evaluate("measured", data, resamples=100)
        >>> found.answers.questions, found.measured
        (198, ())
    """
    from textkin.measures.intervals.sampling import Sampling
    from textkin.verbs.phrases.evaluated import evaluate_phrases

    sampling = Sampling(resamples=resamples, seed=seed)
    return evaluate_phrases(index, questions, model=model, text=text, sampling=sampling)
