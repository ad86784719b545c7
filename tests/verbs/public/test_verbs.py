"""Inputs by path, as records and as rows give equal results; invalid input is rejected."""

from functools import partial

import numpy as np
import pytest

import textkin as tk
from tests.verbs.public.making import QUICK, ROWS, TEXTS
from textkin.base.errors import DataError
from textkin.base.spelling import Spelling, spelling_as
from textkin.cli import main
from textkin.data import samples
from textkin.kinds.measuring import Options
from textkin.measures.intervals.sampling import Sampling
from textkin.vectors.join.hamming import hamming
from textkin.verbs.evaluate.comparison import compared
from textkin.verbs.evaluate.measure_runs import measure_runs
from textkin.verbs.experiments.study_folder import StudyOptions

CODES = partial(tk.encode, bits=64)
WRONG = ("missing.txt", b"abc", {"a"}, {"a": 1}, [None], ["a", float("nan")], [b"a"], [("a", "b")], 5, None)


@pytest.fixture(scope="module")
def encoder():
    return tk.load_encoder()


def test_texts_by_path_and_in_any_sequence_give_the_same(texts, encoder):
    given = (TEXTS, tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, dtype=object), iter(TEXTS), str(texts))
    vectors = [tk.encode(each, model=encoder) for each in given]
    assert all(np.array_equal(each, vectors[0]) for each in vectors)
    for verb in (
        lambda data: [(row.score, row.text_a, row.text_b) for row in tk.mine(data, encoder, top=20)],
        lambda data: [(row.text, row.kept_text) for row in tk.dedupe(data, encoder, threshold=0.6)],
        lambda data: tk.encode(data, model=encoder, bits=64).codes.tolist(),
    ):
        assert verb(texts) == verb(TEXTS) == verb(np.array(TEXTS)) == verb(text for text in TEXTS)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_pandas_and_polars_come(library, encoder):
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    column = frames.Series(TEXTS)
    assert np.array_equal(tk.encode(column, model=encoder), encoder.encode(TEXTS))
    assert tk.dedupe(column[10:], model=encoder).texts == tuple(TEXTS[10:])
    table = frames.DataFrame({"a": TEXTS[:5], "b": TEXTS[5:10]})
    assert tk.score(table, model=encoder).scores.shape == (5,)


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize("verb", [tk.mine, tk.dedupe, CODES, tk.encode])
def test_what_are_no_texts_is_refused(verb, wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tk.TextkinError) as error:
        verb(wrong)
    if not isinstance(wrong, str):  # which is a path
        assert error.value.exit_code == 2


@pytest.mark.parametrize("wrong", [["ab", "cd"], [("a", "b", "c", "d")], [("a", None)], {("a", "b")}, None])
def test_what_are_no_pairs_is_refused(wrong):
    for verb in (
        tk.score,
        lambda data: compared(data, models=["default"]),
        lambda data: tk.study(data, out="nowhere"),
        lambda data: tk.split(data, out="nowhere"),
        lambda data: tk.lint(data) if data != ["ab", "cd"] else tk.score(data),  # those are paths
    ):
        with pytest.raises(tk.TextkinError) as error:
            verb(wrong)
        assert error.value.params == ("pairs",)
        assert error.value.exit_code == 2


@pytest.mark.slow
def test_out_writes_what_the_command_writes(texts, tmp_path, capsys):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir(), theirs.mkdir()
    with spelling_as(Spelling("command")):  # as the report is to name options
        tk.mine(texts, top=20, out=ours / "mined.tsv")
        tk.encode(texts, out=ours / "vectors.npy")
        CODES(texts, out=ours / "codes.npy")
        tk.dedupe(texts, threshold=0.6, out=ours / "deduped")
    for words in (
        ["mine", str(texts), "--top", "20", "--out", str(theirs / "mined.tsv")],
        ["encode", str(texts), "--out", str(theirs / "vectors.npy")],
        ["encode", str(texts), "--bits", "64", "--out", str(theirs / "codes.npy")],
        ["dedupe", str(texts), "--threshold", "0.6", "--out", str(theirs / "deduped")],
    ):
        assert main(words) == 0
    names = sorted(path.relative_to(ours) for path in ours.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(theirs) for path in theirs.rglob("*") if path.is_file())
    assert len(names) == 11
    for name in names:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name


@pytest.mark.parametrize("verb", [CODES, tk.encode])
def test_out_goes_with_a_file(verb, tmp_path):
    with pytest.raises(tk.TextkinError) as error:
        verb(TEXTS, out=tmp_path / "out.npy")
    assert error.value.params == ("out",)


