from __future__ import annotations

import csv
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import textkin as tk
from textkin.base import locks
from textkin.base.errors import DataError, OutputError, PromiseError, UsageError
from textkin.cli import main
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.vectors.join import all_pairs as join_pairs
from textkin.vectors.unique_texts import kept_beside
from textkin.verbs.mine.mined_pairs import MinedPairs

ENCODER = tk.load_encoder()
WORDS = ("blue", "red", "car", "boat", "fast", "slow", "my", "the")


def sentences(count: int, *, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(2, 5))) for _ in range(count)]


def cosine(one: NDArray[np.float32], other: NDArray[np.float32]) -> np.float32:
    product, squares = (
        one.astype(float) @ other,
        (one.astype(float) @ one) * (other.astype(float) @ other),
    )
    return np.float32(product / np.sqrt(squares)) if squares else np.float32(0)


def expected(texts: list[str], vectors: NDArray[np.float32], threshold: float) -> list[tuple[Any, ...]]:
    """(score, text, text) of all pairs of different texts, in order."""
    place = {text: texts.index(text) for text in texts}
    pairs = [
        (cosine(vectors[place[a]], vectors[place[b]]), a, b)
        for a, b in itertools.combinations(sorted(place), 2)
    ]
    return sorted(
        (pair for pair in pairs if pair[0] >= np.float32(threshold)),
        key=lambda pair: (-pair[0], *pair[1:]),
    )


def found(
    mined: MinedPairs, texts: list[str], others: list[str] | None = None
) -> list[tuple[float, str, str]]:
    pairs = mined.pairs
    return [
        (score, texts[a], (others or texts)[b])
        for score, a, b in zip(pairs.score.tolist(), pairs.a.tolist(), pairs.b.tolist(), strict=True)
    ]


def table(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream, delimiter="\t"))


@pytest.mark.parametrize("threshold", [-1, 0.5, 0.9, 1])
def test_all_pairs_above_a_threshold(threshold: float) -> None:
    texts = sorted(set(sentences(40)))
    vectors = ENCODER.encode(texts)
    wanted = expected(texts, vectors, threshold)
    mined = tk.mine(texts, ENCODER, threshold=threshold)
    assert found(mined, texts) == wanted and len(mined) == len(wanted)
    assert found(tk.mine(texts, embeddings=vectors * 4, threshold=threshold), texts) == wanted
    about = mined.about
    assert (about.threshold, about.chosen, about.recall, about.equal) == (threshold, "given", None, 0)
    assert about.compared == len(texts) * (len(texts) - 1) // 2


def test_equal_texts_are_a_chain() -> None:
    texts = ["b", "a fast car", "b", "b", "a fast car", "cars that are fast"]
    mined = tk.mine(texts, ENCODER, threshold=0.5)
    first, *_, last = found(mined, texts)
    assert list(zip(mined.pairs.a, mined.pairs.b, strict=True)) == [(1, 4), (0, 2), (0, 3), (1, 5)]
    assert first[0] == 1 and 0.5 < last[0] < 1
    assert (mined.about.equal, mined.about.different, mined.about.texts) == (3, 3, 6)


def test_many_equal_texts_are_no_square() -> None:
    texts = ["all the same"] * 20_000
    mined = tk.mine(texts, ENCODER, top=1500)
    assert (mined.about.pairs, mined.about.equal, mined.about.left_out) == (1500, 1500, 18_499)
    assert set(mined.pairs.a) == {0} and mined.pairs.b.tolist() == list(range(1, 1501))
    assert len(mined.rethreshold(0.5)) == 19_999


@pytest.mark.parametrize("top", [1, 7, 100, 5000])
def test_the_best_pairs(top: int) -> None:
    texts = sentences(60)
    everything = tk.mine(texts, ENCODER, threshold=-1)
    mined = tk.mine(texts, ENCODER, top=top)
    assert found(mined, texts) == found(everything, texts)[:top]
    assert mined.about.threshold == (mined.pairs.score[-1] if top < 5000 else -1)
    assert mined.about.equal + mined.about.left_out == everything.about.equal


