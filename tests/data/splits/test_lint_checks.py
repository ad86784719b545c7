"""Each check alone, verbatim: its message, its severity, and its rows."""

from dataclasses import replace

import numpy as np
import pytest

from tests.data.splits.making import binary
from textkin.base.text_equality import Equal
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.data.splits import lint_checks as checks
from textkin.data.splits.findings import Place, Severity, Topic
from textkin.data.splits.lint_checks import EXAMPLES, Subject, short

DIFFERENT = ("other", "texts")


def found(check, data, lines=None):
    return check(Subject.of(data, lines or {}))


def rows(finding):
    return [tuple(place.row for place in example.places) for example in finding.examples]


def graded(*labels):
    pairs = [Pair(f"a{n}", f"b{n}", label, row=n) for n, label in enumerate(labels)]
    return PairSet(tuple(pairs), LabelKind.GRADED)


def test_a_place_is_the_row_that_the_reader_gave_or_the_position():
    pairs = (Pair("a", "b", 1.0, row=7), Pair("c", "d", 1.0), Pair("e", "f", 1.0, row=0))
    subject = Subject.of(PairSet(pairs, LabelKind.BINARY, name="f"), {7: 9, 1: 5})
    assert subject.place(0) == Place("f", 7, 9)
    assert subject.place(1) == Place("f", 1, 5)
    assert subject.place(2) == Place("f", 0, None)
    assert subject.example(0, 1).text == "c | d"


@pytest.mark.parametrize(("length", "is_cut"), [(100, False), (101, True)])
def test_texts_are_cut_to_a_hundred_signs(length, is_cut):
    text = "x" * length
    assert short(text) == ("x" * 99 + "…" if is_cut else text)


def test_repeated_and_mirrored_pairs():
    data = binary(("a", "b", 1.0), ("a", "b", 1.0), ("b", "a", 1.0), ("b", "A", 1.0), ("c", "d", 0.0))
    repeated, mirrored = found(checks.repeated_pairs, data)
    assert (repeated.kind, repeated.severity, repeated.count) == (Topic.REPEATED_PAIR, Severity.WARNING, 1)
    assert (mirrored.kind, mirrored.severity, mirrored.count) == (Topic.MIRRORED_PAIR, Severity.WARNING, 2)
    assert "aside: 1 of 5 (2 distinct pairs)" in repeated.message
    assert "exchanged: 2." in mirrored.message
    assert (rows(repeated), rows(mirrored)) == ([(0, 1)], [(0, 2), (0, 3)])


@pytest.mark.parametrize("check", [checks.repeated_pairs, checks.contradictions, checks.self_pairs])
def test_five_examples_are_shown(check):
    many = EXAMPLES + 2
    data = {
        checks.repeated_pairs: binary(*([("a", "b", 1.0)] * (many + 1))),
        checks.contradictions: binary(
            *(row for n in range(many) for row in ((f"a{n}", f"b{n}", 1.0), (f"a{n}", f"b{n}", 0.0)))
        ),
        checks.self_pairs: binary(*((f"a{n}", f"a{n}", 1.0) for n in range(many))),
    }[check]
    (finding,) = found(check, data)
    assert (finding.count, len(finding.examples), EXAMPLES) == (many, 5, 5)


def test_labels_that_contradict_each_other():
    data = binary(("x", "y", 1.0), ("a", "b", 1.0), ("b", "a", 0.0), ("a", "b", 1.0))
    (finding,) = found(checks.contradictions, data)
    assert (finding.kind, finding.severity, finding.count) == (
        Topic.CONTRADICTORY_LABEL,
        Severity.ERROR,
        1,
    )
    assert "included: 1." in finding.message
    # The lowest label, and the last of the highest.
    assert rows(finding) == [(2, 3)]
    assert found(checks.contradictions, binary(("a", "b", None), ("a", "b", None))) == []
    assert found(checks.contradictions, binary(("a", "b", None), ("a", "b", 1.0))) == []


