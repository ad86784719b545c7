"""A collection's model, opened when vectors are needed, and verified against the passport."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError, UsageError, VerifyError, either, inapplicable, invalid
from textkin.base.hub import DEFAULT, in_box, locate, located
from textkin.base.paths import real
from textkin.base.progress import note
from textkin.base.python_inputs import path_of
from textkin.collection.noted_model import PASSPORT, CheckedModels, KnownModel
from textkin.collection.store.collection_store import CollectionStore
from textkin.data.entry_records import Window, WindowsOf
from textkin.data.protocols import Encoder, ReadsTokens, Side
from textkin.kinds.systems import as_encoder, decision_of, encoder_of
from textkin.kinds.systems.model_names import refuse_baseline
from textkin.kinds.systems.open_folder import open_model
from textkin.kinds.systems.passports import passport_of_opened
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.models.interop.folder_kinds import MANIFEST
from textkin.models.interop.folder_kinds import PASSPORT as PASSPORT_FILE
from textkin.models.passports.checking import Checked, compare, require
from textkin.models.passports.document import SPELT, PassportDecision
from textkin.models.passports.making import decision_beside, decision_in, hash_in_passport
from textkin.text.text_windows import windows_of
from textkin.text.truncation_account import Truncation, counted, lengths_of, truncation_of
from textkin.vectors.groups.guards import STANDARD
from textkin.vectors.unknown_token_report import Coverage, coverage_of


@dataclass(frozen=True, slots=True)
class ReadingTotals:
    """Truncation and coverage counts, accumulated over texts.

    Attributes:
        truncation: the number of texts longer than the model's limit; None if unknown or without texts.
        coverage: the model's vocabulary coverage; None without texts.
    """

    truncation: Truncation | None = None
    coverage: Coverage | None = None

    def with_more(self, cut: Truncation | None, known: Coverage) -> ReadingTotals:
        """The counts with further texts included."""
        before = self.truncation
        return ReadingTotals(
            before if cut is None else cut if before is None else before + cut,
            known if self.coverage is None else self.coverage + known,
        )


AnyEncoder = str | Path | Encoder

OpensModels = Callable[[Path], Any]
"""Opens the model in a folder, like ``open_model``; returns an open one if models are shared."""

_ANOTHER = "name the model that the collection was made with, or add the texts to a new collection"
_LEAST = 8  # tokens of a window


class CollectionModel:
    """The encoder of a collection.

    A model supplied by the user is verified at once, the collection's own when it is opened. It is verified
    by its files if these were accepted before, otherwise by its vectors of the passport's canaries.

    Args:
        given: the user's choice; None for the collection's own model.
        known: the model noted in the collection; None if it is new.
        window: the tokens of a window; 0 if the collection has no windows.
        accept_drift: continue with a different model, with a warning that gives the drift.
        open_by: opens the model in a folder.

    Attributes:
        window: see above.
        of_texts: truncation and coverage of the encoded texts.
        of_queries: truncation and coverage of the encoded queries.
        checked: the result of verifying the model; None without.

    Raises:
        VerifyError: the given model isn't the known one.
        ModelError: there is no such model.
    """

    def __init__(
        self,
        given: AnyEncoder | None,
        known: KnownModel | None,
        *,
        window: int = 0,
        accept_drift: bool = False,
        open_by: OpensModels = open_model,
    ) -> None:
        self.window = window
        self.of_texts, self.of_queries = ReadingTotals(), ReadingTotals()
        self.checked: Checked | None = None
        self._encoder: Encoder | None = None
        self._given = given
        self._known = known
        self._accept_drift, self._open_by = accept_drift, open_by
        self._is_verified = known is None
        if given is not None:
            self._verify()

    @property
    def name(self) -> str:
        """The model's name."""
        return str(facts_of(self._place)["name"]) if self._known is None else self._known.name

    @property
    def sha256(self) -> str | None:
        """The hash that identifies it in passports; None for an object."""
        return self._sha256 if self._known is None else self._known.sha256

    def encode(self, texts: Sequence[str]) -> Floats32:
        """Encode entries, or their windows. Shape [texts, dim]."""
        encoder = self.opened()
        if not self.window:
            cut = truncation_of(encoder, texts, side=Side.DOCUMENT)
            self.of_texts = self.of_texts.with_more(cut, coverage_of(encoder, texts))
        return encoder.encode(texts, side=Side.DOCUMENT)

    def windows_of(self, texts: Sequence[str]) -> list[tuple[Window, ...]]:
        """The positions of the entries' windows; a text that fits into one window is one.

        Raises:
            ModelError: the model doesn't exist, or has changed.
            UsageError: the model doesn't count tokens.
        """
        encoder, most = self.opened(), self.window
        if not isinstance(encoder, ReadsTokens):
            raise _uncounted(encoder)
        if encoder.max_tokens is None:
            told = Truncation(encoder.name, len(texts))
            asked = [place for place, text in enumerate(texts) if len(text) > most]
            lengths = lengths_of(encoder, [texts[place] for place in asked])
        else:
            asked = list(range(len(texts)))
            lengths = lengths_of(encoder, texts)
            told = counted(encoder, lengths)
        found: list[tuple[Window, ...]] = [((0, len(text)),) for text in texts]
        for place, length in zip(asked, lengths.tolist(), strict=True):
            if length > most:
                spans = windows_of(texts[place], most, partial(lengths_of, encoder))
                found[place] = tuple((span.start, span.end) for span in spans)
        windows = sum(len(spans) - 1 for spans in found)
        cut = replace(told, windows=windows)
        self.of_texts = self.of_texts.with_more(cut, coverage_of(encoder, texts))
        return found

    @property
    def parts(self) -> WindowsOf | None:
        """The splitter of texts into windows; None if the collection has none."""
        return self.windows_of if self.window else None

    def chosen_window(self, asked: int | None) -> int:
        """The tokens per window of a new collection, 0 for no windows.

        Args:
            asked: the user's choice; None for the model's limit, or for no windows if it reads whole texts.

        Raises:
            UsageError: the model doesn't support windows of that size.
        """
        if asked == 0:
            return 0
        encoder = self.opened()
        counts = isinstance(encoder, ReadsTokens) and not encoder.reads_pairs
        limit = encoder.max_tokens if isinstance(encoder, ReadsTokens) and counts else None
        if asked is None:
            return limit if limit is not None and limit >= _LEAST else 0
        if not counts:
            raise _uncounted(encoder)
        if asked < _LEAST or (limit is not None and asked > limit):
            most = "" if limit is None else f" and at most {limit}, which {encoder.name} reads"
            raise invalid("windows", asked, expected=f"at least {_LEAST} tokens{most}; 0 for none")
        return asked

    def encode_queries(self, queries: Sequence[str]) -> Floats32:
        """Encode queries. Shape [queries, dim]."""
        encoder = self.opened()
        cut = truncation_of(encoder, queries, side=Side.QUERY)
        self.of_queries = self.of_queries.with_more(cut, coverage_of(encoder, queries))
        return encoder.encode(queries, side=Side.QUERY)

    def opened(self) -> Encoder:
        """The encoder.

        Raises:
            ModelError: it doesn't exist.
            VerifyError: it isn't the known one.
        """
        self._verify()
        return self._loaded

    def decision(self) -> PassportDecision | None:
        """Threshold and calibration, from the model's folder, otherwise from the passport."""
        named = self._given is not None or self._known is None or self._known.sha256 is not None
        path = path_of(self._place) if named else None
        folder = None if path is None else locate(self._place)  # type: ignore[arg-type]
        if folder is not None and (folder / MANIFEST).is_file():
            return decision_in(folder)
        if folder is not None and (folder / PASSPORT_FILE).is_file():
            return decision_beside(folder)
        passport = None if self._known is None else self._known.passport()
        return None if passport is None else passport.decision

    def decided(self, path: Path | str) -> SavedThreshold:
        """The threshold in a decision file for this model.

        Raises:
            DataError: it can't be read.
            ModelError: it was made for another model, or this one is an object.
        """
        return decision_of(path, self._place)

    def seal(self, store: CollectionStore) -> None:
        """Store the model's passport in a collection that has none, before adding vectors.

        An object that can't encode the canaries has no passport, and is known by its name alone.

        Raises:
            VerifyError: it isn't the model of the collection.
            OutputError: another process is writing, or the disk is full.
        """
        if self._known is None or self._known.sealed is not None:
            return
        encoder = self.opened()
        try:
            made = passport_of_opened(encoder, self._folder, guards=STANDARD)
        except Exception as error:
            if self._folder is not None:
                raise
            note(f"{self._known.name} gets no passport, as it can't encode the canaries: {error}")
            return
        self._known = self._known.with_passport(made)
        is_first = store.fact(PASSPORT) is None  # another writer may have been faster
        self._known.note(store)
        CheckedModels(self._known).add(self._sha256)
        if is_first and len(store):
            note(f"{self._known.folder} had no passport of its model, and has one of {made.model} now")

    @cached_property
    def _loaded(self) -> Encoder:
        if self._folder is None:
            return encoder_of(self._place)
        return as_encoder(self._open_by(self._folder), self._place)

    @property
    def _place(self) -> AnyEncoder:
        """The model to open."""
        if self._given is not None:
            return self._given
        if self._known is None:
            return DEFAULT
        if self._known.sha256 is None:
            raise ModelError(
                f"the collection was made with an object called {self._known.name}",
                fix="give it as the model",
            )
        return self._known.name

    @cached_property
    def _folder(self) -> Path | None:
        """The model's folder; None for an object."""
        path = path_of(self._place)
        if path is None:
            return None
        if self._given is None and self._known is not None and locate(self._known.name) is None:
            raise ModelError(
                f"the collection's model {self._known.name} isn't there",
                fix=either("put its folder there", "give its folder as `model`"),
            )
        refuse_baseline(path)
        return located(self._place)  # type: ignore[arg-type]

    @cached_property
    def _sha256(self) -> str | None:
        return facts_of(self._place)["sha256"] if self._folder is not None else None

    def _verify(self) -> None:
        """Check that it is the collection's model."""
        if self._is_verified:
            return
        known = self._known
        if known is not None and known.sealed is None:
            self._require_hash(known)
        elif known is not None and not CheckedModels(known).has(self._sha256):
            self._require_canaries(known)
        self._is_verified = True

    def _require_hash(self, known: KnownModel) -> None:
        """Compare a file's hash or an object's name, where there is no passport."""
        name = facts_of(self._place)["name"]
        if self._sha256 != known.sha256 or (known.sha256 is None and name != known.name):
            raise VerifyError(
                f"{name} is not the model that the collection's vectors are of: SHA-256 "
                f"{str(self._sha256)[:12]}, expected {str(known.sha256)[:12]} ({known.name}), and without a "
                "passport nothing tells by how much it is off",
                fix=_ANOTHER,
            )

    def _require_canaries(self, known: KnownModel) -> None:
        passport = known.passport()
        if passport is None:
            return
        found = passport_of_opened(self._loaded, self._folder, canaries=passport.canaries)
        self.checked = compare(passport, found)
        # If drift can't be computed, as between spaces of different dimensions, there is nothing to accept.
        require(self.checked, accept_drift=self._accept_drift if self.checked.drifts else None)
        if self.checked.accepted:
            CheckedModels(known).add(self._sha256)
        else:
            kept = [f"{side}: {one.words}" for side, one in self.checked.drifts.items() if one.accepted]
            note(f"warning: {'; '.join([f'{self.checked.words}: {self.checked.why}', *kept])}")
        if SPELT in passport.says and SPELT not in found.says:
            note(f"{found.model} adds nothing for unknown words: texts with such words differ")


def _uncounted(encoder: Encoder) -> UsageError:
    return inapplicable(
        "windows",
        to=f"{encoder.name}, which doesn't count tokens",
        fix="leave it out, or give another model",
    )


def facts_of(model: AnyEncoder) -> dict[str, Any]:
    """The facts that a collection stores about its model: name or location, and hash.

    An object has no hash.

    Raises:
        ModelError: there is no such model.
    """
    path = path_of(model)
    if path is None:
        return {"name": getattr(model, "name", type(model).__name__), "sha256": None}
    located(model)  # type: ignore[arg-type]
    name = str(real(path)) if path.is_dir() and not in_box(model) else str(model)
    return {"name": name, "sha256": hash_in_passport(model)}  # type: ignore[arg-type]
