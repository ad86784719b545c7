"""Members weighed on dev data, and the folder of the ensemble, which loads like a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Ints
from textkin.base.errors import invalid
from textkin.base.paths import is_folder, real
from textkin.base.python_inputs import several
from textkin.base.results import Result, ResultRow, with_interval
from textkin.data.pair_set_operations import content_hash
from textkin.data.readers.read_report import note_read
from textkin.data.splits.training_texts import Seen, seen_of
from textkin.kinds.baseline_fits import Fitted
from textkin.kinds.dev_data import ComparedOnDev, DevData
from textkin.kinds.judge import estimate
from textkin.kinds.kind import DataKind
from textkin.kinds.leak_check import require_unseen, seen_in_words
from textkin.kinds.measuring import Options
from textkin.kinds.registry import load_data
from textkin.kinds.score_cache import cache
from textkin.kinds.systems import Predictions, fetch, named_systems, refuse_vectors
from textkin.measures.decisions.combination import Combination, CombinedBy, weights_of
from textkin.measures.decisions.combination_fit import cross_fitted, fit_combination, folds_of
from textkin.measures.decisions.member_scores import Votes
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.paired_tests import Difference
from textkin.models.ensembles.ensemble_folder import (
    PREDICTIONS,
    Member,
    SavedEnsemble,
    Together,
    require_place,
    save_ensemble,
)
from textkin.models.ensembles.open_ensemble import member_of
from textkin.report.figure_words import full, p_words
from textkin.text.baselines.classifiers import CLASS_BASELINES
from textkin.text.baselines.hybrid import hybrid_members

_FEWEST_TO_LEAVE_OUT = 3  # members


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
        >>> dev = samples.pairs("travel")
        >>> found = tk.ensemble(["tfidf", "default"], dev=dev, out="both", combine="mean")
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

    @property
    def cross_fitting(self) -> str:
        """How the ensemble is measured, in words."""
        return f"The ensemble is measured in {self.folds} folds, each with what was fitted on the others."

    def as_dict(self) -> dict[str, Any]:
        """All fields."""
        return self._values()

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
            f"Fitted on {self.fitted_on}. {self.cross_fitting}",
            f"The ensemble's {compared.measure} minus that of the best member, {compared.best}: "
            f"{full(estimate(compared.gain), sign=True)}, {p_words(compared.gain.p)}. That member was "
            "chosen on the same data, which favours it.",
            *self.notes,
            f"Saved in {self.folder}",
        )


def fit_ensemble(
    members: Any, data: Any, out: Path, *, combine: str, folds: int, options: Options
) -> Ensembled:
    """Combine members by what the data show, and save the ensemble; see ``ensemble``."""
    target, chosen = Path(out), CombinedBy.of(combine)
    given_by_name = _members(members, target)
    words = list(given_by_name)
    require_place(target)
    if options.download:
        fetch(*words)
    kind, loaded = load_data(data, reading=options.reading)
    note_read(loaded.report)
    kind.refuse(options)
    refuse_vectors(options.vectors, *words)
    given, pairs = loaded.data, kind.counted(loaded.data)
    dev = kind.dev_data(given, options.sampling)
    fitted = kind.fitted(given, dev.judge, options)
    known = [_known(word, dev, target, fitted) for word in words]
    notes = list[str]()
    for word, member in given_by_name.items():
        system = _opened(kind, dev, member, fitted, options, notes)
        cache([system], options.cache)
        require_unseen(word, seen_of(system), given, pairs=pairs, accept_leaks=options.accept_leaks)
        if getattr(system, "model", None) is not None:
            notes += seen_in_words(word, system.model, given)
        dev.ask(word, system)
    votes = dev.votes()
    combination = fit_combination(votes, chosen)
    parts = folds_of(votes.groups, folds=folds, seed=options.sampling.seed)
    combined = cross_fitted(votes, chosen, parts)
    adds = _adds(dev, votes, chosen, parts, words, combined)
    compared = dev.compared(combined)
    found = Ensembled(
        folder=target,
        kind=dev.kind.value,
        rule=chosen.value,
        weights=dict(zip(words, weights_of(combination), strict=True)),
        fitted_on=given.name or "the given records",
        folds=int(parts.max()) + 1,
        compared=compared,
        adds=adds,
        notes=(*notes, *fitted.notes()),
    )
    looked_up = options.corpora.to_dict(target) if options.corpora.asked() else {}
    saved = replace(_saved(found, known, combination, dev, sha256=content_hash(given)), looked_up=looked_up)
    save_ensemble(saved, target, card=_card(found))
    return found


def _adds(
    dev: DevData,
    votes: Votes,
    rule: CombinedBy,
    folds: Ints,
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


def _opened(
    kind: DataKind[Any, Any], dev: DevData, member: Any, fitted: Fitted, options: Options, notes: list[str]
) -> Any:
    """The system of a member; what is to be said of predictions is noted."""
    if not isinstance(member, Predictions):
        return fitted.open(member)
    found = kind.predicted(dev.judge, member, options)
    notes += found.notes
    return found.system


def _members(members: Any, out: Path) -> dict[str, str | Predictions]:
    """The models and the predictions to combine, by the words that stand for them in the ensemble.

    Raises:
        UsageError: there are too few, one is repeated, or neither a name nor predictions.
    """
    given = members if isinstance(members, Mapping) else several(members, "members")
    for one in () if isinstance(given, Mapping) else given:
        if not isinstance(one, str | Path):
            raise invalid(
                "members", getattr(one, "name", type(one).__name__), expected="folders or names of models"
            )
        if is_folder(one) and real(Path(one)) == real(out):
            raise invalid("out", out, expected="another folder than those of the members")
    found: dict[str, str | Predictions] = {}
    for name, seeds in named_systems(given).items():
        one = seeds[0] if len(seeds) == 1 else None
        if not isinstance(one, Predictions) and one != name:
            raise invalid("members", name, expected="MODEL, or NAME=FILE for predictions of one system")
        found[PREDICTIONS + name if isinstance(one, Predictions) else name] = one
    if len(found) < 2 or (not isinstance(given, Mapping) and len(found) < len(given)):
        raise invalid("members", list(found), expected="two or more, all different")
    return found


def _known(word: str, dev: DevData, out: Path, fitted: Fitted) -> Member:
    if hybrid_members(word) is not None:
        raise invalid(
            "members",
            word,
            expected="members that are no combinations themselves",
            fix="name the systems that it combines, or give `combine=rrf`",
        )
    if dev.kind is Together.CLASSES and word in CLASS_BASELINES:
        raise invalid("members", word, expected="models that are already trained on the classes")
    return member_of(word, kind=dev.kind, out=out, hash_of=fitted.hash_of)


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


def _figure(one: Interval | Difference) -> dict[str, float | None]:
    found = estimate(one)
    return {"value": found.value, "low": found.low, "high": found.high}


def _card(found: Ensembled) -> str:
    """The model card of the ensemble."""
    compared = found.compared
    rows = [
        f"| {name} | {found.weights[name]:.3f} | {full(estimate(one))} |"
        for name, one in compared.members.items()
    ]
    return "\n".join(
        [
            f"# {found.folder.name}",
            "",
            f"An ensemble of {len(rows)} members on {found.kind}, combined by the rule `{found.rule}`, "
            f"fitted on {found.fitted_on}. It doesn't contain its members, which must stay where they are.",
            "",
            f"| member | weight | {compared.measure} |",
            "| --- | ---: | ---: |",
            *rows,
            f"| the ensemble, cross-fitted | | {full(estimate(compared.ensemble))} |",
            "",
            f"All figures are of {found.fitted_on}. {found.cross_fitting}",
            "",
        ]
    )
