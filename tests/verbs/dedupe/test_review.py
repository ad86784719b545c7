"""Review of groups by a person: accepted, split, merged, undone, and the result."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

import textkin as tk
from textkin.base.errors import DataError, OutputError, UsageError
from textkin.data import samples
from textkin.verbs.dedupe.review.review import DedupeReview
from textkin.verbs.dedupe.review.state import DecidedBy

TEXTS = [
    "Where can I park?",
    "Where can I park my car?",
    "Where can I park my car today?",
    "When do you open?",
    "When do you open up?",
    "Do you sell tea?",
    "=HYPERLINK(1)\tand\n<b>tea</b>",
    "=HYPERLINK(1)\tand\n<b>tea</b>!!",
]
VECTORS = [[1, 0, 0, 0], [0.96, 0.28, 0, 0], [0.9, 0.435, 0, 0], [0, 0, 1, 0], [0, 0, 0.8, 0.6]]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with groups of one, two and three texts, from a CSV file."""
    table = tmp_path / "texts.csv"
    with table.open("w", newline="") as stream:
        csv.writer(stream).writerows([["id", "text"], *([f"t{n}", text] for n, text in enumerate(TEXTS))])
    tk.dedupe(table, out=tmp_path / "run", threshold=0.6, guards=())
    return tmp_path / "run"


def groups(review: DedupeReview, **how: object) -> dict[str, list[str]]:
    return {
        one.kept.text_id: sorted(other.text_id for other in one.others)
        for one in review.groups(**how)  # type: ignore[arg-type]
    }


def as_run(run: Path) -> dict[str, list[str]]:
    """The groups by the run's own table of groups."""
    found: dict[str, list[str]] = {}
    kept = ""
    with (run / "groups.tsv").open(newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            if row["kept"] == "yes":
                kept = (found.setdefault(row["id"], []) and "") or row["id"]
            else:
                found[kept].append(row["id"])
    return {one: sorted(others) for one, others in found.items()}


def test_groups_are_those_of_the_run(run: Path) -> None:
    review = tk.review(run)
    assert groups(review) == as_run(run) and len(groups(review)) == 3
    account = json.loads((run / "dedupe.json").read_text())["counts"]
    counts = review.counts()
    assert (counts.texts, counts.go) == (account["texts"], account["removed"])
    assert counts.groups == counts.open == account["groups"] and counts.decisions == 0
    sizes = [len(one.others) for one in review.groups()]
    assert sizes == sorted(sizes, reverse=True)
    lowest = [one.lowest for one in review.groups("risk")]
    assert lowest == sorted(lowest)
    assert not review.path.exists(), "looking writes nothing"


def test_a_higher_threshold_lets_go_what_scores_as_high(run: Path) -> None:
    review = tk.review(run)
    rows = [one for group in review.groups() for one in group.others]
    assert review.counts(threshold=0.1).go == review.counts().go == len(rows), "the run's own is the lowest"
    for one in rows:
        assert one.score is not None
        assert review.goes(one.text_id, threshold=one.score)
        assert not review.goes(one.text_id, threshold=one.score + 1e-4)
    review.accept(review.groups("risk")[0].kept.text_id)
    risky = {one.text_id for one in tk.review(run).groups()[0].others}
    assert risky and review.counts(threshold=2).go > 0, "what a person accepted goes at any threshold"


def test_decisions_are_kept_and_undone(run: Path) -> None:
    review = tk.review(run)
    before = groups(review)
    large = next(kept for kept, others in before.items() if len(others) == 2)
    small = next(kept for kept, others in before.items() if len(others) == 1)
    out = before[large][0]
    review.split(large, [out], by="ann")
    assert not review.goes(out) and groups(review)[out] == []
    review.merge(out, small)
    assert groups(review)[small] == sorted([*before[small], out]) and review.goes(out)
    assert review.group(small).others[0].score is None, "no score is told of what the run never compared"
    review.accept(large)
    assert groups(tk.review(run)) == groups(review)
    assert tk.review(run).counts() == review.counts()
    assert [review.undo() for _ in range(4)] == [True, True, True, False]
    assert groups(tk.review(run)) == before and tk.review(run).counts().decisions == 0
    lines = (run / "review.jsonl").read_text().splitlines()
    assert len(lines) == 7 and '"by": "ann"' in lines[1], "nothing is ever removed"


def test_a_merge_of_groups_lets_the_kept_text_of_one_go(run: Path) -> None:
    review = tk.review(run)
    first, second, third = (one.kept.text_id for one in review.groups())
    review.merge(first, second)
    assert review.goes(first) and not review.goes(second) and first not in groups(review)
    decided = {one.text_id: one.decided for one in review.group(second).others}
    assert decided[first] is DecidedBy.MERGED and DecidedBy.SCORE in decided.values()
    review.accept(second)
    assert not review.group(second).is_open
    review.split(second)
    assert groups(review)[second] == [] and not review.goes(first)
    assert list(groups(review, only_open=True)) == [third]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda review, kept: review.accept("none"), ("kept",)),
        (lambda review, kept: review.split(kept, ["none"]), ("texts",)),
        (lambda review, kept: review.split(kept, [kept]), ("texts",)),
        (lambda review, kept: review.merge(kept, kept), ("into",)),
        (lambda review, kept: review.merge(kept, "none"), ("kept",)),
        (lambda review, kept: review.group("none"), ("kept",)),
    ],
)
def test_what_can_not_be_done_changes_nothing(run: Path, act: object, said: str) -> None:
    review = tk.review(run)
    before = groups(review)
    with pytest.raises(UsageError) as error:
        act(review, next(iter(before)))  # type: ignore[operator]
    assert error.value.params == said
    assert groups(review) == before and not review.counts().decisions
    review.split(kept := next(iter(before)))
    for twice in (review.split, review.accept):
        with pytest.raises(UsageError) as error:
            twice(kept)
        assert error.value.params == ("group",)


