"""Measure models beside the honest baselines on one data set, and test the differences.

One table serves labelled pairs (scored, or sorted into classes), candidates to rank (WikiQA) and whole
collections (BEIR): every system with its interval, and its difference from one rival with a p value that is
corrected for the number of comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from textkin.base.errors import inapplicable, invalid
from textkin.base.files import sole_writer
from textkin.data.protocols import System
from textkin.data.readers.from_python import GivenData, loaded_choices, loaded_data, loaded_spans
from textkin.data.records import Suite
from textkin.data.splits.training_texts import seen_of
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.data_coverage import accounts_on
from textkin.kinds.decisions import judge_decisions
from textkin.kinds.fixed_threshold import check_fixed, fixed_decisions
from textkin.kinds.foreign_runs import refuse_runs, suggestion, take_given
from textkin.kinds.judge import Judge
from textkin.kinds.leak_check import require_unseen
from textkin.kinds.measuring import Options, overwriting_nothing
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.prepared_systems import (
    Prepared,
    at_hand,
    classifiers_for,
    dev_judge,
    judge_of,
    measured_names,
    scorers_for,
    shared_texts,
    take_all,
)
from textkin.kinds.systems import AnyModel
from textkin.measures.decisions.goal import Aim, Goal
from textkin.text.baselines import read_by
from textkin.text.baselines.classifiers import LEARNERS
from textkin.verbs.evaluate.measured_report import with_page
from textkin.verbs.evaluate.measured_table import Measured


def compared(data: GivenData, *, models: Sequence[AnyModel], options: Options | None = None) -> Measured:
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
    options = overwriting_nothing(data, options or Options())
    named = at_hand(models, options)
    if (spans := loaded_spans(data, reading=options.reading)) is not None:
        from textkin.verbs.evaluate.compare_spans import compare_spans

        refuse_runs(options.runs)
        return compare_spans(spans, named, options)
    if (exam := loaded_choices(data, reading=options.reading)) is not None:
        from textkin.verbs.evaluate.compare_choices import compare_choices

        refuse_runs(options.runs)
        return compare_choices(exam, named, options)
    loaded = loaded_data(data, reading=options.reading)
    if isinstance(loaded.data, Suite):
        raise invalid("data", data, expected="one data set")
    _refuse_of_questions(options)
    judge = judge_of(
        loaded.data,
        measures=options.measures,
        sampling=options.sampling,
        drop_identical_ids=options.drop_identical_ids,
    )
    check_fixed(judge, named, options.threshold)
    names = measured_names(named, (*judge.baselines, *_further(judge, options)), judge.known, options)
    dev = None if options.dev is None else dev_judge(judge, options.dev, options)
    # Before hours of encoding, so that a broken run is reported at once.
    of_runs = take_given(judge, options.runs, drop_identical_ids=options.drop_identical_ids)
    prepared = _prepared(names, judge, options)
    for name, seeds in prepared.systems.items():
        for system in seeds:
            require_unseen(name, seen_of(system), loaded.data, accept_leaks=options.accept_leaks)
    left_out = take_all(judge, prepared.systems, against=options.against)
    accounts = accounts_on(loaded.data, prepared.systems)
    notes = (*judge.notes(), *left_out, *of_runs, *prepared.notes, *accounts.sentences())
    baselines = [name for name in names if name in judge.known and name in judge.names]
    trained = [name for name in names if name not in judge.known]
    if dev is not None and isinstance(judge, PairJudge):
        judge, said = _decided(judge, dev, {name: prepared.systems[name] for name in judge.scores})
        notes = (*notes, *said)
    decisions = fixed_decisions(judge, [read_by(name, options.analyser) for name in named], options.threshold)
    rival = options.against or judge.best(judge.fair(baselines) or judge.names[:1])
    if options.out is not None:
        with sole_writer(options.out) as folder:
            judge.write(folder)
    measured = Measured(
        data=loaded.data.name,
        kind=judge.kind,
        measure=judge.main,
        systems=replace(judge.table(rival, trained=trained), runs=tuple(options.runs)),
        rival=rival,
        fitted_on=prepared.fitted_on,
        read=loaded.report,
        notes=notes,
        by_class=tuple(map(judge.by_class, named)) if isinstance(judge, ClassJudge) else (),
        truncations=accounts.truncations,
        coverages=accounts.coverages,
        decisions=decisions,
        suggestion="" if options.against else suggestion(judge, rival, baselines),
    )
    return with_page(measured, options)


def _refuse_of_questions(options: Options) -> None:
    """Refuse options for questions about passages, or with choices, only."""
    if options.decision:
        raise inapplicable("decision", to="data other than questions about passages")
    if options.corpora.asked():
        raise inapplicable("corpus", "support", to="data other than multiple-choice questions")


def _further(judge: Judge, options: Options) -> tuple[str, ...]:
    """The baselines whose inputs are available."""
    if isinstance(judge, ClassJudge):
        return LEARNERS if options.fit is not None else ()
    return ("mean-vectors",) if options.vectors is not None else ()


def _prepared(names: Mapping[str, Sequence[AnyModel]], judge: Judge, options: Options) -> Prepared:
    if isinstance(judge, ClassJudge):
        return classifiers_for(names, judge, options)
    return scorers_for(names, judge, options)


def _decided(
    judge: PairJudge, dev: PairJudge, systems: Mapping[str, Sequence[System]]
) -> tuple[ClassJudge, tuple[str, ...]]:
    """The judge of decisions by thresholds that are fitted on dev, and notes on them."""
    for name, seeds in systems.items():
        dev.take(name, *seeds)
    said = f"each system decides by its own threshold, fitted on {dev.data.name} for the best accuracy"
    return judge_decisions(dev, judge, goal=Goal(Aim.ACCURACY)), (said, *shared_texts(dev.data, judge.data))
