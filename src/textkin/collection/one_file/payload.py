"""What one HTML file holds of a collection: texts, encoder, postings, vectors and the rule for duplicates."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import DataError, ModelError, UsageError
from textkin.collection.calibration.fitted_search import FittedSearch, fitted_of
from textkin.collection.collection import OpenCollection
from textkin.collection.match.match import told
from textkin.collection.match.match_rules import ChosenRule, MatchOptions
from textkin.collection.match.nearest_entries import linked
from textkin.collection.one_file.encoder_tables import SmallEncoder, Tensors, small_encoder
from textkin.collection.one_file.word_tables import word_tables
from textkin.collection.store.filters import NUMBER, written
from textkin.data.entry_records import Entry
from textkin.data.protocols import Side
from textkin.data.readers.entries import hashed_id
from textkin.measures.decisions.combination import Linear
from textkin.measures.decisions.match_rule import MatchRule
from textkin.text import invisible_characters
from textkin.text.baselines.analysers import PLAIN, Analyser, analyser_of
from textkin.text.baselines.pair_scoring import dense_cosine
from textkin.vectors.groups import amount_reader, amount_words, guarded_words
from textkin.vectors.groups.guards import STANDARD

MOST = 200_000
"""The most texts of a file; a browser holds their vectors in memory."""

_LEAST_COSINE = 0.99  # of a text's vector in the file and in the collection
_GRID, _NEAR = 501, 1e-4  # cosines whose probabilities are told at first, and how far off others may be
_HALVINGS = 24
_WRITTEN_ALIKE = re.compile(r"true|false|-?[0-9]{1,15}(\.[0-9]*[1-9])?")  # in Python and a browser
_STEP = 0.001  # of the cosine from which on a rule asks


class Payload(NamedTuple):
    """The contents of the file.

    Attributes:
        tensors: numbers by name.
        facts: JSON values by name.
        cosine: the lowest cosine of an entry's vector in the file and in the collection.
    """

    tensors: Tensors
    facts: dict[str, Any]
    cosine: float

    def packed(self) -> bytes:
        """Everything as one safetensors file, the facts as a tensor of bytes."""
        from safetensors.numpy import save

        text = json.dumps(self.facts, ensure_ascii=False, separators=(",", ":"))
        facts = np.frombuffer(text.encode(), dtype=np.uint8)
        made = {name: np.ascontiguousarray(one) for name, one in self.tensors.items()}
        return save({"facts": facts, **made})


def payload_of(collection: OpenCollection) -> Payload:
    """The contents of a collection's file.

    Raises:
        DataError: it has no texts, too many, or texts in windows.
        ModelError: its encoder isn't static, or has changed.
    """
    store = collection.store
    with store.reading():
        _require_size(collection)
        small = small_encoder(collection.model.opened())
        # In the order of ids, so that the lowest number is the one that ranks first among equal scores.
        pairs = sorted(store.entries_with_vectors(), key=lambda pair: pair[0].entry_id.encode(), reverse=True)
        entries = [entry for entry, _ in pairs]
        name = store.fact("analyser") or PLAIN
        terms, postings = _postings(entries, analyser_of(name))
        vectors, cosine = _vectors(entries, np.stack([one for _, one in pairs]), small)
        if cosine < _LEAST_COSINE:
            raise ModelError(
                f"vectors of {collection.folder.name} can't be repeated by 8-bit rows: the lowest cosine is "
                f"{cosine:.4f}, expected at least {_LEAST_COSINE}",
                fix="add the texts to a new collection, and export this",
            )
        fitted = fitted_of(store)
        facts = {
            "ids": [one.entry_id for one in entries],
            "texts": [one.text for one in entries],
            "metadata": [dict(one.metadata) for one in entries],
            "written": _written(entries),
            "terms": terms,
            "words": word_tables(name),
            "encoder": small.facts,
            "number": NUMBER,
            "fitted": None if fitted is None else _fitted_facts(fitted),
            "guards": guard_tables(),
            "rule": _rule_facts(collection),
        }
        flags = _flags(entries, linked(store, entries))
    return Payload({**small.tensors, **postings, **vectors, **flags}, facts, cosine)


def _require_size(collection: OpenCollection) -> None:
    count, place = len(collection), collection.folder.name
    if collection.model.window:
        raise DataError(
            f"{place} holds texts in windows of {collection.model.window} tokens, and a file that searches "
            "holds whole texts",
            fix="add the texts to a collection with `windows=0`, and export this",
        )
    if not 0 < count <= MOST:
        raise DataError(
            f"{place} has {count:,} texts, and a file that searches holds 1 to {MOST:,}",
            fix="serve a larger collection: `serve()`" if count else "add texts first: `add()`",
        )


def guard_tables() -> dict[str, Any]:
    """The words and signs by which guards read texts."""
    words = amount_words.tables() | amount_reader.tables()
    return {**words, **invisible_characters.patterns(), **guarded_words.patterns()}


def _flags(entries: Sequence[Entry], behind: set[str]) -> Tensors:
    """Flags of entries: its id is the hash of its text, and it is linked to another entry."""
    links = [one.entry_id in behind for one in entries]
    hashed = [one.entry_id == hashed_id(one.text) for one in entries]
    return {"hashed": np.array(hashed, dtype=np.uint8), "linked": np.array(links, dtype=np.uint8)}


def _written(entries: Sequence[Entry]) -> dict[int, dict[str, str]]:
    """By entry and name the metadata that a browser would write in another way than filters compare."""
    found = {}
    for place, entry in enumerate(entries):
        texts = {name: written(one) for name, one in entry.metadata.items() if not isinstance(one, str)}
        if odd := {name: text for name, text in texts.items() if not _WRITTEN_ALIKE.fullmatch(text)}:
            found[place] = odd
    return found


def _postings(entries: Sequence[Entry], analyser: Analyser) -> tuple[list[str], Tensors]:
    """The terms, and for each the entries that have it, as steps from the one before, with counts."""
    numbers: dict[str, int] = {}
    documents: list[list[int]] = []
    counts: list[list[int]] = []
    lengths = np.zeros(len(entries), dtype=np.int32)
    for place, entry in enumerate(entries):
        found = Counter(analyser.terms_of(entry.text))
        lengths[place] = found.total()
        for term, count in found.items():
            number = numbers.setdefault(term, len(numbers))
            if number == len(documents):
                documents.append([])
                counts.append([])
            documents[number].append(place)
            counts[number].append(count)
    ends = np.cumsum([0, *map(len, documents)]).astype(np.int32)
    steps = [np.diff(own, prepend=0) for own in documents]
    return list(numbers), {
        "offsets": ends,
        "documents": _joined(steps),
        "counts": _joined(counts),
        "lengths": lengths,
    }


def _joined(parts: Sequence[Any]) -> np.ndarray[Any, Any]:
    return np.concatenate([np.empty(0, dtype=np.int32), *parts]).astype(np.int32)


def _vectors(entries: Sequence[Entry], stored: Floats32, small: SmallEncoder) -> tuple[Tensors, float]:
    """The tokens of each entry, of which its vector is the mean; the vectors of those with unknown ones.

    Returns:
        The tensors, and the lowest cosine of a vector and the one that is stored.
    """
    texts = [one.text for one in entries]
    made = np.asarray(small.encoder.encode(texts, side=Side.DOCUMENT), dtype=np.float32)
    flat, unknown = small.encoder.pipeline.read_flat(texts, side=Side.DOCUMENT)
    alike = dense_cosine(made, stored)
    told_apart = [place for place in range(len(entries)) if made[place].any() or stored[place].any()]
    rows = np.array(sorted(unknown), dtype=np.int32)
    tensors = {
        "tokens": flat.ids.astype(np.int32),
        "ends": flat.ends.astype(np.int32),
        "own_rows": rows,
        "own_vectors": made[rows],
    }
    return tensors, float(alike[told_apart].min(initial=1.0))


def _fitted_facts(fitted: FittedSearch) -> dict[str, Any]:
    relevance = fitted.relevance
    if not isinstance(fitted.combination, Linear):
        raise DataError(
            "the collection's weights are not those that `calibrate()` fits", fix="fit them again"
        )
    return {
        "combination": fitted.combination.to_dict(),
        "depth": relevance.depth,
        "hits": relevance.k,
        "hit": relevance.model.hit.to_dict(),
        "answer": relevance.model.answer.to_dict(),
    }


def _rule_facts(collection: OpenCollection) -> dict[str, Any]:
    """The rule for "is this new?"; without a verdict if nothing was fitted."""
    try:
        chosen = collection.rules.rule_for(MatchOptions())
    except UsageError as error:  # such as a calibration that needs the base rate of a use
        return {"why": str(error)}
    if not chosen.fitted:
        return {"why": ""}
    if others := set(chosen.guards) - set(STANDARD):
        return {"why": f"its rule has a guard that this file lacks: {', '.join(sorted(others))}"}
    return _rule(chosen)


def _rule(chosen: ChosenRule) -> dict[str, Any]:
    rule = chosen.rule
    floors = [one for one in (rule.duplicate_from, rule.ask_from) if one is not None]
    return {
        "duplicate_from": None if rule.duplicate_from is None else float(np.float32(rule.duplicate_from)),
        "ask_from": _asked_from(chosen),
        "floor": min(floors, default=1.0),
        "probabilities": _probabilities(rule),
        "lines": told(rule, chosen.source),
        "guards": list(chosen.guards),
    }


def _probabilities(rule: MatchRule) -> list[list[float]] | None:
    """Cosines and their probabilities, so close that lines between them are near enough."""
    curve, rate = rule.curve, rule.base_rate
    if curve is None or rate is None:
        return None
    cosines = np.linspace(-1, 1, _GRID)
    likely = curve.probability(cosines, base_rate=rate)
    for _ in range(_HALVINGS):
        between = (cosines[1:] + cosines[:-1]) / 2
        exact = curve.probability(between, base_rate=rate)
        off = np.abs(exact - (likely[1:] + likely[:-1]) / 2) > _NEAR
        if not off.any():
            break
        order = np.argsort(np.concatenate([cosines, between[off]]))
        cosines = np.concatenate([cosines, between[off]])[order]
        likely = np.concatenate([likely, exact[off]])[order]
    return [np.round(cosines, 9).tolist(), np.round(likely, 6).tolist()]


def _asked_from(chosen: ChosenRule) -> float | None:
    """The lowest cosine with the verdict "ask", to the last digit."""
    rule, high = chosen.rule, chosen.rule.ask_from
    if high is None:
        return None
    low = high - _STEP
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        likely = rule.probability(np.array([middle]))
        low, high = (low, middle) if likely is not None and likely[0] >= rule.goal.ask else (middle, high)
    return high