def test_two_reviews_of_one_run_see_each_other(run: Path) -> None:
    one, other = tk.review(run), tk.review(run)
    kept = one.groups()[0].kept.text_id
    one.split(kept)
    with pytest.raises(UsageError) as error:
        other.accept(kept)
    assert error.value.params == ("group",)
    assert groups(one) == groups(other)
    one.undo()
    other.catch_up()
    assert groups(one) == groups(other) and other.counts().decisions == 0


def test_decisions_that_are_replaced_or_removed_meanwhile_are_those_of_the_file(run: Path) -> None:
    review = tk.review(run)
    first, second = list(groups(review))[:2]
    review.accept(first)
    review.path.write_bytes(review.path.read_bytes().replace(first.encode(), second.encode()))
    review.catch_up()  # as many lines as before
    assert [review.group(one).is_open for one in (first, second)] == [True, False]
    review.path.unlink()
    review.accept(first)
    for one in (review, tk.review(run)):
        assert one.counts().decisions == 1 and not one.group(first).is_open and one.group(second).is_open


def test_a_decision_that_could_not_be_written_is_none(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    review = tk.review(run)
    before = groups(review)
    review.split(next(iter(before)))
    after = groups(review)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError):
        review.merge(*list(before)[1:3])
    monkeypatch.undo()
    assert groups(review) == groups(tk.review(run)) == after


