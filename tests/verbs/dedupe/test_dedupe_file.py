"""Deduplicating files: outputs, rejections, and the effects of a person's answers."""

import csv
import gzip
import json
import re

import numpy as np
import pytest

from tests.verbs.rival import meets_a_rival
from textkin.base.errors import DataError, OutputError, PromiseError, UsageError
from textkin.data.readers import TextReading
from textkin.data.readers.texts import open_texts
from textkin.vectors.groups.linkage import KeepRule, Linkage
from textkin.verbs.dedupe import dedupe_file as module
from textkin.verbs.dedupe.dedupe_file import dedupe_file
from textkin.verbs.dedupe.deduped import DedupeOptions
from textkin.verbs.dedupe.evidence import Evidence
from textkin.verbs.dedupe.kept_values import column_values, parse_keep
from textkin.verbs.dedupe.sample import COLUMNS

ROWS = [
    ("a", "How do I reset my password?", "3"),
    ("b", "how do i reset my password", "7"),
    ("c", "", "1"),
    ("d", "Where is the station?", "x"),
    ("e", "where is the station?", "2"),
    ("f", "What is the price of 10 apples?", "1"),
    ("g", "What is the price of 20 apples?", "1"),
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "texts.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([("id", "text", "votes"), *ROWS])
    return path


@pytest.fixture
def many(tmp_path):
    """Texts with vectors on a circle, so that scores of all sizes occur, and the vectors' file."""
    rng = np.random.default_rng(0)
    angles = rng.uniform(0, 2.5, 60)
    texts = [f"text {place} {'abc'[place % 3]}" for place in range(60)]
    (tmp_path / "many.txt").write_text("\n".join(texts) + "\n")
    np.save(tmp_path / "many.npy", np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32))
    return tmp_path / "many.txt", tmp_path / "many.npy"


def read(path, delimiter="\t"):
    with path.open(newline="") as stream:
        return list(csv.reader(stream, delimiter=delimiter))


def answered(path, answer):
    """Write an answer for each row."""
    rows = read(path, ",")
    for row in rows[1:]:
        row[COLUMNS.index("same")] = answer(row)
    with path.open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
    return path


def test_what_is_written(table, tmp_path):
    found = dedupe_file(table, tmp_path / "out")
    kept = (tmp_path / "out" / "kept.csv").read_text().splitlines()
    assert kept == [line for line in table.read_text().splitlines() if line[0] not in "be"]
    removed = read(tmp_path / "out" / "removed.tsv")
    assert removed[0] == ["id", "text", "kept_id", "kept_text", "score", "by", "why"]
    assert [(row[0], row[2]) for row in removed[1:]] == [("b", "a"), ("e", "d")]
    why = "longest: both 21 characters; it is first by text, then by id"
    assert removed[2] == ["e", "where is the station?", "d", "Where is the station?", "1.0", "equal", why]
    groups = read(tmp_path / "out" / "groups.tsv")
    assert [row[:3] for row in groups[1:3]] == [["1", "a", "yes"], ["1", "b", "no"]]
    account = json.loads((tmp_path / "out" / "dedupe.json").read_text())
    assert account["counts"]["removed"] == found.counts.removed == 2
    assert account["input"]["skipped"] == {"empty text": 1}
    assert account["guarantee"]["holds"] and not account["threshold"]["fitted"]
    assert set(account["files"]) == {"kept.csv", "removed.tsv", "groups.tsv", "report.html"}


def test_guards_rules_and_columns(table, tmp_path):
    options = DedupeOptions(guards=("numbers",), keep=KeepRule.HIGHEST)
    found = dedupe_file(table, tmp_path / "out", options=options, keep_column="votes")
    removed = read(tmp_path / "out" / "removed.tsv")[1:]
    assert [(row[0], row[2], row[6]) for row in removed] == [
        ("a", "b", "highest: 7 against 3"),
        ("d", "e", "highest: 2 against no value"),
    ]
    assert found.counts.forbidden == 1
    assert "other numbers" in (tmp_path / "out" / "report.html").read_text()
    with pytest.raises(DataError) as error:
        dedupe_file(table, tmp_path / "out", options=options, keep_column="text")
    assert str(error.value.path).endswith("texts.csv")
    with pytest.raises(UsageError) as error:
        dedupe_file(table, tmp_path / "out", options=options, keep_column="stars")
    assert error.value.params == ("keep",)