@pytest.mark.slow
def test_pairs_by_path_as_records_and_as_rows_give_the_same(pairs, tmp_path):
    records = tk.load_pairs(pairs).data
    given = (pairs, str(pairs), records, ROWS)
    options = Options(sampling=QUICK)
    measured = [compared(each, models=["default"], options=options).rows() for each in given]
    assert all(each == measured[0] for each in measured)
    splits = [tk.split(each, out=tmp_path / f"split{place}").rows() for place, each in enumerate(given)]
    assert all(each == splits[0] for each in splits)
    found = [[one.kind for one in tk.lint(each).findings] for each in given]
    assert all(each == found[0] for each in found)
    scores = [tk.score(each).scores.tolist() for each in (pairs, records, records.texts)]
    assert all(each == scores[0] for each in scores)
    hard = [
        tk.negatives(each, out=tmp_path / f"{place}.tsv", ranks="1-20").out
        for place, each in enumerate(given)
    ]
    assert len({path.read_bytes() for path in hard}) == 1


@pytest.mark.torch
def test_train_and_calibrate_take_records(tmp_path):
    dev, other = tk.as_pairs(samples.pairs("cooking")[::2]), samples.pairs("hobbies")
    run = tk.train(ROWS, dev=dev, recipe="static", out=tmp_path / "run", seed=1)
    assert (run.seed, run.warnings) == (1, ())
    fitted = tk.calibrate(other[::2], run.model, accuracy=True)
    assert fitted.threshold.goal == "accuracy"
    with pytest.raises(tk.TextkinError) as error:
        tk.train(tk.SpanSet({}, ()), dev=dev, recipe="static", out=tmp_path / "other")
    assert error.value.params == ("train",)


def test_one_model_is_not_taken_for_a_list_of_letters(tmp_path):
    with pytest.raises(tk.TextkinError) as error:
        StudyOptions(models="static")
    assert error.value.params == ("models",)
    with pytest.raises(tk.TextkinError) as error:
        Options(baselines="tfidf")
    assert error.value.params == ("baselines",)
    run, qrels = {"q": {"d": 1.0}}, {"q": {"d": 1}}
    assert tk.measure(run, qrels, measures="MAP").as_dict()["measures"].keys() == {"MAP"}


def test_a_missing_file_is_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for verb in (tk.lint, tk.score, tk.mine, lambda data: tk.study(data, out="study")):
        with pytest.raises(tk.TextkinError) as error:
            verb("aa.tsv")
        assert str(error.value.path).endswith("aa.tsv")


def test_draws_are_bounded():
    run, qrels = tk.Run.from_dict({"q": {"d": 1.0}}), tk.Qrels.from_dict({"q": {"d": 1}})
    for count in (0, -1, 10**9, 2.5):
        with pytest.raises(tk.TextkinError) as error:
            tk.measure(run, qrels=qrels, measures=["MAP"], resamples=count)
        assert error.value.params == ("resamples",)
        with pytest.raises(tk.TextkinError) as error:
            Sampling(resamples=count)
        assert error.value.params == ("resamples",)
        with pytest.raises(tk.TextkinError) as error:
            Sampling(rounds=10 * count)
        assert error.value.params == ("rounds",)


def test_one_text_where_others_are_mined(texts):
    found = tk.mine(TEXTS, against=TEXTS[0], top=1)
    assert found.rows() == tk.mine(TEXTS, against=[TEXTS[0]], top=1).rows()
    assert len(tk.mine(TEXTS[0], against=TEXTS, top=1).rows()) == 1


@pytest.mark.parametrize("verb", [tk.mine, tk.dedupe])
def test_one_text_has_no_kin_of_its_own(verb):
    with pytest.raises(DataError, match=r"'reset my password': no such file; .*texts in a list"):
        verb("reset my password")


@pytest.mark.parametrize(
    ("verb", "name", "options"),
    [],
)
def test_what_belongs_to_the_options_is_sent_there(verb, name, options):
    with pytest.raises(TypeError, match=rf"argument '{name}'; give options=tk\.{options}\({name}=\.\.\.\)"):
        verb(**{name: 1})
    with pytest.raises(TypeError, match="choose one of: on, address"):
        verb(whatever=1)


@pytest.mark.parametrize("given", [5, None, b"x", [1], {"a": 1}])
@pytest.mark.parametrize(
    "called",
    [
        lambda given: tk.load_pairs(given),
        lambda given: tk.load_texts(given),
        lambda given: tk.load_recipe(given),
        lambda given: tk.label(given),
        lambda given: tk.review(given),
        pytest.param(lambda given: tk.verify(given), marks=pytest.mark.torch),
        lambda given: tk.watch(given),
        lambda given: tk.open_collection(given),
        lambda given: hamming(given, given),
        lambda given: tk.measure(given, qrels="qrels.trec"),
        lambda given: measure_runs({"a": given, "b": given}, qrels=given),
        lambda given: tk.export("default", out="there", to=str(given)),
    ],
)
def test_what_is_no_path_is_refused_by_an_error_of_textkin(called, given):
    with pytest.raises(tk.TextkinError, match=r"of type|nothing is exported to|expected|choose one of"):
        called(given)


def test_a_text_alone_is_no_file_of_texts():
    for verb in (tk.cluster, tk.mine, tk.dedupe):
        with pytest.raises(tk.TextkinError, match=r"'one string': no such file; .* give texts in a list"):
            verb("one string")
