"""Agreement of systems, their shared errors, and the gain of each in a vote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, UsageError, invalid
from textkin.base.files import write_text
from textkin.base.first_seen_numbers import enumerated
from textkin.base.python_inputs import several
from textkin.base.results import Result, ResultRow, Table, with_interval
from textkin.base.text_table import text_table
from textkin.data.choice_records import LOOKING_UP, ChoiceSet
from textkin.data.choice_scores import answers_of, chosen, rows_of
from textkin.data.protocols import Chooser, Scorer, System
from textkin.data.ranking import order
from textkin.data.readers.from_python import GivenData, loaded_choices, loaded_data, loaded_spans
from textkin.data.readers.read_report import note_read
from textkin.data.records import CandidateSet, PairSet
from textkin.data.splits.training_texts import seen_of
from textkin.kinds.agreement import Agreed, Decisions, agreement_of
from textkin.kinds.choice_judge import ChoiceJudge, wordings_of
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.judge import Judge, as_scorer
from textkin.kinds.leak_check import require_unseen
from textkin.kinds.measuring import Options
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.prepared_systems import (
    at_hand,
    classifiers_for,
    dev_judge,
    judge_of,
    measured_names,
    scorers_for,
)
from textkin.kinds.ranking_judge import CandidateJudge, seed_tags
from textkin.kinds.systems import AnyModel
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.measures.metrics.agreement import kendall_tau_b
from textkin.models.ensembles.chooser import flat_scores
from textkin.report.agreement_page import AgreementMap, AgreementReport, agreement_page
from textkin.report.content import Estimate
from textkin.report.figure_words import count, full
from textkin.report.tables import Grid
from textkin.verbs.evaluate.compare_choices import Fitted, refuse_of_choices
from textkin.version import __version__

_MEANING = {
    "same": "The proportion of items on which two systems decide alike.",
    "kappa": "Cohen's kappa: (same - chance) / (1 - chance), where chance is what two systems would have in "
    "common that decide as often for each thing, but independently.",
    "shared errors": "Of the items that one system or the other gets wrong, the proportion that both get "
    "wrong: errors in common / all errors.",
    "tau-b": "Kendall's tau-b of the two rankings of a question's candidates, the mean over questions.",
}
_FIELDS = {"same": "same", "kappa": "kappa", "shared errors": "shared_errors", "tau-b": "correlation"}


@final
@dataclass(frozen=True, slots=True, repr=False)
class AgreementResult(Result):
    """Agreement of systems with each other.

    Attributes:
        data: the name of the data.
        kind: "pairs", "classes", "candidates" or "choices".
        items: number of decisions by each system.
        groups: number of independent ones among these.
        decision: the kind of decision in words.
        agreed: the figures.
        notes: origins of thresholds, and other notes for the reader.
        report: the page that was written.

    Example:
        >>> import textkin as tk
        >>> one = tk.ChoiceQuestion("q1", "What melts?", ("ice", "fire"), answer=0)
        >>> other = tk.ChoiceQuestion("q2", "What burns?", ("ice", "fire"), answer=1)
        >>> found = tk.compare(tk.ChoiceSet((one, other)), ["constant", "tfidf"], agreement=True)
        >>> sorted(found.rows()[0])[:3]
        ['a', 'b', 'kappa']
    """

    data: str
    kind: str
    items: int
    groups: int
    decision: str
    agreed: Agreed
    notes: tuple[str, ...] = ()
    report: Path | None = None

    def _rows(self) -> Iterator[ResultRow]:
        """A row a pair of systems."""
        for one in self.agreed.pairs:
            row: ResultRow = {"a": one.a, "b": one.b}
            for name in self._figures():
                row |= with_interval(name, getattr(one, _FIELDS[name]))
            yield row

    def _table(self) -> Table:
        grid = self.pairs_grid()
        return grid.header, grid.rows

    def pairs_grid(self) -> Grid:
        """All pairs of systems, with intervals."""
        names = self._figures()
        rows = tuple(
            (one.a, one.b, *(_cell(getattr(one, _FIELDS[name])) for name in names))
            for one in self.agreed.pairs
        )
        return Grid(("a", "b", *names), rows)

    def systems_grid(self) -> Grid:
        """Each system's accuracy, and what it adds to the vote."""
        rows = tuple(
            (one.system, full(one.accuracy), full(one.adds, sign=True)) for one in self.agreed.members
        )
        return Grid(("system", "accuracy", "adds to the vote"), rows)

    def sentences(self) -> tuple[str, ...]:
        """Sentences on what the figures show, and on how to read them."""
        agreed = self.agreed
        most = agreed.most()
        # Of two the vote is that of the first alone.
        said = (
            (f"{most.system} adds most to the vote: {full(most.adds, sign=True)}",)
            if len(agreed.members) > 2
            else ()
        )
        return (
            f"A decision is {self.decision}; {self.items:,} of each system, in {self.groups:,} "
            "independent groups",
            f"Some system is right (oracle): {full(agreed.oracle)}",
            f"Vote of all, ties to the system named first: {full(agreed.vote)}",
            *said,
            *self.notes,
        )

    def _said(self) -> tuple[str, ...]:
        return (self.data, *self.sentences())

    def _summary(self) -> str:
        return f"{self.data}, {len(self.agreed.members)} systems, {self.items:,} decisions"

    def text(self) -> str:
        """The pairs of systems, the systems, and how to read them."""
        pairs, systems = self.pairs_grid(), self.systems_grid()
        lines = [text_table(pairs.header, pairs.rows, title=self.data), ""]
        lines += [text_table(systems.header, systems.rows), "", *self.sentences()]
        return "\n".join([*lines, *([] if self.report is None else [f"Heat maps are in {self.report}"])])

    def as_dict(self) -> dict[str, Any]:
        """All but the page."""
        names = ("data", "kind", "items", "groups", "decision", "agreed", "notes")
        return {name: getattr(self, name) for name in names}

    def write(self, path: Path | str) -> Path:
        """Write a page with heat maps.

        Raises:
            OutputError: it can't be written.
        """
        target = Path(path)
        write_text(target, agreement_page(self._report()))
        return target

    def _figures(self) -> list[str]:
        return [name for name in _FIELDS if name != "tau-b" or self.kind == "candidates"]

    def _report(self) -> AgreementReport:
        agreed = self.agreed
        return AgreementReport(
            title=f"Who agrees with whom on {self.data}",
            facts=(count(len(agreed.members), "system"), count(self.items, "decision")),
            names=tuple(one.system for one in agreed.members),
            maps=tuple(
                AgreementMap(
                    name.replace(" ", "-"), name.capitalize(), _MEANING[name], agreed.matrix(_FIELDS[name])
                )
                for name in self._figures()
            ),
            systems=self.systems_grid(),
            pairs=self.pairs_grid(),
            said=self.sentences(),
            made_with=Grid(("what", "with"), (("textkin", __version__),)),
        )


