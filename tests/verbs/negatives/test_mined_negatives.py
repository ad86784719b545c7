from __future__ import annotations

import csv
import json
import random
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.reference import hard_negatives as reference
from textkin.base.errors import DataError, ModelError, UsageError
from textkin.data.readers import load, load_candidates
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet, Qrels, RetrievalSet
from textkin.text.baselines.trivial import Random
from textkin.vectors.index import exact_search as exact
from textkin.verbs.negatives import mined_negatives
from textkin.verbs.negatives.options import NegativeOptions

TEXTS = [f"{style}{letter}" for letter in "abcdefgh" for style in ("", "  ", "?")]
VECTORS = [tuple(sign * (one == place) for one in range(4)) for sign in (1, -1) for place in range(4)]
VECTORS += [(1, 1, 1, 1), (1, 1, -1, -1), (-1, 1, -1, 1), (2, 2, -2, 2), (0, 0, 0, 0)]


class Exact:
    """An encoder whose cosines are exact in binary, so that ties are ties."""

    dim = 4

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        draw = random.Random(seed)
        self.vectors = {text: draw.choice(VECTORS) for text in TEXTS}

    def encode(self, texts, *, side=None):
        return np.array([self.vectors[text] for text in texts], dtype=np.float32).reshape(-1, 4)

    def score(self, pairs):
        return np.array([self.cosine(a, b) for a, b in pairs], dtype=np.float32)

    def cosine(self, a, b):
        one, other = np.array(self.vectors[a]), np.array(self.vectors[b])
        lengths = np.linalg.norm(one) * np.linalg.norm(other)
        return float(one @ other / lengths) if lengths else 0.0

    def found(self, a, b):
        return self.cosine(a, b) if any(self.vectors[a]) else None


@dataclass(frozen=True)
class Wanted:
    """Options in the form of the slow way."""

    options: NegativeOptions

    def __getattr__(self, name):
        return getattr(self.options, name)

    def draw(self, anchor, text):
        return float(Random(seed=self.options.seed).score([(anchor, text)])[0])


def pair_set(rows, name="made") -> PairSet:
    pairs = tuple(Pair(a, b, float(same), row=row) for row, (a, b, same) in enumerate(rows))
    return PairSet(pairs, LabelKind.BINARY, name=name)


def rows_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t" if path.suffix == ".tsv" else ","))


_MARGIN = st.sampled_from([None, 0.0, 0.25, 0.5, 1.0])


@st.composite
def wanted(draw) -> NegativeOptions:
    first, more, each = draw(st.integers(1, 4)), draw(st.integers(0, 6)), draw(st.integers(1, 4))
    return NegativeOptions(
        ranks=(first, first + max(more, each - 1)),
        each=each,
        margin=draw(_MARGIN),
        relative_margin=draw(_MARGIN),
        max_score=draw(st.sampled_from([None, -0.5, 0.0, 0.5])),
        filter_max=draw(st.sampled_from([None, 0.0, 0.5])),
        filter_margin=draw(_MARGIN),
        pick=draw(st.sampled_from(["top", "random"])),
        known=draw(st.sampled_from(["ranked", "first", "out"])),
        seed=draw(st.integers(0, 3)),
    )


FIRST = NegativeOptions(ranks=(1, 1), each=1, known="first")
ROWS = st.lists(
    st.tuples(st.sampled_from(TEXTS), st.sampled_from(TEXTS), st.sampled_from([0, 0, 1])),
    min_size=1,
    max_size=30,
)


