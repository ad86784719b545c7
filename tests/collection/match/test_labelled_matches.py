"""Labels of matches, which alone show the quality of a verdict."""

import numpy as np
import pytest

import textkin as tk
from tests.collection.match.test_match import Angles, Drawn, opened
from textkin.base.errors import DataError, UsageError
from textkin.collection.match.match_file import match_file
from textkin.collection.match.match_rules import MatchOptions
from textkin.data.readers.entries import EntryFile
from textkin.measures.labels.answer_file import LabelAnswer

STORED = [f"{angle} word" for angle in range(0, 360, 10)]


def came(count, seed=0):
    """Texts at angles: one in four is within a degree of an entry, and is its duplicate."""
    draws = np.random.default_rng(seed)
    same = draws.random(count) < 0.25
    off = np.where(same, draws.uniform(-1, 1, count), draws.uniform(2, 5, count))
    return [f"{10 * draws.integers(0, 36) + one:.4f} word" for one in off], same


def is_same(text, nearest):
    return abs(float(text.split()[0]) - float(nearest.split()[0])) <= 1


def labelled(notes, folder, texts, *, labels=10_000, precision=0.8):
    """The labelled file of a user who matches, labels and exports."""
    (folder / "new.txt").write_text("\n".join(texts) + "\n")
    match_file(notes, EntryFile(folder / "new.txt"), folder / "m.tsv", MatchOptions(guards=()))
    session = tk.label(folder / "m.tsv", precision=precision)
    for _ in range(labels):
        if (question := session.next()) is None:
            break
        answer = "same" if is_same(question.first, question.second) else "different"
        session.answer(question, LabelAnswer(answer))
    session.export(folder / "labelled.tsv")
    return folder / "labelled.tsv"


@pytest.mark.slow
def test_from_matches_to_labels_to_a_calibration(tmp_path):
    texts, same = came(3000)
    with opened(tmp_path) as notes:
        notes.add(STORED)
        path = labelled(notes, tmp_path, texts, labels=400)
        found = notes.fit_matching(path, guards=())
        assert found.base_rate.share.low < same.mean() < found.base_rate.share.high
        assert len(found.arrivals.known) == 400
        new, truth = came(4000, seed=1)
        result = notes.match(new, precision=0.8, guards=())
    assert result.fitted and result.rule.reached >= 0.8
    linked = np.array([one.verdict.value == "duplicate" for one in result.matches])
    assert truth[linked].mean() >= 0.8 and linked.sum() > 300
    likely = np.array([one.probability for one in result.matches])
    assert likely[truth].mean() > 0.6 and likely[~truth].mean() < 0.2
    assert likely.mean() == pytest.approx(truth.mean(), abs=0.05)


@pytest.mark.slow
def test_a_base_rate_that_is_known(tmp_path):
    with opened(tmp_path) as notes:
        notes.add(STORED)
        path = labelled(notes, tmp_path, came(500)[0], labels=150)
        assert notes.fit_matching(path, guards=(), base_rate=0.01).base_rate.in_words == "0.01, given"
        assert notes.match("3 word").rule.base_rate == 0.01
        with pytest.raises(UsageError) as error:
            notes.fit_matching(path, guards=(), base_rate=1)
        assert error.value.params == ("base_rate",)


@pytest.mark.slow
def test_labels_go_on_until_all_matches_have_one(tmp_path):
    with opened(tmp_path) as notes:
        notes.add(STORED)
        path = labelled(notes, tmp_path, [*came(150)[0], STORED[0]], precision=0.99)
    assert len(path.read_text().splitlines()) == 151  # the text that is stored already asks for no label


@pytest.mark.slow
def test_ordinary_pairs_are_refused(tmp_path):
    """Of 500 pairs of an angle and one 30 degrees further, few are an angle and its nearest entry."""
    draws = np.random.default_rng(0)
    pairs = [
        (f"{a:.2f} w", f"{a + 30 * (n % 2):.2f} w", n % 2) for n, a in enumerate(draws.uniform(0, 90, 500))
    ]
    with opened(tmp_path) as notes:
        notes.add(STORED)
        with pytest.raises(DataError, match="500 of 500 labelled pairs are not a text and its nearest entry"):
            notes.fit_matching(pairs, guards=())
        assert notes.match("3 word").fitted is False


