"""Groups of the texts of a file, or of the entries of a collection, and the file they are written to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from textkin.base.errors import inapplicable
from textkin.base.files import refuse_overwriting
from textkin.base.python_inputs import path_of
from textkin.base.sharded_files import parts_of
from textkin.base.table_writer import check_ending
from textkin.collection.collection import OpenCollection
from textkin.collection.open_collection import open_collection
from textkin.collection.store.address import DatabaseAddress, Place, is_address, place_of
from textkin.data.protocols import Encoder
from textkin.data.readers import TextReading
from textkin.data.readers.read_report import note_read
from textkin.vectors.unknown_token_report import unknown_of
from textkin.verbs.cluster.cluster import ClusterOptions, Clusters, cluster
from textkin.verbs.cluster.clustered_texts import ClusterInput, of_collection, of_file


def cluster_path(
    path: Place,
    *,
    model: str | Path | Encoder | None = None,
    embeddings: NDArray[Any] | Path | str | None = None,
    options: ClusterOptions,
    gold: str | None = None,
    out: Path | None = None,
    reading: TextReading | None = None,
) -> Clusters:
    """Group the texts of a file, or of a collection.

    Args:
        path: the file, or the folder or address of the collection.
        model: an encoder, its folder or name; the one in the box if neither it nor ``embeddings`` is given. A
            collection has its own.
        embeddings: vectors of the texts of a file.
        options: what makes a group.
        gold: the column or field of known groups.
        out: a file to write, which :func:`check_out` let pass.
        reading: of a table.

    Raises:
        UsageError: options don't go together, or ``out`` is a file that is read.
        ModelError: there is no such encoder, or it is not the collection's.
        PromiseError: no threshold is given, and the model has none.
        DataError: there is no text or no known group, vectors don't fit, or far too many pairs are similar.
        OutputError: the file can't be written.
    """
    check_out(out, None if isinstance(path, DatabaseAddress) else path, path_of(embeddings))
    if isinstance(path, DatabaseAddress) or is_collection_folder(path):
        refuse_of_collections(embeddings, reading)
        with open_collection(path, model=model) as opened:
            read = read_collection(opened, options, gold)
    else:
        refuse_where(options)
        read = of_file(
            path,
            model,
            embeddings=embeddings,
            wanted=options.wanted(),
            unknown=unknown_of(options.unknown),
            gold=gold,
            reading=reading,
        )
    if read.read is not None:
        note_read(read.read)
    return written(cluster(read, options), out)


def place_given(data: object) -> Place | None:
    """Where what was given lies: at an address or a path; None where the texts themselves were given."""
    return place_of(data) if isinstance(data, str) and is_address(data) else path_of(data)


def is_collection_folder(path: Path) -> bool:
    """Whether this is a folder, and not one of files of texts."""
    return path.is_dir() and not parts_of(path)


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


def refuse_of_collections(embeddings: object, reading: TextReading | None) -> None:
    """Refuse what a collection has itself.

    Raises:
        UsageError: one is given.
    """
    if embeddings is not None:
        raise inapplicable("embeddings", to="a collection, which has its own vectors")
    if reading is not None:
        raise inapplicable("column", "ids", "quoting", "encoding", to="a collection")


def refuse_where(options: ClusterOptions) -> None:
    """Refuse a filter of what has no metadata.

    Raises:
        UsageError: there is one.
    """
    if options.where is not None:
        raise inapplicable("where", to="texts without metadata")


def written(found: Clusters, out: Path | None) -> Clusters:
    """The groups, written to a file if one is wanted."""
    if out is not None:
        found.write(out)
    return found
