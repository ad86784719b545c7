"""``compare``: measure systems on one data set, and test their differences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option, given_besides
from textkin.base.verbs import verb
from textkin.verbs.options import (
    AcceptLeaks,
    Analyser,
    AnswerScorer,
    Baselines,
    Cache,
    Columns,
    CorpusDepth,
    DatasetSplit,
    DecisionFile,
    Download,
    DropIdenticalIds,
    EncodingName,
    FitTextsFile,
    Format,
    GroupBy,
    KeepLeaks,
    Labels,
    Measures,
    QuestionScorer,
    QuestionSet,
    Quoting,
    Reference,
    Resamples,
    Rounds,
    Seed,
    Support,
    TableColumns,
    TableFile,
    Voters,
    WordVectors,
)

if TYPE_CHECKING:
    from textkin.verbs.evaluate.compare_input import Compared


Data = Annotated[
    Any,
    Option(
        "Labelled pairs, candidates to rank, SQuAD's JSON, exams, or a folder such as BEIR's.",
        command=Path,
    ),
]
Models = Annotated[
    Any,
    Option(
        "Models or baselines; NAME=MODEL,MODEL for several seeds; hybrid:A+B for rank fusion; NAME=FILE for "
        "another system's predictions.",
        metavar="MODEL...",
        command=list[str],
        argument=True,
    ),
]
Against = Annotated[
    str | None, Option("Reference system of the tests. Default: the best baseline.", metavar="NAME")
]
Dev = Annotated[
    Any,
    Option(
        "Fit a threshold per system on these pairs, and measure decisions.",
        metavar="PAIRS",
        panel="Decision",
        command=Path,
    ),
]
Threshold = Annotated[
    float | None,
    Option("Measure one model's decisions at this threshold.", metavar="T", panel="Decision"),
]
Agreement = Annotated[bool, Option("Show which systems agree and which make the same mistakes.")]
Report = Annotated[Path | None, Option("File for an HTML report.", metavar="FILE.html", panel="Output")]
Out = Annotated[
    Path | None,
    Option(
        "Folder for scores, runs and judgements; for SQuAD also NAME.json.",
        metavar="DIR",
        panel="Output",
    ),
]
PerQuery = Annotated[
    bool, Option("Print the values of each query of a run, or of each question.", panel="Output", rare=True)
]
Judgements = Annotated[
    Any,
    Option(
        "Judgements, to measure TREC runs alone, each given as NAME=FILE.",
        metavar="FILE",
        panel="Rankings",
        command=Path,
    ),
]
Queries = Annotated[
    Any,
    Option(
        "Queries of a corpus, with ids. Needs `corpus` and `qrels`.",
        metavar="FILE",
        panel="Rankings",
        rare=True,
        command=Path,
    ),
]
Corpus = Annotated[
    Any,
    Option(
        "With `queries`: the documents, with ids. For exams: answered questions in which lucene searches. "
        "May be repeated.",
        metavar="FILE",
        panel="Exams",
        rare=True,
        command=list[Path],
    ),
]
Predictions = Annotated[
    Any,
    Option(
        "SQuAD predictions to measure, {id: answer}.",
        metavar="FILE.json",
        panel="Spans",
        command=Path,
    ),
]
NoAnswer = Annotated[
    Any,
    Option(
        "Probabilities of no answer, {id: probability}.",
        metavar="FILE.json",
        panel="Spans",
        rare=True,
        command=Path,
    ),
]
NoAnswerThreshold = Annotated[
    float | None,
    Option(
        "Probability above which the answer is none. Default: 1.",
        metavar="P",
        panel="Spans",
        rare=True,
    ),
]
ThresholdFrom = Annotated[
    Any,
    Option(
        "Questions, predictions and probabilities to choose another threshold on.",
        metavar="DATA PREDICTIONS NA_PROB",
        panel="Spans",
        rare=True,
        command=tuple[Path, Path, Path],
    ),
]
Untrained = Annotated[
    bool,
    Option("The model is a recipe: measure its network before training.", panel="Model", rare=True),
]

_DRAWN = {"resamples", "rounds", "seed", "per_query", "download"}
_RANKED = {"data", "models", "qrels", "against", "measures", "drop_identical_ids", "table", "table_columns"}
_ANSWERED = {"data", "models", "predictions", "na_prob", "na_threshold", "threshold_from", "group_by"}
_OF_RUNS, _OF_PREDICTIONS = _RANKED | _DRAWN, _ANSWERED | _DRAWN


@verb
def compare(
    data: Data = None,
    /,
    models: Models = (),
    *,
    against: Against = None,
    baselines: Baselines = None,
    agreement: Agreement = False,
    dev: Dev = None,
    threshold: Threshold = None,
    decision: DecisionFile = None,
    measures: Measures = (),
    qrels: Judgements = None,
    queries: Queries = None,
    predictions: Predictions = None,
    na_prob: NoAnswer = None,
    na_threshold: NoAnswerThreshold = None,
    threshold_from: ThresholdFrom = None,
    group_by: GroupBy = "paragraph",
    table: TableFile = None,
    table_columns: TableColumns = None,
    report: Report = None,
    out: Out = None,
    per_query: PerQuery = False,
    columns: Columns = None,
    corpus: Corpus = None,
    support: Support = None,
    voters: Voters = 100,
    depth: CorpusDepth = 10,
    question_scorer: QuestionScorer = None,
    answer_scorer: AnswerScorer = None,
    keep_leaks: KeepLeaks = False,
    drop_identical_ids: DropIdenticalIds = False,
    questions: QuestionSet = "answered",
    reference: Reference = None,
    split: DatasetSplit = None,
    labels: Labels = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    analyser: Analyser = "plain",
    fit: FitTextsFile = None,
    vectors: WordVectors = None,
    untrained: Untrained = False,
    cache: Cache = None,
    accept_leaks: AcceptLeaks = False,
    download: Download = False,
    resamples: Resamples = 1000,
    rounds: Rounds = None,
    seed: Seed = 0,
) -> Compared:
    """Measure models beside baselines, and test their differences.

    Metrics have 95 % intervals, p values are corrected (Holm).

    Returns:
        :class:`Measured`, a row for each system; :class:`MeasuredSuite` for a folder of three tasks,
        :class:`AgreementResult` with ``agreement``, :class:`MeasureResult` or :class:`MeasuredRuns` of runs
        alone, :class:`MeasuredSpans` with ``predictions``.

    Raises:
        UsageError: a model or measure is unknown, or an option doesn't apply to the data.
        DataError: the data can't be read or have no labels.
        LeakError: thresholds are fitted on measured pairs, or a model was trained on them.
        ModelError: a model can't be read.
        OutputError: a file can't be written.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> class Overlap:
        ...     name = "overlap"
        ...     def score(self, pairs):
        ...         return [len(set(a.lower().split()) & set(b.lower().split())) for a, b in pairs]
        >>> found = tk.compare(samples.pairs("travel"), ["default", Overlap()], resamples=100, rounds=100)
        >>> {"default", "overlap", "tfidf"} <= {row.system for row in found}
        True
    """
    from textkin.base.errors import inapplicable
    from textkin.kinds.measuring import Options
    from textkin.measures.intervals.sampling import Sampling
    from textkin.measures.metrics.measure_names import named
    from textkin.report.table_file import WantedTable
    from textkin.verbs.argument_order import require_data
    from textkin.verbs.evaluate.compare_input import (
        Asked,
        SpansAsked,
        compare_given,
    )
    from textkin.verbs.pair_inputs import check_order, corpora_of, given_pairs, names_of, pair_reading

    if qrels is None:
        require_data(data)
    check_order(data, models)
    if predictions is not None:
        if wrong := given_besides(compare, locals(), _OF_PREDICTIONS):
            raise inapplicable(*wrong, to="predictions")
    elif qrels is not None and queries is None and (wrong := given_besides(compare, locals(), _OF_RUNS)):
        raise inapplicable(*wrong, to="runs alone")
    are_models = qrels is not None  # then data stand in the judgements' options
    asked = Asked(
        data=data if are_models else given_pairs(data, columns, questions=questions),
        models=models,
        rankings=(corpus, queries, qrels),
        spans=SpansAsked(predictions, na_prob, na_threshold, threshold_from),
        agreement=agreement,
        untrained=untrained,
        per_query=per_query,
        table=WantedTable(table, names_of(table_columns, "table_columns") or ()),
    )
    options = Options(
        baselines=names_of(baselines, "baselines"),
        analyser=analyser,
        reference=against,
        measures=named(measures),
        fit=fit,
        dev=given_pairs(dev, columns, "dev", questions=questions),
        decision=None if decision is None else Path(decision),
        threshold=threshold,
        vectors=vectors,
        drop_identical_ids=drop_identical_ids,
        out=out,
        report=report,
        sampling=Sampling(resamples, rounds, seed),
        group_by=group_by,
        corpora=corpora_of(locals() | ({} if queries is None else {"corpus": None})),
        accept_leaks=accept_leaks,
        reading=pair_reading(
            None if are_models else data,
            dev,
            columns=columns,
            format=format,
            quoting=quoting,
            encoding=encoding,
            questions=questions,
            reference=reference,
            labels=labels,
            split=split,
        ),
        download=download,
        cache=cache,
    )
    return compare_given(asked, options)
