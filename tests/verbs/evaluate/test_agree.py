from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import textkin as tk
from tests.cli.conftest import textkin as textkin
from tests.cli.conftest import write_pairs
from tests.making_spans import spans
from tests.models.ensembles.making import Picks, Says, Sorts
from textkin.base.errors import DataError, LeakError, UsageError
from textkin.data import samples
from textkin.data.readers import load_pairs
from textkin.kinds.measuring import Options
from textkin.kinds.systems import resolve
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.intervals.sampling import Sampling
from textkin.verbs.evaluate.agree import agree

QUICK = Sampling(50, 99)


def test_pairs_are_decided_by_the_threshold_that_fits_dev(tmp_path):
    dev, test = write_pairs(tmp_path / "dev.tsv"), write_pairs(tmp_path / "test.tsv", start=20, stop=30)
    found = agree(test, models=["default", "minhash"], options=Options(dev=dev, sampling=QUICK))
    data, held_out = load_pairs(dev).data, load_pairs(test).data
    decided = []
    for name in ("default", "minhash"):
        scorer = resolve(name, fit_texts=())
        threshold = fit_threshold(data.labels, scorer.score(data.texts), Goal(Aim.ACCURACY))
        decided.append(threshold.decide(scorer.score(held_out.texts)))
        assert f"{name} decides by the threshold {threshold.value:.4f}, of the best accuracy on" in str(found)
    assert found.agreed.pairs[0].same.value == np.mean(decided[0] == decided[1])
    accuracy = [np.mean(one == (held_out.labels > 0)) for one in decided]
    assert [one.accuracy.value for one in found.agreed.members] == pytest.approx(accuracy)
    assert found.kind == "pairs" and found.items == 20


def test_a_threshold_is_not_fitted_on_pairs_that_the_system_learnt_from(tmp_path):
    dev = tk.as_pairs(samples.pairs("support-desk")[::5], name="desk")
    test = tk.as_pairs(samples.pairs("cooking")[::3], name="cooking")
    tk.ensemble(["default", "minhash"], dev=dev, out=tmp_path / "e", combine="mean", resamples=50, rounds=99)
    options, models = Options(dev=dev, sampling=QUICK), [tmp_path / "e", "minhash"]
    with pytest.raises(LeakError, match=rf"trained on {len(dev)} of the {len(dev)} pairs of desk"):
        agree(test, models=models, options=options)
    found = agree(test, models=models, options=replace(options, accept_leaks=True))
    assert f"trained on {len(dev)} of the {len(dev)} pairs of desk, which its threshold is fitted on" in str(
        found
    )
    assert agree(test, models=["default", "minhash"], options=options).items == len(test)


@pytest.mark.torch
def test_a_saved_threshold_decides_and_says_so(textkin, tmp_path):
    dev = tk.as_pairs(samples.pairs("travel")[::3], name="travel")
    test = tk.as_pairs(samples.pairs("cooking")[::3], name="cooking")
    tk.ensemble(
        ["default", "minhash"],
        dev=samples.pairs("support-desk")[::5],
        out=tmp_path / "e",
        combine="mean",
        resamples=50,
        rounds=99,
    )
    tk.calibrate(dev, tmp_path / "e", resamples=20)
    with pytest.raises(UsageError) as error:
        agree(test, models=[tmp_path / "e", "default"], options=Options(sampling=QUICK))
    assert error.value.params == ("dev",)
    found = agree(
        test,
        models=[tmp_path / "e", f"twice={tmp_path / 'e'},{tmp_path / 'e'}"],
        options=Options(sampling=QUICK),
    )
    assert "saved with it, fitted on travel" in str(found)
    assert [one.system for one in found.agreed.members][1:] == ["twice-seed0", "twice-seed1"]
    assert all(one.same.value == 1 for one in found.agreed.pairs)


def rankings():
    docs = ("right", "wrong", "other")
    queries = tuple(
        tk.Candidates(f"q{n}", f"question {n}", ("a", "b", "c"), docs, (1, 0, 0)) for n in range(3)
    )
    return tk.CandidateSet(queries, name="three")


def test_rankings_by_hand():
    told = [[3, 2, 1], [3, 2, 1], [1, 2, 3]], [[3, 1, 2], [1, 2, 3], [1, 1, 1]]
    pairs = [[(f"question {n}", doc) for doc in ("right", "wrong", "other")] for n in range(3)]
    one, two = (
        Says(name, {pair: score for n in range(3) for pair, score in zip(pairs[n], scores[n], strict=True)})
        for name, scores in zip(("one", "two"), told, strict=True)
    )
    found = agree(rankings(), models=[one, two], options=Options(sampling=QUICK))
    (pair,) = found.agreed.pairs
    # Of equals that with the later id comes first, as everywhere: "c" in the third question.
    assert pair.same.value == pytest.approx(2 / 3)
    assert pair.correlation is not None and pair.correlation.value == pytest.approx((1 / 3 - 1) / 2)
    assert [one.accuracy.value for one in found.agreed.members] == pytest.approx([2 / 3, 1 / 3])
    assert found.agreed.oracle.value == pytest.approx(2 / 3)
    assert "tau-b" in found.rows()[0] and found.kind == "candidates"


