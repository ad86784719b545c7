import subprocess
import sys

import pytest

from tests.text.static_folders import table, write
from textkin.base.errors import DataError, UsageError
from textkin.data.protocols import Encoder, Scorer
from textkin.text.baselines import build, read_by
from textkin.text.baselines.names import BASELINES

TEXTS = ["the cat sat", "a dog"]


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("the 1 2\ncat 3 4\n")
    return path


@pytest.mark.parametrize("name", [*BASELINES, "bm25(k1=0.9,b=0.4)", "bm25:english(variant=l,delta=0.2)"])
def test_every_baseline_is_built_and_keeps_its_name(name, vectors):
    scorer = build(name, fit_texts=TEXTS, vectors=vectors)
    assert scorer.name == name
    assert isinstance(scorer, Scorer)
    assert scorer.score([("the cat", "cat the"), ("a", "b")]).shape == (2,)


def test_names_with_parameters_are_baselines_and_wrong_ones_refused():
    assert "bm25:english(k1=0.9)" in BASELINES
    assert "tfidf(k1=0.9)" not in BASELINES
    assert [read_by("bm25(b=0)", "english"), read_by("hybrid:bm25(b=0)+minilm", "english")] == [
        "bm25:english(b=0)",
        "hybrid:bm25:english(b=0)+minilm",
    ]
    with pytest.raises(UsageError) as error:
        build("bm25(b=2)", fit_texts=TEXTS)
    assert error.value.value == "bm25(b=2)"


def test_mean_vectors_of_a_static_embedding(tmp_path):
    folder = write(tmp_path / "static", {"embeddings": table()})
    scorer = build("mean-vectors", fit_texts=TEXTS, vectors=folder)
    assert scorer.name == "mean-vectors"
    assert isinstance(scorer, Encoder)
    assert scorer.dim == 6
    with pytest.raises(UsageError, match="leave out the SIF weighting"):
        build("mean-vectors", fit_texts=TEXTS, vectors=folder, sif=True)


def test_the_options_reach_the_scorers(vectors):
    pair = [("the cat", "cat")]
    plain, sif = (build("mean-vectors", fit_texts=TEXTS, vectors=vectors, sif=sif) for sif in (False, True))
    assert plain.score(pair) != sif.score(pair)
    first, second = (build("random", fit_texts=TEXTS, seed=seed) for seed in (1, 2))
    assert first.score(pair) != second.score(pair)


def test_wrong_names_and_missing_vectors(tmp_path):
    with pytest.raises(UsageError) as error:
        build("tfidf-chars", fit_texts=TEXTS)
    assert error.value.params == ("model",)
    with pytest.raises(UsageError) as error:
        build("mean-vectors", fit_texts=TEXTS)
    assert error.value.params == ("vectors",)
    with pytest.raises(DataError) as error:
        build("mean-vectors", fit_texts=TEXTS, vectors=tmp_path / "none.txt")
    assert str(error.value.path).endswith("none.txt")


@pytest.mark.slow
def test_no_torch_and_nothing_heavy_at_import():
    script = (
        "names = ('bm25', 'tfidf', 'lucene-classic', 'order');"
        "import sys, textkin.text.baselines; assert not {'scipy', 'torch'} & set(sys.modules);"
        "from textkin.text.baselines import build;"
        "[build(name, fit_texts=['some words']).score([('a', 'b')]) for name in names];"
        "import textkin.text.baselines.static_encoder, textkin.text.baselines.mean_vectors;"
        "assert not {'torch', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
