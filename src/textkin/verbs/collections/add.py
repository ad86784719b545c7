"""``add``: add texts to a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs import options

if TYPE_CHECKING:
    from textkin.verbs.collections.added import AddedTexts

Ids = Annotated[
    Any,
    Option(
        "Column of ids, else hashes of the texts. An entry replaces one with the same id.",
        metavar="COLUMN",
        panel="Input",
        command=str,
        python="Or an id for each text.",
        also=("ids",),
    ),
]
Analyser = Annotated[
    str | None,
    Option(
        "Analyser of a new collection: plain, or a language such as english, to stem words and drop stop "
        "words. Default: plain.",
        metavar="NAME",
    ),
]
Windows = Annotated[
    int | None,
    Option(
        "Tokens per window of a new collection; longer texts have a vector for each window. 0: one vector a "
        "text. Default: what the model reads.",
        metavar="TOKENS",
        low=0,
    ),
]


@verb
def add(
    collection: options.CollectionPlace,
    texts: options.Texts,
    /,
    model: options.EncoderModel = None,
    *,
    text: options.TextColumn = None,
    id: Ids = None,
    metadata: options.MetadataColumns = None,
    analyser: Analyser = None,
    windows: Windows = None,
    quoting: options.Quoting = "auto",
    encoding: options.EncodingName = None,
    accept_drift: options.AcceptDrift = False,
    wait: options.Wait = None,
    download: options.Download = False,
) -> AddedTexts:
    """Add texts to a collection, which is created if it doesn't exist.

    New and changed texts are encoded, by the collection's model; others stay as they are. Added texts are
    durable, and found at once. An interrupted call resumes.

    Returns:
        :class:`AddedTexts`.

    Raises:
        UsageError: options exclude each other, or a column is missing.
        DataError: the texts can't be read, or an entry can't be stored; earlier entries are stored.
        ModelError: the model can't be read.
        VerifyError: it isn't the collection's model.
        OutputError: another process is writing, or the disk is full.

    Example:
        >>> import textkin as tk
        >>> tk.add("questions", ["Where can I park?", "When do you open?"], id=["t1", "t2"]).added.new
        2
    """
    from textkin.kinds.systems import fetch_named
    from textkin.verbs.collections.added import add_texts
    from textkin.verbs.collections.entries import Columns

    fetch_named(model, download=download)
    columns = Columns(text=text, id=id, metadata=metadata, quoting=quoting, encoding=encoding)
    return add_texts(
        collection,
        columns.entries(texts),
        model=model,
        analyser=analyser,
        windows=windows,
        accept_drift=accept_drift,
        wait=wait,
    )