@pytest.mark.slow
@given(
    rows=ROWS,
    options=wanted(),
    corpus=st.none() | st.lists(st.sampled_from(TEXTS), min_size=1),
    sources=st.integers(1, 2),
    seed=st.integers(0, 20),
)
@example([("a", "b", 1), ("a", "f", 0), ("a", "  f", 0)], FIRST, ["a"], 1, 0)
@example([("a", "a", 0), ("a", "c", 1)], FIRST, ["b"], 1, 0)
@example([("c", "a", 1), ("c", "b", 0), ("c", "  d", 0)], FIRST, ["b"], 1, 0)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_negatives_are_those_of_the_slow_way(
    tmp_path: Path, rows, options: NegativeOptions, corpus, sources: int, seed: int
) -> None:
    encoders = [Exact(f"source{number}", seed + 100 * number) for number in range(sources)]
    asks = options.filter_max is not None or options.filter_margin is not None
    judge = Exact("judge", seed + 1000) if asks else None
    texts = [b for _, b, _ in rows] if corpus is None else corpus
    functions = {one.name: one.found for one in encoders}
    ask = None if judge is None else judge.cosine
    found, dropped, spare = reference.mine(rows, texts, functions, ask, Wanted(options))
    expected = [
        (anchor, positive, text, str(rank), source)
        for anchor, negatives_ in found.items()
        for positive in sorted({b for a, b, same in rows if same and a == anchor})
        if reference.key(positive) != reference.key(anchor)
        for text, source, rank in negatives_
    ]
    out = tmp_path / "out.tsv"
    arguments = {"models": encoders, "filter": judge, "options": options}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "_DOCUMENTS_AT_ONCE", 3)
        patch.setattr(mined_negatives, "_ANCHORS_AT_ONCE", 2)
        if not expected:
            with pytest.raises(DataError):
                mined_negatives.mine_negatives(pair_set(rows), out=out, corpus=corpus, **arguments)
            return
        done = mined_negatives.mine_negatives(pair_set(rows), out=out, corpus=corpus, **arguments)
        mixed = random.Random(seed).sample(rows, len(rows))
        mixed_corpus = None if corpus is None else corpus[::-1]
        mined_negatives.mine_negatives(
            pair_set(mixed), out=tmp_path / "mixed.tsv", corpus=mixed_corpus, **arguments
        )
    written = rows_of(out)
    columns = ("anchor", "positive", "negative", "rank", "source")
    assert [tuple(row[name] for name in columns) for row in written] == expected
    by = judge or encoders[0]
    for row in written:
        assert float(row["positive_score"]) == by.cosine(row["anchor"], row["positive"])
        assert float(row["negative_score"]) == by.cosine(row["anchor"], row["negative"])
    assert {reason: count for reason, count in done.dropped.items() if count} == Counter(dropped)
    assert (done.spare, done.written) == (spare, len(expected))
    assert done.negatives == sum(map(len, found.values()))
    assert done.candidates == sum(done.dropped.values()) + done.negatives + done.spare
    assert done.short == sum(len(one) < options.each for one in found.values())
    assert done.without == sum(not one for one in found.values())
    assert (tmp_path / "mixed.tsv").read_bytes() == out.read_bytes()


FRUIT = [
    ("how to eat an apple", "eating apples, how", 1),
    ("how to eat an apple", "how to grow an apple", 0),
    ("eating apples, how", "which way is an apple to eat", 1),
    ("how to peel a pear", "how is a pear peeled", 1),
    ("how to peel a pear", "how to eat a pear", 0),
    ("HOW to peel a pear?", "pear, how to peel", 1),
]


def test_bm25_finds_texts_with_a_shared_word_and_the_gold_graph_is_respected(tmp_path: Path) -> None:
    options = NegativeOptions(ranks=(1, 10), each=4)
    done = mined_negatives.mine_negatives(pair_set(FRUIT), out=tmp_path / "out.jsonl", options=options)
    found: dict[str, set[str]] = {}
    for row in rows_of(tmp_path / "out.jsonl"):
        found.setdefault(row["anchor"], set()).add(row["negative"])
    pear = {"how is a pear peeled", "pear, how to peel"}
    # The second anchor is a duplicate of the first, and so are all that ask how to eat apples.
    assert found["how to eat an apple"] == {"how to grow an apple", "how to eat a pear", *pear}
    assert found["HOW to peel a pear?"] == found["how to peel a pear"]
    assert not pear & found["how to peel a pear"]
    assert (done.sources, done.anchors, done.positives, done.corpus) == (("bm25",), 4, 4, 6)


def test_baselines_rank_by_an_analyser(tmp_path: Path) -> None:
    pairs = PairSet((Pair("running", "a runner"), Pair("zebra", "a horse")), LabelKind.NONE)
    corpus = ["she runs", "he walks", "cats sit"]
    options = NegativeOptions(ranks=(1, 3), each=1)
    found = mined_negatives.mine_negatives(
        pairs, out=tmp_path / "out.tsv", corpus=corpus, options=replace(options, analyser="english")
    )
    assert found.sources == ("bm25:english",)
    rows = [line.split("\t") for line in (tmp_path / "out.tsv").read_text().splitlines()]
    assert [row[2] for row in rows[1:]] == ["she runs"]
    with pytest.raises(DataError, match="no row to write"):
        mined_negatives.mine_negatives(pairs, out=tmp_path / "none.tsv", corpus=corpus, options=options)
    with pytest.raises(UsageError) as error:
        mined_negatives.mine_negatives(
            pairs, out=tmp_path / "x.tsv", models=["tfidf-char"], options=NegativeOptions(analyser="english")
        )
    assert error.value.params == ("analyser",)


