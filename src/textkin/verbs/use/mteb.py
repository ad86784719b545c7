"""``tk.as_mteb``: a model, or a search, for the evaluation framework MTEB."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from textkin.base.errors import inapplicable, invalid
from textkin.base.files import sha256_of_json
from textkin.base.hub import DEFAULT
from textkin.collection.search.options import Mode, SearchOptions
from textkin.collection.search.reranker import Reranker
from textkin.collection.temporary import TemporaryCollection
from textkin.data.protocols import Encoder, Scorer
from textkin.kinds.systems import encoder_of, resolve, takes_frequencies
from textkin.models.interop.mteb import MtebEncoder, MtebScorer, MtebSearch, SearchKind
from textkin.models.passports.making import passport_of
from textkin.models.provenance import hash_of_scorer

_KINDS: dict[Mode, SearchKind] = {"words": "sparse", "vectors": "dense", "hybrid": "hybrid"}


def as_mteb(
    model: str | Path | Scorer = DEFAULT,
    *,
    search: Mode | Mapping[str, Any] | None = None,
    analyser: str = "plain",
) -> MtebEncoder | MtebScorer | MtebSearch:
    """A model, or a search with it, as MTEB 2.x takes them: give it to ``mteb.evaluate``.

    MTEB's prompt type "query" is the model's query side, with its prompts. MTEB keeps results by name and
    revision; the revision is a hash of all that the scores depend on.

    Args:
        model: the folder or name of an encoder or of a scorer of pairs, such as a cross-encoder; or an
            object.
        search: the mode of searching the collection that each corpus becomes, or options of ``search`` by
            name, such as ``{"mode": "words"}``; ``k`` is MTEB's. By default, MTEB searches by the model's
            vectors.
        analyser: analyser of such a search: plain, or a language.

    Returns:
        What has MTEB's encoder, cross-encoder or search protocol.

    Raises:
        UsageError: there is no such model, it takes word frequencies from texts, or a search is asked for by
            probabilities or filters.
        ModelError: the model can't be read, or gives no vectors to search by.

    Example:
        >>> import textkin as tk
        >>> model = tk.as_mteb("default")
        >>> model.encode([{"text": ["Where can I park?", "When do you open?"]}], prompt_type="query").shape
        (2, 128)
        >>> words = tk.as_mteb(search="words")
        >>> words.index([{"id": "d1", "text": "The car park opens at 8."}])
        >>> words.search([{"id": "q1", "text": "car park"}], top_k=10)["q1"].keys()
        dict_keys(['d1'])
    """
    if takes_frequencies(model):
        raise invalid(
            "model",
            str(model),
            expected="a model that needs no word frequencies: MTEB gives no texts beforehand",
            fix="give `search=words`, which ranks by BM25",
        )
    if search is not None:
        given = {"mode": search} if isinstance(search, str) else dict(search)
        return _search(model, SearchOptions(**given), analyser)
    opened = resolve(model, fit_texts=())
    revision = _revision(model, opened)
    if isinstance(opened, Encoder):
        return MtebEncoder(opened, revision=revision)
    return MtebScorer(opened, revision=revision)


def _search(model: str | Path | Scorer, options: SearchOptions, analyser: str) -> MtebSearch:
    options.check()
    if options.where is not None or options.min_probability is not None:
        raise inapplicable("where", "min_probability", to="a corpus of MTEB")
    encoder = encoder_of(model)
    reranker = None if options.rerank is None else Reranker(options.rerank)
    parts = [options.mode, *([] if analyser == "plain" else [analyser])]
    parts += [] if options.mode == "words" else [encoder.name]
    parts += [] if reranker is None else [f"{reranker.name}:{options.rerank_depth}"]
    told = {
        "mode": options.mode,
        "analyser": analyser,
        "bm25": options.bm25,
        "model": None if options.mode == "words" else _revision(model, encoder),
        "reranker": None if reranker is None else [reranker.sha256, options.rerank_depth],
    }
    indexed = partial(TemporaryCollection, model=encoder, options=options, analyser=analyser)
    return MtebSearch(indexed, name="+".join(parts), kind=_KINDS[options.mode], revision=sha256_of_json(told))


def _revision(model: str | Path | Scorer, opened: Scorer) -> str:
    """The hash of all that determines scores; of an object, of its outputs for the probe texts."""
    if isinstance(model, str | Path):
        return hash_of_scorer(model)
    digest = sha256(opened.name.encode())
    for side, rows in sorted(passport_of(opened).says.items()):
        digest.update(side.encode() + rows.tobytes())
    return digest.hexdigest()
