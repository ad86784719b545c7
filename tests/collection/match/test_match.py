"""Texts matched against a collection, and streams deduplicated on arrival."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textkin as tk
from textkin.base.errors import DataError, OutputError, UsageError
from textkin.collection.match.match_file import match_file
from textkin.collection.match.match_labels import FACT
from textkin.collection.match.match_rules import MatchOptions
from textkin.data.entry_records import Entry
from textkin.data.protocols import Side
from textkin.data.readers.entries import EntryFile
from textkin.measures.decisions.match_rule import MatchVerdict

OPEN = "When do you open on Sunday?"
PARK = "Where can I park my car?"
ROOMS = ["the red room", "the blue room", "the green room", "the small room", "the cold room"]


class Angles:
    """Texts such as "12 word": vectors of a plane at this angle in degrees; nothing else counts."""

    name = "angles"
    dim = 2
    normalised = True

    def encode(self, texts, *, side=Side.DOCUMENT):
        angles = np.radians([float(text.split()[0]) for text in texts]).reshape(-1)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def opened(places):
    return tk.open_collection(places / "c", model=Angles(), create=True)


def similar(one, other, threshold, guards):
    """A slow definition of similarity in the guarantee."""
    cosine = np.cos(np.radians(float(one.split()[0]) - float(other.split()[0])))
    words = one.split()[1] == other.split()[1] or "negation" not in guards
    return cosine >= threshold - 1e-6 and words, cosine >= threshold + 1e-6 and words


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 120), st.sampled_from(["yes", "not"])), min_size=1, max_size=40),
    st.lists(st.integers(1, 15), max_size=6),
    st.sampled_from([0.9, 0.97, 0.995]),
    st.sampled_from([(), ("negation",)]),
)
def test_a_stream_keeps_its_promise_however_it_is_cut(stream, cuts, threshold, guards):
    texts = [f"{angle} {word}" for angle, word in stream]
    options = dict(threshold=threshold, guards=guards)
    matches = []
    with TemporaryDirectory() as folder, opened(Path(folder)) as notes:
        at = 0
        for size in [*cuts, len(texts)]:
            part = [tk.Entry(f"t{at + one}", text) for one, text in enumerate(texts[at : at + size])]
            matches += notes.match(part, add=True, **options).matches
            at += len(part)
        stored = {one.entry_id: one for one in notes.store.entries()}
    assert len(stored) == len(matches) == len(texts)
    kept = [name for name, one in stored.items() if "duplicate_of" not in one.metadata]
    for match in matches:
        link = stored[match.entry_id].metadata.get("duplicate_of")
        assert (link is not None) == (match.verdict is MatchVerdict.DUPLICATE)
        if link is not None:
            assert link in kept and int(link[1:]) < int(match.entry_id[1:])
            assert similar(match.text, stored[link].text, threshold, guards)[0]
    for place, one in enumerate(kept):
        for other in kept[:place]:
            assert not similar(stored[one].text, stored[other].text, threshold, guards)[1]


def test_one_after_another_is_the_same_as_together(places):
    texts = [f"{angle} word" for angle in (0, 3, 50, 8, 52, 4, 90, 49)]
    options = dict(threshold=0.995, guards=())
    found = []
    for name, size in (("a", 1), ("b", len(texts))):
        with tk.open_collection(places / name, model=Angles(), create=True) as notes:
            found.append(
                [
                    (match.verdict.value, match.nearest_id)
                    for start in range(0, len(texts), size)
                    for match in notes.match(
                        [tk.Entry(str(n), texts[n]) for n in range(start, start + size)],
                        add=True,
                        **options,
                    ).matches
                ]
            )
    assert found[0] == found[1]
    assert [verdict for verdict, _ in found[0]].count("duplicate") == 4


class Drawn:
    """A text such as "12 word" is a vector that its number draws."""

    name = "drawn"
    dim = 48
    normalised = True

    def encode(self, texts, *, side=Side.DOCUMENT):
        draws = [np.random.default_rng(int(text.split()[0])) for text in texts]
        return np.stack([one.normal(size=self.dim) for one in draws]).astype(np.float32)


def test_scores_are_the_same_to_the_last_digit_however_a_stream_is_cut(places):
    texts = [f"{number} {word}" for word in ("yes", "not", "again") for number in range(12)]
    found = []
    for name, size in (("a", 1), ("b", len(texts))):
        with tk.open_collection(places / name, model=Drawn(), create=True) as notes:
            parts = [
                [tk.Entry(f"t{n:02}", texts[n]) for n in range(start, start + size)]
                for start in range(0, len(texts), size)
            ]
            options = dict(add=True, threshold=1.0, guards=("negation",))
            found.append([one for part in parts for one in notes.match(part, **options).matches])
    assert found[0] == found[1]
    assert {one.score for one in found[1][12:]} == {1}
    told = [(one.verdict.value, one.nearest_id, one.guards) for one in found[1]]
    assert told[12:24] == [("ask", f"t{n:02}", ("negation",)) for n in range(12)]
    assert told[24:] == [("duplicate", f"t{n:02}", ()) for n in range(12)]


def test_the_nearest_entry_that_no_guard_blocks_is_told_of_texts_that_come_together(places):
    with opened(places) as notes:
        came = [tk.Entry("a", "0 yes"), tk.Entry("b", "30 not"), tk.Entry("c", "60 yes")]
        matches = notes.match(came, add=True, threshold=0.9, guards=("negation",)).matches
    assert [(one.nearest_id, one.guards) for one in matches] == [(None, ()), ("a", ("negation",)), ("a", ())]
    assert matches[2].score == pytest.approx(0.5)


def test_many_linked_entries_do_not_hide_the_kept_one(places):
    with opened(places) as notes:
        options = dict(threshold=0.99, guards=())
        came = [tk.Entry("first", "0 word"), *(tk.Entry(f"t{n}", f"{5 + n / 1000} word") for n in range(100))]
        notes.match(came, add=True, **options)
        [match] = notes.match("5.05 other", **options).matches
        assert (match.verdict.value, match.nearest_id) == ("duplicate", "first")


def test_a_guard_turns_a_duplicate_into_a_question(places):
    options = dict(threshold=0.5)
    with tk.open_collection(places / "c", create=True) as notes:
        notes.add(["Does it run on Windows 10?", OPEN])
        [match] = notes.match("Does it run on Windows 11?", **options).matches
        assert (match.verdict.value, match.guards) == ("ask", ("numbers",))
        assert match.probability is None
        free = dict(threshold=0.5, guards=())
        assert notes.match("Does it run on Windows 11?", **free).matches[0].verdict.value == "duplicate"
        assert len(notes) == 2


def test_ids_that_are_there(places):
    options = dict(threshold=0.9)
    with tk.open_collection(places / "c", create=True) as notes:
        notes.match([tk.Entry("1", PARK), tk.Entry("2", OPEN)], add=True, **options)
        again, other = notes.match([tk.Entry("1", PARK), tk.Entry("2", PARK)], add=True, **options).matches
        assert (again.verdict.value, again.nearest_id, again.stored) == ("duplicate", "1", False)
        assert (other.verdict.value, other.guards, other.stored) == ("ask", ("id",), False)
        twice = notes.match(["When may I park?", "When may I park?"], add=True, **options).matches
        assert [one.stored for one in twice] == [True, False]
        assert twice[1].nearest_id == twice[0].entry_id
        assert len(notes) == 3
        assert notes.store.rows(["2"])[0].text == OPEN
        texts = [tk.Entry("1", PARK), tk.Entry("2", PARK), tk.Entry("2", "when do you open on Sunday")]
        same, changed, edited = notes.match(texts, threshold=0.8).matches
        assert (same.verdict.value, same.nearest_id, same.score) == ("duplicate", "1", 1.0)
        assert (changed.verdict.value, changed.nearest_id) == ("duplicate", "1")
        assert (edited.verdict.value, edited.nearest_id, edited.nearest_text) == ("duplicate", "2", OPEN)


@pytest.mark.parametrize("copies", [15, 16, 17, 70])
def test_linked_copies_do_not_hide_the_entry_that_they_are_linked_to(places, copies):
    with opened(places) as notes:
        notes.match([f"{20 + 0.001 * one} word" for one in range(copies + 1)], add=True, threshold=0.99)
        notes.add(["200 word"])
        for threshold in (0.99, 0.9):  # a cosine of 0.94 is below the one and above the other
            [found] = notes.match("0 word", threshold=threshold).matches
            assert (found.nearest_text, found.score) == ("20.0 word", pytest.approx(np.cos(np.radians(20))))


def test_nothing_tells_what_a_duplicate_is(places):
    with tk.open_collection(places / "c", create=True) as notes:
        notes.add([PARK])
        found = notes.match(OPEN)
        assert (found.fitted, found.rule.duplicate_from) == (False, 0.9)
        with pytest.raises(UsageError) as error:
            notes.match(OPEN, base_rate=0.1)
        assert error.value.params == ("base_rate",)
        for asked in ({"precision": 0.99}, {"ask": 0.5}):
            with pytest.raises(UsageError) as error:  # no cosine is shown to reach them
                notes.match(OPEN, **asked)
            assert error.value.params == tuple(asked)
        with pytest.raises(UsageError) as error:
            notes.match(OPEN, threshold=0.5, guards=("number",))
        assert error.value.params == ("guards",)
        with pytest.raises(UsageError) as error:
            notes.fit_matching()
        assert error.value.params == ("pairs", "groups")


def questions(count, seed=0):
    """Texts at angles: those of one group are near to one another, most of the others aren't."""
    draws = np.random.default_rng(seed)
    ids, texts, fields = [], [], []
    for group in range(count):
        middle = draws.uniform(0, 360)
        for one in range(1 + (group % 2)):
            ids.append(f"{group}-{one}")
            texts.append(f"{middle + draws.normal(0, 0.02):.5f} word")
            fields.append({"group": group})
    return ids, texts, fields