def test_wide_rows_are_what_the_reader_of_triplets_reads(tmp_path: Path) -> None:
    options = NegativeOptions(ranks=(1, 10), each=5, wide=True)
    for ending in (".tsv", ".csv", ".jsonl"):
        out = tmp_path / f"out{ending}"
        done = mined_negatives.mine_negatives(pair_set(FRUIT), out=out, options=options)
        loaded = load(out)
        assert (loaded.format, loaded.report.kept, loaded.report.skipped) == ("triplets", done.written, {})
        wide = {one.query: set(one.docs) for one in loaded.data}
        narrow = tmp_path / f"narrow{ending}"
        mined_negatives.mine_negatives(
            pair_set(FRUIT), out=narrow, options=NegativeOptions(ranks=(1, 10), each=5)
        )
        expected: dict[str, set[str]] = {}
        for one in load(narrow).data:
            expected.setdefault(one.query, set()).update(one.docs)
        assert wide == expected
        assert {row["negative_5"] for row in rows_of(out)} == {""}, "there are only four"
        assert done.short == done.anchors


def test_texts_with_tabs_quotes_and_line_breaks_come_back(tmp_path: Path) -> None:
    odd = 'a "tab"\tand a\nbreak'
    data = pair_set([("one break", odd, 1), ("one tab", "a plain break", 1), ("x", "y", 0)])
    for ending in (".tsv", ".csv", ".jsonl"):
        out = tmp_path / f"out{ending}"
        mined_negatives.mine_negatives(data, out=out, options=NegativeOptions(ranks=(1, 5)))
        texts = {doc for one in load_candidates(out).data for doc in one.docs}
        assert odd in texts


def test_candidates_and_collections(tmp_path: Path) -> None:
    docs = {"1": "red apple", "2": "green apple", "3": "red car", "4": "apple tree", "5": ""}
    wrong = Candidates(
        "q", "apple colour red", ("1", "2", "3"), ("red apple", "green apple", "red car"), (2, 0, 0)
    )
    unanswered = Candidates("u", "trees", ("4",), ("apple tree",), (0,))
    options = NegativeOptions(ranks=(1, 5), known="first")
    done = mined_negatives.mine_negatives(
        CandidateSet((wrong, unanswered), "made"), out=tmp_path / "1.tsv", options=options
    )
    rows = rows_of(tmp_path / "1.tsv")
    assert [(row["negative"], row["source"], row["rank"]) for row in rows] == [
        ("red car", "known", "0"),
        ("green apple", "known", "0"),
        ("apple tree", "bm25", "2"),
    ]
    assert (done.anchors, done.corpus) == (1, 4)
    qrels = Qrels.from_dict({"q": {"1": 1, "2": 0, "5": 1}})
    collection = RetrievalSet(docs, {"q": "apple colour red"}, qrels, "made")
    options = NegativeOptions(ranks=(1, 5), known="out")
    done = mined_negatives.mine_negatives(collection, out=tmp_path / "2.tsv", options=options)
    assert {row["negative"] for row in rows_of(tmp_path / "2.tsv")} == {"red car", "apple tree"}
    assert done.left_out == {"a text is empty": 1}
    assert done.dropped["known negative"] == 1


def test_pairs_without_labels_are_positive_and_a_text_is_no_positive_of_itself(tmp_path: Path) -> None:
    pairs = (Pair("red apple", "Red apple!"), Pair("red apple", "apple"), Pair("green pear", "red pear"))
    done = mined_negatives.mine_negatives(
        PairSet(pairs, LabelKind.NONE), out=tmp_path / "o.tsv", options=NegativeOptions(ranks=(1, 2), each=1)
    )
    assert done.left_out == {"both texts are the same": 1}
    rows = [(row["anchor"], row["positive"], row["negative"]) for row in rows_of(tmp_path / "o.tsv")]
    assert rows == [("red apple", "apple", "red pear")]
    assert (done.short, done.without) == (1, 1)


