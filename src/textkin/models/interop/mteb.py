"""Encoders, scorers of pairs and searches with the interfaces of MTEB 2.x.

mteb itself is imported only for its ``ModelMeta``, on request.

Source: the protocols of mteb 2.26, ``mteb/models/models_protocols.py``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, Protocol, TypedDict, Unpack

import numpy as np

from textkin.base.arrays import Floats, Floats32
from textkin.base.errors import DataError, ModelError
from textkin.data.protocols import Encoder, Scorer, Side

Batches = Iterable[Mapping[str, Sequence[str]]]
"""Batches from MTEB's loaders, with the texts under ``text``."""

MtebRows = Iterable[Mapping[str, Any]]
"""MTEB's corpora and queries: rows with ``id`` and ``text``; documents may have a ``title`` as well."""

SearchKind = Literal["dense", "sparse", "hybrid"]

_AT_ONCE = 512  # queries


class MtebSettings(TypedDict, total=False):
    """Further arguments from MTEB, all of which are ignored."""

    task_metadata: object
    hf_split: str
    hf_subset: str
    encode_kwargs: Mapping[str, object]
    num_proc: int | None
    timer: object
    batch_size: int
    show_progress_bar: bool
    precision: str | None
    max_length: int | None


class ReadyCorpus(Protocol):
    """A corpus ready for search."""

    def ranked(self, queries: Sequence[str], depth: int) -> list[dict[str, float]]:
        """The scores of the ``depth`` best documents of each query, by id."""


class _ForMteb:
    """The identity that MTEB requires of every model.

    MTEB stores results by name and revision, so two models must not share both.
    """

    def __init__(self, name: str, revision: str | None, *, kind: str) -> None:
        self.name = f"textkin/{re.sub(r'[^A-Za-z0-9._:+-]+', '-', name).strip('-') or 'model'}"
        self.revision = revision
        self._kind = kind

    def _facts(self) -> dict[str, Any]:
        return {}

    @property
    def mteb_model_meta(self) -> Any:
        """The model's ``mteb.ModelMeta``.

        Raises:
            ModelError: mteb isn't installed.
        """
        try:
            from mteb.models.model_meta import ModelMeta
        except ImportError as error:
            raise ModelError(f"MTEB can't be imported: {error}", fix="pip install mteb") from error
        told = {"name": self.name, "revision": self.revision, "model_type": [self._kind]}
        return ModelMeta.create_empty(overwrites=told | self._facts())


class MtebEncoder(_ForMteb):
    """An encoder with MTEB's ``EncoderProtocol``; similarities are cosines.

    Args:
        encoder: the encoder. Its query side is used if MTEB's prompt type is query.
        revision: distinguishes it from others with its name, such as its hash.
    """

    def __init__(self, encoder: Encoder, *, revision: str | None = None) -> None:
        super().__init__(encoder.name, revision, kind="dense")
        self.encoder = encoder

    def encode(
        self, inputs: Batches, *, prompt_type: str | None = None, **settings: Unpack[MtebSettings]
    ) -> Floats32:
        """The vectors of all texts of a loader. Shape [texts, dim]."""
        side = Side.QUERY if _word(prompt_type) == Side.QUERY.value else Side.DOCUMENT
        return self.encoder.encode(_texts(inputs), side=side)

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Floats32:
        """The cosine of each of the first with each of the second. Shape [first, second]."""
        return (_unit(embeddings1) @ _unit(embeddings2).T).astype(np.float32)

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Floats32:
        """The cosine of each of the first with its counterpart. Shape [pairs]."""
        products = _unit(embeddings1) * _unit(embeddings2)
        return np.asarray(products.sum(axis=1), dtype=np.float32)

    def _facts(self) -> dict[str, Any]:
        most = getattr(self.encoder, "max_tokens", None)
        return {"embed_dim": self.encoder.dim, "max_tokens": most, "similarity_fn_name": "cosine"}


class MtebScorer(_ForMteb):
    """A scorer of pairs with MTEB's ``CrossEncoderProtocol``.

    Args:
        scorer: the scorer, higher is more similar.
        revision: distinguishes it from others with its name, such as its hash.
    """

    def __init__(self, scorer: Scorer, *, revision: str | None = None) -> None:
        super().__init__(scorer.name, revision, kind="cross-encoder")
        self.scorer = scorer

    def predict(
        self,
        inputs1: Batches,
        inputs2: Batches,
        *,
        prompt_type: str | None = None,
        **settings: Unpack[MtebSettings],
    ) -> Floats32:
        """The score of each text of one loader with its counterpart in the other. Shape [pairs].

        Raises:
            DataError: one has more texts than the other.
        """
        first, second = _texts(inputs1), _texts(inputs2)
        if len(first) != len(second):
            raise DataError(f"{len(first):,} texts beside {len(second):,}", fix="give as many of both")
        return np.asarray(self.scorer.score(list(zip(first, second, strict=True))), dtype=np.float32)


