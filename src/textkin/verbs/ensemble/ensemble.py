"""Combine systems into one, fitted on dev, in a directory that loads like a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.argument_checks import check_fields, checked
from textkin.base.errors import invalid
from textkin.base.files import sha256_of_json
from textkin.base.paths import is_folder, real
from textkin.base.python_inputs import several
from textkin.base.results import Result, ResultRow, with_interval
from textkin.data.choice_records import ChoiceSet
from textkin.data.pair_set_operations import content_hash
from textkin.data.readers import Reading, load_texts
from textkin.data.readers.from_python import GivenData, loaded_choices, loaded_data, loaded_spans
from textkin.data.readers.read_report import note_read
from textkin.data.records import CandidateSet, LabelKind, PairSet, RetrievalSet
from textkin.data.span_records import SpanSet
from textkin.data.splits.training_texts import Seen, seen_of
from textkin.kinds.exam_corpora import Corpora
from textkin.kinds.leak_check import require_unseen, seen_in_words
from textkin.kinds.measuring import Options
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.score_cache import cache
from textkin.kinds.systems import fetch, reader_of, resolve, resolve_for_classes
from textkin.measures.decisions.combination import Combination, CombinedBy, weights_of
from textkin.measures.decisions.combination_fit import FOLDS, cross_fitted, fit_combination, folds_of
from textkin.measures.decisions.member_scores import Votes
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.paired_tests import Difference
from textkin.models.ensembles.ensemble_folder import (
    Member,
    SavedEnsemble,
    Together,
    require_place,
    save_ensemble,
)
from textkin.models.ensembles.open_ensemble import member_of
from textkin.report.content import Estimate
from textkin.report.figure_words import full, p_words
from textkin.text.baselines.classifiers import CLASS_BASELINES
from textkin.text.baselines.hybrid import hybrid_members
from textkin.text.baselines.terms import FitTexts
from textkin.verbs.ensemble.dev_data import ComparedOnDev, DevData, dev_data
from textkin.verbs.evaluate.compare_choices import Fitted

_FEWEST_TO_LEAVE_OUT = 3  # members


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class EnsembleOptions:
    """Options of an ensemble.

    Attributes:
        folds: number of folds of cross-fitting.
        fit: a file of texts that baselines among the members take their word frequencies from; None for the
            texts of dev.
        vectors: for the baseline mean-vectors.
        sampling: of intervals and the test; its seed is also that of the folds, and of the baseline random.
        reading: reading options of dev.
        corpora: for questions with choices: where ``lucene`` and ``support:MODEL`` look things up.
        accept_leaks: fit even where a member was trained on more than 1 % of dev.
        download: fetch models from the hub that are not at hand.
        cache: a file that keeps outputs of trained networks; see :class:`Options`.

    Example:
        >>> import textkin as tk
        >>> tk.EnsembleOptions(folds=10).folds
        10
    """

    folds: int = FOLDS
    fit: Path | None = None
    vectors: Path | None = None
    sampling: Sampling = field(default_factory=Sampling)
    reading: Reading = field(default_factory=Reading)
    corpora: Corpora = field(default_factory=Corpora)
    accept_leaks: bool = False
    download: bool = False
    cache: Path | None = None

    def __post_init__(self) -> None:
        check_fields(self)


@final
@dataclass(frozen=True, slots=True, repr=False)
class Ensembled(Result):
    """Result of combining: members, weights and quality.

    Attributes:
        folder: the directory of the ensemble.
        kind: kind of the data that it was fitted on.
        rule: the rule of combination.
        weights: the weight of each member.
        fitted_on: the name of dev.
        folds: number of folds of cross-fitting.
        adds: the gain of each member on dev: the ensemble's cross-fitted figure minus that of the others'
            ensemble; empty where there are only two.
        compared: figures on dev: those of the ensemble by its scores of rows it was not fitted on.
        notes: overlap of the members' training data with dev.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> dev, members = samples.pairs("travel"), ["tfidf", "default"]
        >>> found = tk.ensemble(dev, members=members, out="both", rule="mean")
        >>> list(found.weights), found.compared.measure
        (['tfidf', 'default'], 'AP')
    """

    folder: Path
    kind: str
    rule: str
    weights: Mapping[str, float]
    fitted_on: str
    folds: int
    compared: ComparedOnDev
    adds: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def _rows(self) -> Iterator[ResultRow]:
        """A row a member, then the ensemble."""
        measure = self.compared.measure
        for name, figure in self.compared.members.items():
            row: ResultRow = {"system": name, "weight": self.weights[name], **with_interval(measure, figure)}
            yield {**row, "adds": self.adds[name]} if self.adds else row
        own = with_interval(measure, self.compared.ensemble)
        yield {"system": "ensemble, cross-fitted", "weight": None, **own} | (
            {"adds": None} if self.adds else {}
        )

    def _said(self) -> tuple[str, ...]:
        compared = self.compared
        return (
            f"Fitted on {self.fitted_on}; the ensemble's figure is that of {self.folds} folds, each judged "
            "by what was fitted on the others.",
            f"{compared.measure}: {full(_estimate(compared.gain), sign=True)} from the best member, "
            f"{compared.best}, {p_words(compared.gain.p)}; the best was found on the same data, which "
            "favours it.",
            *self.notes,
            f"Saved in {self.folder}",
        )


@checked
def ensemble(
    data: GivenData | ChoiceSet,
    *,
    members: Sequence[str | Path],
    out: Path | str,
    rule: str = "weighted",
    options: EnsembleOptions | None = None,
) -> Ensembled:
    """Combine models and baselines into one system, in a directory that loads like a model.

    Args:
        data: dev, which no member has learnt from: labelled pairs, candidates, questions about passages or
            with choices; a path, records, or rows of texts and labels.
        members: folders, names of cached models, baselines; two or more, all of one kind.
        out: the directory; the members are not moved.
        rule: "mean" of normalised scores; "rank" within the question, or of pairs among dev scores;
            "weighted", the mean by weights that are the best on dev; "logistic" regression; "sum" of
            probabilities.
        options: folds, intervals and more; see :class:`EnsembleOptions`.

    Raises:
        UsageError: there are too few members, they are of different kinds, or the rule doesn't suit the data.
        ModelError: a member can't be read.
        DataError: the data can't be read, or have too few groups to hold some out.
        LeakError: a member was trained on more than 1 % of the data.
        OutputError: ``out`` holds something else, or can't be written to.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> options = tk.EnsembleOptions(sampling=tk.Sampling(100, 100))
        >>> dev, members = samples.pairs("travel"), ["default", "minhash"]
        >>> found = tk.ensemble(dev, members=members, out="two", rule="mean", options=options)
        >>> tk.load("two").score([("one text", "another")]).shape
        (1,)
    """
    options, target, chosen = options or EnsembleOptions(), Path(out), CombinedBy.of(str(rule))
    words = _words(members, target)
    require_place(target)
    if options.download:
        fetch(*words)
    given = _loaded(data, options.reading)
    dev = dev_data(given, sampling=options.sampling)
    fitted = _fitted(given, options) if isinstance(given, ChoiceSet) else None
    known = [_known(word, dev, target, fitted) for word in words]
    opener, notes = _opener(dev, options, fitted), list[str]()
    for word in words:
        system = opener(word)
        cache([system], options.cache)
        require_unseen(word, seen_of(system), given, accept_leaks=options.accept_leaks)
        if (
            isinstance(given, PairSet | CandidateSet | RetrievalSet)
            and getattr(system, "model", None) is not None
        ):
            notes += seen_in_words(word, system.model, given)
        dev.ask(word, system)
    votes = dev.votes()
    combination = fit_combination(votes, chosen)
    folds = folds_of(votes.groups, folds=options.folds, seed=options.sampling.seed)
    combined = cross_fitted(votes, chosen, folds)
    adds = _adds(dev, votes, chosen, folds, words, combined)
    compared = dev.compared(combined)
    found = Ensembled(
        folder=target,
        kind=dev.kind.value,
        rule=chosen.value,
        weights=dict(zip(words, weights_of(combination), strict=True)),
        fitted_on=given.name or "the given records",
        folds=int(folds.max()) + 1,
        compared=compared,
        adds=adds,
        notes=(*notes, *(fitted.looked_up.notes if fitted else ())),
    )
    looked_up = options.corpora.to_dict(target) if options.corpora.asked() else {}
    saved = replace(_saved(found, known, combination, dev, sha256=_hash(given)), looked_up=looked_up)
    save_ensemble(saved, target, card=_card(found))
    return found


def _adds(
    dev: DevData,
    votes: Votes,
    rule: CombinedBy,
    folds: NDArray[np.int64],
    words: Sequence[str],
    combined: Any,
) -> dict[str, float]:
    """Gain of the cross-fitted ensemble by each member, of three or more."""
    if len(words) < _FEWEST_TO_LEAVE_OUT:
        return {}
    whole = dev.value(combined)
    found = {}
    for place, word in enumerate(words):
        others = replace(votes, values=np.delete(votes.values, place, axis=1))
        found[word] = whole - dev.value(cross_fitted(others, rule, folds))
    return found


def _words(members: Sequence[str | Path], out: Path) -> list[str]:
    given = several(members, "members")
    for one in given:
        if not isinstance(one, str | Path):
            raise invalid(
                "members", getattr(one, "name", type(one).__name__), expected="folders or names of models"
            )
        if is_folder(one) and real(Path(one)) == real(out):
            raise invalid("out", out, expected="another folder than those of the members")
    words = list(map(str, given))
    if len(words) < 2 or len(set(words)) < len(words):
        raise invalid("members", words, expected="two or more, all different")
    return words


def _loaded(data: Any, reading: Reading) -> PairSet | CandidateSet | RetrievalSet | SpanSet | ChoiceSet:
    if (exam := loaded_choices(data, reading=reading)) is not None:
        return exam.data
    if (spans := loaded_spans(data, reading=reading)) is not None:
        return spans.data
    loaded = loaded_data(data, reading=reading)
    note_read(loaded.report)
    found = loaded.data
    if isinstance(found, PairSet | CandidateSet | RetrievalSet):
        return found
    raise invalid(
        "data",
        f"{found.name or 'data'} ({type(found).__name__})",
        expected="labelled pairs, candidates to rank, a corpus with queries, or questions about passages or "
        "with choices",
    )


def _fitted(exam: ChoiceSet, options: EnsembleOptions) -> Fitted:
    """Fitted state of baselines of choices."""
    return Fitted.of(
        exam,
        Options(
            fit=options.fit,
            vectors=options.vectors,
            corpora=options.corpora,
            sampling=options.sampling,
            cache=options.cache,
        ),
    )


def _known(word: str, dev: DevData, out: Path, fitted: Fitted | None) -> Member:
    if hybrid_members(word) is not None:
        raise invalid(
            "members",
            word,
            expected="models: this one combines systems itself",
            fix="name the systems that it combines, or give `rule=rrf`",
        )
    if dev.kind is Together.CLASSES and word in CLASS_BASELINES:
        raise invalid("members", word, expected="models that are already trained on the classes")
    return member_of(word, kind=dev.kind, out=out, hash_of=fitted and fitted.looked_up.hash_of)


def _opener(dev: DevData, options: EnsembleOptions, fitted: Fitted | None) -> Callable[[str], Any]:
    """The function that opens a member by its name."""
    if fitted is not None:
        return fitted.chooser
    texts = FitTexts(dev.texts if options.fit is None else load_texts(options.fit).data.texts)
    seed, vectors = options.sampling.seed, options.vectors
    if dev.kind is Together.SPANS:
        return lambda word: reader_of(word, fit_texts=texts, seed=seed)
    if dev.kind is Together.CLASSES:
        nothing = PairSet((), LabelKind.CLASSES)
        return lambda word: resolve_for_classes(word, train=nothing, seed=seed)
    return lambda word: resolve(word, fit_texts=texts, vectors=vectors, seed=seed)


def _hash(data: PairSet | CandidateSet | RetrievalSet | SpanSet | ChoiceSet) -> str:
    if isinstance(data, ChoiceSet):
        return sha256_of_json([[one.question, list(one.choices), one.answer] for one in data])
    return content_hash(data)


def _saved(
    found: Ensembled, members: Sequence[Member], combination: Combination, dev: DevData, *, sha256: str
) -> SavedEnsemble:
    compared = found.compared
    return SavedEnsemble(
        name=found.folder.name,
        kind=dev.kind,
        members=tuple(members),
        rule=CombinedBy.of(found.rule),
        combination=combination,
        fitted_on=found.fitted_on,
        data_sha256=sha256,
        classes=dev.classes,
        figures={
            "measure": compared.measure,
            "folds": found.folds,
            "cross_fitted": _figure(compared.ensemble),
            "members": {name: _figure(one) for name, one in compared.members.items()},
            "best": compared.best,
            "adds": dict(found.adds),
            "gain": {**_figure(compared.gain), "p": compared.gain.p},
        },
        seen=Seen.of(dev.pairs),
    )


def _estimate(one: Interval | Difference) -> Estimate:
    """The figure with its ends; none where a single group says nothing."""
    ends = (one.low, one.high)
    return Estimate(one.value, *ends) if all(map(math.isfinite, ends)) else Estimate(one.value)


def _figure(one: Interval | Difference) -> dict[str, float | None]:
    found = _estimate(one)
    return {"value": found.value, "low": found.low, "high": found.high}


def _card(found: Ensembled) -> str:
    """The model card of the ensemble."""
    compared = found.compared
    rows = [
        f"| {name} | {found.weights[name]:.3f} | {full(_estimate(one))} |"
        for name, one in compared.members.items()
    ]
    return "\n".join(
        [
            f"# {found.folder.name}",
            "",
            f"An ensemble of {len(rows)} members on {found.kind}, combined by the rule `{found.rule}`, "
            f"fitted on {found.fitted_on}. Its members are not in here: they must stay where they are.",
            "",
            f"| member | weight | {compared.measure} |",
            "| --- | ---: | ---: |",
            *rows,
            f"| the ensemble, cross-fitted | | {full(_estimate(compared.ensemble))} |",
            "",
            f"All figures are of {found.fitted_on}. The ensemble's is that of {found.folds} folds, each "
            "judged by what was fitted on the others.",
            "",
        ]
    )
