"""MTEB's own metrics of textkin's models, on local tasks, equal textkin's."""

import math

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import DataError, ModelError, UsageError
from textkin.data import samples
from textkin.data.protocols import Side
from textkin.data.records import LabelKind
from textkin.kinds.measuring import Options
from textkin.measures.intervals.sampling import Sampling
from textkin.verbs.evaluate.comparison import compared

TOPIC = "support-desk"
PAIRS = samples.pairs(TOPIC)
EXACT = "exact_ndcg_at_10"


class Sided:
    """An encoder with separate encodings of queries and documents."""

    name, dim = "sided", 128

    def __init__(self):
        self._plain = tk.load()

    def encode(self, texts, *, side=Side.DOCUMENT):
        prompt = "how do I " if side == Side.QUERY else ""
        return self._plain.encode([prompt + text for text in texts])

    def score(self, pairs):
        return self._plain.score(pairs)


class OfPairs:
    """A scorer of pairs only, with distinct scores for all pairs of these texts."""

    name = "of pairs"

    def __init__(self):
        self._plain = tk.load()

    def score(self, pairs):
        return self._plain.score([(a, b[: len(b) // 2]) for a, b in pairs]) + self._plain.score(pairs)


def collection():
    """A corpus, queries and judgements of the bundled questions: the first of a group is the query for the
    others.
    """
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
        pytest.importorskip(
            "mteb", reason="mteb is not installed: pip install textkin[mteb]", minversion="2.20"
        )
        yield pytest.importorskip("mteb")


def metadata(name, kind, score):
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
    """A task of MTEB with local data."""

    def load_data(self, *args, **settings):
        self.dataset = content
        self.data_loaded = True

    def task_specific_scores(self, scores, *args, **settings):
        """Retrieval scores, which MTEB rounds to five digits elsewhere."""
        return {EXACT: float(np.mean([one["ndcg_cut_10"] for one in scores.values()]))}

    parts = {"metadata": told, "load_data": load_data, "task_specific_scores": task_specific_scores}
    return type(told.name, (base,), parts)()


def retrieval(*, reranking=False):
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
    told = metadata(f"Textkin{name}", kind, "ndcg_at_10")
    return local(AbsTaskRetrieval, told, content), candidates


def main_score(mteb, model, task):
    found = mteb.evaluate(model, task, cache=None, co2_tracker=False, show_progress_bar=False)
    [result] = found.task_results
    [scores] = result.scores["test"]
    if EXACT not in scores:
        return scores["main_score"]
    assert scores["main_score"] == pytest.approx(scores[EXACT], abs=6e-6)
    return scores[EXACT]


def ndcg(rankings, relevant, depth=10):
    """The mean over queries, by the definition."""
    values = []
    for query, names in rankings.items():
        gains = [
            relevant[query].get(name, 0) / math.log2(place + 2) for place, name in enumerate(names[:depth])
        ]
        best = sum(1 / math.log2(place + 2) for place in range(min(depth, len(relevant[query]))))
        values.append(sum(gains) / best)
    return sum(values) / len(values)


needs_mteb = pytest.mark.filterwarnings("ignore")  # of a framework and its libraries


def figure(data, model, *measures):
    """textkin's own metric."""
    sampling = Sampling(100, 100)
    options = Options(sampling=sampling, baselines=(), measures=measures, accept_leaks=True)
    found = compared(data, models=[model], options=options)
    [row] = [one for one in found.rows() if one["system"] == getattr(model, "name", model)]
    return row[found.measure]


@needs_mteb
@pytest.mark.parametrize("model", ["default", Sided()], ids=["default", "sided"])
def test_graded_pairs(mteb, model):
    from datasets import Dataset
    from mteb.abstasks import AbsTaskSTS

    graded = [(a, b, 5.0 * label + len(a) % 3 / 2) for a, b, label in PAIRS]
    rows = [{"sentence1": a, "sentence2": b, "score": grade} for a, b, grade in graded]
    told = metadata("TextkinSTS", "STS", "cosine_spearman")
    task = local(AbsTaskSTS, told, {"test": Dataset.from_list(rows)})
    pairs = tuple(tk.Pair(a, b, label=grade) for a, b, grade in graded)
    ours = figure(tk.PairSet(pairs, LabelKind.GRADED), model)
    assert main_score(mteb, tk.as_mteb(model), task) == pytest.approx(ours, abs=1e-6)


@needs_mteb
def test_pair_classification(mteb):
    from datasets import Dataset
    from mteb.abstasks import AbsTaskPairClassification

    rows = [{"sentence1": a, "sentence2": b, "labels": label} for a, b, label in PAIRS]
    told = metadata("TextkinPairs", "PairClassification", "similarity_ap")
    task = local(AbsTaskPairClassification, told, {"test": Dataset.from_list(rows)})
    ours = figure(tk.as_pairs(PAIRS), "default")
    assert main_score(mteb, tk.as_mteb(), task) == pytest.approx(ours, abs=1e-6)


@needs_mteb
@pytest.mark.parametrize("model", ["default", Sided()], ids=["default", "sided"])
def test_retrieval_by_vectors(mteb, model):
    """MTEB's search with the encoder, textkin's search behind MTEB's protocol, and textkin alone."""
    corpus, queries, relevant = collection()
    ours = figure(tk.RetrievalSet(corpus, queries, tk.Qrels.from_dict(relevant)), model, "ndcg@10")
    search = tk.as_mteb(model, search="vectors")
    for one in (tk.as_mteb(model), search):
        task, _ = retrieval()
        assert main_score(mteb, one, task) == pytest.approx(ours, abs=1e-6)


@needs_mteb
@pytest.mark.parametrize(
    "options",
    [
        {"mode": "words"},
        {},
        {"rerank": OfPairs(), "rerank_depth": 20},
    ],
    ids=["words", "hybrid", "reranked"],
)
def test_retrieval_by_a_collection(mteb, options, tmp_path):
    corpus, queries, relevant = collection()
    with tk.open_collection(tmp_path / "corpus", create=True) as opened:
        opened.add(list(corpus.values()), ids=list(corpus))
        found = opened.search(list(queries.values()), **options)
    run = tk.Run.from_dict(
        {
            name: {hit.entry_id: hit.score for hit in hits}
            for name, hits in zip(queries, found.hits, strict=True)
        }
    )
    measured = tk.measure(run, qrels=tk.Qrels.from_dict(relevant), measures=("ndcg@10",))
    ours = measured.rows()[0]["value"]
    task, _ = retrieval()
    assert main_score(mteb, tk.as_mteb(search=options), task) == pytest.approx(ours, abs=1e-6)


@needs_mteb
def test_reranking(mteb):
    """A scorer of pairs, and a search among candidates, compared with the definition."""
    corpus, queries, relevant = collection()
    _, candidates = retrieval(reranking=True)
    for opened, model in (
        (OfPairs(), tk.as_mteb(OfPairs())),
        (tk.load(), tk.as_mteb(search="vectors")),
    ):
        order = {}
        for query, names in candidates.items():
            scores = opened.score([(queries[query], corpus[name]) for name in names])
            assert len(set(scores.tolist())) == len(names)
            order[query] = [names[place] for place in np.argsort(-scores)]
        task, _ = retrieval(reranking=True)
        assert main_score(mteb, model, task) == pytest.approx(ndcg(order, relevant), abs=1e-6)


@needs_mteb
def test_who_a_model_is(mteb):
    meta = tk.as_mteb().mteb_model_meta
    assert (meta.name, meta.embed_dim, meta.model_type) == ("textkin/default", 128, ["dense"])
    assert meta.revision == tk.as_mteb("default").mteb_model_meta.revision
    both = [tk.as_mteb(search=mode).mteb_model_meta for mode in ("words", "hybrid")]
    assert [one.name for one in both] == ["textkin/words", "textkin/hybrid+default"]
    assert len({meta.revision, *(one.revision for one in both)}) == 3
    assert tk.as_mteb(OfPairs()).mteb_model_meta.is_cross_encoder


def test_two_objects_of_one_name_have_two_revisions():
    other = Sided()
    other._plain = Sided()  # documents are the same, scores too
    other.encode = lambda texts, *, side=Side.DOCUMENT: tk.load().encode(texts)
    revisions = [tk.as_mteb(one).revision for one in (Sided(), Sided(), other)]
    assert revisions[0] == revisions[1] != revisions[2]


def test_sides_and_cosines():
    model = tk.as_mteb(Sided())
    batches = [{"text": ["one text"], "title": [""]}, {"text": ["two texts", "three"]}]
    documents, queries = model.encode(batches), model.encode(batches, prompt_type="query", batch_size=8)
    assert documents.shape == queries.shape == (3, 128) and not np.allclose(documents, queries)
    assert np.array_equal(documents, model.encode(batches, prompt_type="document"))
    np.testing.assert_allclose(np.diag(model.similarity(documents, documents * 3)), 1, atol=1e-6)
    np.testing.assert_allclose(
        model.similarity_pairwise(documents, queries),
        np.diag(model.similarity(documents, queries)),
        atol=1e-7,
    )
    assert model.similarity(documents[0], documents).shape == (1, 3)
    assert model.similarity(np.zeros((1, 2)), np.ones((1, 2))).tolist() == [[0]]


def test_a_corpus_and_its_candidates():
    model = tk.as_mteb(search="words")
    with pytest.raises(DataError, match="nothing was indexed"):
        model.search([], top_k=1)
    rows = [
        {"id": "a", "title": "Parking", "text": "At the back."},
        {"id": "b", "title": None, "text": "We sell bread. Park here."},
        {"id": "c", "title": "", "text": " "},
    ]
    model.index(rows, num_proc=None)
    queries = [{"id": "q", "text": "parking", "instruction": "or bread"}, {"id": "r", "text": "zebra"}]
    found = model.search(queries, top_k=5)
    assert set(found["q"]) == {"a", "b"} and found["r"] == {}
    assert set(model.search(queries, top_k=1, top_ranked={"q": ["b", "none"]})["q"]) == {"b"}
    with pytest.raises(DataError, match="two documents have the id 'a'"):
        model.index([rows[0], rows[0]])
    with pytest.raises(DataError, match="nothing was indexed"):
        model.search(queries, top_k=1)


def test_what_cannot_be(tmp_path):
    with pytest.raises(UsageError) as error:
        tk.as_mteb("bm25")
    assert error.value.params == ("model",)
    with pytest.raises(UsageError) as error:
        tk.as_mteb(search={"where": "year > 2000"})
    assert error.value.params == ("where", "min_probability")
    with pytest.raises(ModelError):
        tk.as_mteb(str(tmp_path / "none"))
    with pytest.raises(DataError, match="a batch of image"):
        tk.as_mteb().encode([{"image": ["?"]}])
    with pytest.raises(DataError, match="expected"):
        tk.as_mteb().encode([{"text": [None]}])
    with pytest.raises(DataError, match="2 texts beside 1"):
        tk.as_mteb(OfPairs()).predict([{"text": ["a", "b"]}], [{"text": ["a"]}])