@pytest.mark.parametrize("wanted", [dict(top=3), dict(top=10), dict(per_text=1), dict(threshold=-1)])
def test_texts_of_unknown_tokens_take_no_place(wanted: dict[str, Any]) -> None:
    known = ["an old map of the harbour", "tax", "gravity waves", "she laughed", "a red car"]
    unknown = ["жыроф ыка бруъ", "жыроф ыка бруът", "жыроф ыка бруъты"]
    mined = tk.mine([*unknown, *known], ENCODER, **wanted)
    assert mined.about.withheld_texts == 3
    alone = tk.mine(known, ENCODER, **wanted)
    assert found(mined, [*unknown, *known]) == found(alone, known)
    assert mined.pairs.score.min() < 0 or wanted != dict(threshold=-1)
    assert len(tk.mine(unknown, ENCODER, **wanted)) == 0
    both = tk.mine(unknown, ENCODER, against=[*known, unknown[0]], **wanted)
    assert [(pair.id_a, pair.id_b) for pair in both] == [(0, 5)]


@pytest.mark.parametrize("depth", [1, 3, 200])
def test_the_best_of_each_text(depth: int) -> None:
    texts = sorted(set(sentences(50)))
    vectors = ENCODER.encode(texts)
    everything = expected(texts, vectors, -1)
    wanted = set()
    for text in texts:
        others = [pair for pair in everything if text in pair[1:]]
        # of equals the one that comes first in the order of texts
        others.sort(key=lambda pair: (-pair[0], pair[1] if pair[2] == text else pair[2]))
        wanted |= set(others[:depth])
    mined = tk.mine(texts, ENCODER, per_text=depth)
    assert found(mined, texts) == [pair for pair in everything if pair in wanted]
    assert mined.about.chosen == f"the {depth} best of each text"


def test_texts_without_a_direction_have_no_partners() -> None:
    texts, vectors = list("abcd"), np.array([[1, 0], [0, 0], [-1, 0], [0, 0]], dtype=np.float32)
    for depth in (1, 3):  # nor do they take the place of another
        assert found(tk.mine(texts, embeddings=vectors, per_text=depth), texts) == [(-1, "a", "c")]
    assert len(tk.mine(texts, embeddings=vectors, threshold=0)) == 5


def test_two_sets() -> None:
    texts, others = sentences(30), [*sentences(20, seed=1), "", "zzz"]
    ours, theirs = sorted(set(texts)), sorted(set(others))
    vectors = dict(zip([*ours, *theirs], ENCODER.encode([*ours, *theirs]), strict=True))
    pairs = [
        (np.float32(1) if a == b else cosine(vectors[a], vectors[b]), a, b)
        for a, b in itertools.product(ours, theirs)
    ]
    pairs = sorted(
        (pair for pair in pairs if pair[0] >= np.float32(0.8)),
        key=lambda pair: (pair[1] != pair[2], -pair[0], *pair[1:]),
    )
    mined = tk.mine(texts, ENCODER, against=others, threshold=0.8)
    assert found(mined, texts, others) == pairs
    assert mined.about.equal == len(set(texts) & set(others)) > 0
    assert mined.about.compared == len(ours) * len(theirs) - mined.about.equal
    assert all(mined.pairs.a[place] == texts.index(a) for place, (_, a, _) in enumerate(pairs))
    assert found(tk.mine(texts, ENCODER, against=others, top=5), texts, others) == pairs[:5]
    each = tk.mine(texts, ENCODER, against=others, per_text=1)
    assert {texts[a] for a in each.pairs.a} == set(texts) and len(each) == len(ours)


def test_texts_that_repeat_another_of_their_set_are_told() -> None:
    left, right = (
        ["a red car", "a blue boat", "a red car"],
        ["a blue boat", "my boat", "a blue boat", "a red car"],
    )
    found = tk.mine(left, against=right, threshold=0.99)
    assert [(pair.id_a, pair.id_b) for pair in found] == [(1, 0), (0, 3)]
    assert found.about.repeated == 2
    assert "2 texts repeat another of the same side" in found.text()
    assert tk.mine(left, threshold=0.99).about.repeated == 0


def test_equal_texts_of_two_sets_are_found_whatever_their_vectors() -> None:
    mined = tk.mine(
        ["a", "b"],
        embeddings=np.array([[1.0, 0], [0, 0]]),
        against=["b", "a"],
        against_embeddings=np.array([[0.0, 0], [0.999, 0.01]]),
        threshold=1,
    )
    assert list(zip(mined.pairs.a, mined.pairs.b, strict=True)) == [(0, 1), (1, 0)]


