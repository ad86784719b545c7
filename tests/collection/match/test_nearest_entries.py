"""Collections with windows: search finds and shows the best one, matching compares whole texts."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textkin as tk
from tests.collection.making_windows import Turns, direction
from tests.reference.long_texts import best_way
from textkin.base.errors import UsageError
from textkin.collection.contents import export, repair
from textkin.collection.store.open_store import open_store
from textkin.measures.decisions.match_rule import MatchVerdict
from textkin.text.text_windows import windows_of

HEAD = " ".join(["0"] * 8)
LONG = f"{HEAD} {' '.join(['90'] * 8)} {' '.join(['45'] * 8)}"


def opened(places, **options):
    return tk.open_collection(places / "c", model=Turns(), create=True, **options)


def windows(text, most=8):
    """The windows of a text, and their vectors, without a collection."""
    if len(text.split()) <= most:
        return [text], [direction(text)]
    spans = windows_of(text, most, Turns().lengths)
    pieces = [text[start:end] for start, end in spans]
    return pieces, [direction(one) for one in pieces]


def test_a_model_with_a_limit_has_windows(places):
    with opened(places) as notes:
        assert notes.store.window == 8
        done = notes.add([LONG, HEAD, "30"], ids=["long", "head", "short"])
        assert (done.encoded, done.windows) == (3, len(windows(LONG)[0]))
        assert (notes.truncation.cut, notes.truncation.windows) == (1, done.windows - 1)
        [hit] = notes.search("90", k=1, mode="vectors").hits[0]
        assert (hit.entry_id, hit.text, hit.score) == ("long", LONG, pytest.approx(1))
        assert LONG[slice(*hit.window)] == hit.matched
        assert set(hit.matched.split()) == {"90"}
        hits = {one.entry_id: one for one in notes.search("90 45", k=3).hits[0]}
        assert hits["head"].window is None and hits["head"].matched == HEAD
        assert hits["long"].window is not None
        assert "90 90" in str(notes.search("90", k=1, mode="vectors").rows()[0]["window"])
        [by_words] = notes.search("45", mode="words").hits[0]
        assert by_words.window is None and by_words.matched == LONG
    account = tk.collection_info(places / "c")
    assert (account.windows, account.in_windows, account.entries) == (8, 1, 3)


def test_windows_are_chosen_once(tmp_path):
    with opened(tmp_path, windows=0) as notes:
        done = notes.add([LONG], ids=["long"])
        assert (notes.store.window, done.windows, notes.truncation.windows) == (0, 0, 0)
        assert notes.truncation.cut == 1 and notes.truncation.unread == 16
        [hit] = notes.search("90", k=1, mode="vectors").hits[0]
        assert hit.window is None and hit.score == pytest.approx(0, abs=1e-6)
    with pytest.raises(UsageError) as error:
        opened(tmp_path, windows=8)
    assert (error.value.params, error.value.value) == (("windows",), 8)
    with opened(tmp_path, windows=0) as notes:
        assert len(notes) == 1
    with pytest.raises(UsageError) as error:
        tk.open_collection(tmp_path / "d", model=Turns(), create=True, windows=9)
    assert error.value.params == ("windows",)
    with pytest.raises(UsageError) as error:
        tk.open_collection(tmp_path / "d", create=True, windows=3)
    assert error.value.params == ("windows",)
    assert not (tmp_path / "d").exists()
    with tk.open_collection(tmp_path / "e", create=True) as notes:
        assert notes.store.window == 0
    with tk.open_collection(tmp_path / "f", create=True, windows=16) as notes:
        notes.add(["Where can I park my car? " * 20 + "Do you lend laptops? " * 20], ids=["a"])
        assert "laptops" in notes.search("Do you lend laptops?").hits[0][0].matched


def test_export_and_repair_keep_texts_whole(tmp_path):
    with opened(tmp_path) as notes:
        notes.add([LONG, HEAD], ids=["long", "head"])
        found = notes.search(["90", "45 0"]).hits
        assert export(notes.store, tmp_path / "out.jsonl") == 2
    assert LONG in (tmp_path / "out.jsonl").read_text()
    assert repair(tmp_path / "c", Turns()).count == 2
    with opened(tmp_path) as notes:
        assert notes.search(["90", "45 0"]).hits == found


def similar(one, other):
    return best_way(windows(one)[1], windows(other)[1])


pieces = st.lists(
    st.sampled_from(["0 0 0 0 0.", "40 40 40 40 40.", "20 20 20 20 20.", "22 22 22 22 22."]), max_size=4
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["1", "5", "80"]), pieces), min_size=1, max_size=16),
    st.lists(st.integers(1, 6), max_size=4),
    st.sampled_from([0.9, 0.97, 0.995]),
)
def test_a_stream_of_long_texts_keeps_its_promise(stream, cuts, threshold):
    """No two kept texts are similar as a whole, and every link is: all windows, in order."""
    texts = [" ".join([head, *parts]) for head, parts in stream]
    options = dict(threshold=threshold, guards=())
    matches, at = [], 0
    with TemporaryDirectory() as folder, opened(Path(folder)) as notes:
        for size in [*cuts, len(texts)]:
            part = [tk.Entry(f"t{at + one}", text) for one, text in enumerate(texts[at : at + size])]
            matches += notes.match(part, add=True, **options).matches
            at += len(part)
        stored = {one.entry_id: one for one in notes.store.entries()}
    kept = [name for name, one in stored.items() if "duplicate_of" not in one.metadata]
    for match in matches:
        link = stored[match.entry_id].metadata.get("duplicate_of")
        assert (link is not None) == (match.verdict is MatchVerdict.DUPLICATE)
        if link is not None:
            assert link in kept and similar(match.text, stored[link].text) >= threshold - 1e-6
            assert match.score == pytest.approx(similar(match.text, stored[link].text), abs=1e-5)
    for place, one in enumerate(kept):
        for other in kept[:place]:
            assert similar(stored[one].text, stored[other].text) < threshold + 1e-6


def test_many_texts_with_the_same_head_do_not_hide_the_same_text(places):
    """All of them have a window similar to the text's first one; only one text is similar as a whole."""
    with opened(places) as notes:
        same = f"{HEAD} {' '.join(['75'] * 8)}"
        others = [f"{HEAD} {' '.join([str(100 + n)] * 8)}" for n in range(100)]
        notes.add([*others, same], ids=[f"z{n}" for n in range(100)] + ["a"])
        [match] = notes.match(same, threshold=0.99, guards=()).matches
        assert (match.verdict.value, match.nearest_id) == ("duplicate", "a")
        [match] = notes.match(HEAD, threshold=0.99, guards=()).matches
        assert match.verdict.value == "new"


