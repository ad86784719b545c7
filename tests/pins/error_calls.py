"""The usual mistakes, and the sentences that users get for them, as each interface spells them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import textkin as tk
from textkin.base.errors import TextkinError
from textkin.base.spelling import Spelling, is_offered, spelling_as
from textkin.cli import app
from textkin.collection.match.match_rules import MatchOptions
from textkin.collection.search.options import SearchOptions
from textkin.verbs.use.faithfulness import faithfulness

PAIRS = [("a red car", "a red auto"), ("a red car", "rain today")]
TEXTS = ["a red car", "a red auto", "rain today"]
VECTORS = np.eye(3, dtype=np.float32)
QRELS = tk.Qrels.from_dict({"q": {"d": 1}})
RUN = tk.Run.from_dict({"q": {"d": 1.0}})
FILES = {
    "texts.txt": "a red car\na red auto\nrain today\n",
    "table.csv": "id,subject,body\n1,red car,a red car\n2,red auto,a red auto\n",
    "other.csv": "x,y\nred car,a red car\nred auto,a red auto\n",
    "pairs.tsv": "a red car\ta red auto\t1\na red car\train today\t0\n",
    "odd.tsv": "a\tb\tlabel\na red car\ta red auto\tmaybe\na red car\train today\t0\nx\ty\t1\n",
    "open.csv": 'text,label\n"never closed,1\nb,2\n',
    "empty.txt": "",
    "latin.txt": b"caf\xe9\n",
    "zero.txt": b"a\0b\n",
    "utf32.txt": "a\n".encode("utf-32"),
    "out/kept.txt": "somebody's\n",
}

CALLS: Mapping[str, Callable[[Path], Any]] = {
    "agree one": lambda at: tk.compare(at / "pairs.tsv", "default", agreement=True),
    "answer k": lambda at: tk.answer("who?", TEXTS, k=0),
    "calibrate baseline": lambda at: tk.calibrate(at / "pairs.tsv", "tfidf"),
    "calibrate goals": lambda at: tk.calibrate(at / "pairs.tsv", "default", f1=True, recall=0.9),
    "calibrate level": lambda at: tk.calibrate(at / "pairs.tsv", "default", precision=1.5),
    "calibrate model": lambda at: tk.calibrate(at / "pairs.tsv"),
    "classify baseline": lambda at: tk.classify(TEXTS, PAIRS, baselines=("tfidff",)),
    "classify label": lambda at: tk.classify(TEXTS, examples=at / "table.csv"),
    "classify threshold": lambda at: tk.classify(TEXTS, PAIRS, threshold=float("nan")),
    "cluster decision": lambda at: tk.cluster(TEXTS, embeddings=VECTORS, decision="d"),
    "cluster gold": lambda at: tk.cluster(TEXTS, gold=["a"], threshold=0.8),
    "cluster method": lambda at: tk.cluster(TEXTS, method="avarage"),
    "cluster resolution": lambda at: tk.cluster(TEXTS, method="communities", resolution=2.0),
    "cluster threshold": lambda at: tk.cluster(TEXTS),
    "cluster where": lambda at: tk.cluster(TEXTS, where="lang = 'en'", threshold=0.8),
    "compare baseline": lambda at: tk.compare(at / "pairs.tsv", [], baselines=("bm52",)),
    "compare dev": lambda at: tk.compare(at / "pairs.tsv", "default", threshold=0.5, dev=at / "pairs.tsv"),
    "compare file": lambda at: tk.compare(at / "nothing.tsv", ["default"]),
    "compare ids": lambda at: tk.compare(at / "pairs.tsv", ["default"], drop_identical_ids=True),
    "compare measure": lambda at: tk.measure(RUN, qrels=QRELS, measures=["nDCG@@10"]),
    "compare measures": lambda at: tk.compare(at / "pairs.tsv", ["default"], measures=("AP",)),
    "compare model": lambda at: tk.compare(at / "pairs.tsv", ["no/such/model"]),
    "compare none": lambda at: tk.measure(RUN, qrels=QRELS, measures=[]),
    "compare report": lambda at: tk.compare(at / "pairs.tsv", ["default"], report=at / "pairs.tsv"),
    "compare threshold": lambda at: tk.compare(at / "pairs.tsv", ["default", "tfidf"], threshold=0.5),
    "compare twice": lambda at: tk.compare(at / "pairs.tsv", ["a=default", "a=tfidf"]),
    "corpora depth": lambda at: tk.compare(at / "pairs.tsv", "default", depth=0),
    "dedupe evidence": lambda at: tk.dedupe(TEXTS, sample=5),
    "dedupe folder": lambda at: tk.dedupe(at / "texts.txt", out=at / "texts.txt"),
    "dedupe frame": lambda at: tk.dedupe({"a": 1}),
    "dedupe guards": lambda at: tk.dedupe(TEXTS, guards=("numbers", "nagation")),
    "dedupe ids": lambda at: tk.dedupe([1, 2]),
    "dedupe keep": lambda at: tk.dedupe(TEXTS, keep="longst"),
    "dedupe lexical": lambda at: tk.dedupe(TEXTS, lexical=0.0),
    "dedupe most": lambda at: tk.dedupe(TEXTS, most=0),
    "dedupe precision": lambda at: tk.dedupe(TEXTS, precision=0.95),
    "dedupe proof": lambda at: tk.dedupe(TEXTS, proof=True),
    "dedupe proof rule": lambda at: tk.dedupe(TEXTS, proof=True, labelled=at / "x", rule="estimate"),
    "dedupe same": lambda at: tk.dedupe(at / "texts.txt", out=at / "out", proof=True),
    "dedupe sample": lambda at: tk.dedupe(TEXTS, sample=0),
    "dedupe text": lambda at: tk.dedupe("a text"),
    "dedupe texts": lambda at: tk.dedupe(["a", None]),
    "dedupe threshold": lambda at: tk.dedupe(TEXTS, threshold=1.5),
    "dedupe threshold word": lambda at: tk.dedupe(TEXTS, threshold="0,9"),
    "dedupe two": lambda at: tk.dedupe(TEXTS, threshold=0.9, decision="d.json"),
    "dedupe unknown": lambda at: tk.dedupe(TEXTS, unknown="acept"),
    "dedupe values": lambda at: tk.dedupe(TEXTS, keep="votes"),
    "distil epochs": lambda at: tk.distil("default", out=at / "d", epochs=-1),
    "encode model": lambda at: tk.encode(TEXTS, model="minhash"),
    "encode out": lambda at: tk.encode(at / "texts.txt", out=at / "vectors.txt"),
    "encode dtype": lambda at: tk.encode(TEXTS, dtype="bf61"),
    "encode prompt": lambda at: tk.load("default").encode(TEXTS, prompt="a: ", side="query"),  # type: ignore
    "ensemble members": lambda at: tk.ensemble(["default"], dev=at / "pairs.tsv", out=at / "e"),
    "ensemble rule": lambda at: tk.ensemble(
        ["default", "tfidf"], dev=at / "pairs.tsv", out=at / "e", combine="wighted"
    ),
    "explain texts": lambda at: tk.explain(3, "a"),
    "export model": lambda at: tk.export("tfidf", out=at / "e", to="onnx"),
    "export precision": lambda at: tk.export("default", out=at / "e", to="model2vec", dtype="int9"),
    "export to": lambda at: tk.export("default", out=at / "e", to="onx"),
    "faithfulness sample": lambda at: faithfulness(at / "pairs.tsv", sample=1),
    "few-shot shots": lambda at: tk.classify(PAIRS, ways=2, shots=0),
    "file column": lambda at: tk.load_texts(at / "table.csv", reading=tk.TextReading(text="subjct")),
    "file columns": lambda at: tk.load_pairs(at / "table.csv", reading=tk.Reading(columns={"c": "body"})),
    "file empty": lambda at: tk.load_texts(at / "empty.txt"),
    "file encoding": lambda at: tk.load_texts(at / "latin.txt"),
    "file encoding name": lambda at: tk.load_texts(
        at / "texts.txt", reading=tk.TextReading(encoding="latin-99")
    ),
    "file format": lambda at: tk.load_pairs(at / "pairs.tsv", reading=tk.Reading(format="quorra")),
    "file labels": lambda at: tk.load_pairs(at / "odd.tsv"),
    "file missing": lambda at: tk.load_texts(at / "nothing.txt"),
    "file nul": lambda at: tk.load_texts(at / "zero.txt"),
    "file option": lambda at: tk.load_pairs(
        at / "pairs.tsv", reading=tk.Reading(format="pairs", negatives=3)
    ),
    "file quotes": lambda at: tk.load_texts(at / "open.csv"),
    "file quoting": lambda at: tk.TextReading(quoting="cvs"),
    "file text": lambda at: tk.load_texts(at / "other.csv"),
    "file utf-32": lambda at: tk.load_texts(at / "utf32.txt"),
    "codes bits": lambda at: tk.encode(TEXTS, bits=100),
    "codes of": lambda at: tk.encode(TEXTS, bits=64, of="meening"),
    "codes two": lambda at: tk.encode(TEXTS, "default", bits=64, embeddings=VECTORS),
    "label precision": lambda at: tk.label(at / "pairs.tsv", precision=1.5),
    "lint twice": lambda at: tk.lint([at / "pairs.tsv", at / "pairs.tsv"]),
    "match base rate": lambda at: MatchOptions(base_rate=2.0),
    "match two": lambda at: MatchOptions(threshold=0.9, decision="d.json"),
    "mine against": lambda at: tk.mine(TEXTS, against=TEXTS, threshold=0.9, recall=0.9),
    "mine limits": lambda at: tk.mine(TEXTS, threshold=0.9, top=3),
    "mine on": lambda at: tk.mine(TEXTS, on="rey"),  # type: ignore[arg-type]
    "mine address": lambda at: tk.mine(TEXTS, address="auto"),
    "mine out": lambda at: tk.mine(at / "texts.txt", out=at / "texts.txt"),
    "mine out ending": lambda at: tk.mine(at / "texts.txt", out=at / "pairs.pdf"),
    "mine precision": lambda at: tk.mine(TEXTS, precision=0.9),
    "mine recall": lambda at: tk.mine(TEXTS, threshold=0.9, recall=1.0),
    "mine top": lambda at: tk.mine(TEXTS, top=0),
    "mine windows": lambda at: tk.mine(TEXTS, top=3, long="windows"),
    "negatives filter": lambda at: tk.negatives(at / "pairs.tsv", out=at / "n.tsv", filter_max=0.5),
    "negatives ranks": lambda at: tk.negatives(at / "pairs.tsv", out=at / "n.tsv", ranks=(5, 1)),
    "open nothing": lambda at: tk.open_collection(at / "nothing"),
    "open address": lambda at: tk.open_collection("mysql://host/name"),
    "score pairs": lambda at: tk.score(["a", "b"]),
    "score threshold": lambda at: tk.score(PAIRS, threshold=float("inf")),
    "score vectors": lambda at: tk.score(PAIRS, model="mean-vectors"),
    "search depth": lambda at: SearchOptions(k=200, rerank="default").check(),
    "search k": lambda at: SearchOptions(k=0).check(),
    "search mode": lambda at: SearchOptions(mode="vector").check(),
    "search probability": lambda at: SearchOptions(min_probability=1.5).check(),
    "search probability mode": lambda at: SearchOptions(min_probability=0.5, mode="words").check(),
    "search probe": lambda at: SearchOptions(probe=3, mode="words").check(),
    "search score": lambda at: SearchOptions(min_score=0.5).check(),
    "split articles": lambda at: tk.split(at / "pairs.tsv", out=at / "s", scheme="articles"),
    "split rule": lambda at: tk.split(at / "pairs.tsv", out=at / "s", rule="hole"),
    "split scheme": lambda at: tk.split(at / "pairs.tsv", out=at / "s", scheme="quora"),
    "split shares": lambda at: tk.split(at / "pairs.tsv", test_size=1.5),
    "study models": lambda at: tk.study(at / "pairs.tsv", out=at / "s", models=()),
    "train recipe": lambda at: tk.train(
        at / "pairs.tsv", dev=at / "pairs.tsv", recipe="siamse", out=at / "r"
    ),
    "collection watch base rate": lambda at: tk.watch("c.kin", base_rate=0.0),
}


def lines() -> Iterator[str]:
    """Three lines for each call: its error for Python, the command line and JSON."""
    with tempfile.TemporaryDirectory(prefix="pins") as name:
        folder = Path(name)
        for file, content in FILES.items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
        for words, call in CALLS.items():
            error = _raised(call, folder)
            for spelling in (Spelling(), Spelling("command", _flags(words)), Spelling("json")):
                with spelling_as(spelling):
                    said = str(error).replace(str(folder), "FOLDER").replace(str(Path.cwd()), "HERE")
                yield f"{words} ({spelling.interface}): {type(error).__name__}: {said}"


def _raised(call: Callable[[Path], Any], folder: Path) -> TextkinError:
    try:
        with patch.object(TextkinError, "__init__", _checked(TextkinError.__init__)):
            call(folder)
    except TextkinError as error:
        return error
    raise AssertionError("nothing is wrong with this call")


def _checked(made: Callable[..., None]) -> Callable[..., None]:
    """The same, for errors whose fix names no option that the called verb lacks."""

    def making(self: TextkinError, *given: Any, **named: Any) -> None:
        made(self, *given, **named)
        assert is_offered(self.fix or ""), self.fix

    return making


def _flags(words: str) -> Mapping[str, str]:
    """The flags of the command that a call is named after; else those of the library."""
    return next((one.flags for one in app.commands(words.split())), {})
