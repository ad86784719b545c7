"""LangChain's Embeddings and VectorStore over a textkin collection. Needs langchain-core.

    python examples/langchain_adapter.py "Why won't my engine start?"

A collection searches by words and vectors, and keeps its own vectors, so the store needs no Embeddings; they
are there for chains that ask for vectors themselves.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

import textkin as tk
from textkin.data import samples
from textkin.data.protocols import Side
from textkin.data.readers.entries import hashed_id


class TextkinEmbeddings(Embeddings):
    """Vectors of an encoder; queries are read with its query prompt."""

    def __init__(self, model: str = "default") -> None:
        self.model, self.encoder = model, tk.load_encoder(model)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        return self.encoder.encode(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        """The vector of a query."""
        return self.encoder.encode([text], side=Side.QUERY)[0].tolist()


class TextkinStore(VectorStore):
    """A collection as a vector store: ``TextkinStore(tk.open_collection("tickets.kin"))``."""

    def __init__(self, collection: tk.OpenCollection) -> None:
        self.collection = collection

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Add texts, or put them in the place of those of the same ids; the ids. All is on the disk."""
        texts = list(texts)
        names = ids or [hashed_id(text) for text in texts]
        self.collection.add(texts, ids=names, metadata=metadatas)
        return names

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool | None:
        """Take documents out by their ids."""
        return self.collection.remove(ids or []) > 0

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents of ids that are there."""
        found = self.collection.store.rows(list(ids))
        return [
            Document(id=one.entry_id, page_content=one.text, metadata=dict(one.metadata)) for one in found
        ]

    def similarity_search_with_score(
        self, query: str, k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """The best documents with their scores; more options are those of ``OpenCollection.search``."""
        [hits] = self.collection.search(query, k=k, **kwargs).hits
        return [
            (Document(id=hit.entry_id, page_content=hit.text, metadata=dict(hit.metadata)), hit.score)
            for hit in hits
        ]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """The best documents."""
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        folder: Path | str = "langchain.kin",
        **kwargs: Any,
    ) -> TextkinStore:
        """A new collection in a folder, or the one that is there, with these texts.

        It knows its model by name, so that other programs open it without being given the model.
        """
        model = embedding.model if isinstance(embedding, TextkinEmbeddings) else None
        store = cls(tk.open_collection(folder, model=model, create=True))
        store.add_texts(texts, metadatas, ids=ids)
        return store


def main(query: str) -> None:
    """Search the bundled questions through LangChain's retriever."""
    rows = list(samples.rows("questions.tsv"))
    with tempfile.TemporaryDirectory() as folder:
        store = TextkinStore.from_texts(
            [text for _, _, text in rows],
            TextkinEmbeddings(),
            [{"topic": topic} for topic, _, _ in rows],
            folder=f"{folder}/questions.kin",
        )
        retriever = store.as_retriever(search_kwargs={"k": 3})
        for document in retriever.invoke(query):
            print(f"{document.metadata['topic']:20} {document.page_content}")
        store.collection.close()


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "Why won't my engine start?")
