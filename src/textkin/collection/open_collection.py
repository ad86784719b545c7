"""``tk.open_collection``."""

from __future__ import annotations

from textkin.base.argument_checks import checked
from textkin.base.errors import UsageError, invalid
from textkin.base.hub import DEFAULT
from textkin.collection.collection import OpenCollection
from textkin.collection.collection_model import AnyEncoder, CollectionModel, OpensModels, facts_of
from textkin.collection.noted_model import MODEL
from textkin.collection.store.address import Place, place_of
from textkin.collection.store.database import WINDOWS
from textkin.collection.store.open_store import is_there, open_store
from textkin.kinds.systems.passports import open_model
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
    """Open a collection, on disk or in a database.

    Args:
        folder: where it lies: a folder, or the address of a database,
            ``postgresql://USER@HOST/DATABASE?collection=NAME``.
        model: what makes its vectors; of one that is there the model that it was made with, or a copy of it;
            of a new one the encoder in the box if left out.
        create: make a new one if there is none.
        analyser: how a new one reads words: plain, or a language such as english.
        windows: the tokens of the windows in which a new one has longer texts, each with a vector; 0 for one
            vector of each text, of which the model may read the beginning alone; as many as the model reads
            if left out, and 0 if it reads whole texts.
        wait: seconds to wait for another process that makes it.
        accept_drift: go on with a model that is not the one of the collection's passport, and say by how much
            its vectors are off.
        open_by: what opens the model in a folder, such as one that others in this process have open.

    Raises:
        UsageError: there is none, or it reads words or has windows in another way.
        ModelError: there is no such model.
        VerifyError: it is not the one that the collection was made with; it says what differs.
        DataError: the collection is damaged.
        OutputError: it can't be reached, opened or made.
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
