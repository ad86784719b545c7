"""Pairs and other rows in memory as a temporary file."""

from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.data.readers import load_pairs
from textkin.data.readers.row_pairs import as_pairs
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.verbs.pair_inputs import pairs_file

_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda text: text.strip())


@settings(max_examples=40)
@given(st.lists(st.tuples(_TEXT, _TEXT, st.sampled_from([0, 1])), min_size=1))
def test_the_file_of_pairs_reads_back_the_same(rows):
    pairs = as_pairs(rows, name="mine")
    with pairs_file(pairs, None) as path:
        assert path.name == "mine.jsonl"
        read = load_pairs(path).data
    assert not path.exists()
    assert (read.texts, read.labels.tolist(), read.kind) == (pairs.texts, pairs.labels.tolist(), pairs.kind)


def test_ids_and_classes_are_kept():
    pairs = (Pair("a", "b", 0.0, "1", "2", 0), Pair("c", "d", 1.0, "3", "4", 1))
    given_ = PairSet(pairs, LabelKind.CLASSES, ("contradiction", "entailment"), "a/b")
    with pairs_file(given_, None) as path:
        read = load_pairs(path).data
        assert path.name == "a-b.jsonl"
    assert [(pair.id_a, pair.id_b) for pair in read] == [("1", "2"), ("3", "4")]
    assert [read.classes[int(pair.label)] for pair in read] == ["contradiction", "entailment"]


def test_a_path_is_taken_as_it_is(tmp_path):
    with pairs_file(str(tmp_path / "x.tsv"), None) as path:
        assert path == tmp_path / "x.tsv"
