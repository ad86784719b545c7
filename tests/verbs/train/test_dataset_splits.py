from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verbs.making import write_pairs
from tests.verbs.making_data import write_classes, write_questions, write_ranking
from textkin.base.errors import DataError, UsageError
from textkin.base.text_equality import key_of
from textkin.data.readers import Reading
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet
from textkin.data.splits.components import text_graph
from textkin.verbs.train.dataset_splits import Selection, Sources, cut_dev, load_dataset


@pytest.fixture(scope="module")
def ranking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_ranking(tmp_path_factory.mktemp("data") / "ranking")


def write(folder: Path, **sides: list[tuple[str, str, float]]) -> Sources:
    files = {side: write_pairs(folder / f"{side}.tsv", pairs) for side, pairs in sides.items()}
    return Sources(files["train"], files["test"], files.get("dev"))


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (
            ["WikiQA-train.tsv", "WikiQA-dev.tsv", "WikiQA-test.tsv", "WikiQA-test-filtered.ref"],
            ("WikiQA-train.tsv", "WikiQA-dev.tsv", "WikiQA-test.tsv"),
        ),
        (
            ["SICK_train.txt", "SICK_trial.txt", "SICK_test_annotated.txt", "readme.txt"],
            ("SICK_train.txt", "SICK_trial.txt", "SICK_test_annotated.txt"),
        ),
        (["training_set.csv", "validation_set.csv", "test_set.csv.gz"], None),
        (["a-train.part1.jsonl", "latest.tsv", "test.jsonl"], ("a-train.part1.jsonl", None, "test.jsonl")),
    ],
)
def test_files_are_known_by_their_names(
    names: list[str], found: tuple[str | None, ...] | None, tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / "train").mkdir()
    sources = Sources.of_folder(tmp_path)
    paths = (sources.train, sources.dev, sources.test)
    assert tuple(path and path.name for path in paths) == (found or tuple(names))


