"""Open an ensemble: verify each member's hash, and combine them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from textkin.base.errors import ModelError, TextkinError, invalid
from textkin.base.files import sha256_of_json
from textkin.base.hub import located
from textkin.base.paths import is_folder
from textkin.data.choice_records import SUPPORT, with_number
from textkin.data.protocols import Classifier, Scorer, SpanReader
from textkin.data.splits.training_texts import seen_of
from textkin.models.ensembles.ensemble_folder import PREDICTIONS, Member, SavedEnsemble, Together, load_saved
from textkin.models.ensembles.reader import EnsembleReader
from textkin.models.ensembles.scorer import EnsembleChooser, EnsembleClassifier, EnsembleScorer
from textkin.models.provenance import hash_of_model, hash_of_scorer
from textkin.text.baselines.choosers import QUESTION_FREE
from textkin.text.baselines.names import BASELINES, BY_FREQUENCY, BaselineNames
from textkin.text.baselines.own_systems import is_own
from textkin.text.baselines.span_readers import SPAN_BASELINES

OpenMember = Callable[[str], Any]
"""Opens the system for a member's word."""

HashOf = Callable[[str], str | None]
"""The hash for a word that is neither a model nor a baseline; None for others."""

_DEEPEST = 8  # nesting of ensembles; one that names itself would never end

_USE = {
    Together.PAIRS: "evaluate or score",
    Together.RANKINGS: "compare",
    Together.CLASSES: "compare",
    Together.SPANS: "answer or evaluate",
    Together.CHOICES: "choose",
}


def open_ensemble(folder: Path | str, open_member: OpenMember) -> EnsembleScorer | EnsembleClassifier:
    """Open the ensemble of scorers or classifiers in a folder.

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
    """Open the ensemble of readers in a folder.

    Raises:
        ModelError: it combines others, or a member is missing or has changed, or isn't a reader.
    """
    saved = load_saved(folder)
    if saved.kind is not Together.SPANS:
        raise _other_kind(folder, saved, "reads no answers out of passages")
    readers = _opened(saved, Path(folder), open_member, SpanReader)
    return EnsembleReader(readers, saved.combination, name=saved.name, model=_with_seen(saved, readers))


def open_ensemble_chooser(
    folder: Path | str, open_member: OpenMember, *, hash_of: HashOf | None = None
) -> EnsembleChooser:
    """Open the ensemble of choosers in a folder; members may be scorers.

    Args:
        folder: the folder.
        open_member: opens the chooser for a member's word.
        hash_of: knows the hashes of members that use a corpus.

    Raises:
        ModelError: it combines others, or a member is missing or has changed.
    """
    saved = load_saved(folder)
    if saved.kind is not Together.CHOICES:
        raise _other_kind(folder, saved, "was not fitted on questions with choices")
    members = _opened(saved, Path(folder), open_member, object, hash_of)
    return EnsembleChooser(members, saved.combination, name=saved.name, model=_with_seen(saved, members))


def member_of(word: str, *, kind: Together, out: Path, hash_of: HashOf | None = None) -> Member:
    """A member by its user's word, with its hash, for an ensemble in ``out``.

    Args:
        word: the user's word for it.
        kind: the kind of the ensemble.
        out: its folder.
        hash_of: knows the hashes of members that use a corpus.

    Raises:
        ModelError: there is no such model.
        UsageError: it can't be read.
    """
    if is_own(word):
        raise invalid("models", word, expected="models and baselines: an ensemble's folder names no code")
    sha256 = _hash(word, kind, hash_of)
    prefix, name = SUPPORT if word.startswith(SUPPORT) else "", with_number(word)[0]
    model = name.removeprefix(prefix)
    if model in BaselineNames((*BASELINES, *SPAN_BASELINES, *QUESTION_FREE)) or not is_folder(model):
        return Member(word, sha256)
    return Member.at(Path(model), sha256=sha256, out=out, prefix=prefix, suffix=word.removeprefix(name))


def needs_texts(folder: Path | str, *, depth: int = 0) -> tuple[str, ...]:
    """Members, at any depth, that take word frequencies from given texts.

    Raises:
        ModelError: the folder is damaged, or ``depth`` ensembles are nested.
    """
    if depth > _DEEPEST:
        raise ModelError(
            f"is an ensemble of ensembles, {depth} deep", path=folder, value=depth, fix="make it of models"
        )
    from textkin.models.interop.folder_kinds import Kind, kind_of

    found: list[str] = []
    for member in load_saved(folder).members:
        if member.is_folder:
            place = member.place(Path(folder))
            found += needs_texts(place, depth=depth + 1) if kind_of(place) is Kind.ENSEMBLE else ()
        elif member.model in BaselineNames((*BY_FREQUENCY, "sentence-tfidf", "sentence-bm25")):
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
    if is_own(word):
        raise ModelError(
            f"names code, {word}, which is never run", path=folder, fix="make it of models", value=word
        )
    again = f"put back what it was made of, or make {folder} again with `ensemble()`"

    def wrong(what: str, fix: str = again) -> ModelError:
        return ModelError(f"is an ensemble whose member {word} {what}", path=folder, fix=fix, value=word)

    if member.is_folder and not is_folder(member.place(folder)):
        raise wrong("is not there")
    try:
        sha256 = _hash(word, saved.kind, hash_of)
    except TextkinError as error:
        raise wrong(f"can't be read: {error.message}") from error
    if sha256 != member.sha256 and hash_of is not None and hash_of(word) is not None:
        raise wrong(
            "looks things up, or learns, elsewhere than it did",
            "leave `corpus`, `support`, `k`, `keep_leaks` and scorers out; `fit` must be what it was",
        )
    if sha256 != member.sha256:
        raise wrong(f"has changed since (SHA-256 {sha256[:12]}, expected {member.sha256[:12]})")
    found = open_member(word)
    if not isinstance(found, what):
        raise wrong("is of another kind")
    return found


def _hash(word: str, kind: Together, hash_of: HashOf | None) -> str:
    if word.startswith(PREDICTIONS):
        return sha256_of_json({"predictions": word})  # they differ with the data
    if hash_of is not None and (known := hash_of(word)) is not None:
        return known
    if kind is Together.SPANS:
        return sha256_of_json({"baseline": word}) if word in SPAN_BASELINES else hash_of_model(located(word))
    return hash_of_scorer(word)


def _with_seen(saved: SavedEnsemble, members: list[Any]) -> SavedEnsemble:
    """The same, with the members' training texts included."""
    seen = saved.seen
    for theirs in filter(None, map(seen_of, members)):
        seen = theirs if seen is None else seen | theirs
    return replace(saved, seen=seen)


def _other_kind(folder: Path | str, saved: SavedEnsemble, what: str) -> ModelError:
    return ModelError(
        f"is an ensemble on {saved.kind}, and {what}",
        path=folder,
        fix=f"use it with: textkin {_USE[saved.kind]}",
    )