class MtebSearch(_ForMteb):
    """A search with MTEB's ``SearchProtocol``.

    Args:
        indexed: indexes documents by id for search.
        name: its name.
        kind: the kind of search: vectors, words, or both.
        revision: distinguishes it from others with its name.
    """

    def __init__(
        self,
        indexed: Callable[[Mapping[str, str]], ReadyCorpus],
        *,
        name: str,
        kind: SearchKind = "hybrid",
        revision: str | None = None,
    ) -> None:
        super().__init__(name, revision, kind=kind)
        self._indexed = indexed
        self._searched: ReadyCorpus | None = None
        self._documents = 0

    def index(self, corpus: MtebRows, **settings: Unpack[MtebSettings]) -> None:
        """Index a corpus, replacing the last one.

        A title is put before its text. A blank document is never found.

        Raises:
            DataError: a row has no text, or two have the same id.
        """
        self._searched = None
        documents: dict[str, str] = {}
        for row in corpus:
            name = str(row["id"])
            if name in documents:
                raise DataError(f"two documents have the id {name!r}", fix="give each an id of its own")
            documents[name] = _with_title(row)
        there = {name: text for name, text in documents.items() if text.strip()}
        self._documents = len(there)
        self._searched = self._indexed(there)

    def search(
        self,
        queries: MtebRows,
        *,
        top_k: int,
        top_ranked: Mapping[str, Sequence[str]] | None = None,
        **settings: Unpack[MtebSettings],
    ) -> dict[str, dict[str, float]]:
        """The scores of the ``top_k`` best documents of each query, by id.

        Args:
            queries: rows with ``id`` and ``text``; an ``instruction`` is appended to the text.
            top_k: the number of documents to find, if the corpus has that many.
            top_ranked: for each query the documents that may be found; the whole corpus is then ranked.
            settings: ignored.

        Raises:
            DataError: nothing was indexed, or a query has no text.
        """
        if self._searched is None:
            raise DataError("nothing was indexed", fix="call index with the corpus first")
        asked = {str(row["id"]): _with_instruction(row) for row in queries}
        if not asked or not self._documents:
            return {name: {} for name in asked}
        depth = top_k if top_ranked is None else self._documents
        found: dict[str, dict[str, float]] = {}
        at_once = _AT_ONCE if top_ranked is None else 1
        names = list(asked)
        for start in range(0, len(names), at_once):
            part = names[start : start + at_once]
            rankings = self._searched.ranked([asked[name] for name in part], depth)
            found |= dict(zip(part, rankings, strict=True))
        if top_ranked is None:
            return found
        return {name: _only(scores, top_ranked.get(name, ()), top_k) for name, scores in found.items()}


def _only(scores: Mapping[str, float], allowed: Sequence[str], k: int) -> dict[str, float]:
    """The best of the documents that may be found."""
    among = set(allowed)
    kept = [(name, score) for name, score in scores.items() if name in among]
    return dict(kept[:k])


def _texts(inputs: Batches) -> list[str]:
    return list(chain.from_iterable(_of_batch(batch) for batch in inputs))


def _of_batch(batch: Mapping[str, Sequence[str]]) -> Iterator[str]:
    if "text" not in batch:
        raise DataError(f"a batch of {', '.join(batch)}, expected text", fix="choose tasks of texts")
    yield from map(_text, batch["text"])


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise DataError(f"{given!r:.60} stands where a text is expected", fix="choose tasks of texts")
    return given


def _with_title(row: Mapping[str, Any]) -> str:
    """A document as MTEB passes it to encoders: title and text, separated by a space."""
    title = _text(row.get("title") or "")
    return f"{title} {_text(row['text'])}".strip() if title else _text(row["text"]).strip()


def _with_instruction(row: Mapping[str, Any]) -> str:
    told = row.get("instruction")
    return _text(row["text"]) if told is None else f"{_text(row['text'])} {_text(told)}"


def _word(given: object) -> str | None:
    """A prompt type, either a text or an enumeration of texts."""
    found = getattr(given, "value", given)
    return None if found is None else str(found)


def _unit(vectors: Any) -> Floats:
    """Rows normalised to length 1, or 0 for a zero vector; one vector is one row. Shape [texts, dim]."""
    plain = vectors.detach().cpu() if hasattr(vectors, "detach") else vectors
    rows = np.atleast_2d(np.asarray(plain, dtype=np.float64))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
