"""``tk.cluster``: groups of texts that say nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from textkin.base.argument_checks import checked
from textkin.base.errors import UsageError, invalid
from textkin.base.python_inputs import path_of, several
from textkin.collection.collection import OpenCollection
from textkin.collection.store.address import DatabaseAddress
from textkin.data.protocols import Encoder
from textkin.data.readers import TextReading
from textkin.vectors.unknown_token_report import unknown_of
from textkin.verbs.cluster.cluster import ClusterOptions, Clusters
from textkin.verbs.cluster.cluster import cluster as cluster_input
from textkin.verbs.cluster.cluster_file import (
    check_out,
    cluster_path,
    is_collection_folder,
    place_given,
    read_collection,
    refuse_of_collections,
    refuse_where,
    written,
)
from textkin.verbs.cluster.clustered_texts import given
from textkin.verbs.inputs import given_texts, given_vectors, refuse_lone_text


@checked
def cluster(
    data: Any,
    *,
    model: str | Path | Encoder | None = None,
    embeddings: NDArray[Any] | Path | str | None = None,
    options: ClusterOptions | None = None,
    gold: Sequence[str | None] | str | None = None,
    out: Path | str | None = None,
    reading: TextReading | None = None,
) -> Clusters:
    """Put texts into groups that say nearly the same. The same texts give the same groups in any order.

    Args:
        data: texts in any sequence, the path of a file of texts, or a collection: open, or its folder
            or address.
        model: an encoder, its folder or name; the one in the box if neither it nor ``embeddings`` is given. A
            collection has its own.
        embeddings: vectors of the texts, from any source: an array or a NumPy file, shape [texts, dim].
        options: what makes a group; see :class:`ClusterOptions`.
        gold: known groups to compare with: one a text, or the name of a column or field of the metadata.
        out: a file to write, .tsv, .csv or .jsonl: id, group, is_central, similarity, text.
        reading: how the file is read.

    Raises:
        UsageError: arguments are out of range or don't go together, or ``data`` holds what is no text.
        ModelError: there is no such encoder, or it is not the collection's.
        PromiseError: no threshold is given, and the model has none.
        DataError: there is no text or no known group, vectors don't fit, or far too many pairs are similar.
        OutputError: the file can't be written.

    Example:
        >>> import textkin as tk
        >>> texts = ["When do you open?", "When do you open today?", "Where can I park?"]
        >>> found = tk.cluster(texts, options=tk.ClusterOptions(threshold=0.7))
        >>> [(row["group"], row["text"]) for row in found.rows()][-1]
        (None, 'Where can I park?')
    """
    refuse_lone_text(data, "data")
    embeddings = given_vectors(embeddings)
    options, place = options or ClusterOptions(), place_given(data)
    target = None if out is None else Path(out)
    of_collection = isinstance(place, DatabaseAddress) or (place is not None and is_collection_folder(place))
    if place is not None and (of_collection or gold is None or isinstance(gold, str)):
        if gold is not None and not isinstance(gold, str):
            raise invalid("gold", "a list", expected="the name of a metadata field of the collection")
        return cluster_path(
            place,
            model=model,
            embeddings=embeddings,
            options=options,
            gold=gold,
            out=target,
            reading=reading,
        )
    check_out(target, path_of(data), path_of(embeddings))
    if isinstance(data, OpenCollection):
        refuse_of_collections(embeddings, reading)
        if model is not None or not isinstance(gold, str | None):
            raise UsageError(
                "an open collection has its own model, and known groups in its metadata",
                fix="leave `model` out, and give `gold` as the name of a field",
                params=("model", "gold"),
            )
        return written(cluster_input(read_collection(data, options, gold), options), target)
    refuse_where(options)
    if isinstance(gold, str):
        raise invalid("gold", gold, expected="one group per text: these texts have no columns")
    texts = given_texts(data, reading, vectors=embeddings)
    read = given(
        texts.ids,
        texts.texts,
        model,
        embeddings=embeddings,
        wanted=options.wanted(),
        unknown=unknown_of(options.unknown),
        gold=None if gold is None else several(gold, "gold"),
    )
    return written(cluster_input(read, options), target)
