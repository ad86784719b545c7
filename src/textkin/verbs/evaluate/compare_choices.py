"""Compare systems for multiple choice with baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

from textkin.base.errors import inapplicable
from textkin.base.files import sole_writer
from textkin.base.hub import DEFAULT
from textkin.data.choice_records import LOOKING_UP, LUCENE, SUPPORT, ChoiceQuestion, ChoiceSet
from textkin.data.protocols import Chooser
from textkin.data.readers import load_texts
from textkin.data.readers.choices import is_choices, read_choices
from textkin.data.readers.read_report import Loaded
from textkin.data.splits.corpus_leaks import corpus_leaks
from textkin.data.splits.training_texts import seen_of
from textkin.kinds.choice_judge import ChoiceJudge
from textkin.kinds.data_coverage import accounts_on
from textkin.kinds.leak_check import require_unseen
from textkin.kinds.measuring import Options
from textkin.kinds.prepared_systems import measured_names
from textkin.kinds.retrieval_choosers import LookedUp
from textkin.kinds.score_cache import cache
from textkin.kinds.systems import AnyModel, chooser_of
from textkin.report.figure_words import count
from textkin.text.baselines.choosers import CHOICE_WORDS
from textkin.verbs.evaluate.measured_report import with_page
from textkin.verbs.evaluate.measured_table import Measured


@final
@dataclass(frozen=True, slots=True)
class Fitted:
    """Fitted state of baselines of choices.

    Attributes:
        texts: from which they take word frequencies.
        words: their sources in words.
        learns: whether there are answered questions to learn from, none of them measured.
        looked_up: the choosers that search corpora or learn from other questions.
        cache: the file of :class:`Options`.
    """

    texts: Sequence[str]
    words: str
    learns: bool
    looked_up: LookedUp
    cache: Path | None = None

    @classmethod
    def of(cls, own: ChoiceSet, options: Options) -> Fitted:
        """The state fitted on the questions themselves, or on a file of texts or questions.

        Raises:
            DataError: the file can't be read.
        """
        fit, learnt, learns, notes = options.fit, unanswered(own), False, list[str]()
        if fit is not None and not is_choices(fit):
            texts = load_texts(fit).data.texts
            words = f"{len(texts):,} texts of {fit.name}"
        else:
            given = own if fit is None else read_choices(fit).data
            texts = tuple(dict.fromkeys(text for pair in given.texts for text in pair))
            source = "the data itself (no answers)" if fit is None else fit.name
            words = f"the {count(len(given), 'question')} of {source} and their choices"
            if fit is not None:
                learnt, notes = _others(given, own)
                learns = given.is_answered and bool(learnt)
        looked_up = LookedUp(
            own, options.corpora, learnt=learnt, vectors=options.vectors, seed=options.sampling.seed
        )
        looked_up.notes.extend(notes)
        return cls(texts, words, learns, looked_up, options.cache)

    def chooser(self, model: AnyModel) -> Chooser:
        """The chooser that a user's word or object means; see :func:`textkin.kinds.systems.chooser_of`."""
        looked_up = self.looked_up.of_model(model)
        found = chooser_of(
            model, fit_texts=self.texts, vectors=looked_up.vectors, seed=looked_up.seed, others=looked_up
        )
        cache([found], self.cache)
        return found


def _others(given: ChoiceSet, own: ChoiceSet) -> tuple[tuple[ChoiceQuestion, ...], list[str]]:
    """The given questions that are none of one's own, and a note on those that are."""
    known = corpus_leaks([one.question for one in own], [one.question for one in given]).texts
    note = (
        f"{len(known):,} of the {len(given):,} questions of {given.name} are among those that are measured, "
        "word for word or nearly: nothing is learnt from them"
    )
    others = tuple(one for place, one in enumerate(given) if place not in known)
    return others, [note] if known else []


def unanswered(data: ChoiceSet) -> tuple[ChoiceQuestion, ...]:
    """The questions without their answers, for systems that must not learn from them."""
    return tuple(replace(one, answer=None) for one in data)


def compare_choices(
    loaded: Loaded[ChoiceSet], named: Mapping[str, Sequence[AnyModel]], options: Options
) -> Measured:
    """Measure choosers and baselines, and test the differences.

    Raises:
        UsageError: a model can't choose, or an option doesn't go with such data.
        DataError: there are no questions, or not all are answered.
        LeakError: a model was trained on these questions.
        ModelError: a model can't be read.
    """
    judge, measured = judged_choices(loaded, named, options)
    if options.out is not None:
        with sole_writer(options.out) as folder:
            judge.write(folder)
    return with_page(measured, options)


def judged_choices(
    loaded: Loaded[ChoiceSet],
    named: Mapping[str, Sequence[AnyModel]],
    options: Options,
    *,
    fitted: Fitted | None = None,
) -> tuple[ChoiceJudge, Measured]:
    """The result of :func:`compare_choices`, and the judge that holds all scores.

    Args:
        loaded: the questions.
        named: the models of each system.
        options: options of measuring.
        fitted: the fitted state of baselines, if available.
    """
    refuse_of_choices(options)
    judge = ChoiceJudge(loaded.data, sampling=options.sampling)
    fitted = fitted or Fitted.of(loaded.data, options)
    further = (
        *((CHOICE_WORDS,) if fitted.learns else ()),
        *(("mean-vectors",) if options.vectors else ()),
        *(LOOKING_UP if options.corpora.corpus else ()),
    )
    known = (*judge.known, *LOOKING_UP, *(f"{SUPPORT}{name}" for name in judge.known))
    scorers = (options.corpora.question_scorer, options.corpora.answer_scorer)
    taught = {LUCENE} if any(one is not None and one not in judge.known for one in scorers) else set()
    if DEFAULT in named:
        taught.add(DEFAULT)  # a baseline that was named as a model is what the question is about
    names = measured_names(named, (*judge.baselines, *further), known, options)
    choosers = {name: [fitted.chooser(model) for model in seeds] for name, seeds in names.items()}
    fitted.looked_up.require_used()
    for name, seeds in choosers.items():
        for one in seeds:
            require_unseen(name, seen_of(one), loaded.data, accept_leaks=options.accept_leaks)
        judge.take(name, *seeds)
    accounts = accounts_on(loaded.data, choosers)
    baselines = [name for name in names if name in known and name not in taught]
    rival = options.against or judge.best(baselines or list(names)[:1])
    measured = Measured(
        data=loaded.data.name,
        kind=judge.kind,
        measure=judge.main,
        systems=judge.table(rival, trained=[name for name in names if name not in baselines]),
        rival=rival,
        fitted_on=fitted.words,
        read=loaded.report,
        notes=(*fitted.looked_up.notes, *judge.notes(), *accounts.sentences()),
        truncations=accounts.truncations,
        coverages=accounts.coverages,
    )
    return judge, measured


def refuse_of_choices(options: Options) -> None:
    """Refuse options that don't go with questions with choices.

    Raises:
        UsageError: one is given.
    """
    for option in ("measures", "dev", "decision", "drop_identical_ids", "threshold"):
        if getattr(options, option) not in (None, False, ()):
            raise inapplicable(option, to="multiple-choice questions")
