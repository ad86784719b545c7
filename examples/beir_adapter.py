"""BEIR's search over a textkin collection. Needs nothing but textkin; BEIR measures it where it is installed.

    python examples/beir_adapter.py hybrid

``EvaluateRetrieval(TextkinSearch())`` takes it: ``search(corpus, queries, top_k)`` gives the scores of the
best documents of each query by ids.
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import textkin as tk
from textkin.data import samples


class TextkinSearch:
    """Each corpus becomes a collection, which goes when it has been searched.

    Args:
        model: of its vectors.
        options: how to search; ``k`` is BEIR's ``top_k``.
    """

    def __init__(self, model: str = "default", **options: Any) -> None:
        self.model, self.options = model, options

    def search(
        self,
        corpus: dict[str, dict[str, str]],
        queries: dict[str, str],
        top_k: int,
        *args: Any,
        **kwargs: Any,
    ) -> dict[str, dict[str, float]]:
        """The scores of the best documents of each query. A title stands before its text.

        BEIR also names a score function, which only vectors of its own would need.
        """
        with (
            tempfile.TemporaryDirectory() as folder,
            tk.open_collection(f"{folder}/corpus.kin", model=self.model, create=True) as collection,
        ):
            texts = {name: f"{one.get('title', '')} {one['text']}".strip() for name, one in corpus.items()}
            collection.add(tk.Entry(name, text) for name, text in texts.items() if text)
            found = collection.search(list(queries.values()), k=top_k, **self.options)
        return {
            query: {hit.entry_id: hit.score for hit in hits}
            for query, hits in zip(queries, found.hits, strict=True)
        }


def sample() -> tuple[dict[str, dict[str, str]], dict[str, str], dict[str, dict[str, int]]]:
    """Of the bundled questions the first of each group asks for the others: corpus, queries, judgements."""
    groups: dict[tuple[str, str], list[str]] = {}
    for topic, group, text in samples.rows("questions.tsv"):
        groups.setdefault((topic, group), []).append(text)
    corpus: dict[str, dict[str, str]] = {}
    queries: dict[str, str] = {}
    relevant: dict[str, dict[str, int]] = {}
    for (topic, group), (first, *others) in groups.items():
        queries[f"{topic}/{group}"] = first
        names = [f"{topic}/{group}/{number}" for number in range(len(others))]
        corpus |= {name: {"title": "", "text": text} for name, text in zip(names, others, strict=True)}
        relevant[f"{topic}/{group}"] = dict.fromkeys(names, 1)
    return corpus, queries, relevant


def main(mode: str) -> None:
    """Measure a search on the bundled questions, by BEIR where it is there, and by textkin."""
    corpus, queries, relevant = sample()
    results = TextkinSearch(mode=mode).search(corpus, queries, 100)
    run, qrels = tk.Run.from_dict(results), tk.Qrels.from_dict(relevant)
    ours = tk.measure(run, qrels=qrels, measures=("ndcg@10",)).rows()[0]["value"]
    print(f"{len(queries)} queries, {len(corpus)} documents, {mode}: nDCG@10 {ours:.5f}")
    try:
        from beir.retrieval.evaluation import EvaluateRetrieval
    except ImportError:
        print("BEIR is not installed")
        return
    figures, *_ = EvaluateRetrieval(TextkinSearch(mode=mode)).evaluate(relevant, results, [10])
    print(f"by BEIR: {figures['NDCG@10']:.5f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "hybrid")
