"""The texts that are clustered, with their vectors: from a sequence, a file, or a collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, PromiseError, invalid, required
from textkin.base.python_values import is_missing, plain
from textkin.data.protocols import Encoder
from textkin.data.readers import TextReading
from textkin.data.readers.read_report import ReadReport, SkipCounter
from textkin.data.readers.texts import open_texts
from textkin.kinds.systems import decision_of, encoder_of
from textkin.vectors.batched_encoding import in_precision
from textkin.vectors.manifest import refuse_other_ids, refuse_other_texts
from textkin.vectors.pair_limits import PairChoice, PairLimits, settle_limits
from textkin.vectors.unique_texts import UniqueTexts, embedded
from textkin.vectors.unknown_token_report import UnknownTexts

if TYPE_CHECKING:
    from textkin.collection.collection import OpenCollection

_FIX = (
    "give `threshold`, such as 0.8, or fit one on labelled pairs: `calibrate()` writes it to `out`; give "
    "that file as `decision`"
)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterInput:
    """Input of clustering.

    Attributes:
        ids: ids of the texts.
        texts: as they came; at least one.
        unique: the different ones with their vectors.
        cut: the threshold, and where it comes from.
        vectors: the source of the vectors in words.
        gold: the known group of each text, None where unknown; None if no groups are known.
        read: the rows that the file's reader skipped.
        index: the index of the pandas frame or column; None of anything else.
    """

    ids: tuple[Any, ...]
    texts: tuple[str, ...]
    unique: UniqueTexts
    cut: PairChoice
    vectors: str
    gold: tuple[str | None, ...] | None = None
    read: ReadReport | None = None
    index: Any = None


def given(
    ids: Sequence[Any],
    texts: Sequence[str],
    model: str | Path | Encoder | None = None,
    *,
    embeddings: NDArray[Any] | Path | str | None = None,
    wanted: PairLimits,
    unknown: UnknownTexts = UnknownTexts.WITHHOLD,
    gold: Sequence[Any] | None = None,
    index: Any = None,
) -> ClusterInput:
    """Texts that are at hand.

    Args:
        ids: ids of the texts.
        texts: at least one.
        model: an encoder, its folder or name; default: the built-in one, unless ``embeddings`` is given.
        embeddings: vectors of the texts, from any source: an array or a NumPy file, shape [texts, dim].
        wanted: the options, which may give the threshold.
        unknown: treatment of texts with many unknown tokens.
        gold: the known group of each, None where unknown.
        index: the index of the pandas frame or column that they come from.

    Raises:
        UsageError: there are not as many groups as texts, or a decision without a model.
        ModelError: there is no such encoder.
        PromiseError: no threshold is known.
        DataError: there is no text, or the vectors don't fit.
    """
    if gold is not None and len(gold) != len(texts):
        raise invalid(
            "gold",
            f"{len(gold):,} groups",
            expected=f"{len(texts):,}, one per text; None where it is unknown",
        )
    if not texts:
        raise DataError("there is no text", fix="give at least one")
    encoder = None if embeddings is not None and model is None else encoder_of(model)
    if encoder is None and wanted.decision is not None:
        raise required("model", by="`decision`, with `embeddings`,")
    cut = _cut(wanted, encoder, model)
    source: Encoder | NDArray[Any] | Path | str | None = embeddings
    words = "given vectors"
    if source is None:
        source, computes = in_precision(encoder_of(model) if encoder is None else encoder, "auto", texts)
        words = f"{source.name} in {computes}"
    read = embedded(texts, source, ids=[*map(str, ids)], unknown=unknown)
    return ClusterInput(
        tuple(ids),
        tuple(texts),
        read,
        cut,
        words,
        gold=None if gold is None else tuple(map(_label, gold)),
        index=index,
    )


def of_file(
    path: Path | str,
    model: str | Path | Encoder | None = None,
    *,
    embeddings: NDArray[Any] | Path | str | None = None,
    wanted: PairLimits,
    unknown: UnknownTexts = UnknownTexts.WITHHOLD,
    gold: str | None = None,
    reading: TextReading | None = None,
) -> ClusterInput:
    """The texts of a file; arguments and errors are those of :func:`given`.

    Args:
        path: plain text with one text per line, or a table.
        model: as there.
        embeddings: as there.
        wanted: as there.
        unknown: as there.
        gold: the column of the known groups; an empty cell is an unknown group.
        reading: reading options of a table.
    """
    refuse_other_texts(embeddings, path)
    source, counter = open_texts(path, reading=reading), SkipCounter(path)
    rows = dict(source.rows(counter))
    if not rows:
        raise DataError("holds no text", path=path, fix="give a file with at least one")
    refuse_other_ids(embeddings, list(rows), path)
    labels = None if gold is None else [_label(cell) for cell in source.cells(gold, param="gold")]
    if labels is not None and not any(labels):
        raise DataError(f"the column {gold!r} names no group", path=path, fix="give another column")
    found = given(
        tuple(rows),
        tuple(rows.values()),
        model,
        embeddings=embeddings,
        wanted=wanted,
        unknown=unknown,
        gold=labels,
    )
    return replace(found, read=counter.report())


def of_collection(
    collection: OpenCollection, *, wanted: PairLimits, where: str | None = None, gold: str | None = None
) -> ClusterInput:
    """The entries of a collection with the vectors that it has; nothing is encoded.

    Args:
        collection: an open one.
        wanted: the options, which may give the threshold; default: that of the collection's model.
        where: a filter of metadata.
        gold: the field of the metadata that names the known groups.

    Raises:
        UsageError: the filter can't be understood.
        ModelError: its model is needed for a threshold, and isn't there or has changed.
        PromiseError: no threshold is known.
        DataError: no entry is there, none names a group, or the collection is damaged.
    """
    encoder = collection.model.opened() if wanted.threshold is None else None
    cut = _cut(wanted, encoder, collection.model.name)
    ids, texts, labels, vectors = [], [], [], []
    for entry, vector in collection.store.entries_with_vectors(where=where):
        ids.append(entry.entry_id)
        texts.append(entry.text)
        vectors.append(vector)
        labels.append(_label(entry.metadata.get(gold)) if gold is not None else None)
    if not ids:
        which = "no entry" if where is None else f"no entry that fits {where!r}"
        raise DataError(f"has {which}", path=str(collection.folder), fix="add texts, or give another filter")
    if gold is not None and not any(labels):
        raise DataError(
            f"no entry has the field {gold!r}",
            path=str(collection.folder),
            fix="name a field of the metadata",
        )
    return ClusterInput(
        ids=tuple(ids),
        texts=tuple(texts),
        unique=embedded(texts, np.stack(vectors), ids=ids),
        cut=cut,
        vectors=f"{collection.model.name}, as stored",
        gold=None if gold is None else tuple(labels),
    )


def _cut(wanted: PairLimits, encoder: Encoder | None, model: str | Path | Encoder | None) -> PairChoice:
    """The threshold that is wanted, or the model's own.

    Raises:
        PromiseError: there is none.
    """
    decided = None if wanted.decision is None else decision_of(wanted.decision, model)
    found = settle_limits(wanted, encoder, decided=decided)
    if found.limit is not None:
        whose = "the vectors have none" if encoder is None else f"the model {encoder.name} has none"
        raise PromiseError(f"no threshold is given, and {whose}", fix=_FIX)
    return found


def _label(value: Any) -> str | None:
    """The name of a known group, a JSON value of metadata or a cell; None where there is none.

    Raises:
        UsageError: it is not a text, number or truth value.
    """
    found = plain(value)
    if is_missing(found):
        return None
    if not isinstance(found, str | int | float):
        raise invalid("gold", value, expected="a text or a number as a group's name")
    return str(found).strip() or None