def test_the_final_list(run: Path, tmp_path: Path) -> None:
    review = tk.review(run)
    hostile = next(one for one in review.groups() if "HYPERLINK" in one.kept.text)
    review.accept(hostile.kept.text_id)
    review.split(review.groups()[0].kept.text_id)
    count = review.export(tmp_path / "final.csv")
    with (tmp_path / "final.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == count == sum(1 + len(others) for others in as_run(run).values())
    going = {row["id"] for row in rows if row["goes"] == "yes"}
    assert going == {name for name in review.run.text_of if review.goes(name)}
    assert all(row["kept_id"] not in going for row in rows)
    assert {row["decided"] for row in rows} == {"", "accepted", "split", "score"}
    assert {row["text"][:2] for row in rows if "HYPERLINK" in row["text"]} == {"'="}, "no formula"
    review.export(tmp_path / "final.jsonl", threshold=0.99)
    listed = [json.loads(line) for line in (tmp_path / "final.jsonl").read_text().splitlines()]
    assert {one["text"] for one in listed} == set(review.run.text_of.values())
    with pytest.raises(UsageError) as error:
        review.export(tmp_path / "final.txt")
    assert error.value.params == ("out",)
    for own in ("removed.tsv", "review.jsonl"):
        with pytest.raises(UsageError) as error:
            review.export(run / own)
        assert error.value.params == ("path",)


def test_rows_that_stay_are_written_as_they_were(run: Path, tmp_path: Path) -> None:
    review = tk.review(run)
    source = tmp_path / "texts.csv"
    review.write_kept(source, tmp_path / "same.csv")
    assert (tmp_path / "same.csv").read_bytes() == (run / "kept.csv").read_bytes()
    for one in review.groups():
        review.split(one.kept.text_id)
    assert review.write_kept(source, tmp_path / "all.csv") == len(TEXTS)
    assert (tmp_path / "all.csv").read_text() == source.read_text()
    with pytest.raises(UsageError) as error:
        review.write_kept(source, source)
    assert error.value.params == ("out",)
    source.write_text(source.read_text() + "t9,more\n")
    with pytest.raises(DataError) as error:
        review.write_kept(source, tmp_path / "other.csv")
    assert str(error.value.path).endswith("texts.csv")


def test_kept_rows_are_known_by_the_ids_of_the_run(tmp_path: Path) -> None:
    source = tmp_path / "tickets.csv"
    texts = ['ask, "why"\nnot', 'Ask, "why"\nnot', "=when?", "else"]  # numbers of other rows as ids
    with source.open("w", newline="") as stream:
        csv.writer(stream).writerows([["ticket", "subject"], *zip((4, 1, 2, 3), texts, strict=True)])
    run = tmp_path / "run"
    tk.dedupe(source, text="subject", id="ticket", out=run, threshold=0.99)
    review = tk.review(run)
    assert review.run.threshold == 0.99
    assert review.write_kept(source, tmp_path / "kept.csv") == 3
    assert (tmp_path / "kept.csv").read_bytes() == (run / "kept.csv").read_bytes()
    frame = [{"id": f"T{place}", "text": text} for place, text in enumerate(texts)]
    tk.dedupe(frame, out=tmp_path / "again", threshold=0.99)
    again = tk.review(tmp_path / "again")
    assert again.write_kept(tmp_path / "again" / "texts.csv", tmp_path / "kept2.csv") == 3
    with pytest.raises(UsageError) as wrong:
        again.write_kept(frame, tmp_path / "kept3.csv")  # type: ignore[arg-type]
    assert wrong.value.params == ("texts",)
    account = json.loads((run / "dedupe.json").read_text())
    del account["input"]["reading"]  # as runs of before
    (run / "dedupe.json").write_text(json.dumps(account))
    with pytest.raises(DataError) as error:
        tk.review(run).write_kept(source, tmp_path / "other.csv")
    assert str(error.value.path) == str(source)
    assert not (tmp_path / "other.csv").exists()
    account["input"]["reading"] = {"text": ["subject"], "column": 3}
    (run / "dedupe.json").write_text(json.dumps(account))
    with pytest.raises(DataError):
        tk.review(run)


def test_kept_rows_of_a_folder_are_written_to_a_folder(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    for number, texts in enumerate((["How do I park?", "When?"], ["how do I park", "Where?"])):
        (parts / f"part-{number}.txt").write_text("\n".join(texts) + "\n")
    tk.dedupe(parts, out=tmp_path / "run", threshold=0.8)
    review = tk.review(tmp_path / "run")
    assert review.write_kept(parts, tmp_path / "kept") == 3
    for number in range(2):
        name = f"part-{number}.txt"
        assert (tmp_path / "kept" / name).read_bytes() == (tmp_path / "run" / name).read_bytes()
    with pytest.raises(UsageError):
        review.write_kept(parts, parts)


def test_decisions_about_another_run_are_refused(run: Path, tmp_path: Path) -> None:
    review = tk.review(run)
    review.split(review.groups()[0].kept.text_id)
    tk.dedupe(tmp_path / "texts.csv", out=run, threshold=0.95, guards=())
    with pytest.raises(DataError) as error:
        tk.review(run)
    assert error.value.line == 1
    (run / "review.jsonl").rename(tmp_path / "old.jsonl")
    assert tk.review(run).counts().decisions == 0


@pytest.mark.parametrize(
    "line",
    [
        '{"do": "undo"}',
        '{"do": "accept", "group": 3}',
        '{"do": "split", "group": "t1", "texts": "t0"}',
        '{"do": "x"}',
    ],
)
def test_a_broken_decision(run: Path, line: str) -> None:
    review = tk.review(run)
    review.split(review.groups()[0].kept.text_id)
    review.undo()
    with review.path.open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(DataError):
        tk.review(run)


def test_a_folder_that_is_none_or_was_changed(run: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        tk.review(tmp_path)
    assert str(error.value.path).endswith("test_a_folder_that_is_none_or_0")
    account = json.loads((run / "dedupe.json").read_text())
    for change in (
        {"counts": {}},
        {"threshold": 3},
        {"files": {}},
        {"answers": {"at": [1]}},
        {"made_with": {}},
    ):
        (run / "dedupe.json").write_text(json.dumps({**account, **change}))
        with pytest.raises(DataError, match=r"run tk.dedupe again"):
            tk.review(run)
    (run / "dedupe.json").write_text(json.dumps(account))
    with (run / "removed.tsv").open("a") as stream:
        stream.write("more\n")
    with pytest.raises(DataError) as error:
        tk.review(run)
    assert str(error.value.path).endswith("removed.tsv")


def test_a_run_in_which_nothing_goes(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("one\nother thing\n")
    tk.dedupe(tmp_path / "texts.txt", out=tmp_path / "run")
    review = tk.review(tmp_path / "run")
    assert review.groups() == [] and review.counts().go == 0 and review.export(tmp_path / "x.csv") == 0


def answered(sample: Path, target: Path) -> None:
    with sample.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    with target.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows({**row, "same": "yes" if float(row["score"]) > 0.85 else "no"} for row in rows)


def test_precision_is_told_by_the_labels_of_the_run_alone(tmp_path: Path) -> None:
    texts, run = tmp_path / "inbox.txt", tmp_path / "run"
    shutil.copy(samples.path("inbox.txt"), texts)
    tk.dedupe(texts, out=run, threshold=0.8, sample=60)
    assert tk.review(run).precision_at() is None, "a sample that nobody has judged says nothing"
    answered(run / "sample.csv", run / "sample.csv")
    beside = tk.review(run)
    found = beside.precision_at()
    assert found is not None and found.threshold <= 0.8 + 1e-6 and found.precision is not None
    told = tk.dedupe(texts, out=run, threshold=0.8, labelled=run / "sample.csv")
    assert told.answers is not None
    by_threshold = {one.threshold: one for one in told.answers.at}
    review = tk.review(run)
    for cut in (0.8, 0.85, 0.9, 1.0):
        at = review.precision_at(cut)
        assert at is not None and at == by_threshold[at.threshold]
        assert at.threshold == max(one for one in by_threshold if one <= cut + 1e-7)
    assert found.precision == by_threshold[found.threshold].precision, "the ends of ranges are told alike"
    assert review.precision_at(0.1) is None