@pytest.mark.slow
def test_matching_is_fitted_to_whole_texts(places):
    texts = [f"{HEAD} {' '.join([str(n * 7)] * 8)}" for n in range(24) for _ in range(1 + n % 2)]
    with opened(places) as notes:
        fields = [{"g": text} for text in texts]
        notes.add(texts, ids=[f"t{n}" for n in range(len(texts))], metadata=fields)
        labels = notes.fit_matching(groups="g", guards=())
        scores = labels.arrivals.scores
        assert scores[labels.arrivals.right] == pytest.approx(1)
        assert (scores[~labels.arrivals.right] < 0.9999).any()
        came = [f"{HEAD} {' '.join([str(n * 14 + 2)] * 8)}" for n in (0, 1, 3, 4, 6, 7, 9, 18)]
        pairs = [(one, max(texts, key=lambda text: similar(one, text)), n % 2) for n, one in enumerate(came)]
        found = notes.fit_matching(pairs, guards=(), base_rate=0.5).arrivals.scores
        assert found == pytest.approx([similar(a, b) for a, b, _ in pairs], abs=1e-5)


def test_a_store_knows_the_windows_that_a_model_reads(tmp_path):
    with opened(tmp_path) as notes:
        notes.add([LONG], ids=["long"])
    with open_store(tmp_path / "c") as store:
        own = store.windows(["long"])["long"]
    assert [LONG[start:end] for start, end in own.spans] == windows(LONG)[0]
    assert np.allclose(own.vectors, windows(LONG)[1])


class Longest:
    """A scorer of pairs that scores the number of words, and records its inputs."""

    name = "longest"

    def __init__(self):
        self.read = []

    def score(self, pairs):
        self.read += [text for _, text in pairs]
        return np.array([len(text.split()) for _, text in pairs], np.float32)


def test_a_reranker_reads_the_window_that_matched(places):
    with opened(places) as notes:
        notes.add([LONG, HEAD, "30"], ids=["long", "head", "short"])
        for mode in ("vectors", "hybrid"):
            scorer = Longest()
            hits = notes.search("90", mode=mode, rerank=scorer).hits[0]
            assert {hit.matched for hit in hits} == set(scorer.read)
            assert LONG not in scorer.read
            assert all(hit.score == len(hit.matched.split()) for hit in hits)
        scorer = Longest()
        notes.search("90", mode="words", rerank=scorer)
        assert scorer.read == [LONG]  # no window matched


def test_what_was_fitted_with_whole_texts_is_not_for_windows(places):
    from textkin.collection.calibration.fitted_search import systems_of
    from textkin.collection.search.reranker import Reranker

    scorer = Reranker(Longest())
    with opened(places) as notes:
        in_windows = systems_of(notes.store, scorer)["reranker"]
    with tk.open_collection(places / "d", model=Turns(), create=True, windows=0) as notes:
        assert systems_of(notes.store, scorer)["reranker"] == scorer.sha256 != in_windows


def test_a_match_is_explained_by_the_windows_that_decide(places):
    other = f"{HEAD} {' '.join(['80'] * 8)} {' '.join(['45'] * 8)}"
    with opened(places) as notes:
        notes.add([other, HEAD], ids=["other", "head"])
        [match] = notes.match(LONG, threshold=0.9, guards=()).matches
        assert (match.nearest_id, match.score) == ("other", pytest.approx(np.cos(np.radians(10)), abs=1e-6))
        counted = notes.truncation
        why = notes.explain_match(match)
        assert notes.truncation == counted
        assert set(why.first.split()) == {"90"} and set(why.second.split()) == {"80"}
        notes.remove(["other"])
        assert notes.explain_match(match).first == LONG
