"""A collection in LlamaIndex: its retriever finds what the collection finds."""

import pytest

import textkin as tk
from tests.examples.opened import example

pytestmark = pytest.mark.filterwarnings("ignore")  # of the framework
TEXTS = ["Where can I park my car?", "When do you open?", "Is there a car park?"]


@pytest.fixture(scope="module")
def adapter():
    reason = "needs LlamaIndex: pip install llama-index-core"
    pytest.importorskip("llama_index.core", reason=reason)
    return example("llama_index_adapter")


def test_retriever(adapter, tmp_path):
    from llama_index.core.schema import TextNode

    nodes = [TextNode(id_=f"n{at}", text=text, metadata={"at": at}) for at, text in enumerate(TEXTS)]
    with tk.open_collection(tmp_path / "c", create=True) as collection:
        retriever = adapter.TextkinRetriever(collection, k=2)
        assert retriever.add(nodes).new == 3 and retriever.add(nodes).unchanged == 3
        expected = collection.search("park the car", k=2).hits[0]
        found = retriever.retrieve("park the car")
        assert [(one.node.node_id, one.node.get_content(), one.score) for one in found] == [
            (hit.entry_id, hit.text, pytest.approx(hit.score)) for hit in expected
        ]
        assert [one.node.metadata["at"] for one in found] == [2, 0]
        words = adapter.TextkinRetriever(collection, mode="words", where="at > 1")
        assert [one.node.node_id for one in words.retrieve("car")] == ["n2"]


def test_embedding(adapter):
    embedding, expected = adapter.TextkinEmbedding(), tk.load().encode(TEXTS)
    assert embedding.get_text_embedding_batch(TEXTS) == expected.tolist()
    assert embedding.get_query_embedding(TEXTS[1]) == expected[1].tolist()


def test_its_script_runs(adapter, capsys):
    adapter.main("Why won't my engine start?")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and "cars-and-bikes" in lines[0]
