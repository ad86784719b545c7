"""Fit a collection's matching rule to labels.

Labels come from matches (``labelled_matches.py``) or from groups in the collection itself. With groups, each
sampled entry acts as an incoming text, and the collection holds one other entry of its group, or none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from textkin.base.errors import DataError, UsageError
from textkin.collection.match.labelled_matches import Rehearsal, labels_of_pairs
from textkin.collection.match.match_labels import FACT, GIVE_RATE, BaseRate, MatchLabels
from textkin.data.records import PairSet
from textkin.measures.decisions.base_rate import check_rate
from textkin.measures.decisions.incoming_texts import Arrivals
from textkin.measures.decisions.match_rule import PRECISION, MatchGoal
from textkin.measures.intervals.proportions import clustered_share
from textkin.vectors.groups.guards import checks

_MOST = 20_000  # entries that act as incoming texts


def fit_matching(
    fit: Rehearsal,
    *,
    pairs: PairSet | None = None,
    path: Path | None = None,
    groups: str | None = None,
    precision: float = PRECISION,
) -> MatchLabels:
    """Fit the matching rule to pairs or groups, and store it in the collection.

    Args:
        fit: the collection with the options of the fit.
        pairs: labelled pairs.
        path: their file, next to which a sampling record may lie; None without a file.
        groups: a metadata field to use instead: entries with the same value are duplicates.
        precision: the precision that duplicates need unless another one is asked for.

    Raises:
        UsageError: both or neither of pairs and groups are given; there is no such guard; or the base rate
            isn't a proportion.
        DataError: all labels are the same, belong to pairs other than a text and its nearest entry, or don't
            determine the base rate.
        OutputError: another process is writing.
    """
    if fit.base_rate is not None:
        check_rate(fit.base_rate)
    entries, change = len(fit.store), fit.store.counter()
    if groups is not None and pairs is None:
        found = labels_of_groups(fit, groups)
    elif pairs is not None and groups is None:
        found = labels_of_pairs(fit, pairs, path=path)
    else:
        raise UsageError(
            "labels come from `pairs` or from `groups`", fix="give one", params=("pairs", "groups")
        )
    found = replace(found, entries=entries, change=change, precision=precision)
    found.rule(MatchGoal(precision=precision))  # raises if none is possible, before the labels replace others
    fit.store.note_fact(FACT, found.to_dict())
    return found


def labels_of_groups(fit: Rehearsal, field: str) -> MatchLabels:
    """Labels from a metadata field: entries with the same value are duplicates, unless it is blank.

    In a group with several entries, each sampled entry meets one other, drawn at random; the rest is ignored.
    An entry that is alone in its group meets none. If no entry is alone, half of the groups, drawn at random,
    are ignored completely, so that their entries meet none.

    Args:
        fit: the collection with the options of the fit.
        field: the metadata field.
        base_rate: the fraction of incoming texts that have a duplicate; None for the fraction of entries that
            have one, which requires some that have none.
        guards: the guards to apply.
        seed: the seed of the sample, and of the entries met.

    Raises:
        DataError: fewer than two entries have the field, all sampled labels are the same, or they don't
            determine the base rate.
        UsageError: there is no such guard.
    """
    checks([], fit.guards)
    draws = np.random.default_rng(fit.seed)
    with fit.store.reading():
        group_of = {
            one.entry_id: group
            for one in fit.store.entries()
            if (group := str(one.metadata.get(field, ""))).strip()
        }
        if len(group_of) < 2:
            raise DataError(
                f"{len(group_of) or 'no'} entries have the field {field!r}",
                fix="name a field of the metadata that tells which entries say the same",
            )
        members: dict[str, list[str]] = {}
        for name, group in group_of.items():
            members.setdefault(group, []).append(name)
        ids = list(group_of)
        chosen = draws.permutation(len(ids))[:_MOST]
        sampled = [ids[place] for place in np.sort(chosen).tolist()]
        gone = _overlooked(members, draws)
        stays = {
            name: None if group_of[name] in gone else _another(name, members[group_of[name]], draws)
            for name in sampled
        }
        found = fit.nearest(sampled, group_of, stays)
        is_complete = len(group_of) == len(fit.store)
    labelled = [one for one in found if one.labelled]
    numbers = {group: number for number, group in enumerate(members)}
    arrivals = Arrivals(
        scores=np.array([one.score for one in labelled], dtype=np.float32),
        right=np.array([one.right for one in labelled], dtype=bool),
        known=np.array([stays[one.entry_id] is not None for one in labelled], dtype=bool),
        clusters=np.array([numbers[group_of[one.entry_id]] for one in labelled], dtype=np.int64),
    )
    source = f"the field {field} of {len(group_of):,} entries, {len(labelled):,} of them sampled"
    if fit.base_rate is not None:
        rate = BaseRate.given(fit.base_rate)
    elif all(len(names) > 1 for names in members.values()):
        raise DataError(
            f"each of the {len(group_of):,} entries with the field {field!r} shares its value with another "
            "one, so they don't tell which share of the texts to come has a duplicate",
            fix=GIVE_RATE,
        )
    else:
        share = clustered_share(
            np.array([len(members[group_of[name]]) > 1 for name in sampled]),
            np.array([numbers[group_of[name]] for name in sampled]),
        )
        # Otherwise the duplicate of an entry may be one without the field.
        rate = (
            BaseRate.estimated(share, len(sampled))
            if is_complete and share is not None
            else fit.rate(arrivals)
        )
    return MatchLabels(arrivals, source, tuple(fit.guards), rate, len(found) - len(labelled))


def _overlooked(members: Mapping[str, Sequence[str]], draws: np.random.Generator) -> frozenset[str]:
    """Groups whose entries act as new texts, if no entry is alone in its group."""
    if any(len(names) == 1 for names in members.values()):
        return frozenset()
    groups = list(members)
    return frozenset(groups[one] for one in draws.permutation(len(groups))[: len(groups) // 2].tolist())


def _another(name: str, members: Sequence[str], draws: np.random.Generator) -> str | None:
    others = [one for one in members if one != name]
    return others[int(draws.integers(len(others)))] if others else None