@pytest.mark.parametrize("linkage", Linkage)
def test_the_promise_is_checked(many, tmp_path, linkage):
    texts, vectors = many
    found = dedupe_file(
        texts,
        tmp_path / "out",
        embeddings=vectors,
        options=DedupeOptions(guards=(), threshold=0.99, linkage=linkage),
    )
    assert found.counts.removed > 5
    if linkage is not Linkage.REPRESENTATIVE:
        assert found.guarantee is None
        return
    assert found.guarantee.holds and found.guarantee.weakest >= 0.99 - 1e-6
    capped = dedupe_file(
        texts, tmp_path / "out", embeddings=vectors, options=DedupeOptions(guards=(), threshold=0.99, most=2)
    )
    assert capped.counts.largest == 2 and not capped.guarantee.holds and capped.guarantee.alike > 0


def test_the_same_files_again(many, tmp_path):
    texts, vectors = many
    for name in ("one", "two"):
        dedupe_file(
            texts,
            tmp_path / name,
            embeddings=vectors,
            options=DedupeOptions(guards=()),
            evidence=Evidence(sample=20),
        )
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_zipped_text_stays_text(many, tmp_path):
    texts, vectors = many
    (tmp_path / "many.txt.gz").write_bytes(gzip.compress(texts.read_bytes() + b"\n\n"))
    found = dedupe_file(tmp_path / "many.txt.gz", tmp_path / "out", embeddings=vectors)
    assert found.kept.name == "kept.txt"
    lines = found.kept.read_text().split("\n")
    assert len(lines) == found.counts.kept + 3 and lines[-3:] == ["", "", ""]


def test_more_pairs_than_can_be_held(many, tmp_path, monkeypatch):
    texts, vectors = many
    whole, decided = (tmp_path / name for name in ("whole", "decided"))
    options = DedupeOptions(guards=(), threshold=0.98)
    dedupe_file(texts, whole, embeddings=vectors, options=options)
    monkeypatch.setattr("textkin.vectors.similar_texts.MOST_PAIRS", 10)
    found = dedupe_file(texts, decided, embeddings=vectors, options=options)
    for name in ("kept.txt", "removed.tsv", "groups.tsv"):
        assert (decided / name).read_bytes() == (whole / name).read_bytes()
    assert found.guarantee.holds and found.counts.pairs is None is found.counts.forbidden
    page = (decided / "report.html").read_text()
    assert "More than 4,194,304 pairs are similar." in page
    assert page.count("data-step=") == 1 and "Other thresholds" not in page
    dedupe_file(texts, decided, embeddings=vectors, options=DedupeOptions(guards=()))  # never fitted
    page = (decided / "report.html").read_text()
    assert "look at some rows of removed.tsv" in page and "--sample" not in page


def test_no_threshold_is_above_1(many, tmp_path):
    texts, vectors = many
    dedupe_file(texts, tmp_path / "out", embeddings=vectors, options=DedupeOptions(guards=(), threshold=1.0))
    assert (tmp_path / "out" / "report.html").read_text().count("data-step=") == 1


@pytest.mark.slow
def test_a_judged_sample_tells_the_precision(many, tmp_path):
    texts, vectors = many
    out, options = tmp_path / "out", DedupeOptions(guards=(), threshold=0.98)
    drawn = dedupe_file(texts, out, embeddings=vectors, options=options, evidence=Evidence(sample=10**6))
    rows = read(out / "sample.csv", ",")[1:]
    assert drawn.counts.sampled == len(rows) > 40
    limit = 0.99
    path = answered(out / "sample.csv", lambda row: "yes" if float(row[5]) >= limit else "no")
    found = dedupe_file(texts, out, embeddings=vectors, options=options, evidence=Evidence(labelled=path))
    scores = np.array([float(row[5]) for row in rows])
    for at in found.answers.at:  # everything was judged, so the estimate is the truth
        taken = scores >= at.threshold - 1e-6
        assert at.pairs == taken.sum()
        expected = (scores[taken] >= limit).mean()
        assert (at.precision.value, at.precision.low, at.precision.high) == pytest.approx((expected,) * 3)
    goal = DedupeOptions(guards=(), precision=0.9)
    best = dedupe_file(texts, out, embeddings=vectors, options=goal, evidence=Evidence(labelled=path))
    reached = [at.threshold for at in found.answers.at if at.precision.value >= 0.9]
    assert best.cut.value == min(reached) and best.cut.fitted
    with pytest.raises(UsageError) as error:
        dedupe_file(texts, out, embeddings=vectors, evidence=Evidence(sample=10))
    assert error.value.params == ("sample", "out")


