from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.data.splits.making import binary, pair_sets
from tests.reference import graph as reference
from textkin.base.errors import DataError, UsageError
from textkin.base.text_equality import key_of
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.data.splits.findings import Place, Severity, Topic
from textkin.data.splits.lint import lint


def _counts(*sets):
    counts = Counter()
    for finding in lint(sets).findings:
        counts[finding.kind] += finding.count
    return counts


def _rows(finding):
    return [tuple(place.row for place in example.places) for example in finding.examples]


def test_repeated_and_mirrored_pairs():
    report = lint([binary(("a", "b", 1.0), ("A!", "b", 1.0), ("b", "a", 1.0), ("c", "d", 0.0))])
    assert _rows(report.of(Topic.REPEATED_PAIR)[0]) == [(0, 1)]
    assert _rows(report.of(Topic.MIRRORED_PAIR)[0]) == [(0, 2)]


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(pair_sets(min_size=1))
def test_counts_equal_counting_slowly(data):
    seen, repeated, mirrored = {}, 0, 0
    labels: dict[frozenset[str], set[float]] = {}
    for pair in data:
        a, b = key_of(pair.a), key_of(pair.b)
        pairing = frozenset((a, b))
        if pairing in seen:
            repeated += seen[pairing] == (a, b)
            mirrored += seen[pairing] != (a, b)
        seen.setdefault(pairing, (a, b))
        labels.setdefault(pairing, set()).add(pair.label)
    clashing = {pairing for pairing, values in labels.items() if len(values) > 1}
    keys = {key for pairing in labels for key in pairing}
    edges = [tuple(map(key_of, (pair.a, pair.b))) for pair in data if pair.label == 1]
    same = {key: group for group in reference.components(keys, edges) for key in group}
    transitive = sum(
        pair.label == 0
        and same[key_of(pair.a)] == same[key_of(pair.b)]
        and key_of(pair.a) != key_of(pair.b)
        and frozenset((key_of(pair.a), key_of(pair.b))) not in clashing
        for pair in data
    )
    self_pairs = sum(key_of(pair.a) == key_of(pair.b) for pair in data)
    expected = Counter(
        {
            Topic.REPEATED_PAIR: repeated,
            Topic.MIRRORED_PAIR: mirrored,
            Topic.CONTRADICTORY_LABEL: len(clashing),
            Topic.TRANSITIVE_CONTRADICTION: transitive,
            Topic.SELF_PAIR: self_pairs,
        }
    )
    found = _counts(data)
    assert {kind: found.get(kind, 0) for kind in expected} == dict(expected)


def test_contradictory_labels_also_through_the_mirror():
    report = lint([binary(("x", "y", 0.0), ("a", "b", 1.0), ("b", "a", 0.0))])
    (finding,) = report.of(Topic.CONTRADICTORY_LABEL)
    assert (finding.severity, _rows(finding)) == (Severity.ERROR, [(1, 2)])
    assert not report.of(Topic.TRANSITIVE_CONTRADICTION)
    assert report.has_errors


