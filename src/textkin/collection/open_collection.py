"""``tk.open_collection``."""

from __future__ import annotations

from textkin.base.argument_checks import checked
from textkin.base.errors import UsageError, invalid
from textkin.base.hub import DEFAULT
from textkin.collection.collection import OpenCollection
from textkin.collection.collection_model import AnyEncoder, CollectionModel, OpensModels, facts_of
from textkin.collection.noted_model import MODEL
from textkin.collection.store.address import Place, place_of
from textkin.collection.store.facts import WINDOWS
from textkin.collection.store.open_store import is_there, open_store
from textkin.kinds.systems.open_folder import open_model
from textkin.text.baselines.analysers import PLAIN


@checked
def open_collection(
    folder: Place | str,
    *,
    model: AnyEncoder | None = None,
    create: bool = False,
    analyser: str | None = None,
    windows: int | None = None,
    wait: float | None = None,
    accept_drift: bool = False,
    open_by: OpensModels = open_model,
) -> OpenCollection:
    """Open a collection, on disk, in a database or in memory.

    Args:
        folder: its location: a folder, the address of a database,
            ``postgresql://USER@HOST/DATABASE?collection=NAME``, ``memory://NAME`` for one that ends with this
            process, or the import path of a back end, ``my_store:Lines://notes.jsonl``.
        model: the encoder. For an existing collection, its model or a copy of it; for a new one, the built-in
            encoder by default.
        create: create the collection if it doesn't exist.
        analyser: the word analyser of a new collection: plain, or a language such as english.
        windows: the tokens per window of a new collection. Longer texts are split into windows, each with a
            vector. 0 stores one vector per text, of which the model may read the beginning only. Default: the
            model's limit, or 0 if it reads whole texts.
        wait: seconds to wait for another process that creates it.
        accept_drift: continue with a model that isn't the one of the collection's passport, with a warning
            that gives the drift of its vectors.
        open_by: opens the model in a folder, for example a cache of models open in this process.

    Raises:
        UsageError: it doesn't exist, or has another analyser or other windows.
        ModelError: there is no such model.
        VerifyError: it isn't the collection's model; the message says what differs.
        DataError: the collection is damaged.
        OutputError: it can't be reached, opened or created.
        MissingExtraError: it is in PostgreSQL, and the extra ``postgres`` is not installed.

    Example:
        >>> import textkin as tk
        >>> with tk.open_collection("notes", create=True) as notes:
        ...     added = notes.add(["Where can I park?"], ids=["t1"], metadata=[{"lang": "en"}])
        ...     notes.search("car park", where='lang = "en"').rows()[0]["id"]
        't1'
    """
    facts, place = None, place_of(folder)
    if create and not is_there(place):
        facts = {
            MODEL: facts_of(DEFAULT if model is None else model),
            "analyser": analyser or PLAIN,
            WINDOWS: CollectionModel(model, None).chosen_window(windows),
        }
    store = open_store(place, create=facts, wait=wait)
    try:
        if analyser is not None and (known := store.fact("analyser")) != analyser:
            raise invalid(
                "analyser", analyser, expected=f"{known}, which {place} was made with", fix="leave it out"
            )
        if windows is not None and (there := store.window) != windows:
            has, asked = (
                f"windows of {size} tokens" if size else "one vector for each text"
                for size in (there, windows)
            )
            raise UsageError(
                f"{place} has {has}, not {asked}: `windows` is chosen once",
                fix="leave it out, or add the texts to a new collection",
                params=("windows",),
                value=windows,
            )
        return OpenCollection(store, model, accept_drift=accept_drift, open_by=open_by)
    except BaseException:
        store.close()
        raise