@pytest.mark.slow
def test_more_pairs_to_judge(many, tmp_path):
    """A sample grows with its answers, and the threshold's line reports them."""
    texts, vectors = many
    out, options = tmp_path / "out", DedupeOptions(guards=(), threshold=0.98)
    dedupe_file(texts, out, embeddings=vectors, options=options, evidence=Evidence(sample=40))
    path = answered(out / "sample.csv", lambda row: "yes" if float(row[5]) >= 0.99 else "no")
    with pytest.raises(PromiseError):
        dedupe_file(
            *(texts, tmp_path / "none"),
            embeddings=vectors,
            options=DedupeOptions(guards=(), threshold=None, precision=0.999),
            evidence=Evidence(labelled=path),
        )
    account = json.loads((tmp_path / "none" / "dedupe.json").read_text())
    assert account["missed"].startswith("no threshold of the sample reaches precision 0.999")
    assert "no threshold of precision 0.999" in (tmp_path / "none" / "report.html").read_text()
    more = dedupe_file(
        *(texts, tmp_path / "more"),
        embeddings=vectors,
        options=options,
        evidence=Evidence(labelled=path, sample=60),
    )
    assert (more.counts.sampled, more.counts.answered) == (60, 40)
    rows = read(tmp_path / "more" / "sample.csv", ",")[1:]
    assert [row[2] == "" for row in rows] == [True] * 20 + [False] * 40
    told = next(at.precision for at in more.answers.at if at.threshold == np.float32(0.98))
    words = f"by 40 labels its precision is {told.value:.3f} ({told.low:.3f} to {told.high:.3f})"
    assert more.cut.words == f"given; {words}"
    page = (tmp_path / "more" / "report.html").read_text()
    assert "by 40 labels" in page and "To measure the precision" not in page


@pytest.mark.slow
def test_labels_outlive_texts_that_are_added(many, tmp_path):
    texts, vectors = many
    out, options = tmp_path / "out", DedupeOptions(guards=(), threshold=0.98)
    dedupe_file(texts, out, embeddings=vectors, options=options, evidence=Evidence(sample=40))
    path = answered(out / "sample.csv", lambda row: "yes" if float(row[5]) >= 0.985 else "no")
    judged = Evidence(labelled=path)
    before = dedupe_file(texts, out, embeddings=vectors, options=options, evidence=judged)
    assert before.answers.new == 0 and before.answers.news() is None

    # In front, so that the numbers of all rows change; two of them are like texts that were there.
    was = np.load(vectors)
    np.save(vectors, np.concatenate((was[[5, 6]], np.array([[0, -1]], dtype=np.float32), was)))
    texts.write_text("new one\nnew two\nnew three\n" + texts.read_text())
    after = dedupe_file(texts, out, embeddings=vectors, options=options, evidence=judged)
    assert (after.answers.judged, after.answers.blank) == (before.answers.judged, before.answers.blank)
    told = {at.threshold: at for at in before.answers.at}
    edges = {float(row[6]) for row in read(path, ",")[1:]}
    assert {at.threshold for at in after.answers.at} == {float(np.float32(edge)) for edge in edges}
    for at in after.answers.at:  # of the pairs that were there, with the weights of the draw
        there = told[at.threshold]
        assert at.precision.low == there.precision.low and at.precision.high == there.precision.high
        assert at.pairs - at.new == there.pairs
    lowest = after.answers.at[0]
    assert after.answers.new == lowest.new > 0
    assert f"{lowest.new:,} of {lowest.pairs:,} pairs" in after.answers.news()
    assert "came with texts that were added since" in (out / "report.html").read_text()
    goal = DedupeOptions(guards=(), precision=0.5)
    best = dedupe_file(texts, out, embeddings=vectors, options=goal, evidence=judged)
    assert best.cut.value in {at.threshold for at in after.answers.at}