@pytest.mark.slow
@settings(max_examples=15)
@given(st.data(), st.sampled_from([dict(threshold=0.8), dict(top=9), dict(per_text=2)]))
def test_the_order_of_texts_changes_nothing(data: st.DataObject, wanted: dict[str, Any]) -> None:
    texts = data.draw(st.lists(st.sampled_from(sentences(15)), min_size=1, max_size=15))
    again = data.draw(st.permutations(texts))
    once, twice = tk.mine(texts, ENCODER, **wanted), tk.mine(again, ENCODER, **wanted)
    assert found(once, texts) == found(twice, again)


@pytest.mark.parametrize("wanted", [dict(threshold=0.8), dict(top=40), dict(per_text=2), dict(top=2)])
@pytest.mark.parametrize("threshold", [0.3, 0.8, 0.95, 1])
def test_another_threshold_is_as_a_new_call(wanted: dict[str, Any], threshold: float) -> None:
    texts = sentences(60)
    mined, fresh = (
        tk.mine(texts, ENCODER, **wanted),
        tk.mine(texts, ENCODER, threshold=threshold),
    )
    again = mined.rethreshold(threshold)
    assert found(again, texts) == found(fresh, texts)
    for name in ("pairs", "equal", "left_out", "threshold", "chosen", "compared"):
        assert getattr(again.about, name) == getattr(fresh.about, name)
    assert found(again.rethreshold(0.5), texts) == found(tk.mine(texts, ENCODER, threshold=0.5), texts)


def test_a_higher_threshold_compares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    mined = tk.mine(sentences(60), ENCODER, threshold=0.5)
    monkeypatch.setattr("textkin.vectors.compute_engine.pairs_above", None)
    assert len(mined.rethreshold(0.9)) < len(mined.rethreshold(0.5)) == len(mined)


@pytest.mark.slow
def test_about_a_share_of_the_pairs() -> None:
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((800, 16))
    vectors = (np.repeat(centres, 4, axis=0) + 0.1 * rng.standard_normal((3200, 16))).astype(np.float32)
    texts = [f"text {number}" for number in range(len(vectors))]
    mined = tk.mine(texts, embeddings=vectors, threshold=0.9, recall=0.9)
    exact = tk.mine(texts, embeddings=vectors, threshold=0.9)
    assert set(found(mined, texts)) <= set(found(exact, texts))
    assert len(mined) / len(exact) > 0.85 and mined.about.recall.value > 0.85
    assert "cells" in mined.about.method
    again = mined.rethreshold(0.95)
    assert "cells" in again.about.method and again.about.recall.low > 0.8


class WithThreshold:
    """The built-in encoder with a threshold, as in a model folder."""

    __module__ = "textkin.models.inference.scorers"  # a stand-in for a trained encoder

    def __init__(self, goal: str) -> None:
        self._encoder = ENCODER
        self.name, self.dim, self.encode = "mine", self._encoder.dim, self._encoder.encode
        self.score = self._encoder.score
        labels = np.repeat([1.0, 0, 1, 0], 200)
        scores = np.repeat(np.array([0.9, 0.8, 0.7, 0.1], dtype=np.float32), 200)
        self.model = type(
            "Model",
            (),
            {
                "threshold": SavedThreshold(
                    fit_threshold(labels, scores, Goal.parse(goal)), "dev.tsv", precision=(0.5, 1)
                )
            },
        )


def test_the_threshold_of_the_model() -> None:
    texts = sentences(40)
    fitted = WithThreshold("precision=0.9")
    for wanted in (dict(precision=0.9), dict(precision=0.5), dict()):
        mined = tk.mine(texts, fitted, **wanted)
        assert found(mined, texts) == found(tk.mine(texts, ENCODER, threshold=np.float32(0.85)), texts)
        assert mined.about.chosen.endswith(
            "fitted on dev.tsv for precision=0.9: there precision 1.000, recall 0.500; "
            "on pairs like those precision 0.500 to 1.000"
        )
    for model, words in (
        (fitted, "the threshold of mine is for precision=0.9, not for precision 0.95"),
        (WithThreshold("f1"), "the threshold of mine is for f1, not for precision 0.95"),
        (WithThreshold("precision=0.95:estimate"), "has precision 0.95 by the estimate only"),
        ("default", "default has no threshold for precision 0.95; fit one .*tk.calibrate"),
    ):
        with pytest.raises(PromiseError, match=words):
            tk.mine(texts, model, precision=0.95)
    vectors = ENCODER.encode(texts)
    with pytest.raises(PromiseError):
        tk.mine(texts, embeddings=vectors, precision=0.9)
    assert len(tk.mine(texts, fitted, embeddings=vectors, precision=0.9)) == len(mined)