def test_mined_pairs_are_refused(tmp_path):
    with opened(tmp_path) as notes:
        texts = [f"{angle:.3f} w" for angle in np.random.default_rng(0).uniform(0, 360, 80)]
        notes.add(texts)
        (tmp_path / "texts.txt").write_text("\n".join(texts) + "\n")
        rows = sorted(
            (
                (np.cos(np.radians(float(a.split()[0]) - float(b.split()[0]))), a, b)
                for a in texts
                for b in texts
                if a < b
            ),
            reverse=True,
        )[:120]
        lines = [f"{score:.6f}\t{a}\t{b}" for score, a, b in rows]
        (tmp_path / "mined.tsv").write_text("score\ttext_a\ttext_b\n" + "\n".join(lines) + "\n")
        session = tk.label(tmp_path / "mined.tsv")
        while (question := session.next()) is not None:
            session.answer(
                question, LabelAnswer("same" if is_same(question.first, question.second) else "different")
            )
        session.export(tmp_path / "labelled.tsv")
        with pytest.raises(DataError, match="chosen by their score"):
            notes.fit_matching(tmp_path / "labelled.tsv", guards=())


def test_pairs_that_were_chosen_by_their_scores_are_refused(tmp_path):
    with opened(tmp_path) as notes:
        near = [f"{angle + off} w" for angle in range(0, 200, 20) for off in (0, 0.5)]
        notes.add([*near, *(f"{angle} w" for angle in range(205, 355, 5))])
        pairs = [(near[n], near[n + 1], n % 4 == 0) for n in range(0, 20, 2)]
        with pytest.raises(DataError, match="chosen by their scores"):
            notes.fit_matching([(a, b, int(same)) for a, b, same in pairs], guards=())


def test_either_text_may_be_the_one_that_came(tmp_path):
    """Of 24 texts half are within a degree of an entry; the others are 60 degrees from any."""
    rows = [(f"{10 * n + 0.5} w", f"{10 * n} word", 1) for n in range(12)]
    rows += [(f"{180 + n / 10} w", "110 word", 0) for n in range(12)]
    with opened(tmp_path) as notes:
        notes.add(STORED[:12])
        one = notes.fit_matching(rows, guards=(), base_rate=0.25)
        other = notes.fit_matching([(b, a, label) for a, b, label in rows], guards=(), base_rate=0.25)
        assert one.arrivals.known.tolist() == [True] * 12 + [False] * 12 and one.unlabelled == 0
        assert (one.arrivals.scores == other.arrivals.scores).all()


def test_labels_count_for_the_scores_that_matches_have(tmp_path):
    stored = [f"{number} stored" for number in range(60)]
    with tk.open_collection(tmp_path / "c", model=Drawn(), create=True) as notes:
        notes.add(stored)
        texts = [f"{number} new" for number in range(40, 80)]
        matches = notes.match(texts, guards=()).matches
        rows = [(one.text, one.nearest_text, int(one.score > 0.9)) for one in matches]
        found = notes.fit_matching(rows, guards=(), base_rate=0.5)
        assert found.arrivals.scores.tolist() == [one.score for one in matches]
        assert found.arrivals.scores[:20].tolist() == [1.0] * 20


@pytest.mark.slow
def test_labels_of_another_collection_are_refused(tmp_path):
    with opened(tmp_path) as notes:
        notes.add(STORED)
        path = labelled(notes, tmp_path, came(200)[0], labels=60)
    with tk.open_collection(tmp_path / "other", model=Angles(), create=True) as notes:
        notes.add(["1 word", "2 word"])
        with pytest.raises(DataError, match="60 labelled matches are no entries of this collection"):
            notes.fit_matching(path, guards=())


def test_a_threshold_of_label_leaves_the_other_matches_out(tmp_path):
    with opened(tmp_path) as notes:
        notes.add(STORED)
        labelled(notes, tmp_path, came(200)[0], labels=1)
        session = tk.label(tmp_path / "m.tsv", threshold=0.9995, answers=tmp_path / "a.jsonl")
        for _ in range(20):
            question = session.next()
            session.answer(
                question, LabelAnswer("same" if is_same(question.first, question.second) else "different")
            )
        session.export(tmp_path / "some.tsv")
        with pytest.raises(DataError, match="label the matches without threshold"):
            notes.fit_matching(tmp_path / "some.tsv", guards=())
