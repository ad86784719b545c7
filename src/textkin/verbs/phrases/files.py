"""``phrases split``, ``embed`` and ``merge``: PI-SQuAD's way, by files of vectors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.hub import PHRASES
from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.phrases.options import Dtype, PerPassage, PhraseModel

if TYPE_CHECKING:
    from textkin.collection.phrase_files.embed import EmbeddedFiles
    from textkin.collection.phrase_files.merge import Merged
    from textkin.data.readers.datasets.squad_parts import SplitDocument

SquadFile = Annotated[Path, Option("SQuAD's JSON.", metavar="DATA")]
ContextsOut = Annotated[Path, Option("File to write.", metavar="CONTEXTS")]
QuestionsOut = Annotated[Path, Option("File to write.", metavar="QUESTIONS")]
OneSide = Annotated[Path, Option("Contexts or questions, as split writes them.", metavar="FILE")]
VectorsOut = Annotated[Path, Option("Folder to write, or a .zip file.", metavar="FOLDER")]
Compressed = Annotated[bool, Option("Compress each file.")]
WithTexts = Annotated[bool, Option("For contexts: include each context's text and its phrases' offsets.")]
ContextVectors = Annotated[Path, Option("Vectors of contexts.", metavar="CONTEXT_VECTORS")]
QuestionVectors = Annotated[Path, Option("Vectors of questions.", metavar="QUESTION_VECTORS")]
AnswersOut = Annotated[
    Path | None, Option("File of answers to write, {id: text}.", metavar="ANSWERS.json", required=True)
]
QuestionFile = Annotated[
    Path | None,
    Option(
        "Questions of the vectors, as split wrote them: for vectors of another program, which don't name "
        "their questions.",
        metavar="QUESTIONS",
    ),
]
FileMetric = Annotated[Literal["ip", "l2", "l1"], Option("Largest inner product, or smallest distance.")]


@verb
def split(
    data: SquadFile,
    contexts: ContextsOut,
    questions: QuestionsOut,
    /,
) -> SplitDocument:
    """Split SQuAD into contexts and questions.

    The file of contexts has no questions. The file of questions has ids, and no contexts or answers.

    Returns:
        The files with their counts.

    Raises:
        UsageError: two paths are the same.
        DataError: the document isn't SQuAD, or an id is repeated.
        OutputError: a file can't be written.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> tk.phrases.split(samples.path("town.json"), "contexts.json", "questions.json").asked
        198
    """
    from textkin.data.readers.datasets.squad_parts import split_squad

    return split_squad(data, contexts, questions)


@verb
def embed(
    data: OneSide,
    /,
    *,
    model: PhraseModel = PHRASES,
    out: VectorsOut,
    dtype: Dtype = "float32",
    compressed: Compressed = False,
    with_texts: WithTexts = False,
    per_passage: PerPassage = None,
) -> EmbeddedFiles:
    """Write the vectors of contexts' phrases, or of questions.

    Of contexts, TITLE_NUMBER.npz has one row per phrase, TITLE_NUMBER.json their texts; no question is used.
    Of questions, ID.npz has one row; no context is used. An interrupted call resumes. Files of another model,
    other data or other options are never mixed with these.

    Returns:
        The folder with its counts and sizes.

    Raises:
        UsageError: there is no such encoder, or it gives no priors.
        DataError: the file can't be read, or holds both sides.
        ModelError: the model doesn't encode phrases.
        OutputError: ``out`` contains other things, or can't be written.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> made = tk.phrases.split(samples.path("town.json"), "contexts.json", "questions.json")
        >>> tk.phrases.embed("contexts.json", model="tfidf", out="contexts").items
        36
        >>> tk.phrases.embed("questions.json", model="tfidf", out="asked").vectors
        198
    """
    from textkin.collection.phrase_files.embed import EmbedOptions, embed_contexts, embed_questions
    from textkin.data.readers.datasets.squad_parts import holds_questions, read_contexts
    from textkin.kinds.systems.phrases import hash_of_phrase_encoder, phrase_encoder_of
    from textkin.verbs.inputs import refuse_given

    options = EmbedOptions(dtype=dtype, compressed=compressed, with_texts=with_texts, per_passage=per_passage)
    if are_questions := holds_questions(data):
        refuse_given({"with_texts": with_texts, "per_passage": per_passage}, to="questions")
    model_hash = hash_of_phrase_encoder(model)
    articles = () if are_questions else read_contexts(data).paragraphs
    encoder = phrase_encoder_of(model, fit_texts=[text for article in articles for text in article])
    write = embed_questions if are_questions else embed_contexts
    return write(data, out, encoder, model_hash=model_hash, options=options)


@verb
def merge(
    contexts: ContextVectors,
    vectors: QuestionVectors,
    /,
    *,
    out: AnswersOut = None,
    question_file: QuestionFile = None,
    metric: FileMetric = "ip",
) -> Merged:
    """Answer each question by the nearest phrase of its context.

    Of equally near phrases the first is the answer. They are measured by `compare()` with `predictions`.

    Returns:
        The answers, and counts of questions without one.

    Raises:
        UsageError: vectors of another program came without ``question_file``, or ``out`` is an input.
        DataError: the two sides are not of one model, or a file is broken.
        OutputError: ``out`` can't be written.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> data = samples.path("town.json")
        >>> made = tk.phrases.split(data, "contexts.json", "questions.json")
        >>> for name in ("contexts", "questions"):
        ...     made = tk.phrases.embed(f"{name}.json", model="tfidf", out=name)
        >>> found = tk.phrases.merge("contexts", "questions")
        >>> len(found.answers), tk.compare(data, predictions=found.answers).questions
        (198, 198)
    """
    from dataclasses import replace

    from textkin.base.files import refuse_overwriting
    from textkin.collection.phrase_files.merge import merge as decided

    if out is not None:
        refuse_overwriting([out], [contexts, vectors, *([] if question_file is None else [question_file])])
    found = decided(contexts, vectors, questions=question_file, metric=metric)
    if out is None:
        return found
    found.write(out)
    return replace(found, out=out)
