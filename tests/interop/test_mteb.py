"""MTEB's own figures of textkin's models, on local tasks, are textkin's."""

import math

import numpy as np
import pytest

import textkin as tk
from textkin import samples
from textkin.errors import DataError, UsageError
from textkin.interop.mteb import MtebEncoder, MtebScorer, MtebSearch
from textkin.protocols import Side

TOPIC = "support-desk"
PAIRS = samples.pairs(TOPIC)


class Sided:
    """An encoder whose queries are read in another way than its documents."""

    name, dim = "sided", 128

    def __init__(self):
        self._plain = tk.load()

    def encode(self, texts, *, side=Side.DOCUMENT):
        prompt = "how do I " if side == Side.QUERY else ""
        return self._plain.encode([prompt + text for text in texts])

    def score(self, pairs):
        return self._plain.score(pairs)


class SharedWords:
    name = "shared words"

    def score(self, pairs):
        return np.array(
            [
                len({*a.lower().split()} & {*b.lower().split()}) + 1 / (1 + len(b)) + len(b) / 977
                for a, b in pairs
            ],
            np.float32,
        )


def collection():
    """A corpus, queries and judgements of the bundled questions: the first of a group asks for the others."""
    groups = {}
    for about, group, text in samples.rows("questions.tsv"):
        if about == TOPIC:
            groups.setdefault(group, []).append(text)
    queries = {f"q{number}": texts[0] for number, texts in enumerate(groups.values())}
    corpus, relevant = {}, {}
    for number, texts in enumerate(groups.values()):
        for text in texts[1:]:
            corpus[f"d{len(corpus)}"] = text
            relevant.setdefault(f"q{number}", {})[f"d{len(corpus) - 1}"] = 1
    return corpus, {name: text for name, text in queries.items() if name in relevant}, relevant


@pytest.fixture(scope="module")
def mteb(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patched:
        cache = str(tmp_path_factory.mktemp("cache"))
        for name in ("HF_HOME", "MTEB_CACHE"):
            patched.setenv(name, cache)
        patched.setenv("HF_HUB_OFFLINE", "1")
        pytest.importorskip("mteb", reason="mteb is not installed: pip install textkin[mteb]", minversion="2.20")
        yield pytest.importorskip("mteb")


def metadata(mteb, name, kind, score):
    from mteb.abstasks.task_metadata import TaskMetadata

    return TaskMetadata(
        name=name,
        description="Questions written for textkin.",
        reference=None,
        type=kind,
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score=score,
        dataset={"path": "local/none", "revision": "1"},
        date=None,
        domains=None,
        license=None,
        annotations_creators=None,
        dialect=None,
        sample_creation=None,
        bibtex_citation=None,
    )


def local(base, told, content):
    """A task of MTEB whose data are here."""

    def load_data(self, *args, **settings):
        self.dataset = content
        self.data_loaded = True

    return type(told.name, (base,), {"metadata": told, "load_data": load_data})()


def retrieval(mteb, *, reranking=False):
    from datasets import Dataset
    from mteb.abstasks import AbsTaskRetrieval

    corpus, queries, relevant = collection()
    rows = lambda texts: Dataset.from_list(  # noqa: E731
        [{"id": name, "text": text} for name, text in texts.items()]
    )
    candidates = {query: [name for name in list(corpus)[:60]] for query in queries} if reranking else None
    if reranking:
        for query, found in relevant.items():
            candidates[query] = [*dict.fromkeys([*candidates[query], *found])]
    content = {
        "default": {
            "test": {
                "corpus": rows(corpus),
                "queries": rows(queries),
                "relevant_docs": relevant,
                "top_ranked": candidates,
            }
        }
    }
    kind, name = ("Reranking", "Again") if reranking else ("Retrieval", "Found")
    told = metadata(mteb, f"Textkin{name}", kind, "ndcg_at_10")
    return local(AbsTaskRetrieval, told, content), candidates


def main_score(mteb, model, task):
    found = mteb.evaluate(model, task, cache=None, co2_tracker=False, show_progress_bar=False)
    [result] = found.task_results
    return result.scores["test"][0]["main_score"]


def ndcg(rankings, relevant, depth=10):
    """The mean over queries, by the definition."""
    values = []
    for query, names in rankings.items():
        gains = [relevant[query].get(name, 0) / math.log2(place + 2) for place, name in enumerate(names[:depth])]
        best = sum(1 / math.log2(place + 2) for place in range(min(depth, len(relevant[query]))))
        values.append(sum(gains) / best)
    return sum(values) / len(values)


needs_mteb = pytest.mark.filterwarnings("ignore")  # of a framework and its libraries


@needs_mteb
@pytest.mark.parametrize("model", ["default", Sided()], ids=["default", "sided"])
def test_sts(mteb, model):
    from datasets import Dataset
    from mteb.abstasks import AbsTaskSTS

    content = {"test": Dataset.from_list([{"sentence1": a, "sentence2": b, "score": 5 * x} for a, b, x in PAIRS])}
    task = local(AbsTaskSTS, metadata(mteb, "TextkinSTS", "STS", "cosine_spearman"), content)
    theirs = main_score(mteb, tk.as_mteb(model), task)
    graded = [tk.Pair(a, b, label=float(5 * x)) for a, b, x in PAIRS]
    data = tk.PairSet(tuple(graded), tk.LabelKind.GRADED)
    found = tk.evaluate(data, model=model)
    assert theirs == pytest.approx(figure(found, "Spearman"), abs=1e-6)


@needs_mteb
def test_pair_classification(mteb):
    from datasets import Dataset
    from mteb.abstasks import AbsTaskPairClassification

    rows = [{"sentence1": a, "sentence2": b, "labels": x} for a, b, x in PAIRS]
    told = metadata(mteb, "TextkinPairs", "PairClassification", "similarity_ap")
    task = local(AbsTaskPairClassification, told, {"test": Dataset.from_list(rows)})
    theirs = main_score(mteb, tk.as_mteb(), task)
    found = tk.evaluate(PAIRS, model="default")
    assert theirs == pytest.approx(figure(found, "AP"), abs=1e-6)