def test_a_chain_of_positives_contradicts_a_negative():
    report = lint([binary(("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 0.0), ("a", "d", 0.0))])
    assert _rows(report.of(Topic.TRANSITIVE_CONTRADICTION)[0]) == [(2,)]
    assert not report.has_errors


def test_graded_labels_contradict_when_far_apart():
    rows = (
        ("a", "b", 1.0),
        ("b", "a", 4.0),
        ("c", "d", 4.0),
        ("c", "d", 4.5),
        ("e", "f", 0.0),
        ("g", "h", 5.0),
    )
    data = replace(binary(*rows), kind=LabelKind.GRADED)
    assert _rows(lint([data]).of(Topic.CONTRADICTORY_LABEL)[0]) == [(0, 1)]


def test_self_pairs():
    report = lint([binary(("a", "A!", 0.0), ("b", "b", 1.0), ("c", "d", 1.0))])
    (finding,) = report.of(Topic.SELF_PAIR)
    assert finding.count == 2
    assert "1 of them labelled as different" in finding.message


def test_ids():
    ids = [("1", "2"), ("3", "2"), ("1", "4")]
    report = lint([binary(("a", "b", 1.0), ("A", "b", 0.0), ("c", "d", 0.0), ids=ids)])
    assert _rows(report.of(Topic.TEXT_WITH_OTHER_IDS)[0]) == [(0, 1)]
    assert _rows(report.of(Topic.ID_WITH_OTHER_TEXTS)[0]) == [(0, 2)]


def test_columns_that_number_their_texts_apart_are_no_finding():
    rows = [(f"q{i}", f"a{i}", 1.0) for i in range(5)] + [("a1", "q4", 0.0)]
    numbers = [(str(i), str(i)) for i in range(5)] + [("9", "9")]
    counts = _counts(binary(*rows, ids=numbers))
    assert Topic.ID_WITH_OTHER_TEXTS not in counts
    assert Topic.TEXT_WITH_OTHER_IDS not in counts


@pytest.mark.parametrize(
    ("labels", "severity", "words"),
    [
        ([1.0, 0.0], Severity.INFO, "0 (50.0 %), 1 (50.0 %)"),
        ([1.0] + [0.0] * 19, Severity.WARNING, "0 (95.0 %), 1 (5.0 %). One label is rare"),
        ([1.0, 1.0], Severity.WARNING, "1 (100.0 %)"),
    ],
)
def test_label_share(labels, severity, words):
    report = lint([binary(*((f"a{i}", f"b{i}", label) for i, label in enumerate(labels)))])
    (finding,) = report.of(Topic.LABEL_SHARE)
    assert finding.severity is severity
    assert words in finding.message


def test_label_share_of_classes_grades_and_nothing():
    pairs = (Pair("a", "b", 0.0), Pair("c", "d", 1.0))
    (finding,) = lint([PairSet(pairs, LabelKind.CLASSES, ("no", "maybe"))]).of(Topic.LABEL_SHARE)
    assert "no (50.0 %), maybe (50.0 %)" in finding.message
    (finding,) = lint([PairSet(pairs, LabelKind.GRADED)]).of(Topic.LABEL_SHARE)
    assert "from 0 to 1 with median 0.5" in finding.message
    (finding,) = lint([PairSet((Pair("a", "b"),), LabelKind.NONE)]).of(Topic.LABEL_SHARE)
    assert "no pair has a label" in finding.message


def test_labels_of_several_kinds():
    yes, graded = binary(("a", "b", 1.0), ("c", "d", 0.0)), PairSet((Pair("e", "f", 3.5),), LabelKind.GRADED)
    none = PairSet((Pair("g", "h"),), LabelKind.NONE)
    sets = [replace(data, name=name) for data, name in ((yes, "yes"), (graded, "graded"), (none, "none"))]
    (found,) = lint(sets).of(Topic.LABEL_SCALE)
    assert (found.files, found.severity) == (("yes", "graded"), Severity.WARNING)
    assert "yes: binary, graded: graded" in found.message
    assert not lint([sets[0], sets[2]]).of(Topic.LABEL_SCALE)


def test_missing_labels():
    report = lint([binary(("a", "b", 1.0), ("c", "d", None), ("e", "f", 0.0))])
    assert _rows(report.of(Topic.MISSING_LABEL)[0]) == [(1,)]


def test_length_outliers_in_characters_and_in_words():
    rows = [
        (f"how do I do thing number {i}", f"what is the way to thing {'x' * (i % 7)} {i}", 1.0)
        for i in range(50)
    ]
    assert Topic.LENGTH_OUTLIER not in _counts(binary(*rows))
    long_word, many_words = "y" * 3000, " ".join("z" * 200)
    report = lint([binary(*rows, (long_word, many_words, 0.0))])
    characters, words = report.of(Topic.LENGTH_OUTLIER)
    assert characters.count == 2
    assert characters.examples[0].text.startswith("3000 characters: yyy")
    assert len(characters.examples[0].text) < 130
    assert words.examples[0].text.startswith("200 words: z z")


def test_equal_lengths_have_no_outlier_but_the_odd_one():
    rows = [(f"{i:05}", f"{i + 50:05}", 1.0) for i in range(50)]
    assert Topic.LENGTH_OUTLIER not in _counts(binary(*rows))
    (finding,) = lint([binary(*rows, ("0" * 500, "00001", 0.0))]).of(Topic.LENGTH_OUTLIER)
    assert finding.count == 1


def test_what_files_share():
    train = replace(binary(("a", "b", 1.0), ("c", "d", 0.0), ("e", "f", 0.0)), name="train")
    test = replace(binary(("x", "y", 1.0), ("B?", "a", 1.0), ("c", "z", 0.0)), name="test")
    report = lint([train, test], lines=[{0: 2, 1: 3}, {1: 9}])
    (pairs,), (texts,) = report.of(Topic.SHARED_PAIR), report.of(Topic.SHARED_TEXT)
    assert (pairs.count, pairs.severity, pairs.files) == (1, Severity.ERROR, ("train", "test"))
    assert pairs.examples[0].places == (Place("train", 0, 2), Place("test", 1, 9))
    assert "33.3 %" in pairs.message
    assert texts.count == 3
    assert [str(place) for place in texts.examples[0].places] == ["train:2", "test:9"]
    assert report.pairs == (("train", 3), ("test", 3))


def test_shares_are_of_each_file():
    train = replace(binary(("a", "b", 1.0), ("c", "d", 0.0), ("e", "f", 0.0)), name="train")
    rows = [(f"{n}", f"{n} too", 1.0) for n in range(7)]
    longer = replace(binary(("a", "b", 1.0), ("a", "f", 1.0), *rows), name="longer")
    report = lint([train, longer])
    (more_pairs,), (more_texts,) = report.of(Topic.SHARED_PAIR), report.of(Topic.SHARED_TEXT)
    assert "1 (33.3 % of the distinct pairs of the first, 11.1 % of the second)" in more_pairs.message
    assert "3 (50.0 % of the distinct texts of the first, 17.6 % of the second)" in more_texts.message


def test_clean_data_has_no_finding_but_its_labels():
    data = binary(*((f"first {i}", f"second {i}", float(i % 2)) for i in range(30)))
    assert _counts(data) == {Topic.LABEL_SHARE: 30}
    assert str(Place("f", 3)) == "f: row 3"


def test_wrong_arguments():
    with pytest.raises(UsageError):
        lint([])
    with pytest.raises(UsageError):
        lint([binary(("a", "b", 1.0))], lines=[{}, {}])
    with pytest.raises(DataError, match="no pairs"):
        lint([binary()])
