"""An integration's results from a server, as JSON: ``python integrations.py NAME URL KEY < TEXTS``.

It is run by the Python that has the integration's packages, and doesn't import textkin.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

QUERY = "car park"


def langchain_openai(url: str, key: str, texts: list[str]) -> Any:
    """Vectors by LangChain through OpenAI's API."""
    from langchain_openai import OpenAIEmbeddings

    made = OpenAIEmbeddings(
        base_url=f"{url}/v1", api_key=key, model="default", check_embedding_ctx_length=False
    )
    return made.embed_documents(texts), made.embed_query(QUERY)


def llama_index_embeddings(url: str, key: str, texts: list[str]) -> Any:
    """Vectors by LlamaIndex through text-embeddings-inference's API."""
    from llama_index.embeddings.text_embeddings_inference import TextEmbeddingsInference

    made = TextEmbeddingsInference(model_name="default", base_url=url, auth_token=key)
    return made.get_text_embedding_batch(texts), made.get_query_embedding(QUERY)


def llama_index_reranker(url: str, key: str, texts: list[str]) -> Any:
    """An order by LlamaIndex."""
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.postprocessor.tei_rerank import TextEmbeddingInference

    made = TextEmbeddingInference(base_url=url, auth_token=key, top_n=2, model_name="default")
    nodes = [NodeWithScore(node=TextNode(text=text), score=0.0) for text in texts]
    return [texts.index(one.node.get_content()) for one in made.postprocess_nodes(nodes, query_str=QUERY)]


def haystack_openai(url: str, key: str, texts: list[str]) -> Any:
    """Vectors by Haystack through OpenAI's API."""
    from haystack import Document
    from haystack.components.embedders import OpenAIDocumentEmbedder, OpenAITextEmbedder
    from haystack.utils import Secret

    more = {"api_key": Secret.from_token(key), "model": "default", "api_base_url": f"{url}/v1"}
    documents = OpenAIDocumentEmbedder(**more).run([Document(content=text) for text in texts])["documents"]
    return [one.embedding for one in documents], OpenAITextEmbedder(**more).run(QUERY)["embedding"]


def haystack_hugging_face(url: str, key: str, texts: list[str]) -> Any:
    """Vectors by Haystack through text-embeddings-inference's API."""
    from haystack import Document
    from haystack.utils import Secret
    from haystack_integrations.components.embedders.huggingface_api import (
        HuggingFaceAPIDocumentEmbedder,
        HuggingFaceAPITextEmbedder,
    )

    more = {"api_type": "text_embeddings_inference", "api_params": {"url": url}}
    more |= {"token": Secret.from_token(key), "normalize": True}  # its default, False, is refused
    made = HuggingFaceAPIDocumentEmbedder(**more, progress_bar=False)
    documents = made.run([Document(content=text) for text in texts])["documents"]
    return [one.embedding for one in documents], HuggingFaceAPITextEmbedder(**more).run(QUERY)["embedding"]


def haystack_ranker(url: str, key: str, texts: list[str]) -> Any:
    """An order by Haystack."""
    from haystack import Document
    from haystack.utils import Secret
    from haystack_integrations.components.rankers.huggingface_api import HuggingFaceTEIRanker

    made = HuggingFaceTEIRanker(url=url, top_k=2, token=Secret.from_token(key))
    found = made.run(query=QUERY, documents=[Document(content=text) for text in texts])["documents"]
    return [texts.index(one.content) for one in found]


ALL: dict[str, Callable[[str, str, list[str]], Any]] = {
    one.__name__: one
    for one in (
        langchain_openai,
        llama_index_embeddings,
        llama_index_reranker,
        haystack_openai,
        haystack_hugging_face,
        haystack_ranker,
    )
}

if __name__ == "__main__":
    name, url, key = sys.argv[1:]
    try:
        told = {"found": ALL[name](url, key, json.load(sys.stdin))}
    except ModuleNotFoundError as error:
        told = {"missing": error.name}
    sys.stdout.write(json.dumps(told) + "\n")