def test_what_can_not_be_mined_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    classes = PairSet((Pair("a", "b", 0.0), Pair("c", "d", 1.0)), LabelKind.CLASSES, ("x", "y"), "odd")
    out = tmp_path / "out.tsv"
    for data, message in (
        (pair_set([("a", "b", 0)]), "made: none of 1 pairs joins two texts"),
        (classes, "odd: none of the classes x, y says"),
        (pair_set([("red apple", "apple, red", 1)]), "no row to write: 1 anchors"),
    ):
        with pytest.raises(DataError, match=message):
            mined_negatives.mine_negatives(data, out=out)
    with pytest.raises(DataError, match="the corpus holds no text"):
        mined_negatives.mine_negatives(pair_set(FRUIT), out=out, corpus=[" "])
    assert list(tmp_path.iterdir()) == []


class NoNumber:
    name = "nan"

    def score(self, pairs):
        return np.full(len(pairs), np.nan, dtype=np.float32)


def test_a_filter_without_numbers_and_an_interruption_leave_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    out.write_text("old")
    options = NegativeOptions(ranks=(1, 10), filter_max=0.5)
    with pytest.raises(UsageError) as error:
        mined_negatives.mine_negatives(pair_set(FRUIT), out=out, filter=NoNumber(), options=options)
    assert error.value.params == ("nan.score",)

    class Interrupted:
        name = "interrupted"

        def score(self, pairs):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mined_negatives.mine_negatives(pair_set(FRUIT), out=out, filter=Interrupted(), options=options)
    assert [path.name for path in tmp_path.iterdir()] == ["out.tsv"]
    assert out.read_text() == "old"


@pytest.mark.parametrize(
    "wrong",
    [
        {"ranks": (0, 5)},
        {"ranks": (5, 4)},
        {"relative_margin": float("nan")},
    ],
)
def test_options_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        NegativeOptions(**wrong)


def test_arguments_that_do_not_go_together(tmp_path: Path) -> None:
    data, out = pair_set(FRUIT), tmp_path / "out.tsv"
    for arguments in (
        {"models": ()},
        {"models": ("constant",)},
        {"filter": "tfidf"},
        {"options": NegativeOptions(filter_max=0.5)},
        {"options": NegativeOptions(ranks=(3, 6), each=5)},
    ):
        with pytest.raises(UsageError):
            mined_negatives.mine_negatives(data, out=out, **arguments)
    with pytest.raises(ModelError) as error:
        mined_negatives.mine_negatives(data, out=out, models=("nosuch",))
    assert error.value.value == "nosuch"
    with pytest.raises(UsageError) as error:
        mined_negatives.mine_negatives(data, out=tmp_path / "out.xlsx")
    assert error.value.params == ("out",)


def test_files_are_read_told_of_and_never_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["a\tb\tlabel", *(f"{a}\t{b}\t{label:g}" for a, b, label in FRUIT), "\tno anchor\t1"]
    gold, corpus = tmp_path / "gold.tsv", tmp_path / "corpus.txt"
    gold.write_text("\n".join(lines) + "\n")
    corpus.write_text("\n".join(["pears", "", "plums", *(b for _, b, _ in FRUIT)]) + "\n")
    options = NegativeOptions(ranks=(1, 9), each=1)
    done = mined_negatives.mine_negatives(gold, out=tmp_path / "out.tsv", corpus=corpus, options=options)
    assert [sum(report.skipped.values()) for report in done.read] == [1, 1]
    assert capsys.readouterr().err.count("1 empty text") == 2
    texts = [line for line in corpus.read_text().splitlines() if line]
    again = mined_negatives.mine_negatives(gold, out=tmp_path / "again.tsv", corpus=texts, options=options)
    assert (tmp_path / "again.tsv").read_bytes() == done.out.read_bytes()
    assert len(again.read) == 1
    link = tmp_path / "link.tsv"
    link.symlink_to(gold)
    for read, out in ((gold, gold), (link, gold), (str(gold), link)):
        with pytest.raises(UsageError) as error:
            mined_negatives.mine_negatives(read, out=out, options=options)
        assert error.value.params == ("out",)
    texts_as_table = corpus.rename(tmp_path / "corpus.tsv")
    with pytest.raises(UsageError) as error:
        mined_negatives.mine_negatives(gold, out=texts_as_table, corpus=texts_as_table, options=options)
    assert error.value.params == ("out",)