@pytest.mark.slow
def test_groups_tell_what_a_duplicate_is(places):
    ids, texts, fields = questions(600)
    with opened(places) as notes:
        notes.add(texts, ids=ids, metadata=fields)
        labels = notes.fit_matching(groups="group", guards=())
        assert labels.arrivals.duplicates == 600
        assert labels.arrivals.right.sum() > 500
        # Two of three entries have another one of their group.
        assert labels.base_rate.value == pytest.approx(2 / 3)
        notes.add(["10.3 word"], ids=["no group"])
        guessed = notes.fit_matching(groups="group", guards=()).base_rate.share
        assert guessed.low - 0.05 <= 2 / 3 <= guessed.high + 0.05
        found = notes.match("10.0 word", precision=0.6, base_rate=0.5)
        assert found.rule.duplicate_from is not None and found.rule.duplicate_from > 0.99
        assert "fitted to the field group" in found.source and "given" in found.source
        assert "estimated" in notes.match("10.0 word", precision=0.6).source
        with pytest.raises(UsageError) as error:
            notes.match("10.0 word", guards=("names",))
        assert error.value.params == ("guards",)
    with tk.open_collection(places / "c", model=Angles()) as again:
        assert again.match("10.0 word", precision=0.6, base_rate=0.5) == found
        with pytest.raises(DataError, match="no entries have the field 'topic'"):
            again.fit_matching(groups="topic")