def test_labels_of_texts_that_are_gone_or_scored_otherwise(many, tmp_path):
    texts, vectors = many
    out, options = tmp_path / "out", DedupeOptions(guards=(), threshold=0.98)
    dedupe_file(texts, out, embeddings=vectors, options=options, evidence=Evidence(sample=40))
    path = answered(out / "sample.csv", lambda row: "yes")
    lines, was = texts.read_text().splitlines(), np.load(vectors)
    texts.write_text("\n".join(lines[30:]) + "\n")
    np.save(vectors, was[30:])

    def fails(words):
        with pytest.raises(DataError) as error:
            dedupe_file(texts, out, embeddings=vectors, options=options, evidence=Evidence(labelled=path))
        assert error.value.line == words

    fails(2)
    texts.write_text("\n".join(lines) + "\n")
    np.save(vectors, was[::-1])  # as many pairs of each score, of other texts
    fails(2)


@pytest.mark.slow
def test_a_sample_serves_with_vectors_that_differ_in_the_fourth_digit(many, tmp_path):
    texts, vectors = many
    out, options = tmp_path / "out", DedupeOptions(guards=(), threshold=0.98)
    dedupe_file(texts, out, embeddings=vectors, options=options, evidence=Evidence(sample=40))
    path = answered(out / "sample.csv", lambda row: "yes" if float(row[5]) >= 0.99 else "no")
    judged = Evidence(labelled=path)
    before = dedupe_file(texts, out, embeddings=vectors, options=options, evidence=judged).answers
    was = np.load(vectors)
    for seed in range(5):
        noise = np.random.default_rng(seed).normal(size=was.shape) * np.abs(was).mean() * 1e-3
        np.save(vectors, (was + noise).astype(was.dtype))
        again = dedupe_file(texts, out, embeddings=vectors, options=options, evidence=judged).answers
        assert again.judged == before.judged == 40
        told = {one.threshold: one.precision.value for one in before.at if one.precision is not None}
        for one in again.at:
            if one.threshold in told and one.precision is not None:
                assert one.precision.value == pytest.approx(told[one.threshold], abs=0.1)


def test_answers_are_checked_before_anything_is_encoded(many, tmp_path, monkeypatch):
    texts, vectors = many
    out, options = tmp_path / "out", DedupeOptions(guards=(), threshold=0.98)
    dedupe_file(texts, out, embeddings=vectors, options=options, evidence=Evidence(sample=40))
    monkeypatch.setattr("textkin.verbs.dedupe.deduped.dedupe_texts", lambda *given, **named: 1 / 0)
    path = answered(out / "sample.csv", lambda row: "maybe")
    with pytest.raises(DataError) as error:
        dedupe_file(texts, out, embeddings=vectors, options=options, evidence=Evidence(labelled=path))
    assert error.value.line == 2


@pytest.mark.slow
def test_samples_that_tell_nothing(many, tmp_path):
    texts, vectors = many
    out, options = tmp_path / "out", DedupeOptions(guards=(), threshold=0.98)
    dedupe_file(texts, out, embeddings=vectors, options=options, evidence=Evidence(sample=30))
    path, judged = out / "sample.csv", Evidence(labelled=out / "sample.csv")

    def fails(error, words, options=options):
        with pytest.raises(error, match=words):
            dedupe_file(texts, out, embeddings=vectors, options=options, evidence=judged)

    fails(DataError, "has no labels")
    answered(path, lambda row: "perhaps")
    fails(DataError, "sample.csv:2: 'perhaps' in the column same; write yes, no or nothing")
    answered(path, lambda row: "no")
    fails(
        PromiseError,
        "no threshold of the sample reaches precision 0.9: .* 0.000",
        DedupeOptions(guards=(), precision=0.9),
    )
    fails(DataError, "was drawn from", DedupeOptions(threshold=0.98, guards=("numbers",)))
    half = answered(path, lambda row: "yes" if int(row[3]) % 2 else "")
    found = dedupe_file(texts, out, embeddings=vectors, options=options, evidence=Evidence(labelled=half))
    assert found.answers.judged + found.answers.blank == 30 and found.answers.blank > 0
    path.write_text(texts.read_text())
    fails(DataError, "has no column 'text_a'")


