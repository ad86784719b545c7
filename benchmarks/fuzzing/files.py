"""Small files and folders of every format that textkin reads, as bytes by name."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from io import BytesIO
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.collection.phrase_files.npz_vectors import save_rows
from textkin.measures.decisions.calibration import Platt
from textkin.measures.decisions.fit_threshold import Threshold
from textkin.measures.decisions.no_answer import NoAnswerRule, SavedNoAnswer
from textkin.measures.decisions.saved_thresholds import SavedThreshold

Folder = Mapping[str, bytes]
"""The files of a sample by path; a single file is a folder of one."""

ASKED = ("how do I reset my password", "what is a router", "where is the cat", "who wrote it")
ANSWERS = ("press the button", "a box with lights", "on the mat", "nobody knows", "the dog did")


_JUDGED = ("Good", "Bad", "PotentiallyUseful", "Good", "Bad")


def _asked_and_answered() -> list[tuple[str, str]]:
    return list(zip(ASKED, ANSWERS[: len(ASKED)], strict=True))


def _table(*rows: tuple[object, ...], by: str = "\t") -> bytes:
    return "".join(by.join(map(str, row)) + "\n" for row in rows).encode()


def _lines(*rows: Any) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _pairs(by: str) -> bytes:
    rows = [(f"{a} {number}", f"{a} now", number % 2) for number, a in enumerate(ASKED * 3)]
    return _table(("question1", "question2", "is_duplicate"), *rows, by=by)


def _trecqa_file() -> bytes:
    blocks = [
        f"<QApairs id='1.{number}'>\n<question>\n{one.replace(' ', chr(9))}\t?\nDT\n</question>\n"
        f"<positive>\n{ANSWERS[number]}\nx\n</positive>\n<negative>\n{ANSWERS[4]}\n</negative>\n</QApairs>\n"
        for number, one in enumerate(ASKED)
    ]
    return "".join(blocks).encode()


def _semeval() -> bytes:
    threads = [
        f'<Thread THREAD_SEQUENCE="Q{number}"><RelQuestion RELQ_ID="Q{number}" RELQ_CATEGORY="c">\n'
        f"<RelQSubject>{one}</RelQSubject><RelQBody>{one} &amp; more</RelQBody></RelQuestion>\n"
        + "".join(
            f'<RelComment RELC_ID="Q{number}_C{place}" RELC_RELEVANCE2RELQ="{label}">'
            f"<RelCText>{answer}</RelCText></RelComment>\n"
            for place, (answer, label) in enumerate(zip(ANSWERS, _JUDGED, strict=True))
        )
        + "</Thread>\n"
        for number, one in enumerate(ASKED)
    ]
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<xml>\n{"".join(threads)}</xml>\n'.encode()


def _squad() -> Any:
    context = " ".join(ANSWERS)
    spans = [{"text": text, "answer_start": context.index(text)} for text in ANSWERS]
    asked = [{"id": str(n), "question": a, "answers": [spans[n]]} for n, a in enumerate(ASKED)]
    return {"version": "1.1", "data": [{"title": "t", "paragraphs": [{"context": context, "qas": asked}]}]}


def _squad2() -> Any:
    """With unanswerable questions."""
    data = _squad()
    asked = data["data"][0]["paragraphs"][0]["qas"]
    for question in asked[:2]:
        question |= {"is_impossible": True, "plausible_answers": question["answers"], "answers": []}
    return {**data, "version": "v2.0"}


def _split_squad() -> dict[str, bytes]:
    """The two files of ``phrases split``, and those made from them."""
    context = " ".join(ANSWERS)
    contexts = {"version": "1.1", "data": [{"title": "t", "paragraphs": [{"context": context}]}]}
    asked = [{"id": str(n), "question": question} for n, question in enumerate(ASKED)]
    questions = {"version": "1.1", "data": [{"title": "t", "paragraphs": [{"qas": asked}]}]}
    rows = np.arange(len(ANSWERS) * 3, dtype=np.float32).reshape(-1, 3)
    made = {f"asked/{n}.npz": _npz(rows[n : n + 1]) for n in range(len(ASKED))}
    return {
        "contexts.json": _json(contexts),
        "questions.json": _json(questions),
        "phrases/t_0.npz": _npz(rows),
        "phrases/t_0.json": _json(list(ANSWERS)),
        **made,
    }


def _npz(rows: NDArray[np.float32]) -> bytes:
    stream = BytesIO()
    save_rows(stream, rows)
    return stream.getvalue()


def _decision() -> Any:
    """A threshold with its calibration, as ``calibrate`` writes it next to a scorer."""
    fitted = Threshold(0.5, "f1", precision=0.8, recall=0.8, f1=0.8, accuracy=0.8, pairs=9, positives=4)
    return {
        "kind": "decision",
        "format": 1,
        "model": "tfidf",
        "model_sha256": "0",
        "threshold": SavedThreshold(fitted, "dev.tsv", precision=(0.7, 0.9)).to_dict(),
        "calibration": Platt(1.0, 0.5).to_dict(),
    }


def _no_answer() -> Any:
    """The same for a reader."""
    rule = NoAnswerRule(Platt(1.0, -0.5), 0.4, "f1")
    return {
        "kind": "no-answer",
        "format": 1,
        "model": "reader",
        "model_sha256": "0",
        **SavedNoAnswer(rule, "dev.json", figures={"F1": (0.5, 0.4, 0.6)}).to_dict(),
    }


def _insurance() -> dict[str, bytes]:
    words = sorted({word for text in (*ASKED, *ANSWERS) for word in text.split()})
    index = {word: f"idx_{place}" for place, word in enumerate(words, 1)}

    def spell(text: str) -> str:
        return " ".join(index[word] for word in text.split())

    return {
        "vocabulary": _table(*((index[word], word) for word in words)),
        "answers.label.token_idx": _table(*((n, spell(text)) for n, text in enumerate(ANSWERS, 1))),
        "question.train.token_idx.label": _table(*((spell(a), n) for n, a in enumerate(ASKED, 1))),
        "question.dev.label.token_idx.pool": _table(
            *((n, spell(a), "1 2 3 4 5") for n, a in enumerate(ASKED, 1))
        ),
    }


def _insurance_objects() -> dict[str, bytes]:
    asked = [{"question": [1, 2], "good": [1], "bad": [2, 3]}, {"question": [3], "good": [2], "bad": [1]}]
    train = [{"question": [1, 2], "answers": [1]}]
    files = {"vocabulary": {"1": "a", "2": "b", "3": "c"}, "answers": {"1": [1], "2": [2], "3": [3]}}
    return {
        f"{name}.json": _json(value) for name, value in (*files.items(), ("dev", asked), ("train", train))
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _quora_ir() -> dict[str, bytes]:
    ids = [f"q{number}" for number in range(len(ASKED))]
    corpus = _table(("qid", "question"), *zip(ids, ASKED, strict=True))
    pairs = [(ids[0], ids[1], ASKED[0], ASKED[1], 1), (ids[2], ids[3], ASKED[2], ASKED[3], 0)]
    return {
        "classification/test_pairs.tsv": _table(
            ("qid1", "qid2", "question1", "question2", "is_duplicate"), *pairs
        ),
        "duplicate-mining/test_corpus.tsv": corpus,
        "duplicate-mining/test_duplicates.tsv": _table(("qid1", "qid2"), (ids[0], ids[1])),
        "information-retrieval/corpus.tsv": corpus,
        "information-retrieval/test-queries.tsv": _table(
            ("qid", "question", "duplicate_qids"), ("x1", "where is it", f"{ids[0]},{ids[1]}")
        ),
    }


def _sample() -> bytes:
    columns = ("text_a", "text_b", "same", "id_a", "id_b", "score", "range_from", "range_pairs")
    rows = [("a b", "a c", "yes", "1", "2", "0.91", "0.9", "3"), ("x", "y", "", "3", "4", "0.8", "0.7", "5")]
    return _table(columns, *rows, by=",")


def _entailment() -> list[dict[str, str]]:
    kinds = ("entailment", "neutral", "contradiction", "-")
    return [
        {"gold_label": k, "sentence1": a, "sentence2": b}
        for k, a, b in zip(kinds, ASKED, ANSWERS[:4], strict=True)
    ]


def _grades() -> list[tuple[str, str, str, float, str]]:
    return [(str(n), a, b, n + 0.5, "NEUTRAL") for n, (a, b) in enumerate(_asked_and_answered())]


def _beir() -> dict[str, bytes]:
    judged = [(f"q{n}", f"d{n}", n) for n in range(4)]
    return {
        "corpus.jsonl": _lines(*({"_id": f"d{n}", "title": "", "text": t} for n, t in enumerate(ANSWERS))),
        "queries.jsonl": _lines(*({"_id": f"q{n}", "text": t} for n, t in enumerate(ASKED))),
        "qrels/test.tsv": _table(("query-id", "corpus-id", "score"), *judged),
    }


def _trecqa_folder() -> dict[str, bytes]:
    return {
        "a.toks": _table(*((one,) for one in ASKED for _ in range(2))),
        "b.toks": _table(*((ANSWERS[n % 5],) for n in range(8))),
        "sim.txt": _table(*((n % 2,) for n in range(8))),
        "id.txt": _table(*((n // 2,) for n in range(8))),
        "numrels.txt": _table(*((1,) for _ in range(4))),
    }


def _movies() -> list[dict[str, Any]]:
    return [
        {"qid": str(n), "imdb_key": "tt", "question": a, "answers": list(ANSWERS), "correct_index": n}
        for n, a in enumerate(ASKED)
    ]


def _word2vec(vectors: Sequence[tuple[str, ...]]) -> bytes:
    """The same word vectors as word2vec.c writes them."""
    rows = (f"{word} ".encode() + struct.pack("<4f", *map(float, row)) + b"\n" for word, *row in vectors)
    return f"{len(vectors)} 4\n".encode() + b"".join(rows)


def samples() -> Mapping[str, Folder]:
    """Every sample by name, which for tables is also the file's name."""
    ranked = [(f"q{n // 3}", "Q0", f"d{n}", n % 3 + 1, 1.5 - n, "run") for n in range(9)]
    triplets = [{"anchor": a, "positive": b, "negative_1": ANSWERS[4]} for a, b in _asked_and_answered()]
    wikiqa = ("QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence", "Label")
    asked = [(f"Q{n // 2}", ASKED[n // 2], "D", "t", f"D-{n}", ANSWERS[n % 5], n % 2) for n in range(8)]
    quora = [(n, 2 * n, 2 * n + 1, a, b, n % 2) for n, (a, b) in enumerate(_asked_and_answered())]
    sts = [("g", "f", "2012", n, 1.25 * n, a, b) for n, (a, b) in enumerate(_asked_and_answered())]
    sick = ("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment")
    vectors = [(word, *(f"{len(word) / 7:.3f}" for _ in range(4))) for word in " ".join(ASKED).split()]
    single: dict[str, bytes] = {
        "pairs.tsv": _pairs("\t"),
        "pairs.csv": _pairs(","),
        "pairs.jsonl": _lines(*({"a": a, "b": b, "label": 1} for a, b in _asked_and_answered())),
        "quora.tsv": _table(("id", "qid1", "qid2", "question1", "question2", "is_duplicate"), *quora),
        "nli.jsonl": _lines(*_entailment()),
        "sick.txt": _table(sick, *_grades()),
        "sts.csv": _table(*sts),
        "triplets.jsonl": _lines(*triplets),
        "wikiqa.tsv": _table(wikiqa, *asked),
        "trecqa.xml": _trecqa_file(),
        "semeval.xml": _semeval(),
        "movieqa.json": _json(_movies()),
        "squad.json": _json(_squad()),
        "squad2.json": _json(_squad2()),
        "predictions.json": _json({str(n): answer for n, answer in enumerate(ANSWERS)}),
        "na.json": _json({str(n): n / 5 for n in range(5)}),
        "decision.json": _json(_decision()),
        "no-answer.json": _json(_no_answer()),
        "texts.txt": _table(*((text,) for text in ASKED)),
        "texts.csv": _table(("id", "text"), *enumerate(ASKED), by=","),
        "qrels.trec": _table(*((f"q{n // 3}", 0, f"d{n}", n % 2) for n in range(9)), by=" "),
        "run.trec": _table(*ranked, by=" "),
        "sample.csv": _sample(),
        "vectors.txt": _table(*vectors, by=" "),
        "vectors.bin": _word2vec(vectors),
    }
    folders = {
        "beir": _beir(),
        "trecqa": _trecqa_folder(),
        "insuranceqa": _insurance(),
        "insuranceqa-objects": _insurance_objects(),
        "quora-ir": _quora_ir(),
        "phrases": _split_squad(),
        "movieqa": {"qa.json": _json(_movies()), "splits.json": _json({"train": ["tt"], "val": []})},
    }
    return MappingProxyType({name: {name: content} for name, content in single.items()} | folders)