def test_labels_of_groups_without_a_possible_rule_are_not_stored(places):
    near = [f"{angle + way} word" for angle in range(0, 150, 30) for way in (0, 180)]
    ids, texts, fields = questions(60)
    with opened(places) as notes:
        notes.add(texts, ids=ids, metadata=fields)
        before = notes.fit_matching(groups="group", guards=())
        assert notes.store.fact(FACT) == before.to_dict()
        for number, text in enumerate(near):  # the nearest entry is never the other of the group
            beside = f"{float(text.split()[0]) + 0.001} word"
            notes.add([text, beside], metadata=[{"g": number // 2}, {"g": f"alone {number}"}])
        with pytest.raises(DataError, match="all of one kind"):
            notes.fit_matching(groups="g", guards=(), base_rate=0.5)
        assert notes.store.fact(FACT) == before.to_dict()


@pytest.mark.slow
def test_the_precision_of_the_fit_is_the_usual_one_of_matches(places):
    ids, texts, fields = questions(600)
    with opened(places) as notes:
        notes.add(texts, ids=ids, metadata=fields)
        for wanted in (0.6, 0.7):
            notes.fit_matching(groups="group", guards=(), precision=wanted)
            usual = notes.match("10.0 word", base_rate=0.5)
            assert usual.rule.goal.precision == wanted
            assert usual == notes.match("10.0 word", base_rate=0.5, precision=wanted)
        assert notes.match("10.0 word", precision=0.6).rule.goal.precision == 0.6


@pytest.mark.slow
@pytest.mark.parametrize("blank", [{}, {"g": " "}])
def test_an_entry_meets_one_other_of_its_group(blank, places):
    """All others of a group of three are ignored but one; entries without a group are no answer."""
    with opened(places) as notes:
        texts = ["0 word", "1 word", "2 word", "80 word", "81 word", "320 word"]
        fields = [{"g": "a"}, {"g": "a"}, {"g": "a"}, {"g": "b"}, blank, {"g": "c"}]
        notes.add(texts, ids=[*"abcdef"], metadata=fields)
        found = notes.fit_matching(groups="g", guards=())
    # Of a, b, c each meets one of the two others, d meets e, which has no label, f meets one of them.
    assert found.unlabelled == 1
    assert sorted(found.arrivals.right.tolist()) == [False, True, True, True]
    near = {round(float(np.cos(np.radians(one))), 5) for one in (1, 2)}
    assert {round(float(one), 5) for one in found.arrivals.scores[found.arrivals.right]} <= near


def test_many_of_one_group_do_not_hide_the_nearest_entry_of_another(places):
    with opened(places) as notes:
        texts = [f"{30 * group + 0.01 * one} word" for group in range(10) for one in range(40)]
        notes.add(texts, metadata=[{"g": number // 40} for number in range(400)])
        notes.add(["100 word", "100.2 word"], metadata=[{"g": "pair"}] * 2)
        found = notes.fit_matching(groups="g", guards=(), base_rate=0.5).arrivals
    # Of an entry that meets none of its own group, the nearest one is of the next group, 30 degrees away.
    assert np.isfinite(found.scores).all()
    assert found.scores[~found.right].min() == pytest.approx(np.cos(np.radians(30)), abs=0.01)


def test_where_no_entry_is_alone_half_of_the_groups_are_overlooked(places):
    with opened(places) as notes:
        texts = [f"{30 * group + way} word" for group in range(10) for way in (0, 1)]
        notes.add(texts, metadata=[{"g": number // 2} for number in range(20)])
        with pytest.raises(DataError, match=r"each of the 20 entries .* base_rate"):
            notes.fit_matching(groups="g", guards=())
        labels = notes.fit_matching(groups="g", guards=(), base_rate=0.3)
        found = labels.arrivals
        assert notes.match("30 word").rule.base_rate == 0.3
        assert notes.match("30 word").matches[0].nearest_text == "30 word"
    assert found.duplicates == 10
    near, far = found.scores[found.known], found.scores[~found.known]
    # Half of the texts meet the other one of their group; the others meet a neighbouring group at best.
    assert near == pytest.approx(np.cos(np.radians(1)), abs=1e-6)
    assert far.max() < np.cos(np.radians(28))


def test_a_file_that_was_stopped_goes_on(tmp_path, monkeypatch):
    from textkin.collection.match import match_file as module

    monkeypatch.setattr(module, "AT_ONCE", 4)
    texts = tmp_path / "texts.txt"
    texts.write_text("".join(f"{angle} word\n" for angle in (0, 1, 50, 51, 52, 2, 90, 91, 130, 131)))
    options = dict(threshold=0.99, guards=())
    whole = tmp_path / "whole.tsv"
    with tk.open_collection(tmp_path / "whole", model=Angles(), create=True) as notes:
        done = match_file(notes, EntryFile(texts), whole, MatchOptions(**options), add=True)
        assert (done.texts, done.resumed, done.verdicts) == (10, 0, {"new": 4, "duplicate": 6})
    out, calls = tmp_path / "out.tsv", 0
    store = module.EntryMatcher.store

    def killed(self, entries, matches):
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        store(self, entries, matches)

    with tk.open_collection(tmp_path / "c", model=Angles(), create=True) as notes:
        with monkeypatch.context() as patch:
            patch.setattr(module.EntryMatcher, "store", killed)
            with pytest.raises(KeyboardInterrupt):
                match_file(notes, EntryFile(texts), out, MatchOptions(**options), add=True)
        assert len(notes) == 4 and not out.exists()
        with (tmp_path / "out.tsv.part").open("a") as torn:
            torn.write('{"entry_id": "')
        done = match_file(notes, EntryFile(texts), out, MatchOptions(**options), add=True)
        assert (done.texts, done.resumed, len(notes)) == (10, 8, 10)
    assert out.read_bytes() == whole.read_bytes()
    assert not (tmp_path / "out.tsv.part").exists()


def stopped(notes, texts, out, options, monkeypatch, *, after):
    """A run that is stopped after a number of stored batches."""
    from textkin.collection.match import match_file as module

    store, calls = module.EntryMatcher.store, 0

    def killed(self, entries, matches):
        nonlocal calls
        calls += 1
        if calls > after:
            raise KeyboardInterrupt
        store(self, entries, matches)

    with monkeypatch.context() as patch:
        patch.setattr(module, "AT_ONCE", 1)
        patch.setattr(module.EntryMatcher, "store", killed)
        with pytest.raises(KeyboardInterrupt):
            match_file(notes, EntryFile(texts), out, MatchOptions(**options), add=True)


def test_what_is_left_of_another_run_is_refused(tmp_path, monkeypatch):
    texts, other, out = tmp_path / "texts.txt", tmp_path / "other.txt", tmp_path / "out.tsv"
    texts.write_text("1 word\n90 word\n120 word\n")
    other.write_text("2 word\n")
    options = dict(threshold=0.5)
    with opened(tmp_path) as notes:
        stopped(notes, texts, out, options, monkeypatch, after=2)
        for file, asked, told in (
            (other, options, r"out\.tsv\.part: row 1 is of another text"),
            (texts, dict(threshold=0.6), "by another rule"),
            (texts, dict(threshold=0.5, guards=()), "by another rule"),
        ):
            with pytest.raises(DataError, match=told):
                match_file(notes, EntryFile(file), out, MatchOptions(**asked), add=True)
        with tk.open_collection(tmp_path / "d", model=Angles(), create=True) as empty:
            monkeypatch.setattr("textkin.collection.match.match_file.AT_ONCE", 1)
            with pytest.raises(DataError, match="was stored by an earlier run, and is not in"):
                match_file(empty, EntryFile(texts), out, MatchOptions(**options), add=True)
        done = match_file(notes, EntryFile(texts), out, MatchOptions(**options), add=True)
        assert (done.texts, len(notes)) == (3, 3)


def test_two_who_match_at_once_keep_nothing_similar(places, monkeypatch):
    """The second one starts after the first has searched, and before it has stored."""
    from textkin.collection.match import match as module

    options, in_turn = dict(threshold=0.9, guards=()), module.EntryMatcher._in_turn
    with opened(places) as one, tk.open_collection(places / "c", model=Angles()) as other:

        def and_another(*given):
            found = in_turn(*given)
            with monkeypatch.context() as patch:
                patch.setattr(module.EntryMatcher, "_in_turn", in_turn)
                with pytest.raises(OutputError):
                    other.match([tk.Entry("b", "1 word")], add=True, **options, wait=0)
            return found

        with monkeypatch.context() as patch:
            patch.setattr(module.EntryMatcher, "_in_turn", and_another)
            one.match([tk.Entry("a", "0 word")], add=True, **options)
        [match] = other.match([tk.Entry("b", "1 word")], add=True, **options).matches
        assert (match.verdict.value, match.nearest_id) == ("duplicate", "a")


def test_texts_bring_no_links_of_their_own(places):
    options = dict(threshold=0.9, guards=())
    with opened(places) as notes:
        for name in ("duplicate_of", "asked_about"):
            with pytest.raises(DataError, match=f"have '{name}', which tells what was matched"):
                notes.match([tk.Entry("a", "1 word", {name: "a"})], add=True, **options)
        assert len(notes) == 0


def test_a_text_that_comes_again_is_linked_to_the_kept_one_wherever_it_came(places):
    options = dict(threshold=0.9, guards=())
    came = [tk.Entry("a", "1 word"), tk.Entry("b", "2 word"), tk.Entry("b", "2 word")]
    with opened(places) as notes, tk.open_collection(places / "d", model=Angles(), create=True) as others:
        together = notes.match(came, add=True, **options).matches
        apart = [others.match([one], add=True, **options).matches[0] for one in came]
        assert [match.nearest_id for match in together] == [match.nearest_id for match in apart]
        assert [match.nearest_id for match in together] == [None, "a", "a"]
        later = notes.match(came[1:], **options).matches
        for again in (together[2], apart[2], *later):
            assert (again.verdict, again.nearest_text, again.stored) == ("duplicate", "1 word", False)
            assert again.score is None


@pytest.mark.parametrize(
    ("name", "text", "metadata"),
    [("a", " ", {}), ("\ud800", "1 w", {}), ("a", "1 w", ["x"]), ("a", "1 \ud800", {}), ("a\0", "1 w", {})],
)
def test_what_can_not_be_stored_is_not_matched(places, name, text, metadata):
    options = dict(threshold=0.9)
    with opened(places) as notes:
        for add in (False, True):
            with pytest.raises(DataError):
                notes.match([tk.Entry(name, text, metadata)], **options, add=add)
        assert len(notes) == 0


@pytest.mark.slow
def test_labels_of_a_collection_that_has_grown(places, capsys):
    ids, texts, fields = questions(300)
    with opened(places) as notes:
        notes.add(texts, ids=ids, metadata=fields)
        notes.fit_matching(groups="group", guards=())
        told = notes.match("5 w").source
        assert "of 450 entries, 450 of them sampled, at 450 entries;" in told
        notes.add([f"{number / 9:.4f} new" for number in range(113)])
        capsys.readouterr()
        notes.match("5 w", threshold=0.9)
        assert "warning" not in capsys.readouterr().err  # nothing fitted counts
        for _ in range(2):
            notes.match("5 w")
        err = capsys.readouterr().err
        assert err.count("verdicts and probabilities of matches were fitted to") == 1
        assert "it had 450 entries then; since, 113 are new" in err
        notes.fit_matching(groups="group", guards=())  # known again, though another process had the rule
        assert "at 563 entries" in notes.match("5 w").source


@pytest.mark.slow
def test_the_rule_is_fitted_once(places, monkeypatch):
    from textkin.collection.match import match_rules as module

    ids, texts, fields = questions(300)
    fitted, choose = [], module.choose_rule
    monkeypatch.setattr(module, "choose_rule", lambda *given: fitted.append(given) or choose(*given))
    with opened(places) as notes:
        notes.add(texts, ids=ids, metadata=fields)
        notes.fit_matching(groups="group", guards=())
        one, other = notes.match("5 w"), notes.match("5 w")
        assert len(fitted) == 1 and one.rule is other.rule
        notes.match("5 w", precision=0.5)
        assert len(fitted) == 2


def test_a_link_ends_with_the_text_that_it_led_to(places):
    rule = {"threshold": 0.99, "guards": "none"}
    with opened(places) as notes:
        notes.match([Entry("a", "10 yes"), Entry("b", "12 yes")], add=True, **rule)
        assert notes.store.rows(["b"])[0].metadata == {"duplicate_of": "a"}
        (found,) = notes.match([Entry("c", "12 yes")], **rule).matches
        assert found.nearest_id == "a"
        notes.add([Entry("a", "10 yes", {"lang": "en"})])  # other metadata, the same text
        (found,) = notes.match([Entry("c", "12 yes")], **rule).matches
        assert found.nearest_id == "a"
        notes.add([Entry("a", "90 yes")])
        (found, again) = notes.match([Entry("c", "12 yes"), Entry("b", "12 yes")], **rule).matches
        assert (found.verdict, found.nearest_id) == (MatchVerdict.DUPLICATE, "b")
        assert found.score == pytest.approx(1)
        assert (again.nearest_id, again.nearest_text, again.score) == ("b", "12 yes", 1)
        notes.remove(["a"])
        notes.add([Entry("a", "10 yes")])  # of before, but younger than the link
        (found,) = notes.match([Entry("c", "12 yes")], **rule).matches
        assert found.nearest_id == "b"


def test_guards_are_named_as_elsewhere(places):
    with opened(places) as notes:
        notes.add(["10 yes"])
        for guards, verdict in [
            ("negation", "ask"),
            (["negation"], "ask"),
            ("none", "duplicate"),
            (None, "duplicate"),
        ]:
            (found,) = notes.match("10 not", threshold=0.9, guards=guards).matches
            assert found.verdict == verdict


@pytest.mark.parametrize("asked", [{"base_rate": 0.1}, {"precision": 0.99}, {"ask": 0.5}])
def test_a_threshold_decides_alone(asked):
    with pytest.raises(UsageError) as error:
        MatchOptions(threshold=0.9, **asked)
    assert error.value.params == (*asked, "threshold")