def test_classes():
    data = tk.as_pairs([("a", "b", "yes"), ("c", "d", "no"), ("e", "f", "maybe"), ("g", "h", "no")])
    labels = ("yes", "no", "maybe")
    given = [0, 1, 0, 1], [0, 0, 0, 1]
    systems = [
        Sorts(name, labels, {pair: np.eye(3)[one] for pair, one in zip(data.texts, decided, strict=True)})
        for name, decided in zip(("one", "two"), given, strict=True)
    ]
    found = agree(data, models=systems, options=Options(sampling=QUICK))
    assert found.kind == "classes" and found.agreed.pairs[0].same.value == 0.75
    assert [one.accuracy.value for one in found.agreed.members] == [0.75, 0.5]
    assert found.agreed.pairs[0].shared_errors is not None
    assert found.agreed.pairs[0].shared_errors.value == 0.5


def test_who_adds_to_the_vote_is_named_unless_nobody_does():
    data = tk.as_pairs([("a", "b", "yes"), ("c", "d", "no"), ("e", "f", "maybe"), ("g", "h", "no")])
    labels = ("yes", "no", "maybe")

    def said(*decided):
        systems = [
            Sorts(f"s{n}", labels, {pair: np.eye(3)[one] for pair, one in zip(data.texts, own, strict=True)})
            for n, own in enumerate(decided)
        ]
        return agree(data, models=systems, options=Options(sampling=QUICK)).sentences()

    assert "No system adds to the vote" in said([0, 1, 2, 1], [0, 1, 2, 1], [0, 1, 2, 1])
    found = said([0, 0, 0, 0], [0, 1, 2, 1], [0, 1, 2, 0])  # without s1 or s2 the first one decides
    assert any(one.startswith("s1 adds most to the vote: +0.50") for one in found)


def test_choices_of_choosers_scorers_and_names():
    questions = tuple(
        tk.ChoiceQuestion(f"{n}", f"question {n}", ("a", "b", "c")[: 2 + n % 2], n % 2) for n in range(4)
    )
    picks = Picks("picks", {"0": [1, 0], "1": [0, 1, 0], "2": [1, 0], "3": [0, 0, 1]})
    data = tk.ChoiceSet(questions)
    found = agree(data, models=[picks, "constant"], options=Options(sampling=QUICK))
    assert [one.accuracy.value for one in found.agreed.members] == [0.75, 0.5]
    assert found.agreed.pairs[0].same.value == 0.5 and found.kind == "choices"
    unanswered = tk.ChoiceSet((tk.ChoiceQuestion("1", "q", ("a", "b")),))
    with pytest.raises(DataError):
        agree(unanswered, models=[picks, "constant"])
    with pytest.raises(UsageError) as error:
        agree(rankings(), models=[picks, "constant"])
    assert error.value.params == ("model",)


def test_what_can_not_be_compared_is_refused(tmp_path):
    graded = tk.as_pairs([("a", "a", 2.5), ("c", "d", 1.5), ("e", "f", 0.5)])
    with pytest.raises(UsageError) as error:
        agree(graded, models=["default", "tfidf"])
    assert error.value.params == ("data",)
    with pytest.raises(UsageError) as error:
        agree(spans(2), models=["default", "tfidf"])
    assert error.value.params == ("data",)
    with pytest.raises(UsageError) as error:
        agree(rankings(), models=["default"], options=Options(sampling=QUICK))
    assert error.value.params == ("models",)
    dev = write_pairs(tmp_path / "dev.tsv")
    with pytest.raises(LeakError):
        agree(dev, models=["default", "tfidf"], options=Options(dev=dev, sampling=QUICK))


@pytest.mark.slow
def test_on_the_command_line_with_a_page(textkin, tmp_path):
    dev, test = write_pairs(tmp_path / "dev.tsv"), write_pairs(tmp_path / "test.tsv", start=20, stop=30)
    arguments = (
        "compare",
        "--agreement",
        test,
        "tfidf",
        "default",
        "minhash",
        "--dev",
        dev,
        "--resamples",
        50,
    )
    page = tmp_path / "page.html"
    told = textkin(*arguments, "--report", page)
    assert told.code == 0
    for words in ("kappa", "adds to the vote", "Some system is right (oracle)", "adds most to the vote"):
        assert words in told.out
    html = page.read_text()
    assert html.count('class="heat"') == 3 and html.count("<script") == 1 and "Cohen" in html
    found = textkin(*arguments, "--json").json
    assert len(found["agreed"]["pairs"]) == 3 and found["kind"] == "pairs"


def test_word_vectors_that_no_system_reads_are_refused():
    rows = [(f"open {n}", f"open {n} today", n % 2) for n in range(9)]
    dev = [(f"close {n}", f"close {n} today", n % 2) for n in range(9)]
    with pytest.raises(UsageError) as error:
        tk.compare(rows, ["default", "minhash"], agreement=True, dev=dev, vectors="vectors.txt")
    assert error.value.params == ("vectors",)