def agree(
    data: GivenData | ChoiceSet, *, models: Sequence[AnyModel | Chooser], options: Options | None = None
) -> AgreementResult:
    """Measure which systems agree, which share errors, and what each adds to their vote.

    Args:
        data: pairs labelled yes or no, or with classes; candidates; or a ``ChoiceSet``; records, or the
            path of a file.
        models: as ``compare`` takes them; of several seeds each is a system of its own. For choices also
            objects with ``name`` and ``choose(questions)``.
        options: see :class:`Options`. Yes-or-no pairs need ``dev`` where a model has no saved threshold.

    Raises:
        UsageError: there are fewer than two systems, one does not fit the data, or has no threshold.
        DataError: the data can't be read or have no labels.
        LeakError: a model was trained on the data, or dev has some of the pairs.
        ModelError: a model can't be read.
    """
    options = options or Options()
    if (exam := loaded_choices(data, reading=options.reading)) is not None:
        return _of_choices(exam.data, models, options)
    if loaded_spans(data, reading=options.reading) is not None:
        raise invalid("data", data, expected="pairs, candidates or multiple-choice questions")
    named = at_hand(_without_choosers(models), options)
    found = loaded_data(data, reading=options.reading)
    note_read(found.report)
    loaded = found.data
    if not isinstance(loaded, PairSet | CandidateSet):
        raise invalid(
            "data",
            f"{loaded.name or 'data'} ({type(loaded).__name__})",
            expected="labelled pairs, or candidates to rank",
        )
    judge = judge_of(loaded, measures=(), sampling=options.sampling)
    systems = _asked(judge, loaded, named, options)
    notes: tuple[str, ...] = ()
    if isinstance(judge, CandidateJudge):
        given, decision, notes = _of_rankings(judge), "which candidate comes first", _TOP
    elif isinstance(judge, ClassJudge):
        given, decision = _of_classes(judge), "the class of a pair"
    elif isinstance(judge, PairJudge):
        given, notes = _of_pairs(judge, systems, options)
        decision = "whether a pair is the same, by each system's threshold"
    else:
        raise invalid("data", judge.kind, expected="pairs or candidates")
    return AgreementResult(
        data=loaded.name or "the given records",
        kind="classes" if isinstance(judge, ClassJudge) else judge.kind,
        items=len(given.groups),
        groups=len(np.unique(given.groups)),
        decision=decision,
        agreed=agreement_of(given, sampling=options.sampling),
        notes=(*notes, *judge.notes()),
    )


