from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, precision_score, recall_score

import textkin as tk
from tests.verbs.making import rows, write_pairs
from textkin.base.errors import DataError, LeakError, ModelError, PromiseError, UsageError, VerifyError
from textkin.data.readers import load_pairs
from textkin.kinds.systems import load
from textkin.measures.decisions.calibration import Isotonic, Method, Platt
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.sampling import Sampling
from textkin.report.figure_words import full
from textkin.verbs.dedupe.dedupe_file import dedupe_file
from textkin.verbs.dedupe.deduped import DedupeOptions, dedupe_texts
from textkin.verbs.evaluate.calibrate_model import CalibrateOptions, calibrate_model
from textkin.verbs.experiments.verify import verify_run
from textkin.verbs.use.scored import score_pairs

pytestmark = pytest.mark.torch

FEW = CalibrateOptions(sampling=Sampling(20, 20))


@pytest.fixture
def model(copy: Path) -> str:
    return str(copy / "model")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "new.tsv", rows(seed=5))


@pytest.fixture
def held_out(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "held.tsv", rows(30, seed=6))


def test_what_is_saved_is_used_afterwards(model: str, data: Path, held_out: Path) -> None:
    old = load(model).model.threshold.threshold
    found = calibrate_model(model, data, goal=Goal.parse("recall=0.95"), test=held_out, options=FEW)
    assert found.threshold != old
    assert isinstance(found.calibration, Platt)
    saved = load(model).model
    assert saved.threshold.threshold == found.threshold
    assert saved.threshold.fitted_on == "new.tsv"
    judged = found.test.test["precision"]
    assert saved.threshold.precision == (judged.low, judged.high)
    pairs = load_pairs(held_out).data
    scored = score_pairs(model, pairs.texts)
    assert scored.threshold == found.threshold.value
    np.testing.assert_array_equal(scored.same, scored.scores >= np.float32(found.threshold.value))
    np.testing.assert_allclose(scored.probabilities, found.calibration.probability(scored.scores))
    assert found.test.test["recall"].value == pytest.approx(recall_score(pairs.labels, scored.same))
    assert found.test.test["precision"].value == pytest.approx(precision_score(pairs.labels, scored.same))
    assert found.test_brier == pytest.approx(brier_score_loss(pairs.labels, scored.probabilities))
    assert 0 <= found.test_ece <= 1
    assert found.fitted["recall"].value == found.threshold.recall
    assert found.fitted["recall"].low < found.threshold.recall <= found.fitted["recall"].high
    assert found.test.dev == found.fitted
    fitted = load_pairs(data).data
    assert recall_score(fitted.labels, score_pairs(model, fitted.texts).same) >= 0.95


def test_the_card_and_verify_know(model: str, data: Path, held_out: Path) -> None:
    found = calibrate_model(model, data, goal=Goal.parse("accuracy"), test=held_out, options=FEW)
    card = (Path(model) / "README.md").read_text()
    assert card.count("## How it decides") == 1
    assert f"Threshold {found.threshold.value:.4f}, fitted on new.tsv for best accuracy: " in card
    assert "fitted on dev" not in card
    assert card.index("## Measured") < card.index("## How it decides") < card.index("## Use")
    with pytest.raises(VerifyError):
        verify_run(Path(model).parent)


def test_a_model_without_card_or_test(model: str, data: Path) -> None:
    (Path(model) / "README.md").unlink()
    found = calibrate_model(
        model, data, goal=Goal.parse("f1"), options=CalibrateOptions(method=Method.ISOTONIC)
    )
    assert isinstance(found.calibration, Isotonic)
    assert (found.test, found.test_ece, found.test_brier) == (None, None, None)
    card = (Path(model) / "README.md").read_text()
    assert "On test" not in card
    assert f": precision {full(found.fitted['precision'])}, recall " in card


