"""A corpus in a temporary collection, removed when no longer needed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory
from weakref import finalize

from textkin.collection.open_collection import open_collection
from textkin.collection.search.options import SearchOptions
from textkin.data.protocols import Encoder


class TemporaryCollection:
    """Documents in a collection in the temporary folder.

    Args:
        documents: texts by id.
        model: the encoder.
        analyser: the analyser of words.
        options: the search options; ``k`` is given with the queries.

    Raises:
        ModelError: there is no such model.
        DataError: a document can't be stored.
        OutputError: the disk is full.
    """

    def __init__(
        self,
        documents: Mapping[str, str],
        *,
        model: str | Encoder,
        options: SearchOptions,
        analyser: str | None = None,
    ) -> None:
        self._options = options
        folder = TemporaryDirectory(prefix="textkin-")
        self._opened = open_collection(f"{folder.name}/corpus", model=model, create=True, analyser=analyser)
        self._end = finalize(self, _leave, self._opened.close, folder)
        self._opened.add(documents.values(), ids=list(documents))

    def ranked(self, queries: Sequence[str], depth: int) -> list[dict[str, float]]:
        """The scores of the ``depth`` best documents of each query, best first, by id.

        A reranker limits the results to the number of hits that it orders.
        """
        most = depth if self._options.rerank is None else min(depth, self._options.rerank_depth)
        searcher = self._opened.searcher(replace(self._options, k=most))
        with self._opened.store.reading():
            rankings = searcher.rank(queries)
        return [{hit.doc_id: hit.score for hit in one.hits} for one in rankings]

    def close(self) -> None:
        """Remove the collection."""
        self._end()


def _leave(close: object, folder: TemporaryDirectory[str]) -> None:
    if callable(close):
        close()
    folder.cleanup()