def test_folders_without_an_answer(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        Sources.of_folder(tmp_path / "none")
    assert str(error.value.path).endswith("none")
    (tmp_path / "train.tsv").touch()
    with pytest.raises(DataError) as error:
        Sources.of_folder(tmp_path)
    assert str(error.value.path).endswith("test_folders_without_an_answer0")
    for name in ("test.tsv", "dev.tsv", "valid.tsv"):
        (tmp_path / name).touch()
    with pytest.raises(DataError) as error:
        Sources.of_folder(tmp_path)
    assert str(error.value.path).endswith("test_folders_without_an_answer0")


def test_question_sets_are_named(ranking: Path) -> None:
    data = load_dataset(Sources.of_folder(ranking))
    assert data.task == "ranking"
    assert [len(side) for side in (data.train, data.dev, data.test)] == [96, 32, 32]
    assert data.test.name == "Sample-test.tsv, questions with a right candidate"
    assert data.notes == () and data.left_out == 0 and len(data.reads) == 3
    mixed = load_dataset(
        Sources.of_folder(ranking), Selection(train_questions="all", reading=Reading(questions="mixed"))
    )
    assert mixed.test.name == "Sample-test.tsv, questions with right and wrong candidates"
    assert mixed.train.name == mixed.dev.name.replace("dev", "train") == "Sample-train.tsv, all questions"


def test_right_pairs_of_test_are_not_learnt_from_in_another_order(tmp_path: Path) -> None:
    for side, numbers in (("train", range(40)), ("dev", range(40, 50)), ("test", range(50, 60))):
        rows = [(f"question {one}", f"answer {one}", f"other {one}") for one in numbers]
        if side == "test":
            rows += [("answer 7!", "Question 7", "new"), ("answer 8", "other 9", "new")]
        lines = ["\t".join(row) for row in [("anchor", "positive", "negative"), *rows]]
        (tmp_path / f"{side}.tsv").write_text("\n".join(lines) + "\n")
    data = load_dataset(Sources.of_folder(tmp_path))
    assert [len(side) for side in (data.train, data.dev, data.test)] == [39, 10, 12]
    assert "question 7" not in {one.query for one in data.train}


def test_questions_of_test_are_not_learnt_from(ranking: Path, tmp_path: Path) -> None:
    asked = next(iter(load_dataset(Sources.of_folder(ranking)).test)).query
    write_questions(tmp_path / "train.tsv", range(24), repeat=asked.upper() + "!!")
    write_questions(tmp_path / "dev.tsv", range(24, 32), repeat=asked)
    sources = Sources(tmp_path / "train.tsv", ranking / "Sample-test.tsv", tmp_path / "dev.tsv")
    data = load_dataset(sources)
    assert [len(side) for side in (data.train, data.dev, data.test)] == [95, 31, 32]
    assert data.notes == (
        "dev: 1 question with 9 candidates, of 32, left out, since such questions or pairs are in test too.",
        "train: 1 question with 8 candidates, of 96, left out, since such questions or pairs are in dev or "
        "test too.",
    )
    assert data.left_out == 17
    with pytest.raises(DataError, match="nothing is left of test2"):
        copy = tmp_path / "test2.tsv"
        copy.write_bytes((ranking / "Sample-test.tsv").read_bytes())
        load_dataset(Sources(copy, ranking / "Sample-test.tsv"))


def test_yes_or_no_pairs_share_no_text(tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        train=[("one", "two", 1), ("Three!", "four", 0), ("five", "six", 1), ("seven", "eight", 0)],
        dev=[("five", "nine", 1), ("ten", "eleven", 0)],
        test=[("three", "twelve", 1), ("thirteen", "fourteen", 0)],
    )
    data = load_dataset(sources)
    assert data.task == "pairs"
    assert [pair.a for pair in data.train] == ["one", "seven"]
    assert data.notes == ("train: 2 pairs, of 4, left out, since one of their texts is in dev or test too.",)


@pytest.mark.parametrize("middle", [1.0, 0.5])
def test_graded_pairs_share_no_pair_and_texts_are_counted(middle: float, tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        train=[("one", "two", 0.5), ("Four", "three", 1), ("three", "five", 0)],
        dev=[("one", "nine", 1), ("ten", "eleven", 0)],
        test=[("three", "four", middle), ("thirteen", "one", 0)],
    )
    data = load_dataset(sources)
    assert {side.kind for side in (data.train, data.dev, data.test)} == {LabelKind.GRADED}
    assert [pair.a for pair in data.train] == ["one", "three"]
    assert data.notes == (
        "train: 1 pair, of 3, left out, since they are in dev or test too.",
        "test shares 2 texts with train, in other pairs.",
        "test shares 1 text with dev, in other pairs.",
    )


@pytest.mark.parametrize(("count", "told"), [(29, False), (30, True)])
def test_many_labels_of_yes_or_no_beside_grades_are_told(count: int, told: bool, tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        train=[(f"text {row}", f"other {row}", row % 2) for row in range(count)],
        dev=[(f"dev {row}", f"second {row}", row % 2) for row in range(4)],
        test=[(f"test {row}", f"third {row}", row / 2) for row in range(4)],
    )
    words = "The labels of train are 0 and 1 alone, those of test are grades"
    notes = load_dataset(sources).notes
    assert [note.split(":")[0] for note in notes] == ([words] if told else [])


def test_classes_are_numbered_as_in_train(tmp_path: Path) -> None:
    folder = write_classes(tmp_path / "classes")
    test = folder / "test.tsv"
    test.write_text("\n".join(line for line in test.read_text().splitlines() if not line.endswith("\tno")))
    data = load_dataset(Sources.of_folder(folder))
    assert data.task == "classes"
    assert data.test.classes == data.dev.classes == data.train.classes == ("no", "other", "same")
    assert {pair.label for pair in data.test} == {1.0, 2.0}
    test.write_text("premise\thypothesis\tlabel\na b\tc d\tperhaps\nd e\tf g\tsame\nd h\tf i\tother\n")
    with pytest.raises(DataError, match=r"test\.tsv has the class 'perhaps'"):
        load_dataset(Sources.of_folder(folder))


def test_what_does_not_go_together(ranking: Path, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "train.tsv", [("a b", "c d", 1), ("e f", "g h", 0)])
    with pytest.raises(UsageError) as error:
        load_dataset(Sources(pairs, tmp_path / ".." / tmp_path.name / "train.tsv"))
    assert error.value.params == ("train", "dev", "test")
    with pytest.raises(DataError) as error:
        load_dataset(Sources(pairs, ranking / "Sample-test.tsv"), Selection(task="classes"))
    assert str(error.value.path).endswith("train.tsv")
    empty = write_questions(tmp_path / "empty.tsv", [32])
    empty.write_text(empty.read_text().replace("\t1\n", "\t0\n"))
    with pytest.raises(DataError) as error:
        load_dataset(Sources(ranking / "Sample-train.tsv", empty))
    assert str(error.value.path).endswith("empty.tsv")


def test_a_file_of_pairs_becomes_questions_when_asked(tmp_path: Path) -> None:
    rows = [(f"question {number // 2}", f"answer {number}", number % 2) for number in range(40)]
    train = write_pairs(tmp_path / "train.tsv", rows)
    test = write_pairs(tmp_path / "test.tsv", [(f"new {a}", f"new {b}", label) for a, b, label in rows[:8]])
    data = load_dataset(Sources(train, test), Selection(task="ranking"))
    assert isinstance(data.train, CandidateSet) and len(data.train) + len(data.dev) == 20
    assert [one.query_id for one in data.test] == ["q1", "q2", "q3", "q4"]


def test_a_dev_side_is_cut_off(ranking: Path) -> None:
    data = load_dataset(Sources(ranking / "Sample-train.tsv", ranking / "Sample-test.tsv"))
    assert len(data.dev) + len(data.train) == 96 and 10 <= len(data.dev) <= 15
    assert data.dev.name == "a part of Sample-train.tsv, questions with a right candidate"
    (note,) = data.notes
    assert note.startswith(f"dev: no file was given, so 15 % of train became dev: {len(data.dev)} questions")
    assert not right_keys(data.dev) & right_keys(data.train)


def test_questions_with_one_right_candidate_stay_together_though_all_share_a_wrong_one() -> None:
    queries = (
        Candidates(f"q{number}", f"question {number}", ("r", "w"), (f"right {number // 2}", "wrong"), (1, 0))
        for number in range(40)
    )
    train, dev = cut_dev(CandidateSet(tuple(queries), "forty"))
    assert len(dev) == 6 and not right_keys(dev) & right_keys(train)


def right_keys(data: CandidateSet) -> set[str]:
    """Questions and their right candidates."""
    return {
        key_of(text)
        for one in data
        for text, label in [(one.query, 1), *zip(one.docs, one.labels, strict=True)]
        if label
    }


@pytest.mark.slow
@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=30, max_size=80), st.randoms())
def test_any_dev_side_that_is_cut_off_shares_no_text(edges: list[tuple[int, int]], draw: object) -> None:
    data = PairSet(tuple(Pair(f"t{a}", f"T{b}", float(a % 2)) for a, b in edges), LabelKind.BINARY)
    shuffled = list(range(len(data)))
    draw.shuffle(shuffled)  # type: ignore[attr-defined]
    try:
        train, dev = cut_dev(data)
    except DataError as error:
        sizes = text_graph(data).components(pairs=text_graph(data).bonds | True, ids=False)
        assert "share too many texts" in str(error) and len(set(sizes.tolist())) < len(data)
        return
    assert len(train) + len(dev) == len(data) and len(dev) <= round(0.15 * len(data)) <= 2 * len(dev)
    keys = [{key_of(text) for pair in side.texts for text in pair} for side in (train, dev)]
    assert not keys[0] & keys[1]
    again = cut_dev(data.select(shuffled))
    assert sorted(again[1].texts) == sorted(dev.texts)


def test_sizes() -> None:
    one = Candidates("q", "text", ("d1", "d2"), ("a", "b"), (1, 0))
    assert len(CandidateSet((one, one)).texts) == 4
    assert CandidateSet((one,), "name").select([]).name == "name"
