import random

import pytest

from tests.data.splits.making import binary
from tests.reference import graph as reference
from textkin.base.errors import DataError
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.data.splits.quora_ir import near_key, quora_ir

_SIDES = ("train", "dev", "test")


def _data(count=250, seed=2):
    """Questions with shared ids; a question's text follows from its number."""
    generator = random.Random(seed)
    rows, ids = [], []
    for _ in range(count):
        a, b = generator.sample(range(1, 250), 2)
        if generator.random() < 0.4:
            b = a - a % 4 + 1 if a % 4 != 1 else a + 1
        rows.append((f"What is topic{a}?", f"What is topic{b}?", float(abs(a - b) < 4 and a // 4 == b // 4)))
        ids.append((str(a), str(b)))
    return binary(*rows, ids=ids)


def _tables(result):
    return {table.path: table for table in result.tables}


def _slow_sides(data, seed):
    """A reimplementation of the rules, row by row."""
    names = sorted({name for pair in data for name in (pair.id_a, pair.id_b)})
    text = {name: text for pair in data for name, text in ((pair.id_a, pair.a), (pair.id_b, pair.b))}
    edges = [(pair.id_a, pair.id_b) for pair in data if pair.label == 1]
    edges += [
        (one, other) for one in names for other in names if near_key(text[one]) == near_key(text[other])
    ]
    group = {name: names for names in reference.components(names, edges) for name in names}
    rows = list(data)
    random.Random(seed).shuffle(rows)
    sides = {side: set() for side in _SIDES}
    turn = 0
    for row in rows:
        homes = [side for side in _SIDES if sides[side] & {row.id_a, row.id_b}]
        if not homes:
            homes = [{0: "dev", 1: "test", 2: "test"}.get(turn % 10, "train")]
            turn += 1
        assigned = set().union(*sides.values())
        for name in {row.id_a, row.id_b} - assigned:
            sides[homes[0]] |= group[name]
    return sides, group


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("How can I learn C?", "learnc"),
        ("How do you learn c", "learnc"),
        ("What was the importance of maths?", "importancemaths"),
        ("What are the importance of maths", "importancemaths"),
        ("Is it really true that so many cats fly?", "truemanycatsfly"),
        ("How long would it take?", near_key("how long WILL it take")),
        ("Why is my dog not eating?", "dognoteating"),
        ("What is it?", ""),
    ],
)
def test_near_duplicate_key(question, key):
    assert near_key(question) == key


@pytest.mark.slow
@pytest.mark.parametrize("seed", [42, 7])
def test_sides_follow_the_rules(seed):
    data = _data()
    sides, group = _slow_sides(data, seed)
    tables = _tables(quora_ir(data, seed=seed))
    for side in _SIDES:
        assert {row[0] for row in tables[f"graph/{side}-questions.tsv"].rows} == sides[side]
        assert [row for row in tables[f"classification/{side}_pairs.tsv"].rows] == [
            (pair.id_a, pair.id_b, pair.a, pair.b, str(int(pair.label)))
            for pair in data
            if {pair.id_a, pair.id_b} <= sides[side]
        ]
        mined = {frozenset(row) for row in tables[f"duplicate-mining/{side}_duplicates.tsv"].rows}
        assert mined == {
            frozenset((one, other)) for one in sides[side] for other in group[one] if one != other
        }
        assert {row[0] for row in tables[f"duplicate-mining/{side}_corpus.tsv"].rows} == sides[side]


@pytest.mark.slow
def test_queries_have_duplicates_in_the_corpus_and_are_not_in_it():
    data = _data()
    _, group = _slow_sides(data, 42)
    tables = _tables(quora_ir(data))
    corpus = {row[0] for row in tables["information-retrieval/corpus.tsv"].rows}
    queries = set()
    for side in ("dev", "test"):
        for name, question, duplicates in tables[f"information-retrieval/{side}-queries.tsv"].rows:
            assert question == f"What is topic{name}?"
            assert set(duplicates.split(",")) == group[name] - {name}
            assert group[name] - {name} <= corpus
            queries.add(name)
    assert queries
    everyone = {row[0] for row in tables["graph/sentences.tsv"].rows}
    assert corpus == everyone - queries


def test_the_number_of_queries_has_a_limit():
    tables = _tables(quora_ir(_data(), dev_queries=1, test_queries=2))
    assert len(tables["information-retrieval/dev-queries.tsv"].rows) == 1
    assert len(tables["information-retrieval/test-queries.tsv"].rows) == 2


def test_graph_files_hold_the_closure():
    data = binary(
        ("one", "two", 1.0),
        ("two", "three", 1.0),
        ("How do I sing?", "four", 0.0),
        ("how can you sing", "five", 0.0),
        ids=[("1", "2"), ("2", "3"), ("4", "5"), ("6", "7")],
    )
    result = quora_ir(data)
    tables = _tables(result)
    assert tables["graph/duplicates-graph-pairwise.tsv"].rows == [
        ("1", "2"),
        ("1", "3"),
        ("2", "3"),
        ("4", "6"),
    ]
    assert tables["graph/duplicates-graph-list.tsv"].rows == [
        ("1", "2,3"),
        ("2", "1,3"),
        ("3", "1,2"),
        ("4", "6"),
        ("6", "4"),
    ]
    assert tables["graph/duplicates-graph-connected-nodes.tsv"].rows == [("1,2,3",), ("4,6",)]
    assert result.near_duplicates == 1


def test_questions_of_stop_words_only_resemble_nothing():
    data = binary(("What is it?", "x", 0.0), ("Who are you?", "y", 0.0), ids=[("1", "2"), ("3", "4")])
    assert _tables(quora_ir(data))["graph/duplicates-graph-pairwise.tsv"].rows == []


def test_texts_are_cleaned_and_empty_ones_left_out():
    data = binary(("a\tb\nc\r", "d", 1.0), ("", "e", 0.0), ids=[("1", "2"), ("3", "4")])
    result = quora_ir(data)
    assert _tables(result)["graph/sentences.tsv"].rows == [("1", "a b c"), ("2", "d")]
    assert result.empty_pairs == 1


def test_every_pair_is_accounted_for():
    data = _data()
    result = quora_ir(data)
    assert sum(map(len, result.pairs.values())) + result.dropped_pairs == len(data)
    assert result.dropped_pairs > 0
    assert len({row for rows in result.pairs.values() for row in rows}) == sum(
        map(len, result.pairs.values())
    )


@pytest.mark.parametrize(
    "data",
    [
        binary(("a", "b", 1.0)),
        binary(("a", "b", None), ids=[("1", "2")]),
        PairSet((Pair("a", "b", 2.5, "1", "2"),), LabelKind.GRADED),
    ],
)
def test_ids_and_labels_are_needed(data):
    with pytest.raises(DataError, match="lacks"):
        quora_ir(data)
