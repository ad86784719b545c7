"""A collection in BEIR: its evaluation of the adapter's results gives textkin's metrics."""

import re
from pathlib import Path

import pytest

import textkin as tk
from tests.examples.opened import example

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "frameworks.md"
adapter = example("beir_adapter")
CORPUS = {
    "d1": {"title": "Parking", "text": "Where can I park my car?"},
    "d2": {"title": "", "text": "When do you open?"},
    "d3": {"text": "Is there a car park?"},
    "d4": {"title": "", "text": " "},
}
QUERIES = {"q1": "parking", "q2": "open", "q3": "zebra"}


@pytest.mark.slow
def test_search(tmp_path):
    found = adapter.TextkinSearch(mode="words").search(CORPUS, QUERIES, 2)
    assert {query: set(names) for query, names in found.items()} == {"q1": {"d1"}, "q2": {"d2"}, "q3": set()}
    by_vectors = adapter.TextkinSearch(mode="vectors").search(CORPUS, QUERIES, 2)
    assert [len(names) for names in by_vectors.values()] == [2, 2, 2]
    with tk.open_collection(tmp_path / "c", create=True) as collection:
        collection.add(["Parking Where can I park my car?", "When do you open?", "Is there a car park?"])
        hits = collection.search("parking", k=2, mode="vectors").hits[0]
    assert list(by_vectors["q1"].values()) == [hit.score for hit in hits]


@pytest.mark.filterwarnings("ignore")  # of the framework
def test_beir_measures_the_same():
    reason = "needs BEIR: pip install beir"
    evaluation = pytest.importorskip("beir.retrieval.evaluation", reason=reason)
    corpus, queries, relevant = adapter.sample()
    retriever = evaluation.EvaluateRetrieval(adapter.TextkinSearch(), k_values=[10])
    results = retriever.retrieve(corpus, queries)
    figures, *_ = retriever.evaluate(relevant, results, [10])
    measured = tk.measure(
        tk.Run.from_dict(results), qrels=tk.Qrels.from_dict(relevant), measures=("ndcg@10",)
    )
    assert figures["NDCG@10"] == pytest.approx(measured.rows()[0]["value"], abs=6e-6)  # BEIR rounds it


@pytest.mark.slow
def test_its_script_says_what_the_guide_shows(capsys):
    adapter.main("hybrid")
    shown = re.search(r"^(341 queries, .*nDCG@10) (\S+)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    said, figure = capsys.readouterr().out.splitlines()[0].rsplit(" ", 1)
    assert shown is not None and said == shown[1]
    assert float(figure) == pytest.approx(float(shown[2]), abs=5e-4)