def test_without_a_threshold_the_best_are_shown() -> None:
    mined = tk.mine(sentences(60), ENCODER)
    assert mined.about.pairs == 1000 and "as no threshold is known" in mined.about.chosen


def test_one_text() -> None:
    for wanted in (dict(threshold=0.5), dict(top=3), dict(per_text=2), dict()):
        assert len(tk.mine(["alone"], ENCODER, **wanted)) == 0


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"threshold": 2}, ("threshold",)),
        ({"threshold": float("nan")}, ("threshold",)),
        ({"precision": 1.5}, ("precision",)),
        ({"top": 0}, ("top",)),
        ({"per_text": 0}, ("per_text",)),
        ({"threshold": 0.5, "top": 3}, ("threshold", "top")),
        ({"threshold": 0.5, "recall": 1.0}, ("recall",)),
        ({"top": 5, "recall": 0.9}, ("recall", "top")),
        ({"recall": 0.9}, ("threshold",)),
        ({"recall": 0.9, "threshold": 0.5, "against": ["c"]}, ("recall",)),
        ({"against_embeddings": np.ones((1, 2))}, ("embeddings", "against_embeddings")),
        ({"against": ["c"], "embeddings": np.ones((2, 2))}, ("embeddings", "against_embeddings")),
        ({"dtype": "fp16"}, ("dtype",)),
        ({"ids_only": True}, ("out",)),
        (
            {"embeddings": np.ones((2, 2)), "dtype": "fp32", "unknown": "accept", "long": "windows"},
            ("long", "unknown", "dtype"),
        ),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], params: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as error:
        tk.mine(["a", "b"], **options)
    assert error.value.params == params


def test_vectors_of_two_widths() -> None:
    with pytest.raises(DataError) as error:
        tk.mine(
            ["a"],
            embeddings=np.ones((1, 2)),
            against=["b"],
            against_embeddings=np.ones((1, 3)),
            threshold=0.5,
        )
    assert error.value.value == (2, 3)
    with pytest.raises(DataError) as error:
        tk.mine([], threshold=0.5)
    assert error.value.params == ("texts",)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    rows = [f"{1000 - number},{text}" for number, text in enumerate(sentences(60))]
    path.write_text("id,text\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_file_of_pairs(tmp_path: Path, file: Path) -> None:
    out = tmp_path / "pairs.tsv"
    done = tk.mine(file, out=out, threshold=0.8)
    texts = sentences(60)[::-1]  # by id
    header, *rows = table(out)
    assert header == ["score", "id_a", "id_b", "text_a", "text_b"]
    mined = tk.mine(texts, ENCODER, threshold=0.8)
    assert [(np.float32(row[0]), *row[3:]) for row in rows] == found(mined, texts)
    assert [row[1] for row in rows] == [str(941 + place) for place in mined.pairs.a]
    assert done.about.pairs == len(rows) > done.about.equal > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pairs.tsv", "texts.csv"]
    tk.mine(file, out=tmp_path / "ids.tsv", threshold=0.8, ids_only=True)
    assert table(tmp_path / "ids.tsv") == [header[:3], *(row[:3] for row in rows)]
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([lines[0], *sorted(lines[1:])]), encoding="utf-8")
    before = out.read_bytes()
    tk.mine(file, out=out, threshold=0.8)
    assert out.read_bytes() == before