def test_known_groups(many, tmp_path):
    texts, vectors = many
    gold = tmp_path / "gold.tsv"
    gold.write_text("id\tgroup\n" + "".join(f"{place}\t{place % 9}\n" for place in range(1, 50)))
    options = DedupeOptions(guards=(), threshold=-1.0)
    found = dedupe_file(
        texts, tmp_path / "out", embeddings=vectors, options=options, evidence=Evidence(gold=gold)
    ).gold
    assert (found.texts, found.unknown) == (49, 11)
    assert found.pairwise.recall == 1 == found.b_cubed.recall
    assert found.b_cubed.precision == pytest.approx(
        sum((49 + 8 - k) // 9 * ((49 + 8 - k) // 9) for k in range(9)) / 49**2
    )
    gold.write_text("id\tgroup\n1\ta\n1\tb\n")
    with pytest.raises(DataError) as error:
        dedupe_file(texts, tmp_path / "out", embeddings=vectors, evidence=Evidence(gold=gold))
    assert error.value.line == 3
    gold.write_text("id\tgroup\nx\ta\ny\tb\n")
    with pytest.raises(DataError, match="none of the ids"):
        dedupe_file(texts, tmp_path / "out", embeddings=vectors, evidence=Evidence(gold=gold))


def test_what_is_refused(many, tmp_path):
    texts, vectors = many
    for name in ("kept.txt", "groups.tsv"):
        (tmp_path / name).write_text("id\tgroup\na\tb\n")
        with pytest.raises(UsageError) as error:
            dedupe_file(tmp_path / name, tmp_path, reading=TextReading(text="1"))
        assert error.value.params == ("out",)
    with pytest.raises(OutputError):
        dedupe_file(texts, texts / "out", embeddings=vectors)
    (tmp_path / "blank.txt").write_text("\n \n")
    with pytest.raises(DataError) as error:
        dedupe_file(tmp_path / "blank.txt", tmp_path / "out")
    assert str(error.value.path).endswith("blank.txt")
    with pytest.raises(UsageError) as error:
        np.save(vectors, np.eye(60, dtype=np.float32))
        dedupe_file(texts, tmp_path / "out", embeddings=vectors, evidence=Evidence(sample=5))
    assert error.value.params == ("sample", "threshold")
    assert not list((tmp_path / "out").iterdir())


def test_cells_without_a_number_are_told_since_a_number_wins_over_them(tmp_path, capsys):
    path = tmp_path / "texts.csv"
    rows = ['a,How do I pay?,"1,234"', "b,how do I pay?,950", "c,Where is it?,", "d,Where is it,NaN"]
    path.write_text("\n".join(["id,text,views", *rows, ""]))
    values = column_values(open_texts(path), "views")
    assert (values.ranks.tolist(), values.words) == ([-np.inf, 0, -np.inf, -np.inf], ("950",))
    assert "1 text without a number in the column 'views', such as '1,234'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "keep"), [("longest", (KeepRule.LONGEST, None)), ("votes", (KeepRule.HIGHEST, "votes"))]
)
def test_rules_by_their_words(word, keep):
    assert parse_keep(word) == keep
    assert parse_keep("highest") == (KeepRule.HIGHEST, "highest")


def test_the_page_runs_its_own_script_only(table, tmp_path):
    import base64
    import hashlib

    hostile = "</script><script>alert(1)</script><img src=x onerror=y>"
    table.write_text(f"id,text\n1,{hostile}\n2,{hostile} \n")
    dedupe_file(table, tmp_path / "out")
    html = (tmp_path / "out" / "report.html").read_text()
    scripts = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    assert len(scripts) == 3 and "<img" not in html
    allowed = html[html.index("script-src") : html.index("script-src") + 300]
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"&#x27;sha256-{digest}&#x27;" in allowed
    assert html.count("data-step=") == len(re.findall("<h3>Threshold", html)) > 5


def test_a_second_writer_is_refused_while_the_first_compares(table, tmp_path, monkeypatch):
    options = DedupeOptions(guards=(), threshold=0.9)
    dedupe_file(table, tmp_path / "alone", options=options)
    told = meets_a_rival(
        monkeypatch, module, "_found", lambda: dedupe_file(table, tmp_path / "out", options=options)
    )
    dedupe_file(table, tmp_path / "out", options=options)
    assert str(tmp_path / "out") in told[0]
    for name in ("kept.csv", "removed.tsv", "groups.tsv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()


def test_the_page_says_which_column_was_taken(tmp_path):
    table = tmp_path / "mails.csv"
    table.write_text("id,Subject,Body\n1,hello there,How do I pay?\n2,good day,When do you open?\n")
    out = tmp_path / "out"
    found = dedupe_file(table, out, options=DedupeOptions(threshold=0.9), reading=TextReading(text="Body"))
    assert found.read.columns == "texts: column 3 'Body'"
    assert "texts: column 3 &#x27;Body&#x27;" in (out / "report.html").read_text()
