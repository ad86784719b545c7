"""``phrases evaluate`` and ``phrases add``, beside slow and obvious ways to the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from textkin.base import locks
from textkin.base.errors import DataError, OutputError, UsageError
from textkin.data import samples
from textkin.data.readers.datasets.squad import read_squad
from textkin.measures.intervals.bootstrap import Interval
from textkin.text.baselines.phrase_tfidf import TfidfPhrases
from textkin.vectors.index.recall import MeasuredRecall
from textkin.verbs.phrases import indexing
from textkin.verbs.phrases.evaluated import EvaluatedPhrases

TOWN = samples.path("town.json")


def recall(value: float, low: float, high: float) -> MeasuredRecall:
    return MeasuredRecall(1, Interval(value, low, high, 100), "questions")


def test_only_a_share_below_the_interval_is_worse_than_stated() -> None:
    stated, measured = recall(0.9, 0.85, 0.95), [recall(value, 0, 1) for value in (0.84, 0.85, 0.95, 0.96)]
    sides = EvaluatedPhrases(None, (stated,) * 4, tuple(measured)).sides()
    assert sides == ["below", "within", "within", "above"]


@pytest.mark.slow
def test_answers_out_of_all_passages(tmp_path: Path) -> None:
    tk.phrases.index(TOWN, model="tfidf", out=tmp_path / "town")
    found = tk.phrases.evaluate(tmp_path / "town", TOWN, resamples=100)
    gold = read_squad(TOWN, every=True).data
    encoder = TfidfPhrases.fit([one.text for one in gold.passages.values()])
    best = {}
    rows, texts = [], []
    for one in gold.passages.values():
        (place,) = encoder.phrases([one.text])
        rows.append(place.vectors)
        texts += [one.text[start:end] for start, end in place.offsets.tolist()]
    for one in gold.questions:
        asked = encoder.questions([one.question]).T
        scores = np.concatenate([(part @ asked).toarray()[:, 0] for part in rows])
        best[one.question_id] = texts[int(scores.argmax())] if scores.max() > 0 else ""
    wanted = tk.compare(gold, predictions=best, resamples=100)
    assert found.answers is not None and found.answers.official == wanted.official
    assert found.text().endswith("exact search") and found[0].figure == "exact"


def test_questions_alone_need_an_approximate_search(tmp_path: Path) -> None:
    tk.phrases.index(["The mill was built in 1850."], model="tfidf", out=tmp_path / "mill")
    with pytest.raises(UsageError) as refused:
        tk.phrases.evaluate(tmp_path / "mill", ["When was the mill built?"])
    assert refused.value.params == ("questions",)


def test_added_passages_are_found_as_in_the_index_of_all(tmp_path: Path) -> None:
    texts = [one.text for one in read_squad(TOWN, every=True).data.passages.values()]
    tk.phrases.index(texts, model="tfidf", out=tmp_path / "whole")
    tk.phrases.index(texts[:20], model="tfidf", out=tmp_path / "grown")
    made = tk.phrases.add(tmp_path / "grown", texts[20:])
    assert (made.out, made.passages) == (tmp_path / "grown", len(texts))
    assert sorted(item.name for item in tmp_path.iterdir()) == ["grown", "whole"]
    asked = ["Who designed the town hall?", "When was the mill built?"]
    grown, whole = (tk.phrases.search(tmp_path / name, asked) for name in ("grown", "whole"))
    assert [one.hits for one in grown] == [one.hits for one in whole]
    with pytest.raises(DataError):
        tk.phrases.add(tmp_path / "whole", TOWN.parent / "none.txt")


@pytest.mark.parametrize(("kind", "number"), [("list", "2"), ("file", "3")])
def test_passages_without_ids_are_numbered_on(tmp_path: Path, kind: str, number: str) -> None:
    texts = ["The mill was built in 1850.", "Bread is baked at six."]
    lines = tmp_path / "texts.txt"
    lines.write_text("\n".join(texts) + "\n")
    tk.phrases.index(texts if kind == "list" else lines, model="tfidf", out=tmp_path / "mill")
    tk.phrases.add(tmp_path / "mill", ["Ada Moss met Bob Hill."])
    assert tk.phrases.search(tmp_path / "mill", "Who met Bob Hill?")[0].passage == number


def test_a_passage_is_added_once(tmp_path: Path) -> None:
    tk.phrases.index(TOWN, model="tfidf", out=tmp_path / "town")
    with pytest.raises(DataError) as error:
        tk.phrases.add(tmp_path / "town", TOWN)
    assert str(error.value.path).endswith("town")


@pytest.mark.parametrize(
    ("passages", "param"), [(["A text", " "], "passages"), ("pasages", "passages"), ([], "passages")]
)
def test_what_is_no_passage_is_refused(tmp_path: Path, passages: object, param: str) -> None:
    tk.phrases.index(["The mill was built in 1850."], model="tfidf", out=tmp_path / "mill")
    with pytest.raises(UsageError) as error:
        tk.phrases.add(tmp_path / "mill", passages)
    assert error.value.params == (param,)
    with pytest.raises(UsageError) as error:
        tk.phrases.search(tmp_path / "mill", None)
    assert error.value.params == ("question",)


def test_an_addition_that_was_killed_while_renaming(tmp_path: Path) -> None:
    tk.phrases.index(["The mill was built in 1850."], model="tfidf", out=tmp_path / "mill")
    (tmp_path / "mill").rename(tmp_path / ".mill.fresh")
    assert tk.phrases.add(tmp_path / "mill", ["Ada met Bob."]).passages == 2


def test_added_passages_keep_their_own_ids(tmp_path: Path) -> None:
    table, mill = tmp_path / "more.tsv", tmp_path / "mill"
    table.write_text("id\ttext\na\tThe mill was built in 1850.\n")
    tk.phrases.index(table, model="tfidf", out=mill)
    table.write_text("id\ttext\n1\tClemency Hurst designed the town hall.\n2\tAda met Bob.\n")
    tk.phrases.add(mill, table)
    assert tk.phrases.search(mill, "Whom did Ada meet?", k=1)[0].passage == "2"
    with pytest.raises(DataError):
        tk.phrases.add(mill, table)
    table.write_text("text\nThe bridge opened in 1777.\n")
    assert tk.phrases.add(mill, table).passages == 4
    assert tk.phrases.search(mill, "When did the bridge open?", k=1)[0].passage == "3"


def test_two_additions_at_a_time_lose_no_passage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mill = tmp_path / "mill"
    tk.phrases.index(["The mill was built in 1850."], model="tfidf", out=mill)
    monkeypatch.setattr(locks, "PATIENCE", 0)
    build = indexing.index_phrases

    def another_begins(*arguments: object, **options: object) -> object:
        monkeypatch.setattr(indexing, "index_phrases", build)
        with pytest.raises(OutputError):
            tk.phrases.add(mill, ["Clemency Hurst designed the town hall."])
        return build(*arguments, **options)

    monkeypatch.setattr(indexing, "index_phrases", another_begins)
    assert tk.phrases.add(mill, ["Ada met Bob."]).passages == 2
    assert tk.phrases.add(mill, ["Clemency Hurst designed the town hall."]).passages == 3
    assert tk.phrases.search(mill, "Whom did Ada meet?", k=1)[0].passage == "1"
    with pytest.raises(DataError):
        tk.phrases.add(tmp_path / "none", ["Ada met Bob."])
    assert not (tmp_path / "none").exists()


def test_names_of_verbs() -> None:
    assert set(tk.phrases.__all__) == {"add", "embed", "evaluate", "index", "merge", "search", "split"}
    with pytest.raises(UsageError):
        tk.phrases.search("none", " ")