def _asked(
    judge: Judge,
    data: PairSet | CandidateSet,
    named: Mapping[str, Sequence[AnyModel]],
    options: Options,
) -> dict[str, System]:
    """The systems, each of which the judge has taken; a seed is a system of its own."""
    if isinstance(judge, PairJudge) and not judge.is_binary:
        raise invalid(
            "data",
            f"{data.name or 'data'} (graded labels)",
            expected="pairs labelled yes or no, or with classes",
            fix=judge.hint or None,
        )
    names = measured_names(named, (), judge.known, options)
    prepared = (
        classifiers_for(names, judge, options)
        if isinstance(judge, ClassJudge)
        else scorers_for(names, judge, options)
    )
    systems: dict[str, System] = {}
    for name, seeds in prepared.systems.items():
        for tag, system in zip(seed_tags(name, len(seeds)), seeds, strict=True):
            require_unseen(tag, seen_of(system), data, accept_leaks=options.accept_leaks)
            if isinstance(judge, PairJudge) and options.dev is None and _threshold(system) is None:
                raise UsageError(
                    f"{tag} has no threshold",
                    fix="give `dev` to fit one, or save one with `calibrate()`",
                    params=("dev",),
                )
            judge.take(tag, system)
            systems[tag] = system
    return systems


_TOP = (
    "Accuracy and vote are of the first candidates alone, kappa goes by their places in the data; of tau-b "
    "those questions are left out on which a system gives all candidates one score",
)


def agree_choices(
    data: ChoiceSet, choosers: Mapping[str, Chooser | Scorer], *, sampling: Sampling
) -> AgreementResult:
    """:func:`agree` on questions with choices, of choosers by their names; a scorer scores each choice.

    Raises:
        UsageError: there are fewer than two, or one gives no row of numbers for each question.
        DataError: a question has no right choice.
    """
    if not data.is_answered:
        raise DataError(
            f"{data.name or 'the data'} has questions without a right choice, or none at all",
            fix="give questions whose answers are known",
        )
    decided = np.stack(
        [chosen(rows_of(flat_scores(one, data.questions), data.questions)) for one in choosers.values()]
    )
    groups = wordings_of(data)
    given = Decisions(tuple(choosers), decided, decided == answers_of(data), groups)
    return AgreementResult(
        data=data.name or "the given questions",
        kind="choices",
        items=len(data),
        groups=len(np.unique(groups)),
        decision="which choice is taken",
        agreed=agreement_of(given, sampling=sampling),
    )


