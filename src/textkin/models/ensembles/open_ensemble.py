"""Open an ensemble: each member by its hash, and all of them as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from textkin.base.errors import ModelError, TextkinError
from textkin.base.files import sha256_of_json
from textkin.base.hub import located
from textkin.base.paths import is_folder
from textkin.data.choice_records import SUPPORT
from textkin.data.protocols import Classifier, Scorer, SpanReader
from textkin.data.splits.training_texts import seen_of
from textkin.models.ensembles.chooser import EnsembleChooser
from textkin.models.ensembles.ensemble_folder import Member, SavedEnsemble, Together, load_saved
from textkin.models.ensembles.reader import EnsembleReader
from textkin.models.ensembles.scorer import EnsembleClassifier, EnsembleScorer
from textkin.models.provenance import hash_of_model, hash_of_scorer
from textkin.text.baselines.choosers import QUESTION_FREE
from textkin.text.baselines.names import BASELINES, BY_FREQUENCY
from textkin.text.baselines.span_readers import SPAN_BASELINES

OpenMember = Callable[[str], Any]
"""What makes a system of a member's word."""

HashOf = Callable[[str], str | None]
"""The hash of what a word names, where that is no model and no baseline; else None."""

_DEEPEST = 8  # of ensembles in ensembles; one that names itself has no end

_USE = {
    Together.PAIRS: "evaluate or score",
    Together.RANKINGS: "evaluate",
    Together.CLASSES: "evaluate",
    Together.SPANS: "answer or evaluate",
    Together.CHOICES: "choose",
}


def open_ensemble(folder: Path | str, open_member: OpenMember) -> EnsembleScorer | EnsembleClassifier:
    """The ensemble of scorers or classifiers in a directory.

    Raises:
        ModelError: it combines readers or choosers; a member is missing, has changed, or is of another kind.
    """
    saved = load_saved(folder)
    if saved.kind is Together.CLASSES:
        classifiers = _opened(saved, Path(folder), open_member, Classifier)
        return EnsembleClassifier(
            classifiers,
            saved.combination,
            labels=saved.classes,
            name=saved.name,
            model=_with_seen(saved, classifiers),
        )
    if saved.kind not in (Together.PAIRS, Together.RANKINGS):
        raise _other_kind(folder, saved, "scores no pairs")
    scorers = _opened(saved, Path(folder), open_member, Scorer)
    return EnsembleScorer(scorers, saved.combination, name=saved.name, model=_with_seen(saved, scorers))


def open_ensemble_reader(folder: Path | str, open_member: OpenMember) -> EnsembleReader:
    """The ensemble of readers in a directory.

    Raises:
        ModelError: it combines others, or a member is missing or has changed, or is no reader.
    """
    saved = load_saved(folder)
    if saved.kind is not Together.SPANS:
        raise _other_kind(folder, saved, "reads no answers out of passages")
    readers = _opened(saved, Path(folder), open_member, SpanReader)
    return EnsembleReader(readers, saved.combination, name=saved.name, model=_with_seen(saved, readers))


def open_ensemble_chooser(
    folder: Path | str, open_member: OpenMember, *, hash_of: HashOf | None = None
) -> EnsembleChooser:
    """The ensemble of choosers in a directory; members may be scorers.

    Args:
        folder: the directory.
        open_member: what makes a chooser of a member's word.
        hash_of: what knows the hashes of members that look things up.

    Raises:
        ModelError: it combines others, or a member is missing or has changed.
    """
    saved = load_saved(folder)
    if saved.kind is not Together.CHOICES:
        raise _other_kind(folder, saved, "was not fitted on questions with choices")
    members = _opened(saved, Path(folder), open_member, object, hash_of)
    return EnsembleChooser(members, saved.combination, name=saved.name, model=_with_seen(saved, members))


