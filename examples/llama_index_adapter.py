"""LlamaIndex's embedding and retriever over a textkin collection. Needs llama-index-core.

python examples/llama_index_adapter.py "Why won't my engine start?"
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr

import textkin as tk
from textkin.data import samples
from textkin.data.entry_records import Added
from textkin.data.protocols import Encoder, Side


class TextkinEmbedding(BaseEmbedding):
    """Vectors of an encoder; queries are read with its query prompt."""

    _encoder: Encoder = PrivateAttr()

    def __init__(self, model: str = "default", **settings: Any) -> None:
        super().__init__(model_name=model, **settings)
        self._encoder = tk.load_encoder(model)

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._encoder.encode(texts).tolist()

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._encoder.encode([query], side=Side.QUERY)[0].tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class TextkinRetriever(BaseRetriever):
    """A collection as a retriever; options are those of ``OpenCollection.search``."""

    def __init__(self, collection: tk.OpenCollection, **options: Any) -> None:
        super().__init__()
        self.collection, self.options = collection, options

    def add(self, nodes: list[BaseNode]) -> Added:
        """Add nodes, or put them in the place of those of the same ids."""
        return self.collection.add(
            tk.Entry(node.node_id, node.get_content(), dict(node.metadata)) for node in nodes
        )

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        [hits] = self.collection.search(query_bundle.query_str, **self.options).hits
        return [
            NodeWithScore(
                node=TextNode(id_=hit.entry_id, text=hit.text, metadata=dict(hit.metadata)), score=hit.score
            )
            for hit in hits
        ]


def main(query: str) -> None:
    """Search the bundled questions through LlamaIndex's retriever."""
    nodes = [
        TextNode(text=text, metadata={"topic": topic}) for topic, _, text in samples.rows("questions.tsv")
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        tk.open_collection(f"{folder}/questions.kin", create=True) as collection,
    ):
        retriever = TextkinRetriever(collection, k=3)
        retriever.add(nodes)
        for found in retriever.retrieve(query):
            print(f"{found.score:.4f}  {found.node.metadata['topic']:20} {found.node.get_content()}")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "Why won't my engine start?")
