"""``calibrate``: fit a threshold and probabilities to labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option, given
from textkin.base.verbs import verb
from textkin.verbs.options import (
    AcceptLeaks,
    Analyser,
    BestAccuracy,
    BestF1,
    Columns,
    DatasetSplit,
    Download,
    EncodingName,
    FitTextsFile,
    Format,
    GoalPrecision,
    GoalRecall,
    GoalRule,
    GroupBy,
    Quoting,
    Resamples,
    Seed,
    WordVectors,
)

if TYPE_CHECKING:
    from textkin.collection.calibration.calibration_result import CalibratedCollection
    from textkin.verbs.evaluate.calibrate_collection import CalibratedMatches
    from textkin.verbs.evaluate.calibrate_model import Calibrated
    from textkin.verbs.evaluate.calibrate_spans import CalibratedReader


Data = Annotated[
    Any,
    Option(
        "Labelled pairs or questions that the model wasn't trained on. For a collection: pairs, "
        "TREC judgements, or a BEIR folder.",
        command=str,
    ),
]
Model = Annotated[
    Any,
    Option(
        "A model folder, a cached name, a baseline, or a collection.",
        metavar="MODEL",
        command=str,
        argument=True,
    ),
]
Test = Annotated[Any, Option("Other data, to measure the threshold on.", metavar="FILE", command=Path)]
Proof = Annotated[
    bool,
    Option(
        "Accept a precision only if the labels prove it. The pairs must be drawn at random.",
        panel="Decision",
    ),
]
MethodName = Annotated[
    Literal["auto", "isotonic", "platt"],
    Option("Scores to probabilities. auto: isotonic from 1,000 pairs.", panel="Decision", rare=True),
]
Out = Annotated[
    Path | None,
    Option(
        "Save both to this file, to give as `decision`. Default: the model's folder.",
        metavar="FILE",
        panel="Output",
    ),
]
Groups = Annotated[
    str | None,
    Option(
        "Metadata field of the collection; entries with the same value are duplicates.",
        metavar="FIELD",
        panel="Input",
    ),
]
BaseRate = Annotated[
    float | None,
    Option(
        "Expected fraction of incoming texts that have a duplicate. Default: estimated from the labels.",
        metavar="SHARE",
        panel="Decision",
        rare=True,
    ),
]
Guards = Annotated[
    Any,
    Option(
        "For a collection: differences that keep texts apart: numbers, negation, names, order, content; or "
        "none.",
        metavar="NAME,...",
        panel="Decision",
        rare=True,
        command=str,
    ),
]
Queries = Annotated[
    Any,
    Option("Ids and texts of the judged queries.", metavar="FILE", panel="Input", command=Path),
]
Hits = Annotated[
    int,
    Option(
        "Hits per query that the probability holds for.",
        short="-k",
        metavar="K",
        panel="Rankings",
        rare=True,
    ),
]
Rerank = Annotated[
    Any,
    Option(
        "Scorer of pairs for the first hits; its weight is fitted.",
        metavar="MODEL",
        panel="Rankings",
        command=str,
        rare=True,
    ),
]
RerankDepth = Annotated[
    int, Option("Hits per query to reorder.", metavar="N", low=1, panel="Rankings", rare=True)
]


@verb
def calibrate(
    data: Data = None,
    /,
    model: Model = None,
    *,
    precision: GoalPrecision = None,
    recall: GoalRecall = None,
    f1: BestF1 = False,
    accuracy: BestAccuracy = False,
    rule: GoalRule = "lower-end",
    proof: Proof = False,
    test: Test = None,
    out: Out = None,
    groups: Groups = None,
    queries: Queries = None,
    base_rate: BaseRate = None,
    guards: Guards = None,
    k: Hits = 10,
    rerank: Rerank = None,
    rerank_depth: RerankDepth = 100,
    split: DatasetSplit = None,
    method: MethodName = "auto",
    columns: Columns = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    group_by: GroupBy = "paragraph",
    analyser: Analyser = "plain",
    fit: FitTextsFile = None,
    vectors: WordVectors = None,
    accept_leaks: AcceptLeaks = False,
    download: Download = False,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> Calibrated | CalibratedReader | CalibratedCollection | CalibratedMatches:
    """Fit a model's threshold and probabilities to labelled pairs.

    Both are saved with the model, for every command that decides. For a built-in model or a
    baseline, name a file as `out`. For a reader, "no answer" is fitted; for a collection, its searches or its
    matches.

    Returns:
        :class:`Calibrated`; :class:`CalibratedReader` for questions about passages,
        :class:`CalibratedCollection` or :class:`CalibratedMatches` for a collection.

    Raises:
        UsageError: an option doesn't apply, or a baseline lacks its texts.
        ModelError: there is no such model.
        DataError: the pairs are not of both kinds.
        PromiseError: no threshold reaches the goal.
        LeakError: ``data`` and ``test`` share texts, or the model was trained on more than 1 % of either.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> fitted = tk.calibrate(samples.pairs("support-desk"), "default", recall=0.8)
        >>> fitted.threshold.recall >= 0.8
        True
    """
    from textkin.measures.decisions.calibration import Method
    from textkin.measures.decisions.goal import Goal
    from textkin.measures.intervals.sampling import Sampling
    from textkin.verbs.argument_order import data_and_model
    from textkin.verbs.evaluate.calibrate_collection import CollectionFit
    from textkin.verbs.evaluate.calibrate_given import AskedCalibration, calibrate_given
    from textkin.verbs.evaluate.calibrate_model import CalibrateOptions
    from textkin.verbs.pair_inputs import given_pairs, names_of, pair_reading

    data, model = data_and_model(data, model)
    judged = queries is not None  # then data and test are judgements
    options = CalibrateOptions(
        out=out,
        fit=fit,
        vectors=vectors,
        analyser=analyser,
        seed=seed,
        method=None if method == "auto" else Method(method),
        sampling=Sampling(resamples, seed=seed),
        accept_leaks=accept_leaks,
        proof=proof,
    )
    asked = AskedCalibration(
        data=data if judged else given_pairs(data, columns),
        model=model,
        goal=Goal.of(precision=precision, recall=recall, f1=f1, accuracy=accuracy, rule=rule),
        given=tuple(given(calibrate, locals(), ("f1", "rule", "resamples", "analyser"))),
        test=test if judged else given_pairs(test, columns, "test"),
        reading=pair_reading(data, test, columns=columns, format=format, quoting=quoting, encoding=encoding),
        collection=CollectionFit(
            queries=queries,
            split=split,
            k=k,
            rerank=rerank,
            rerank_depth=rerank_depth,
            groups=groups,
            guards=names_of(guards, "guards"),
            base_rate=base_rate,
        ),
        group_by=group_by,
        download=download,
    )
    return calibrate_given(asked, options)
