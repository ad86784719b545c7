"""Groups of given texts: a sequence, a frame, a file, or a collection."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from textkin.base.errors import inapplicable, invalid
from textkin.base.files import refuse_overwriting
from textkin.base.frames import column_names, known_column, require_order
from textkin.base.python_inputs import in_order, path_of
from textkin.base.sharded_files import parts_of
from textkin.base.table_writer import check_ending
from textkin.collection.collection import OpenCollection
from textkin.collection.open_collection import open_collection
from textkin.collection.store.address import Address, Place, is_address, place_of
from textkin.data.readers import TextReading
from textkin.data.readers.plain_folder import plain_files
from textkin.data.readers.read_report import note_read
from textkin.text.truncation_account import note_truncation
from textkin.verbs.cluster.clustered_texts import ClusterInput, given, of_collection, of_file
from textkin.verbs.cluster.clusters import ClusterOptions, Clusters, cluster_texts
from textkin.verbs.inputs import given_vectors, refuse_lone_text, texts_from


def cluster_given(
    texts: Any,
    model: Any,
    *,
    embeddings: Any,
    options: ClusterOptions,
    gold: Any,
    out: Path | None,
    reading: TextReading,
) -> Clusters:
    """Group given texts: a sequence, a frame, a file, or a collection.

    Args:
        texts: the texts, their file, or a collection: open, or its folder or address.
        model: an encoder, its folder or name; the built-in one if neither it nor ``embeddings`` is given. A
            collection has its own.
        embeddings: vectors of the texts, or their file.
        options: options of clustering.
        gold: known groups: one a text, or the name of a column or of a field of the metadata.
        out: a file to write; None for none.
        reading: the columns of texts and ids.

    Raises:
        UsageError: options don't go together, or ``out`` is a file that is read.
        ModelError: there is no such encoder, or it is not the collection's.
        PromiseError: no threshold is given, and the model has none.
        DataError: there is no text or no known group, vectors don't fit, or far too many pairs are similar.
        OutputError: the file can't be written.
    """
    refuse_lone_text(texts, "texts")
    embeddings, place = given_vectors(embeddings, texts), place_given(texts)
    check_out(out, None if isinstance(place, Address) else place, path_of(embeddings))
    if isinstance(texts, OpenCollection) or isinstance(place, Address):
        of_collection = True
    else:
        of_collection = place is not None and is_collection_folder(place)
    if of_collection:
        refuse_of_collections(embeddings, reading, gold)
        read = _collection(texts if place is None else place, model, options, gold)
    else:
        refuse_where(options)
        read = _texts(texts, model, embeddings, options, gold, reading)
    if read.read is not None:
        note_read(read.read)
    found = cluster_texts(read, options)
    note_truncation(found.truncation, "only what was read of them counts")
    if out is None:
        return found
    found.write(out)
    return replace(found, out=out)


def _collection(place: Any, model: Any, options: ClusterOptions, gold: str | None) -> ClusterInput:
    """The entries of a collection, which may be open already."""
    if not isinstance(place, OpenCollection):
        with open_collection(place, model=model) as opened:
            return read_collection(opened, options, gold)
    if model is not None:
        raise inapplicable("model", to="an open collection, which has its own")
    return read_collection(place, options, gold)


def _texts(
    texts: Any, model: Any, embeddings: Any, options: ClusterOptions, gold: Any, reading: TextReading
) -> ClusterInput:
    """The texts of a file with their known groups in a column, or texts with their groups at hand."""
    if (path := path_of(texts)) is not None and isinstance(gold, str | None):
        return of_file(
            path,
            model,
            embeddings=embeddings,
            wanted=options.wanted(),
            unknown=options.unknown,
            gold=gold,
            reading=reading,
        )
    came = texts_from(texts, reading, vectors=embeddings).told_apart()
    if isinstance(gold, str | int):
        columns = column_names(texts)
        if columns is None:
            raise invalid("gold", gold, expected="one group per text: these texts have no columns")
        gold = texts[known_column(columns, gold, "gold")]
    require_order(texts, gold, "gold")
    return given(
        came.ids,
        came.texts,
        model,
        embeddings=embeddings,
        wanted=options.wanted(),
        unknown=options.unknown,
        gold=None if gold is None else tuple(in_order(gold, "gold")),
        index=came.index,
    )


def place_given(data: object) -> Place | None:
    """The address or path that was given; None where the texts themselves were given."""
    return place_of(data) if isinstance(data, str) and is_address(data) else path_of(data)


def is_collection_folder(path: Path) -> bool:
    """Check for a folder that isn't one of text files."""
    return path.is_dir() and not parts_of(path) and not plain_files(path)


def read_collection(collection: OpenCollection, options: ClusterOptions, gold: str | None) -> ClusterInput:
    """The entries that the options let through."""
    return of_collection(collection, wanted=options.wanted(), where=options.where, gold=gold)


def check_out(out: Path | None, *read: Path | None) -> None:
    """Refuse a file that can't be written, before hours of work.

    Raises:
        UsageError: it ends in another way, or is one that is read.
    """
    if out is not None:
        check_ending(out)
        refuse_overwriting([out], read)


def refuse_of_collections(embeddings: object, reading: TextReading, gold: object) -> None:
    """Refuse options that a collection defines itself.

    Raises:
        UsageError: one is given.
    """
    if embeddings is not None:
        raise inapplicable("embeddings", to="a collection, which has its own vectors")
    if reading != TextReading():
        raise inapplicable("text", "id", "quoting", "encoding", to="a collection")
    if not isinstance(gold, str | None):
        raise invalid("gold", "a list", expected="the name of a metadata field of the collection")


def refuse_where(options: ClusterOptions) -> None:
    """Refuse a filter of data without metadata.

    Raises:
        UsageError: there is one.
    """
    if options.where is not None:
        raise inapplicable("where", to="texts without metadata")
