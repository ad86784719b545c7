"""Measure models beside the honest baselines on one data set, and test the differences.

One table serves labelled pairs (scored, or sorted into classes), candidates to rank (WikiQA) and whole
collections (BEIR): every system with its interval, and its difference from one reference with a p value
that is corrected for the number of comparisons.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from textkin.data.protocols import System
from textkin.data.readers.from_python import GivenData
from textkin.data.readers.read_report import Loaded
from textkin.data.splits.training_texts import seen_of
from textkin.kinds.baseline_fits import Fitted
from textkin.kinds.data_coverage import accounts_on
from textkin.kinds.foreign_runs import suggestion
from textkin.kinds.judge import Judge
from textkin.kinds.kind import DataKind, Trial
from textkin.kinds.leak_check import pretraining_on_file, require_unseen, require_unseen_dev
from textkin.kinds.measured_table import Measured
from textkin.kinds.measuring import Options, overwriting_nothing
from textkin.kinds.prepared_systems import (
    at_hand,
    baselines_among,
    dev_judge,
    measured_names,
    paths_of_predictions,
    predicted_by,
    predictions_among,
    prepare,
    take_all,
)
from textkin.kinds.registry import load_data
from textkin.kinds.systems import AnyModel


def compared(data: GivenData, *, models: AnyModel, options: Options | None = None) -> Measured:
    """Measure models and baselines on one data set, and test the differences.

    Args:
        data: labelled pairs, candidates, a corpus with queries or questions about passages: the path of a
            file or folder, records, or rows of texts and labels.
        models: folders, names of cached models, baselines, or objects with ``name`` and ``score(pairs)``,
            ``encode(texts)``, or ``read(questions, passages, k=...)`` for questions about passages;
            NAME=MODEL,MODEL,... for a system that was trained with several seeds, whose figures are the means
            over them.
        options: see :class:`Options`.

    Raises:
        UsageError: a model or measure is not known, or does not fit the data.
        DataError: the data can't be read or have no labels, or no classes that a model knows.
        LeakError: thresholds are fitted on some of the measured pairs, or a model was trained on them.
        ModelError: a model can't be read.
    """
    options = options or Options()
    named = at_hand(models, options)
    overwriting_nothing(data, options, further=paths_of_predictions(named))
    kind, loaded = load_data(data, reading=options.reading)
    _, measured = judged(kind, loaded, named, options)
    return measured


def judged(
    kind: DataKind[Any, Any],
    loaded: Loaded[Any],
    named: Mapping[str, Sequence[AnyModel]],
    options: Options,
    *,
    fitted: Fitted | None = None,
) -> tuple[Judge, Measured]:
    """The judge that holds all scores, and the table; see :func:`compared`.

    Args:
        kind: the kind of the data.
        loaded: the data.
        named: the systems that the user named, with their models.
        options: the user's options.
        fitted: what baselines are fitted on, if it is known already.
    """
    kind.refuse(options)
    judge = kind.judge(loaded.data, options)
    kind.check(judge, named, options)
    words = [one for seeds in named.values() for one in seeds if isinstance(one, str)]
    known = kind.known(judge, (*words, *(options.baselines or ())))
    fitted = fitted or kind.fitted(loaded.data, judge, options)
    names = measured_names(named, (*judge.baselines, *fitted.further), known, options)
    dev = None if options.dev is None else dev_judge(judge, options.dev, options)
    predicted = predicted_by(kind, judge, names, options)
    prepared = prepare(names, fitted, predicted, named=named, known=known, options=options)
    pairs, learnt = kind.counted(loaded.data), list[str]()
    for name, seeds in prepared.systems.items():
        for system in seeds:
            seen, accept_leaks = seen_of(system), options.accept_leaks
            require_unseen(name, seen, loaded.data, pairs=pairs, accept_leaks=accept_leaks)
            if dev is not None:
                learnt += require_unseen_dev(name, seen, dev.data, accept_leaks=accept_leaks)
    left_out = take_all(judge, prepared, known=known, against=options.against)
    accounts = accounts_on(loaded.data, prepared.systems)
    trial = Trial(loaded, judge, dev, named, prepared.systems, options)
    judge, said = kind.decided(trial)
    extras = kind.extras(judge, trial)
    models_too = kind.taught(judge, tuple(named), options)
    baselines = [
        name for name in baselines_among(names, known) if name in judge.names and name not in models_too
    ]
    reference = options.against or judge.best(judge.fair(baselines) or judge.names[:1])
    if options.out is not None:
        kind.write(judge, trial, options.out)
    measured = Measured(
        data=loaded.data.name,
        kind=judge.kind,
        measure=judge.main,
        systems=replace(
            judge.table(reference, trained=[name for name in names if name not in baselines]),
            predictions=predictions_among(named),
        ),
        reference=reference,
        fitted_on=fitted.words,
        read=loaded.report,
        notes=(
            *judge.notes(),
            *_pretraining(prepared.systems, Path(loaded.report.path)),
            *left_out,
            *extras.pop("notes", ()),
            *accounts.sentences(),
            *said,
            *dict.fromkeys(learnt),
        ),
        truncations=accounts.truncations,
        coverages=accounts.coverages,
        suggestion="" if options.against else suggestion(judge, reference, baselines),
        **extras,
    )
    return judge, kind.publish(measured, trial)


def _pretraining(systems: Mapping[str, Sequence[System]], path: Path) -> Iterator[str]:
    for name, seeds in systems.items():
        yield from pretraining_on_file(name, seeds[0], path)
