"""``ensemble``: combine several systems into one, fitted on dev data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import (
    AcceptLeaks,
    AnswerScorer,
    Cache,
    Columns,
    CorpusDepth,
    DatasetSplit,
    Download,
    EncodingName,
    ExamCorpus,
    FitTextsFile,
    Format,
    KeepLeaks,
    Labels,
    QuestionScorer,
    QuestionSet,
    Quoting,
    Reference,
    Resamples,
    Rounds,
    Seed,
    Support,
    Voters,
    WordVectors,
)

if TYPE_CHECKING:
    from textkin.verbs.ensemble.fitted_ensemble import Ensembled

Members = Annotated[
    Any, Option("Model folders, cached models or baselines.", metavar="MEMBER...", command=list[str])
]
Dev = Annotated[
    Any,
    Option(
        "Labelled data that no member was trained on: pairs, candidates to rank, SQuAD's JSON, exams, or a "
        "folder such as BEIR's.",
        metavar="DATA",
        command=Path,
    ),
]
Out = Annotated[Path, Option("Folder of the ensemble. Members stay in their own folders.", metavar="DIR")]
Combine = Annotated[
    Literal["mean", "rank", "rrf", "weighted", "logistic", "sum"],
    Option(
        "mean of normalised scores; rank, the mean rank; rrf, reciprocal ranks; weighted, the mean by the "
        "best weights on dev; logistic regression; sum of probabilities."
    ),
]
Folds = Annotated[int, Option("Folds of the cross-fitted metric.", metavar="N", low=2, rare=True)]


@verb
def ensemble(
    members: Members,
    /,
    *,
    dev: Dev,
    out: Out,
    combine: Combine = "weighted",
    columns: Columns = None,
    fit: FitTextsFile = None,
    vectors: WordVectors = None,
    cache: Cache = None,
    accept_leaks: AcceptLeaks = False,
    download: Download = False,
    questions: QuestionSet = "answered",
    reference: Reference = None,
    split: DatasetSplit = None,
    labels: Labels = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    corpus: ExamCorpus = None,
    support: Support = None,
    voters: Voters = 100,
    depth: CorpusDepth = 10,
    question_scorer: QuestionScorer = None,
    answer_scorer: AnswerScorer = None,
    keep_leaks: KeepLeaks = False,
    folds: Folds = 5,
    resamples: Resamples = 1000,
    rounds: Rounds = None,
    seed: Seed = 0,
) -> Ensembled:
    """Combine models and baselines into one.

    The folder can be used wherever a model can. Weights and normalisation are fitted on the dev data. The
    printed metric is cross-fitted: each part of the data is measured with weights fitted on the others.
    The ensemble can't be opened once a member is missing or has changed.

    Returns:
        :class:`Ensembled`, a row for each member, then the ensemble.

    Raises:
        UsageError: there are too few members, they are of different kinds, or ``combine`` doesn't suit the
            data.
        ModelError: a member can't be read.
        DataError: the data can't be read, or have too few groups to hold some out.
        LeakError: a member was trained on more than 1 % of the data.
        OutputError: ``out`` holds something else, or can't be written to.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> dev = samples.pairs("travel")
        >>> found = tk.ensemble(["default", "minhash"], dev=dev, out="two", resamples=100, rounds=100)
        >>> tk.load("two").score([("one text", "another")]).shape
        (1,)
    """
    from textkin.kinds.measuring import Options
    from textkin.measures.intervals.sampling import Sampling
    from textkin.verbs.ensemble.fitted_ensemble import fit_ensemble
    from textkin.verbs.pair_inputs import check_order, corpora_of, given_pairs, pair_reading

    check_order(dev, members)
    options = Options(
        fit=fit,
        vectors=vectors,
        sampling=Sampling(resamples, rounds, seed),
        corpora=corpora_of(locals()),
        accept_leaks=accept_leaks,
        reading=pair_reading(
            dev,
            columns=columns,
            format=format,
            quoting=quoting,
            encoding=encoding,
            questions=questions,
            reference=reference,
            split=split,
            labels=labels,
        ),
        download=download,
        cache=cache,
    )
    return fit_ensemble(
        members,
        given_pairs(dev, columns, questions=questions),
        out,
        combine=combine,
        folds=folds,
        options=options,
    )