def test_grades_contradict_beyond_a_quarter_of_the_scale():
    for second, is_far in ((2.0, False), (2.1, True)):
        data = graded(1.0, second, 0.0, 4.0)
        pairs = (data.pairs[0], replace(data.pairs[1], a="b0", b="a0"), *data.pairs[2:])
        assert bool(found(checks.contradictions, replace(data, pairs=pairs))) is is_far
    # Only for yes-or-no labels are chains of equality checked.
    chain = (("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 0.0))
    assert len(found(checks.contradictions, binary(*chain))) == 1
    assert found(checks.contradictions, replace(binary(*chain), kind=LabelKind.CLASSES)) == []


def test_a_chain_that_contradicts():
    rows_of = [("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 0.0), ("a", "A", 0.0), ("a", "z", 0.0)]
    (finding,) = found(checks.contradictions, binary(*rows_of))
    assert (finding.kind, finding.severity) == (Topic.TRANSITIVE_CONTRADICTION, Severity.WARNING)
    assert (finding.count, rows(finding)) == (1, [(2,)])
    many = [(f"t{n}", f"t{n + 1}", 1.0) for n in range(9)] + [(f"t{n}", f"t{n + 2}", 0.0) for n in range(7)]
    (finding,) = found(checks.contradictions, binary(*many))
    assert (finding.count, len(finding.examples)) == (7, 5)


def test_pairs_of_one_text():
    data = binary(("a", "A!", 0.0), ("b", "b", 1.0), ("d", "d", 1.0), ("c", "d", 0.0))
    (finding,) = found(checks.self_pairs, data)
    assert (finding.kind, finding.severity, finding.count) == (Topic.SELF_PAIR, Severity.WARNING, 3)
    assert "aside: 3, 1 of them labelled as different." in finding.message
    assert rows(finding) == [(0,), (1,), (2,)]


def test_ids():
    ids = [("1", "2"), ("3", "2"), ("1", "4"), ("", "")]
    data = binary(("a", "b", 1.0), ("A", "b", 0.0), ("c", "d", 0.0), ("e", "f", 0.0), ids=ids)
    by_text, by_id = found(checks.ids, data)
    assert (by_text.kind, by_text.severity, by_text.count) == (Topic.TEXT_WITH_OTHER_IDS, Severity.INFO, 1)
    assert (by_id.kind, by_id.severity, by_id.count) == (Topic.ID_WITH_OTHER_TEXTS, Severity.WARNING, 1)
    assert (rows(by_text), rows(by_id)) == ([(0, 1)], [(0, 2)])
    many = [(str(n), "z") for n in range(16)]
    data = binary(*((f"t{n // 2}", "z", 1.0) for n in range(16)), ids=many)
    (by_text,) = found(checks.ids, data)
    assert (by_text.count, len(by_text.examples)) == (8, 5)


def test_shares_of_labels():
    (finding,) = found(checks.label_share, binary(*[("a", "b", 1.0)] * 9, ("c", "d", 0.0)))
    assert (finding.kind, finding.severity, finding.count) == (Topic.LABEL_SHARE, Severity.INFO, 10)
    assert finding.message == "10 labelled pairs; labels: 0 (10.0 %), 1 (90.0 %)."
    (finding,) = found(checks.label_share, binary(*[("a", "b", 1.0)] * 19, ("c", "d", 0.0)))
    assert finding.severity is Severity.WARNING
    assert finding.message.endswith(
        "(95.0 %). One label is rare or alone: collect more, and judge by average precision, not by accuracy."
    )
    (finding,) = found(checks.label_share, binary(("a", "b", 1.0), ("c", "d", 1.0)))
    assert finding.severity is Severity.WARNING


def test_shares_of_grades_classes_and_nothing():
    (finding,) = found(checks.label_share, graded(1.0, 2.0, 5.0, 5.0))
    assert (finding.severity, finding.message) == (
        Severity.INFO,
        "4 labelled pairs; labels run from 1 to 5 with median 3.5.",
    )
    (finding,) = found(checks.label_share, graded(2.0, 2.0))
    assert finding.severity is Severity.WARNING and "One label is rare or alone" in finding.message
    pairs = tuple(Pair("a", "b", label) for label in (0.0, 1.0, 2.0, -1.0))
    (finding,) = found(checks.label_share, PairSet(pairs, LabelKind.CLASSES, ("no", "maybe")))
    assert "labels: -1 (25.0 %), no (25.0 %), maybe (25.0 %), 2 (25.0 %)" in finding.message
    (finding,) = found(checks.label_share, PairSet((Pair("a", "b"), Pair("c", "d")), LabelKind.NONE))
    assert (finding.kind, finding.severity, finding.count) == (Topic.LABEL_SHARE, Severity.INFO, 2)
    assert "no pair has a label: all 2 count" in finding.message


def test_missing_labels():
    data = binary(*(("a", "b", 1.0), ("c", "d", 0.0)) * 5, *[("e", "f", None)] * 7)
    share, missing = found(checks.label_share, data)
    assert (share.count, missing.kind, missing.severity) == (10, Topic.MISSING_LABEL, Severity.WARNING)
    assert (missing.count, rows(missing)) == (7, [(10,), (11,), (12,), (13,), (14,)])
    assert "have one: 7." in missing.message


def test_lengths_that_are_far_from_the_others():
    """The oracle: the modified z-score of Iglewicz and Hoaglin on logarithms, with 5 for far."""
    texts = ["x" * n for n in (*range(20, 40), 55, 90, 400, 1000, 2000, 3000, 4000, 5000, 6000)]
    data = binary(*((text, f"{text[:-1]}y", 1.0) for text in texts))
    lengths = np.array([len(text) for pair in data.texts for text in pair])
    logs = np.log1p(lengths)
    away = np.abs(logs - np.median(logs))
    is_far = 0.6745 * away / np.median(away) > 5
    (finding,) = found(checks.length_outliers, data)
    assert 0 < is_far.sum() == finding.count < 20
    assert (finding.kind, finding.severity) == (Topic.LENGTH_OUTLIER, Severity.INFO)
    assert (
        f"(median {int(np.median(lengths))} characters): {finding.count} of {len(lengths)}."
        in finding.message
    )
    # The five longest, and the last of all.
    shown = [int(example.text.split()[0]) for example in finding.examples]
    order = sorted(lengths[is_far], reverse=True)
    assert shown == [*order[:5], order[-1]]
    assert [place.row for example in finding.examples[:2] for place in example.places] == [28, 28]


def test_where_most_have_one_length_the_mean_distance_counts():
    """If the median distance is zero, 1.2533 times the mean distance replaces a deviation."""
    edge = np.array([0.0, 0, 0, 0, 0, 0, 1])  # 5 * 1.2533 / 7 is 0.895
    assert checks._is_far(edge).tolist() == [False] * 6 + [True]
    assert not checks._is_far(edge[1:]).any()  # 5 * 1.2533 / 6 is 1.04
    assert not checks._is_far(np.zeros(3)).any()


def test_words_are_counted_too():
    texts = [" ".join("z" * n) for n in (8, 9, 10, 11) * 5]
    data = binary(
        *((f"{text} a{n}", f"{text} b{n}", 1.0) for n, text in enumerate(texts)),
        ("y " * 900, "x " * 800, 0.0),
    )
    characters, words = found(checks.length_outliers, data)
    assert (characters.count, words.count) == (2, 2)
    assert words.examples[0].text.startswith("900 words: y y")
    assert words.examples[1].text.startswith("800 words: x x")


@pytest.mark.parametrize(
    ("one", "other", "severity"),
    [
        ("It is 10² m", "It is 102 m", None),
        ("iOS 1.5", "iOS 15", None),
        ("Learn C++", "Learn C#", Severity.WARNING),
        ("Learn C++", "learn  c++", Severity.ERROR),
    ],
)
def test_labels_contradict_each_other_where_texts_are_equal(one, other, severity):
    made = found(checks.contradictions, binary((one, "b", 1.0), (other, "b", 0.0)))
    assert [finding.severity for finding in made] == ([] if severity is None else [severity])


def test_what_is_equal_can_be_chosen():
    data = binary(("Learn C++", "b", 1.0), ("Learn C#", "b", 0.0), ("learn c++", "b", 0.0))
    counts = {
        equal: [
            (finding.severity, finding.count)
            for finding in checks.contradictions(checks.Subject.of(data, {}, equal=equal))
        ]
        for equal in Equal
    }
    assert counts == {
        Equal.EXACT: [],
        Equal.FORM: [],
        Equal.CASE: [(Severity.ERROR, 1)],
        Equal.LETTERS: [(Severity.ERROR, 1)],
    }