def test_what_was_interrupted_goes_on(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, whole = tmp_path / "pairs.tsv", tmp_path / "whole.tsv"
    monkeypatch.setattr(join_pairs, "BLOCK", 16)
    monkeypatch.setattr("textkin.vectors.join.all_pairs.cores", lambda: 1)
    tk.mine(file, out=whole, threshold=0.5)
    done = []
    block = join_pairs._block

    def dies(*arguments: Any) -> Any:
        if len(done) == 2:
            done.append("stopped")
            raise KeyboardInterrupt
        pairs = block(*arguments)
        done.append(pairs)
        return pairs

    monkeypatch.setattr(join_pairs, "_block", dies)
    with pytest.raises(KeyboardInterrupt):
        tk.mine(file, out=out, threshold=0.5)
    folder = tmp_path / ".pairs.tsv.mining"
    assert (
        not out.exists() and len(list(folder.rglob("*.pairs"))) == 2 and len(list(folder.glob("*.npy"))) == 1
    )
    monkeypatch.setattr("textkin.vectors.unique_texts.append_vectors", None)  # nothing is encoded again
    tk.mine(file, out=out, threshold=0.5)
    assert out.read_bytes() == whole.read_bytes() and not folder.exists()


def test_another_threshold_after_an_interruption(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, whole = tmp_path / "pairs.tsv", tmp_path / "whole.tsv"
    tk.mine(file, out=whole, threshold=0.7)
    with monkeypatch.context() as patched:
        patched.setattr("textkin.verbs.mine.mined_file._rows", None)
        with pytest.raises(TypeError):
            tk.mine(file, out=out, threshold=0.5)
    tk.mine(file, out=out, threshold=0.7)
    assert out.read_bytes() == whole.read_bytes()


def test_a_file_that_another_call_is_making_stays(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0)
    out = tmp_path / "pairs.tsv"
    with (
        kept_beside(out, "mining") as folder,
        pytest.raises(OutputError),
    ):
        tk.mine(file, out=out, threshold=0.5)
        assert folder.is_dir()
    tk.mine(file, out=out, threshold=0.5)
    assert not folder.exists()


def test_files_that_are_refused(tmp_path: Path, file: Path) -> None:
    wanted = dict(threshold=0.5)
    with pytest.raises(UsageError) as error:
        tk.mine(tmp_path / "a.tsv", out=tmp_path / "a.tsv", **wanted)
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        tk.mine(file, out=tmp_path / "pairs.npy", **wanted)
    assert error.value.params == ("out",)
    (tmp_path / "folder.tsv").mkdir()
    with pytest.raises(OutputError):
        tk.mine(file, out=tmp_path / "folder.tsv", **wanted)
    with pytest.raises(OutputError):
        tk.mine(file, out=file / "pairs.tsv", **wanted)
    np.save(tmp_path / "v.npy", np.ones((59, 2)))
    with pytest.raises(DataError) as error:
        tk.mine(file, out=tmp_path / "pairs.tsv", **wanted, embeddings=tmp_path / "v.npy")
    assert str(error.value.path).endswith("v.npy")
    (tmp_path / "blank.txt").write_text("\n \n")
    with pytest.raises(DataError) as error:
        tk.mine(tmp_path / "blank.txt", out=tmp_path / "pairs.tsv", **wanted)
    assert str(error.value.path).endswith("blank.txt")
    assert not (tmp_path / "pairs.tsv").exists()


def test_pairs_of_the_same_words_in_another_order_are_counted(tmp_path, capsys):
    texts = ["Are cats afraid of tigers?", "Are tigers afraid of cats?", "Can I park?", "can I park"]
    found = tk.mine(texts, threshold=0.5)
    assert found.about.reordered == 1
    again = tk.mine(texts[:1], against=texts[1:], top=3)
    assert again.about.reordered == 1
    (tmp_path / "a.txt").write_text("\n".join(texts), encoding="utf-8")
    files = [str(tmp_path / "a.txt"), "--out", str(tmp_path / "a.tsv")]
    assert main(["mine", *files, "--threshold", "0.9"]) == 0
    told = capsys.readouterr().out
    assert "1 pair has score 1 but another word order that vectors ignore; textkin dedupe keeps" in told


@pytest.mark.parametrize("out", [None, "mined.tsv", "mined.parquet"])
def test_a_report_shows_the_scores(tmp_path: Path, out: str | None) -> None:
    page = tmp_path / "scores.html"
    found = tk.mine(sentences(60), top=20, report=page, out=None if out is None else tmp_path / out)
    same = tk.mine(sentences(60), top=20)
    assert isinstance(same, MinedPairs) and page.read_text() == same.plot().page
    assert len(found if isinstance(found, MinedPairs) else tk.load_pairs(found.out).data) == 20


def test_a_report_of_no_pairs(tmp_path: Path) -> None:
    page = tmp_path / "scores.html"
    tk.mine(["apples grow", "trains leave"], threshold=0.99, out=tmp_path / "none.tsv", report=page)
    assert "Scores of pairs: 0 pairs." in page.read_text()


def test_two_lists_of_texts_are_told_apart_from_a_model() -> None:
    with pytest.raises(UsageError) as error:
        tk.mine(["one"], ["two"])
    assert error.value.params == ("model",) and "against" in error.value.fix


@pytest.mark.parametrize("against", [False, True])
def test_equal_texts_have_the_same_first_id_in_memory_and_in_a_file(against: bool, tmp_path: Path) -> None:
    texts = sentences(40, seed=5)
    texts += texts[:20]
    ids = [f"r{place}" for place in np.random.default_rng(0).permutation(len(texts))]
    frame = pd.DataFrame({"id": ids, "text": texts})
    frame.to_csv(tmp_path / "texts.csv", index=False)
    others = {"against": frame.iloc[::-1]} if against else {}
    in_memory = tk.mine(frame, id="id", threshold=0.8, **others)
    turned = tk.mine(frame.iloc[::-1], id="id", threshold=0.8, **others)
    if against:
        others = {"against": tmp_path / "texts.csv"}
    out = tmp_path / "pairs.csv"
    tk.mine(tmp_path / "texts.csv", out=out, id="id", threshold=0.8, **others)
    with out.open(newline="") as stream:
        written = {(row["id_a"], row["id_b"]) for row in csv.DictReader(stream)}
    assert written == {(row.id_a, row.id_b) for row in in_memory}
    assert written == {(row.id_a, row.id_b) for row in turned}
    repeated = {name for name, text in zip(ids, texts, strict=True) if texts.count(text) > 1}
    pairs = [(row.id_a, row.id_b) for row in in_memory if row.text_a == row.text_b]
    assert repeated and all(first == second if against else first < second for first, second in pairs)


@pytest.mark.parametrize("ids_only", [False, True])
@pytest.mark.parametrize("longer", [False, True])
def test_ids_of_both_files_are_their_own(longer: bool, ids_only: bool, tmp_path: Path) -> None:
    one = {"p": "a red car", "q": "a blue boat", **({"r": "a stone"} if longer else {})}
    other = {"x": "nothing here", "y": "the boat is blue", "z": "a car is red", "w": "a red car"}
    for name, texts in (("one", one), ("other", other)):
        table = pd.DataFrame({"id": list(texts), "text": list(texts.values())})
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    pairs = tmp_path / "pairs.jsonl"
    files = tmp_path / "one.csv", tmp_path / "other.csv"
    tk.mine(files[0], against=files[1], threshold=0.6, ids_only=ids_only, out=pairs)
    rows = [json.loads(line) for line in pairs.read_text(encoding="utf-8").splitlines()]
    assert {(row["id_a"], row["id_b"]) for row in rows} == {("p", "w"), ("p", "z"), ("q", "y")}
    if not ids_only:
        assert all((one[row["id_a"]], other[row["id_b"]]) == (row["text_a"], row["text_b"]) for row in rows)


@pytest.mark.parametrize("ids_only", [False, True])
@pytest.mark.parametrize("between", ["", "a stone"])
def test_numbers_of_lines_are_strings_in_a_file(between: str, ids_only: bool, tmp_path: Path) -> None:
    lines = ["a red car", between, "a blue boat", "a red car", "the boat is blue"]
    (tmp_path / "texts.txt").write_text("\n".join(lines), encoding="utf-8")
    pairs = tmp_path / "pairs.jsonl"
    tk.mine(tmp_path / "texts.txt", threshold=0.6, ids_only=ids_only, out=pairs)
    rows = [json.loads(line) for line in pairs.read_text(encoding="utf-8").splitlines()]
    assert [(row["id_a"], row["id_b"]) for row in rows] == [("1", "4"), ("3", "5")]
    if not ids_only:
        named = {str(number): line for number, line in enumerate(lines, 1)}
        assert all((named[row["id_a"]], named[row["id_b"]]) == (row["text_a"], row["text_b"]) for row in rows)


def test_pairs_of_equal_texts_of_two_sides_are_not_of_different_ones() -> None:
    found = tk.mine(["a b", "park the car"], against=["b a", "a b", "weather"], threshold=0.9)
    assert (found.about.pairs, found.about.equal, found.about.compared) == (2, 1, 2 * 3 - 1)
    odd = "\ua66e\ua66e\ua66e \ua6a0\ua6a0\ua6a0"  # unknown, so it is paired with an equal text only
    found = tk.mine([odd, "a mill"], against=[odd, "a house"], top=3)
    assert (found.about.withheld_texts, found.about.equal, found.about.compared) == (2, 1, 1)
