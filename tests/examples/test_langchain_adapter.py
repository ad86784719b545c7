"""A collection in LangChain: its store and its retriever find what the collection finds."""

import pytest

import textkin as tk
from tests.examples.opened import example

pytestmark = pytest.mark.filterwarnings("ignore")  # of the framework
TEXTS = ["Where can I park my car?", "When do you open?", "Is there a car park?"]


@pytest.fixture(scope="module")
def adapter():
    pytest.importorskip("langchain_core", reason="needs LangChain: pip install langchain-core")
    return example("langchain_adapter")


def test_store(adapter, tmp_path):
    about = [{"lang": "en"}, {"lang": "en", "year": 2020}, {"lang": "en"}]
    embeddings = adapter.TextkinEmbeddings()
    store = adapter.TextkinStore.from_texts(
        TEXTS, embeddings, about, ids=["a", "b", "c"], folder=tmp_path / "c"
    )
    expected = store.collection.search("park the car", k=2).hits[0]
    found = store.similarity_search_with_score("park the car", k=2)
    assert [(one.id, one.page_content, score) for one, score in found] == [
        (hit.entry_id, hit.text, hit.score) for hit in expected
    ]
    assert [one.metadata for one in store.get_by_ids(["b", "none"])] == [about[1]]
    [only] = store.as_retriever(search_kwargs={"where": "year >= 2020"}).invoke("car")
    assert only.id == "b"
    assert store.delete(["a"]) and not store.delete(["a"]) and len(store.collection) == 2
    [first, second] = store.add_texts(["Do you sell bread?", "Is it cold?"])
    assert store.similarity_search("bread", k=1, mode="words")[0].id == first != second
    store.collection.close()
    with tk.open_collection(tmp_path / "c") as kept:  # as another program does
        assert len(kept) == 4
        [document] = adapter.TextkinStore(kept).similarity_search("cold", k=1, mode="vectors")
        assert document.page_content == "Is it cold?"


def test_embeddings(adapter):
    embeddings = adapter.TextkinEmbeddings()
    expected = tk.load().encode(TEXTS)
    assert embeddings.embed_documents(TEXTS) == expected.tolist()
    assert embeddings.embed_query(TEXTS[0]) == expected[0].tolist()


def test_its_script_runs(adapter, capsys):
    adapter.main("Why won't my engine start?")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and lines[0].startswith("cars-and-bikes")
