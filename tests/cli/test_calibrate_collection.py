"""``textkin calibrate`` of a collection, and searches with the fit."""

import json

import pytest

from tests.collection.making import judged

ENTRIES, QUERIES, QRELS = judged()


def beir(folder, queries=QUERIES, qrels=QRELS, split="train"):
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    texts = {"corpus": {one.entry_id: one.text for one in ENTRIES}, "queries": queries}
    for name, rows in texts.items():
        lines = [json.dumps({"_id": key, "text": text}) for key, text in rows.items()]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    lines = [f"{q}\t{d}\t{value}" for q, own in qrels.to_dict().items() for d, value in own.items()]
    (folder / "qrels" / f"{split}.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *lines]) + "\n")
    return folder


@pytest.fixture
def collection(textkin, tmp_path):
    textkin("collection", "add", tmp_path / "c", beir(tmp_path / "beir"))
    return tmp_path / "c"


@pytest.mark.slow
def test_calibrate_and_search(textkin, collection, tmp_path):
    assert (
        "calibrate the collection on judged queries: textkin calibrate"
        in textkin("search", collection, "x", "--min-probability", "0.5").error
    )
    found = textkin("calibrate", collection, tmp_path / "beir", "--split", "train")
    assert "nDCG@10 weighted" in found.out and "Weights words" in found.out
    assert "answered without a relevant hit" in found.out
    shown = textkin("search", collection, "ice snow bread").out
    assert "fused by fitted weights (words" in shown and "probability" in shown.splitlines()[1]
    one = textkin("search", collection, "ice snow bread", "--json").json
    assert 0 < one["answered"] < 1 and all(0 < hit["probability"] < 1 for hit in one["hits"])
    none = textkin("search", collection, "ice", "--min-probability", "1")
    assert "nothing here answers this; the probability that anything does is 0." in none.out
    assert (
        "80 queries of beir at 90 entries"
        in textkin("collection", "info", collection, "--json").json["calibrated"][0]
    )
    textkin("collection", "compact", collection)
    assert textkin("collection", "repair", collection, "--json").json["count"] == 90
    assert textkin("search", collection, "ice snow bread", "--json").json == one


@pytest.mark.slow
def test_trec_judgements_and_test_queries(textkin, collection, tmp_path):
    _, others, qrels = judged(queries=40, seed=7)
    test = beir(tmp_path / "test", others, qrels, "test")
    lines = [f"{q} 0 {d} {value}" for q, own in QRELS.to_dict().items() for d, value in own.items()]
    (tmp_path / "qrels.txt").write_text("\n".join([*lines, "q1 0 nowhere 1"]) + "\n")
    table = "\n".join(["id\ttext", *(f"{key}\t{text}" for key, text in QUERIES.items())])
    (tmp_path / "queries.tsv").write_text(table + "\n")
    given = ("calibrate", collection, tmp_path / "qrels.txt", "--queries", tmp_path / "queries.tsv")
    found = textkin(*given, "-k", "5", "--json").json
    side = found["figures"]["qrels.txt, cross-validated"]
    assert (side["queries"], side["relevant"], side["absent"]) == (80, 60, 1)
    assert side["figures"]["ECE of hits"]["value"] < 0.1
    assert side["answering"][0]["answered"] == 1.0
    assert found["fitted"]["relevance"]["k"] == 5
    found = textkin(
        "calibrate", collection, tmp_path / "beir", "--split", "train", "--test", test, "--json"
    ).json
    assert found["figures"]["test"]["queries"] == 40
    assert "--queries doesn't apply" in textkin("calibrate", collection, test, "--queries", table).error
    assert (
        "a file of judgements needs --queries"
        in textkin("calibrate", collection, tmp_path / "qrels.txt").error
    )


@pytest.mark.slow
def test_options_that_do_not_go_together(textkin, collection, tmp_path):
    for wrong in (("--out", "x.json"), ("--method", "platt"), ("--fit", "x.txt")):
        found = textkin("calibrate", collection, tmp_path / "beir", *wrong)
        assert found.code == 2 and f"{wrong[0]} doesn't apply to a collection" in found.error
    found = textkin("calibrate", collection, tmp_path / "beir", "--columns", "a=1,b=2")
    assert found.code == 2 and "--columns doesn't apply to judged queries" in found.error
    found = textkin("calibrate", "default", tmp_path / "beir", "--rerank", "default")
    assert "--rerank doesn't apply to a model" in found.error


@pytest.mark.slow
def test_rerank(textkin, collection):
    found = textkin(
        "search", collection, "ice snow", "--rerank", "default", "--rerank-depth", "20", "--json"
    ).json
    by_vectors = textkin("search", collection, "ice snow", "--mode", "vectors", "-k", "90", "--json").json
    cosines = {hit["entry_id"]: hit["score"] for hit in by_vectors["hits"]}
    assert [hit["score"] for hit in found["hits"]] == pytest.approx(
        [cosines[hit["entry_id"]] for hit in found["hits"]], abs=1e-5
    )
    assert "reranked by default" in found["ranked_by"]
    assert (
        "--rerank-depth is 3"
        in textkin("search", collection, "ice", "--rerank-depth", "3", "--rerank", "default").error
    )