def test_a_goal_that_is_out_of_reach_is_said(model: str, tmp_path: Path) -> None:
    pairs = [*rows(10), *((a, a + " again", 0) for a, _, _ in rows(10)), *((a, a, 0) for a, _, _ in rows(10))]
    data = write_pairs(tmp_path / "hard.tsv", pairs)
    before = {path.name: path.read_bytes() for path in Path(model).iterdir()}
    for goal in ("precision=1.0:estimate", "precision=0.9", "recall=0.99"):
        with pytest.raises(PromiseError):
            calibrate_model(model, data, goal=Goal.parse(goal), options=CalibrateOptions(accept_leaks=True))
    assert {path.name: path.read_bytes() for path in Path(model).iterdir()} == before


def part_of_train(folder: Path, copy: Path) -> Path:
    """Half of the training pairs in another order, swapped and in capitals."""
    pairs = load_pairs(copy / "split" / "train.tsv").data.pairs[:73]
    turned = [(pair.b.upper(), pair.a, int(pair.label)) for pair in reversed(pairs)]
    return write_pairs(folder / "part.tsv", turned)


def refusals(tmp_path: Path, copy: Path, data: Path) -> list[tuple[type[Exception], str, Path, Path | None]]:
    one_kind = write_pairs(tmp_path / "same.tsv", [(a, b, 1) for a, b, _ in rows(10)])
    graded = write_pairs(tmp_path / "graded.tsv", [(a, b, label / 3) for a, b, label in rows(10)])
    shared = write_pairs(tmp_path / "leak.tsv", [*rows(10, seed=7), (rows(seed=5)[0][0].upper(), "b", 1)])
    return [
        (LeakError, "new.tsv and leak.tsv share 1 texts", data, shared),
        (LeakError, "share", data, data),
        (LeakError, "was trained on 147 of the 147 pairs of train.tsv", copy / "split" / "train.tsv", None),
        (LeakError, "was trained on 73 of the 73 pairs of part.tsv", part_of_train(tmp_path, copy), None),
        (LeakError, "was trained on 73 of the 73 pairs of part.tsv", data, part_of_train(tmp_path, copy)),
        (DataError, "one kind of label", one_kind, None),
        (DataError, "one kind of label", data, one_kind),
        (DataError, "graded labels", graded, None),
    ]


def test_refusals_leave_the_model_as_it_was(model: str, copy: Path, data: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in Path(model).iterdir()}
    for kind, said, given, held_out in refusals(tmp_path, copy, data):
        with pytest.raises(kind, match=said):
            calibrate_model(model, given, goal=Goal.parse("f1"), test=held_out, options=FEW)
    assert {path.name: path.read_bytes() for path in Path(model).iterdir()} == before


@pytest.mark.parametrize(
    ("name", "made_from"),
    [
        ("default", {}),
        ("tfidf-char", {"fit": True}),
        ("bm25:english", {"fit": True}),
        ("lucene-classic", {"fit": True}),
        ("minhash", {}),
        ("model", {}),
    ],
)
def test_any_scorer_has_a_decision_in_a_file(
    name: str, made_from: dict[str, bool], model: str, data: Path, held_out: Path, tmp_path: Path
) -> None:
    place, corpus = tmp_path / "decision.json", tmp_path / "corpus.txt"
    corpus.write_text("\n".join(text for pair in load_pairs(data).data.texts for text in pair))
    fit = corpus if made_from else None
    scorer = model if name == "model" else name
    before = (Path(model) / "textkin.json").read_bytes()
    options = replace(FEW, out=place, fit=fit)
    found = calibrate_model(scorer, data, goal=Goal.parse("f1"), test=held_out, options=options)
    assert found.saved_in == place
    assert (Path(model) / "textkin.json").read_bytes() == before
    test = load_pairs(held_out).data
    scored = score_pairs(scorer, test.texts, fit_texts=fit and fit.read_text().splitlines(), decision=place)
    assert scored.threshold == found.threshold.value
    assert scored.same.tolist() == (scored.scores >= np.float32(found.threshold.value)).tolist()
    assert scored.probabilities.tolist() == found.calibration.probability(scored.scores).tolist()
    assert precision_score(test.labels, scored.same, zero_division=0) == pytest.approx(
        found.test.test["precision"].value
    )
    for other, texts in (("constant", None), (scorer, [])):
        if texts is not None:
            texts = ["words that nothing was fitted on"]
        if other == scorer and fit is None:
            continue
        with pytest.raises(ModelError) as error:
            score_pairs(other, test.texts, fit_texts=texts, decision=place)
        assert error.value.value == other