def member_of(word: str, *, kind: Together, out: Path, hash_of: HashOf | None = None) -> Member:
    """A member by what a user calls it, with its hash, for an ensemble in ``out``.

    Args:
        word: what the user calls it.
        kind: of the ensemble.
        out: its directory.
        hash_of: what knows the hashes of members that look things up.

    Raises:
        ModelError: there is no such model.
        UsageError: it can't be read.
    """
    sha256 = _hash(word, kind, hash_of)
    prefix = SUPPORT if word.startswith(SUPPORT) else ""
    model = word.removeprefix(prefix)
    if model in (*BASELINES, *SPAN_BASELINES, *QUESTION_FREE) or not is_folder(model):
        return Member(word, sha256)
    return Member.at(Path(model), sha256=sha256, out=out, prefix=prefix)


def needs_texts(folder: Path | str, *, depth: int = 0) -> tuple[str, ...]:
    """The members, of members too, that take word frequencies from texts at hand.

    Raises:
        ModelError: the directory is damaged, or ``depth`` ensembles contain each other.
    """
    if depth > _DEEPEST:
        raise ModelError(f"{folder} is an ensemble of ensembles, {depth} deep", fix="make it of models")
    from textkin.models.interop.folder_kinds import Kind, kind_of

    found: list[str] = []
    for member in load_saved(folder).members:
        if member.is_folder:
            place = Path(member.word(Path(folder)).removeprefix(member.prefix))
            found += needs_texts(place, depth=depth + 1) if kind_of(place) is Kind.ENSEMBLE else ()
        elif member.model in (*BY_FREQUENCY, "sentence-tfidf", "sentence-bm25"):
            found.append(member.model)
    return tuple(dict.fromkeys(found))


def _opened(
    saved: SavedEnsemble,
    folder: Path,
    open_member: OpenMember,
    what: Any,
    hash_of: HashOf | None = None,
) -> list[Any]:
    return [_member(saved, one, folder, open_member, what, hash_of) for one in saved.members]


def _member(
    saved: SavedEnsemble,
    member: Member,
    folder: Path,
    open_member: OpenMember,
    what: Any,
    hash_of: HashOf | None,
) -> Any:
    word = member.word(folder)
    again = f"put back what it was made of, or make {folder} again with `ensemble()`"
    if member.is_folder and not is_folder(word.removeprefix(member.prefix)):
        raise ModelError(f"{folder} is an ensemble whose member {word} is not there", fix=again)
    try:
        sha256 = _hash(word, saved.kind, hash_of)
    except TextkinError as error:
        raise ModelError(
            f"{folder} is an ensemble whose member {word} can't be read: {error.message}", fix=again
        ) from error
    if sha256 != member.sha256 and hash_of is not None and hash_of(word) is not None:
        raise ModelError(
            f"{folder} is an ensemble whose member {word} looks things up, or learns, elsewhere than it did",
            fix="leave `corpus`, `support`, `k`, `keep_leaks` and scorers out; `fit` must be what it was",
        )
    if sha256 != member.sha256:
        raise ModelError(
            f"{folder} is an ensemble whose member {word} has changed since (SHA-256 {sha256[:12]}, expected "
            f"{member.sha256[:12]})",
            fix=again,
        )
    found = open_member(word)
    if not isinstance(found, what):
        raise ModelError(
            f"{folder} is an ensemble on {saved.kind}, and its member {word} is of another kind", fix=again
        )
    return found


def _hash(word: str, kind: Together, hash_of: HashOf | None) -> str:
    if hash_of is not None and (known := hash_of(word)) is not None:
        return known
    if kind is Together.SPANS:
        return sha256_of_json({"baseline": word}) if word in SPAN_BASELINES else hash_of_model(located(word))
    return hash_of_scorer(word)


def _with_seen(saved: SavedEnsemble, members: list[Any]) -> SavedEnsemble:
    """The same, where the members' texts count as seen too."""
    seen = saved.seen
    for theirs in filter(None, map(seen_of, members)):
        seen = theirs if seen is None else seen | theirs
    return replace(saved, seen=seen)


def _other_kind(folder: Path | str, saved: SavedEnsemble, what: str) -> ModelError:
    return ModelError(
        f"{folder} is an ensemble on {saved.kind}, and {what}", fix=f"use it with: textkin {_USE[saved.kind]}"
    )
