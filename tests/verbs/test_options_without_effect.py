"""Options that would change nothing are refused, each by its name."""

from pathlib import Path

import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import UsageError
from textkin.data import samples

EXAMPLES = {"delivery": ["Where is my parcel?"], "account": ["I forgot my password"]}
QUERIES = pd.DataFrame({"text": ["to park"], "key": ["q"]})
NOWHERE = Path("nothing.vec")


@pytest.mark.parametrize(
    ("call", "params"),
    [
        (lambda: tk.classify(["A parcel?"], EXAMPLES, "tfidf", baselines=["bm25"]), ("baselines",)),
        (lambda: tk.classify(["A parcel?"], EXAMPLES, "tfidf", vectors=NOWHERE), ("vectors",)),
        (lambda: tk.score("a b", "a c", "minhash", sample=20), ("sample",)),
        (lambda: tk.score("a b", "a c", "minhash", explain=True, threshold=0.5), ("threshold",)),
        (lambda: tk.score("a b", "a c", "minhash", explain=True, attention=Path("x.html")), ("attention",)),
        (lambda: tk.score("a b", "a c", "minhash", vectors=NOWHERE), ("vectors",)),
        (lambda: tk.explain("a b", "a c", "minhash", vectors=NOWHERE), ("vectors",)),
        (lambda: tk.encode(["a b"], vectors=NOWHERE), ("vectors",)),
        (lambda: tk.calibrate(samples.pairs("cooking"), "default", vectors=NOWHERE), ("vectors",)),
        (lambda: tk.negatives(samples.pairs("cooking"), out="n.tsv", vectors=NOWHERE), ("vectors",)),
        (lambda: tk.search(["Park here"], QUERIES, mode="words", id="key"), ("id",)),
    ],
)
def test_an_option_without_effect_is_refused(call, params):
    with pytest.raises(UsageError, match="apply") as error:
        call()
    assert error.value.params == params


def test_leaks_are_not_accepted_for_a_collection(tmp_path):
    with tk.open_collection(tmp_path / "c", create=True) as made:
        made.add(["Park here"])
    with pytest.raises(UsageError, match="apply") as error:
        tk.calibrate({"q": {"a": 1}}, tmp_path / "c", queries={"q": "to park"}, accept_leaks=True)
    assert error.value.params == ("accept_leaks",)


@pytest.mark.parametrize("model", ["mean-vectors", "hybrid:mean-vectors"])
def test_word_vectors_are_for_systems_that_read_them(model, tmp_path):
    (tmp_path / "w.vec").write_text("a 1 0\nb 0 1\nc 1 1\n")
    found = tk.score([("a b", "a c"), ("a b", "b")], model=model, vectors=tmp_path / "w.vec")
    assert len(found) == 2