def _of_choices(data: ChoiceSet, models: Sequence[Any], options: Options) -> AgreementResult:
    refuse_of_choices(options)
    fitted = Fitted.of(data, options)
    found: dict[str, Chooser] = {}
    known = (*ChoiceJudge.known, *LOOKING_UP)
    for name, seeds in measured_names(at_hand(models, options), (), known, options).items():
        for tag, one in zip(seed_tags(name, len(seeds)), seeds, strict=True):
            found[tag] = fitted.chooser(one)
            require_unseen(tag, seen_of(found[tag]), data, accept_leaks=options.accept_leaks)
    fitted.looked_up.require_used()
    result = agree_choices(data, found, sampling=options.sampling)
    return replace(result, notes=(*fitted.looked_up.notes, *result.notes))


def _without_choosers(models: Sequence[AnyModel | Chooser]) -> list[AnyModel]:
    found: list[AnyModel] = []
    for one in several(models, "models"):
        if isinstance(one, Chooser) and not isinstance(one, Scorer):
            raise invalid("models", one.name, expected="models that score: the data have no choices")
        found.append(one)
    return found


def _of_pairs(
    judge: PairJudge, systems: Mapping[str, System], options: Options
) -> tuple[Decisions, tuple[str, ...]]:
    """Decisions by thresholds, and where these are from."""
    dev = None if options.dev is None else dev_judge(judge, options.dev, options)
    labels, decided, notes = judge.test.labels > 0, [], []
    for name, system in systems.items():
        saved = _threshold(system)
        if saved is None and dev is not None:
            scores = np.asarray(as_scorer(name, system).score(dev.data.texts))
            threshold = fit_threshold(dev.test.labels, scores, Goal(Aim.ACCURACY))
            source = f"of the best accuracy on {dev.data.name}"
        elif saved is not None:
            threshold, source = saved.threshold, f"saved with it, fitted on {saved.fitted_on}"
        else:
            raise UsageError(f"{name} has no threshold", fix="give `dev` to fit one", params=("dev",))
        decided.append(threshold.decide(judge.scores[name][0]))
        notes.append(f"{name} decides by the threshold {threshold.value:.4f}, {source}")
    same = np.stack(decided)
    return Decisions(tuple(systems), same.astype(np.int64), same == labels, judge.test.clusters), tuple(notes)


def _threshold(system: System) -> SavedThreshold | None:
    """The threshold that is saved with a model, if there is one."""
    found: SavedThreshold | None = getattr(getattr(system, "model", None), "threshold", None)
    return found


def _of_classes(judge: ClassJudge) -> Decisions:
    decided = np.stack([judge.scores[name][0] for name in judge.names]).astype(np.int64)
    return Decisions(tuple(judge.names), decided, decided == judge.test.labels, judge.test.clusters)


def _of_rankings(judge: CandidateJudge) -> Decisions:
    runs = [judge.runs[name][0] for name in judge.names]
    starts = runs[0].offsets[:-1]
    first = np.stack([order(run)[starts] for run in runs])
    relevant = np.array([label > 0 for one in judge.data for label in one.labels])
    groups, _ = enumerated(one.query for one in judge.data)
    return Decisions(tuple(judge.names), first - starts, relevant[first], groups, _correlations(judge))


def _correlations(judge: CandidateJudge) -> NDArray[np.float64]:
    """Kendall's tau-b of all pairs of systems on each question. Shape [systems, systems, questions]."""
    scores = np.stack([judge.runs[name][0].scores for name in judge.names])
    parts = np.split(scores, judge.runs[judge.names[0]][0].offsets[1:-1], axis=1)
    return np.stack([kendall_tau_b(part) for part in parts], axis=2)


def _cell(figure: Estimate | None) -> str:
    return "–" if figure is None else full(figure)
