"""``answer``: find the words in passages that answer a question, or choose the answers of an exam."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option, given, rarely
from textkin.base.verbs import verb
from textkin.verbs.options import (
    AcceptLeaks,
    Analyser,
    AnswerScorer,
    AttentionFile,
    Baselines,
    Cache,
    CorpusDepth,
    DatasetSplit,
    DecisionFile,
    Download,
    EncodingName,
    ExamCorpus,
    FitTextsFile,
    Heads,
    IdColumn,
    KeepLeaks,
    Layers,
    QuestionScorer,
    Quoting,
    Resamples,
    Rounds,
    Seed,
    Support,
    TextColumn,
    Voters,
    WordVectors,
)

if TYPE_CHECKING:
    from textkin.verbs.answer.answers import Answers
    from textkin.verbs.answer.chosen import Chosen


Question = Annotated[
    Any,
    Option(
        "The question; or, without passages, an exam: a table with the columns question, answerA, answerB, "
        "..., JSON lines, or MovieQA.",
        metavar="QUESTION",
        command=str,
    ),
]
Passages = Annotated[
    Any,
    Option(
        "One passage per line, a table, SQuAD's JSON, Markdown, a folder of text files, a collection, or an "
        "index of phrases.",
        metavar="PASSAGES",
        command=Path,
        argument=True,
    ),
]
Model = Annotated[
    Any,
    Option(
        "A model folder, a cached Hugging Face name, or a baseline. Default: reader, the built-in one. "
        "For exams bm25 (default), longest, lucene, support:MODEL, ...",
        metavar="MODEL",
        command=str,
    ),
]
Most = Annotated[
    int, Option("Maximum number of answers, none of which overlap.", short="-k", metavar="N", low=1)
]
MostPassages = Annotated[
    int | None,
    Option("Read the N passages that BM25 ranks highest; 0 for all.", metavar="N", low=0, rare=True),
]
Out = Annotated[Path | None, Option("File for id, letter and scores.", metavar="FILE", panel="Exams")]
Kaggle = Annotated[bool, Option("Write id,correctAnswer with a header, in Kaggle's format.", panel="Exams")]
ShowHits = Annotated[
    int | None,
    Option(
        "Show the N hits that counted most for each choice.", metavar="N", low=1, panel="Exams", rare=True
    ),
]

_OF_PASSAGES = (
    "k",
    "most_passages",
    "text",
    "id",
    "decision",
    "attention",
    "layers",
    "heads",
    "quoting",
    "encoding",
)
_OF_READERS = tuple(one for one in _OF_PASSAGES if one != "k")
_OF_EXAMS = (
    *("out", "kaggle", "show_hits", "split", "baselines", "analyser", "fit", "vectors", "cache"),
    *("accept_leaks", "corpus", "support", "voters", "depth", "question_scorer", "answer_scorer"),
    *("keep_leaks", "resamples", "rounds", "seed"),
)


@verb
def answer(
    question: Question,
    /,
    passages: Passages = None,
    model: Model = None,
    *,
    k: Most = 1,
    text: TextColumn = None,
    id: IdColumn = None,
    attention: AttentionFile = None,
    out: Out = None,
    kaggle: Kaggle = False,
    show_hits: ShowHits = None,
    most_passages: MostPassages = 100,
    decision: DecisionFile = None,
    layers: Layers = (),
    heads: Heads = (),
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    split: DatasetSplit = None,
    baselines: Annotated[Baselines, rarely(Baselines)] = None,
    analyser: Analyser = "plain",
    fit: FitTextsFile = None,
    vectors: WordVectors = None,
    cache: Cache = None,
    accept_leaks: AcceptLeaks = False,
    corpus: ExamCorpus = None,
    support: Support = None,
    voters: Voters = 100,
    depth: CorpusDepth = 10,
    question_scorer: QuestionScorer = None,
    answer_scorer: AnswerScorer = None,
    keep_leaks: KeepLeaks = False,
    resamples: Resamples = 1000,
    rounds: Rounds = None,
    seed: Seed = 0,
    download: Download = False,
) -> Answers | Chosen:
    """Find the answer to a question in passages, or choose the answers of an exam.

    "no answer" comes first where its probability is above the calibrated threshold, or, without one, where it
    scores as high as the best answer in every passage. Offsets count characters from 0. An index of phrases
    answers without reading again, and always names an answer; MODEL is then its encoder's new place.

    If choices have equal scores, the first is chosen. If all right choices are known, accuracy is shown
    beside baselines.

    Returns:
        :class:`Answers`, a row per answer; ``question`` may be several, and ``passages`` a text or several, a
        frame, or a path. Of an exam, a path or records, :class:`Chosen`, a row per question.

    Raises:
        UsageError: a question is blank, or an option doesn't fit.
        DataError: the passages or the exam can't be read, or there are none.
        ModelError: the model can't be read, points at no answers, or can't choose.
        LeakError: the model was trained on these questions.
        OutputError: a file can't be written.

    Example:
        >>> import textkin as tk
        >>> found = tk.answer("Where can I park?", ["We open at nine. Park behind the hall."])
        >>> found[0].answer
        'behind the hall'
        >>> asked = [tk.ChoiceQuestion("1", "What do bees make?", ("milk", "honey of bees"), answer=1)]
        >>> found = tk.answer(asked, model="tfidf", baselines=["first"])
        >>> found[0].choice, found.measured.measure
        ('honey of bees', 'accuracy')
    """
    from textkin.base.errors import inapplicable
    from textkin.base.hub import READER
    from textkin.collection.phrases.manifest import is_index
    from textkin.kinds.measuring import Options
    from textkin.measures.intervals.sampling import Sampling
    from textkin.verbs.answer.answers import AnswerOptions, answer_given
    from textkin.verbs.answer.chosen import choose, loaded_exam
    from textkin.verbs.answer.from_phrases import answer_from_index
    from textkin.verbs.inputs import text_reading
    from textkin.verbs.pair_inputs import corpora_of, names_of

    of_exam = passages is None
    if wrong := given(answer, locals(), _OF_PASSAGES if of_exam else _OF_EXAMS):
        raise inapplicable(*wrong, to="an exam" if of_exam else "a question about passages")
    if isinstance(passages, str | Path) and is_index(passages):
        if wrong := given(answer, locals(), _OF_READERS):
            raise inapplicable(*wrong, to="an index of phrases, which is not read again")
        return answer_from_index(question, passages, k=k, model=model)
    if not of_exam:
        asked = AnswerOptions(k, most_passages or None, decision, attention, layers, heads, download)
        reading = text_reading(text, id, quoting, encoding, question, passages)
        return answer_given(question, passages, model or READER, reading, asked)
    options = Options(
        baselines=names_of(baselines, "baselines"),
        analyser=analyser,
        fit=fit,
        vectors=vectors,
        sampling=Sampling(resamples, rounds, seed),
        corpora=corpora_of(locals()),
        accept_leaks=accept_leaks,
        download=download,
        cache=cache,
    )
    exam = loaded_exam(question, split)
    return choose(exam, model or "bm25", out=out, kaggle=kaggle, show_hits=show_hits, options=options)
