import json

import numpy as np
import pytest

import textkin as tk
from tests.kinds.spans import asked, spans
from textkin.base.errors import ModelError, UsageError
from textkin.kinds.measuring import Options
from textkin.measures.intervals.sampling import Sampling
from textkin.text.baselines.span_readers import SPAN_BASELINES
from textkin.text.truncation_account import within
from textkin.verbs.evaluate.comparison import compared

SAMPLING = Sampling(50, 99)


def data(version="2.0"):
    return spans(
        *(
            asked(f"q{n}", n // 2, () if version == "2.0" and n % 3 == 0 else ("bird",), is_impossible=False)
            for n in range(12)
        )
    )


class Bird:
    name = "bird"

    def read(self, questions, passages, *, k=1):
        return [
            [tk.SpanAnswer(19, 23, "bird", 1.0, 0.6), tk.SpanAnswer(0, 0, "", 0.0, 0.4)][:k]
            for _ in questions
        ]


def test_a_reader_stands_beside_baselines():
    found = compared(data(), models=[Bird()], options=Options(sampling=SAMPLING))
    assert (found.kind, found.measure, found.data) == ("spans", "F1", "made.json")
    rows = {row["system"]: row for row in found.rows()}
    assert set(rows) == {"bird", *SPAN_BASELINES}
    assert rows["bird"]["kind"] == "trained" and rows["bird"]["F1"] == pytest.approx(2 / 3)
    assert found.reference == max(SPAN_BASELINES, key=lambda name: rows[name]["F1"])
    gain = rows["bird"][f"against {found.reference}"]
    assert gain == pytest.approx(rows["bird"]["F1"] - rows[found.reference]["F1"])
    (abstention,) = found.abstentions
    assert (abstention.system, len(abstention.coverage)) == ("bird", 1)
    assert any("expected calibration error" in note for note in found.notes)
    first = compared(data("1.1"), models=[Bird(), "random"], options=Options(baselines=(), sampling=SAMPLING))
    assert [row["system"] for row in first.rows()] == ["bird", "random"]
    assert first.abstentions == ()


def test_predictions_are_written(tmp_path):
    out = tmp_path / "sub" / "pred.json"
    compared(data(), models=[Bird()], options=Options(sampling=SAMPLING, out=out))
    assert json.loads(out.read_text()) == {f"q{n}": "bird" for n in range(12)}
    assert json.loads(out.with_suffix(".na.json").read_text()) == {f"q{n}": 0.4 for n in range(12)}
    measured = tk.compare(data(), predictions=out, na_prob=out.with_suffix(".na.json"))
    assert measured.official["best_f1"] == pytest.approx(100 * 2 / 3)
    compared(data(), models=[Bird()], options=Options(sampling=SAMPLING, out=tmp_path / "all"))
    assert (tmp_path / "all" / "sentence-bm25.na.json").exists()
    with pytest.raises(UsageError) as error:
        compared(data(), models=[Bird(), "random"], options=Options(out=out))
    assert error.value.params == ("out",)


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        ("tfidf", {}, "no model or baseline .* choose one of: no-answer, "),
        ("sentence-bm", {}, "did you mean 'sentence-bm25'"),
        ("random", {"measures": ("AP",)}, "measures doesn't apply"),
        ("random", {"drop_identical_ids": True}, "drop_identical_ids doesn't apply"),
        ("random", {"baselines": ("tfidf",)}, "baselines is"),
        ("random", {"group_by": "page"}, "group_by is"),
    ],
)
def test_what_does_not_fit_is_refused(model, options, words):
    kind = ModelError if model in ("tfidf", "sentence-bm") else UsageError
    with pytest.raises(kind, match=words):
        compared(data(), models=[model], options=Options(**options))


def test_a_scorer_is_no_reader():
    with pytest.raises(UsageError) as error:
        compared(data(), models=[tk.load()])
    assert error.value.params == ("model",)


def test_word_frequencies_may_come_from_elsewhere(tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("A red bird.\nA blue fish.\n")
    found = compared(data(), models=["sentence-tfidf"], options=Options(fit=texts, sampling=SAMPLING))
    assert found.fitted_on == "2 texts of texts.txt"


def test_what_is_cut_is_told():
    class Short(Bird):
        def question_truncation(self, questions):
            lengths = np.array([len(text) for text in dict.fromkeys(questions)])
            return within(lengths, limit=4, name=self.name)

    found = compared(data(), models=[Short()], options=Options(baselines=("random",), sampling=SAMPLING))
    assert found.truncations[0].cut == 1
    assert any("longer than the 4 tokens" in note for note in found.notes)