def test_mine_and_dedupe_take_a_decision(data: Path, model: str, tmp_path: Path) -> None:
    place = tmp_path / "decision.json"
    found = calibrate_model(
        "default", data, goal=Goal.parse("precision=0.6"), options=replace(FEW, out=place)
    )
    texts = list(dict.fromkeys(text for pair in load_pairs(data).data.texts for text in pair))
    cut = found.threshold.value
    by_value = tk.mine(texts, threshold=cut)
    for wanted in ({"decision": place}, {"decision": place, "precision": 0.5}):
        mined = tk.mine(texts, "default", **wanted)
        assert mined.pairs.a.tolist() == by_value.pairs.a.tolist()
        assert "fitted on new.tsv for precision=0.6" in mined.about.chosen
    assert dedupe_texts(texts, options=DedupeOptions(decision=place)).cut.value == cut
    out = dedupe_file(_as_lines(texts, tmp_path), tmp_path / "out", options=DedupeOptions(decision=place))
    assert out.cut.value == cut
    with pytest.raises(PromiseError):
        tk.mine(texts, decision=place, precision=0.9)
    with pytest.raises(ModelError) as error:
        tk.mine(texts, model, decision=place)
    assert error.value.value == str(model)
    with pytest.raises(ModelError) as error:
        dedupe_texts(texts, model, options=DedupeOptions(decision=place))
    assert error.value.value == str(model)
    with pytest.raises(ModelError) as error:
        tk.mine(texts, load("default"), decision=place)
    assert error.value.value == "default"
    with pytest.raises(UsageError) as error:
        tk.mine(texts, decision=place, threshold=0.5)
    assert error.value.params == ("decision", "threshold")
    vectors = load("default").encode(texts)
    with pytest.raises(UsageError) as error:
        tk.mine(texts, embeddings=vectors, decision=place)
    assert error.value.params == ("model",)


def _as_lines(texts: list[str], folder: Path) -> Path:
    (folder / "texts.txt").write_text("\n".join(texts))
    return folder / "texts.txt"


def test_a_decision_outlives_the_threshold_in_the_model(model: str, data: Path, tmp_path: Path) -> None:
    place = tmp_path / "decision.json"
    calibrate_model(model, data, goal=Goal.parse("f1"), options=replace(FEW, out=place))
    calibrate_model(model, data, goal=Goal.parse("accuracy"), options=FEW)
    assert score_pairs(model, [("one", "other")], decision=place).threshold is not None


@pytest.mark.parametrize("name", ["[" * 300, "a/" * 3_000 + "b", "nul\0"])
def test_a_name_that_no_system_takes_is_no_model(name: str, data: Path) -> None:
    with pytest.raises(ModelError, match="model"):
        calibrate_model(name, data, goal=Goal.parse("f1"), options=FEW)


def test_what_a_decision_needs_is_said(data: Path, tmp_path: Path) -> None:
    found = calibrate_model("default", data, goal=Goal.parse("f1"), options=FEW)
    assert (
        found.saved_in is None
        and score_pairs("default", [("a", "a")], decision=found.save_decision(tmp_path / "s.json")).same
    )
    with pytest.raises(UsageError) as error:
        calibrate_model("tfidf", data, goal=Goal.parse("f1"), options=replace(FEW, out=tmp_path / "d.json"))
    assert error.value.params == ("fit",)
    assert not (tmp_path / "d.json").exists()


def test_the_labels_are_never_written_over(tmp_path):
    data = tmp_path / "pairs.tsv"
    data.write_text("a\tb\tlabel\n" + "".join(f"a {n}\tb {n}\t{n % 2}\n" for n in range(9)))
    there = data.read_bytes()
    with pytest.raises(UsageError) as error:
        calibrate_model("tfidf", data, goal=Goal.parse("f1"), options=CalibrateOptions(out=data))
    assert error.value.params == ("out",)
    assert data.read_bytes() == there
