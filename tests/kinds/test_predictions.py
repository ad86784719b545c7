"""Predictions of other programs, of every kind of data that has them, beside models."""

import json

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from tests.making_choices import exam
from tests.making_spans import spans
from textkin.base.errors import DataError, ModelError, UsageError
from textkin.kinds.systems import Predictions, named_systems
from textkin.verbs.pair_inputs import given_pairs

FEW = {"resamples": 20, "rounds": 20}
PAIRS = tk.as_pairs([("a b", "a b c", 1), ("a b", "d", 0), ("e f", "e", 1), ("e f", "d g", 0)], name="pairs")
CLASSES = tk.as_pairs([("a b", "a", "yes, it does"), ("a b", "d", "not at all"), ("e", "f", "not at all")])
EXAM = exam(8)
SPANS = spans()


def row(data, models, name="theirs", **given):
    found = tk.compare(data, models, **FEW, **given)
    return next(one for one in found.systems.rows if one.name == name)


def test_predictions_with_the_ids_of_pairs_are_joined_by_them(write):
    frame = pd.DataFrame(PAIRS.rows()).assign(id=["p", "q", "r", "s"])
    given = pd.DataFrame({"id": list("srqp"), "score": [0.3, 0.2, 0.1, 0.9]})
    in_order = row(frame, {"theirs": [0.9, 0.1, 0.2, 0.3]}, baselines="random")
    for theirs in (given, pd.concat([given, given.assign(id=list("tuvw"))])):
        found = row(frame, {"theirs": theirs}, baselines="random")
        assert found.measures["AP"].value == in_order.measures["AP"].value < 1
    found = row(
        write(frame.to_csv(index=False), "data.csv"), {"theirs": write(given.to_csv(index=False))},
        baselines="random",
    )  # fmt: skip
    assert found.measures["AP"].value == in_order.measures["AP"].value


@pytest.mark.parametrize("name", ["id", "pair_id", "pairID", "key"])
def test_ids_are_those_of_the_column_of_the_same_name(name):
    ids = [2, 0, 3, 1]
    frame = pd.DataFrame(PAIRS.rows()).assign(**{name: [f"{one}n" for one in ids]})
    given = pd.DataFrame({name: [f"{one}n" for one in range(4)], "score": [0.1, 0.3, 0.9, 0.2]})
    found = row(frame, {"theirs": given}, baselines="random")
    right = row(frame, {"theirs": [0.9, 0.1, 0.2, 0.3]}, baselines="random").measures["AP"].value
    assert found.measures["AP"].value == right
    if name != "id":
        other, numbered = frame.assign(id=ids), given.assign(**{name: range(4)})
        apart = row(other, {"theirs": numbered}, baselines="random").measures["AP"].value
        in_order = row(other, {"theirs": numbered["score"].tolist()}, baselines="random")
        assert apart == in_order.measures["AP"].value, "numbers of another column join nothing"


@pytest.mark.parametrize("ids", [list("srqx"), list("ppqr")])
def test_predictions_with_ids_of_other_pairs_are_refused(ids):
    frame = pd.DataFrame(PAIRS.rows()).assign(id=["p", "q", "r", "s"])
    with pytest.raises(DataError):
        tk.compare(frame, {"theirs": pd.DataFrame({"id": ids, "score": [0.3, 0.2, 0.1, 0.9]})}, **FEW)


def test_ids_that_the_data_lack_say_nothing_of_the_order():
    frame = pd.DataFrame(PAIRS.rows())
    given = pd.DataFrame({"id": list("abcd"), "score": [0.9, 0.1, 0.2, 0.3]})
    assert row(frame, {"theirs": given}, baselines="random").measures["AP"].value < 1
    with pytest.raises(UsageError):
        row(frame, {"theirs": given[::-1]})


def test_words_and_objects_that_are_predictions(write, tmp_path):
    path, other = write("x\n"), write("x\n", "other.run.trec")
    found = named_systems(
        [f"a={path},{other}", str(other), "bm25", "mine=my:Net(k=1,l=2),my:Net", str(tmp_path)]
    )
    assert {name: [getattr(one, "given", one) for one in seeds] for name, seeds in found.items()} == {
        "a": [str(path), str(other)],
        "other": [str(other)],
        "bm25": ["bm25"],
        "mine": ["my:Net(k=1,l=2)", "my:Net"],
        str(tmp_path): [str(tmp_path)],
    }
    by_name = named_systems({"b": np.ones(3), "c": [0.5, 1.0], "d": [{"q": "A"}, {"q": "B"}], "e": "x.trec"})
    assert [len(by_name[name]) for name in "bcde"] == [1, 1, 2, 1]
    assert all(isinstance(one, Predictions) for seeds in by_name.values() for one in seeds)
    for words in (["=x.csv"], ["a="], ["a=x.csv", "a=y.csv"]):
        with pytest.raises(UsageError) as error:
            named_systems(words)
        assert error.value.params == ("models",)


@pytest.mark.parametrize(
    "text",
    [
        "0.9\n0.1\n0.2\n0.3\n",
        "score\n0.9\n0.1\n0.2\n0.3\n",
        "row,theirs,score\n1,0.9,5\n2,0.1,5\n3,0.2,5\n4,0.3,5\n",
        "text_a,text_b,score\na b,d,0.1\ne f,e,0.2\na b,a b c,0.9\ne f,d g,0.3\nx,y,7\n",
    ],
)
def test_scores_of_pairs_are_measured_as_those_of_a_model(write, text):
    found = row(PAIRS, [f"theirs={write(text)}"], baselines="random")
    assert found.measures["AP"].value == pytest.approx((1 + 2 / 3) / 2)
    assert row(PAIRS, {"theirs": np.array([0.9, 0.1, 0.2, 0.3])}).measures == found.measures
    frame = pd.DataFrame({"score": [0.9, 0.1, 0.2, 0.3]})
    assert row(PAIRS, {"theirs": frame}).measures == found.measures
    rows = frame.to_dict("records")
    assert row(PAIRS, {"theirs": rows}).measures == row(PAIRS, {"theirs": [rows]}).measures == found.measures
    wide = pd.DataFrame({"text_a": list("abcd"), "p": frame["score"], "note": ["x"] * 4})
    assert row(PAIRS, {"theirs": wide}).measures == found.measures, "one column has numbers"
    with pytest.raises(DataError, match="'dose', 'p'"):
        row(PAIRS, {"theirs": wide.assign(dose=range(4))[["dose", "p"]]})


def test_scores_belong_to_pairs_by_their_ids(write):
    data = tk.PairSet(
        tuple(tk.Pair(one.a, one.b, one.label, f"l{n}", f"r{n}") for n, one in enumerate(PAIRS)), PAIRS.kind
    )
    path = write("id_a,id_b,score\nl2,r2,0.2\nl0,r0,0.9\nl1,r1,0.1\nl3,r3,0.3\n")
    assert row(data, f"theirs={path}").measures["AP"].value == pytest.approx((1 + 2 / 3) / 2)


def test_scores_in_a_frame_belong_to_pairs_as_those_of_a_file_do(write):
    table = pd.DataFrame({"text_a": ["a b", "e f", "a b", "e f"], "text_b": ["d", "e", "a b c", "d g"]})
    table = table.assign(id_a=range(4), id_b=range(4), cosine=[0.1, 0.2, 0.9, 0.3])
    path = write(table.to_csv(index=False))
    for given in (path, table, table.drop(columns=["id_a", "id_b"])):
        assert row(PAIRS, {"theirs": given}).measures["AP"].value == pytest.approx((1 + 2 / 3) / 2)
    with pytest.raises(DataError):
        row(PAIRS, {"theirs": table.assign(text_a="a b")})


def test_scores_in_a_lazy_frame_are_those_of_the_frame():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame({"score": [0.9, 0.1, 0.2, 0.3]})
    assert row(PAIRS, {"theirs": frame.lazy()}).measures == row(PAIRS, {"theirs": frame}).measures


@pytest.mark.parametrize("names", [("id_a", "id_b"), ("qid1", "qid2")])
def test_pairs_in_a_frame_have_their_ids_as_those_of_a_file_do(write, names):
    data = pd.DataFrame([(one.a, one.b, one.label) for one in PAIRS], columns=["text_a", "text_b", "label"])
    data[names[0]], data[names[1]] = range(4), range(10, 14)
    scores = data[list(names)].assign(score=[0.9, 0.1, 0.2, 0.3]).sort_values("score")
    path = write(data.to_csv(index=False), "data.csv")
    for pairs, given in ((data, scores), (path, scores), (data, write(scores.to_csv(index=False)))):
        assert row(pairs, {"theirs": given}).measures["AP"].value == pytest.approx((1 + 2 / 3) / 2)
    found = tk.as_pairs(data[["text_a", "text_b", "label"]])
    for unkeyed in (found, data.drop(columns=list(names))):
        with pytest.raises(DataError, match="the data have none"):
            row(unkeyed, {"theirs": scores})


def test_pairs_whose_ids_are_missing_have_none():
    data = pd.DataFrame([(one.a, one.b) for one in PAIRS], columns=["text_a", "text_b"])
    data = data.assign(id_a=[1, None, 3, 4], id_b=["x", "", None, " y "])
    found = given_pairs(data, None)
    assert [(one.id_a, one.id_b) for one in found] == [("1.0", "x"), ("", ""), ("3.0", ""), ("4.0", "y")]


def test_single_ids_beside_scores_are_told_to_be_unread(write):
    table = pd.DataFrame({"id": range(4), "score": [0.9, 0.1, 0.2, 0.3]})
    for given in (table, write(table.to_csv(index=False))):
        notes = tk.compare(PAIRS, {"theirs": given}, **FEW).text()
        assert "theirs: predictions in the order of the pairs; the ids under 'id' aren't read" in notes


@pytest.mark.parametrize("name", ["id", "row", "Index", "pair_id", ""])
@pytest.mark.parametrize("start", [0, 1])
def test_numbers_of_rows_in_another_order_than_theirs_are_refused(write, name, start):
    table = pd.DataFrame({name: range(start, start + 4), "score": [0.9, 0.1, 0.2, 0.3]})
    shuffled = table.sort_values("score").reset_index(drop=True)
    for given in (shuffled, write(shuffled.to_csv(index=False)), shuffled.astype({name: float})):
        with pytest.raises(DataError, match="in another order") as error:
            row(PAIRS, {"theirs": given})
        assert error.value.fix is not None and "sort the rows" in error.value.fix
    assert row(PAIRS, {"theirs": table}).measures == row(PAIRS, {"theirs": table[["score"]]}).measures
    others = shuffled.assign(**{name: [7, 3, 9, 5]})
    notes = tk.compare(PAIRS, {"theirs": others}, **FEW).text()
    assert f"the ids under {name!r} aren't read" in notes, "whose order they are is unknown"


def test_scores_in_a_column_have_the_rows_of_the_data_in_their_order(tmp_path):
    data = pd.DataFrame([(one.a, one.b, one.label) for one in PAIRS], columns=["text_a", "text_b", "label"])
    scores = pd.Series([0.9, 0.1, 0.2, 0.3])
    assert row(data, {"theirs": scores}).measures["AP"].value < 1
    for call in (tk.compare, lambda dev, members: tk.ensemble(members, dev=dev, out=tmp_path / "e")):
        with pytest.raises(UsageError) as error:
            call(data, {"bm25": "bm25", "theirs": scores.sort_values()})
        assert error.value.params == ("theirs",)
    with pytest.raises(UsageError, match="another order"):
        row(data, {"theirs": pd.DataFrame({"score": scores}).sort_values("score")})


def test_scores_that_single_precision_merges_are_told():
    for scores, is_told in (
        ([0.99999999, 0.99999998, 1.0, 0.5], True),
        ([1e9 + 2, 1e9 + 1, 5, 7], True),
        ([0.9, 0.9, 0.8, 0.1], False),
        (np.random.default_rng(0).random(4), False),
    ):
        notes = tk.compare(PAIRS, {"theirs": scores}, **FEW).notes
        assert any("single precision" in note for note in notes) == is_told


def test_distances_are_no_scores(write):
    text = "text_a,text_b,edit_distance\na b,a b c,1\na b,d,9\ne f,e,1\ne f,d g,8\n"
    for given in (write(text, "d.csv"), pd.read_csv(write(text, "d.csv"))):
        with pytest.raises(DataError):
            row(PAIRS, {"theirs": given})
        assert row(PAIRS, {"edit_distance": given}, "edit_distance").measures["ROC AUC"].value == 0


def test_a_label_beside_scores_is_no_prediction(write):
    table = pd.DataFrame({"label": [one.label for one in PAIRS], "my_model": [0.9, 0.1, 0.2, 0.3]})
    for given in (write(table.to_csv(index=False)), table):
        assert row(PAIRS, {"theirs": given}).measures["AP"].value == pytest.approx((1 + 2 / 3) / 2)
    for given in (write(table.assign(other=1).to_csv(index=False)), table.assign(other=1)):
        with pytest.raises(DataError):
            row(PAIRS, {"theirs": given})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("0.9\n0.1\n0.2\n", None),
        ("score\n0.9\nnan\n0.2\n0.3\n", 3),
        ("score\n0.9\nyes\n0.2\n0.3\n", 3),
        ("one,two\n0.9,1\n0.1,1\n0.2,1\n0.3,1\n", None),
        ("a,b,score\na b,d,0.1\na b,a b c,0.9\ne f,d g,0.3\nx,y,7\n", None),
        ("a,b,score\na b,d,0.1\na b,d,0.2\na b,a b c,0.9\ne f,d g,0.3\ne f,e,1\n", 3),
        ('{"q1": "an answer"}\n', None),
    ],
)
def test_wrong_scores_of_pairs(write, text, line):
    path = write(text)
    with pytest.raises(DataError) as error:
        tk.compare(PAIRS, f"theirs={path}", **FEW)
    assert (error.value.path, error.value.line) == (path, line)


def test_predictions_of_pairs_decide_at_a_half_or_not_at_all():
    given = {"theirs": np.array([0.9, 0.1, 0.2, 0.3]), "ours": np.array([1, 0, 1, 1])}
    found = tk.compare(PAIRS, given, agreement=True, resamples=20)
    assert [one.accuracy.value for one in found.agreed.members] == [0.75, 0.75]
    assert found.rows()[0]["same"] == 0.5
    with pytest.raises(UsageError) as error:
        tk.compare(PAIRS, {**given, "ours": np.array([3.0, 0, 1, 1])}, agreement=True, resamples=20)
    assert error.value.params == ("dev",)


def test_predictions_know_the_measured_pairs_alone(tmp_path):
    dev = tmp_path / "dev.tsv"
    dev.write_text("a\tb\tlabel\nm n\tm\t1\no p\tq\t0\n")
    with pytest.raises(DataError):
        tk.compare(PAIRS, {"theirs": np.arange(4)}, dev=dev, **FEW)


@pytest.mark.parametrize(
    "text",
    [
        "prediction\nnot at all\nNot At All\nnot at all\n",
        '"not at all","yes, it does"\n0.7,0.3\n0.6,0.4\n1,0\n',
        "sentence1,sentence2,label\na b,a,not at all\na b,d,not at all\ne,f,not at all\n",
    ],
)
def test_classes_of_pairs(write, text):
    path = write(text)
    for given in (path, pd.read_csv(path)):
        found = row(CLASSES, {"theirs": given})
        assert found.measures["accuracy"].value == pytest.approx(2 / 3)


def test_classes_in_a_list_are_no_models():
    found = row(CLASSES, {"theirs": ["not at all", "not at all", "Not At All"]})
    assert found.measures["accuracy"].value == pytest.approx(2 / 3)
    assert len(named_systems({"m": ["seed1", "seed2"]})["m"]) == 2


def test_a_missing_score_is_told_as_one():
    with pytest.raises(DataError, match="theirs: 'None' is not a score"):
        tk.compare(PAIRS, {"theirs": [None, 0.1, 0.2, 0.3]}, **FEW)


def test_a_class_that_the_data_lack_is_refused(write):
    path = write("prediction\nnot at all\nperhaps\nnot at all\n")
    with pytest.raises(DataError) as error:
        tk.compare(CLASSES, f"theirs={path}", **FEW)
    assert (error.value.path, error.value.line) == (path, 3)


@pytest.mark.slow
def test_answers_of_an_exam(write):
    letters = [one.letter for one in EXAM]
    half = [one if n < 4 else "ABCD"["BCDA".index(one)] for n, one in enumerate(letters)]
    lines = [f"{one.question_id},{letter}" for one, letter in zip(EXAM, half, strict=True)]
    path = write("id,correctAnswer\n" + "\n".join([*lines, "99,A"]) + "\n")
    found = tk.compare(EXAM, [f"theirs={path}"], baselines="first", **FEW)
    assert any("99" in note for note in found.notes)
    by_id = {one.question_id: letter for one, letter in zip(EXAM, half, strict=True)}
    frame = pd.DataFrame({"id": list(by_id), "answer": half})
    for given in (path, by_id, frame, np.array(half), np.array(["ABCD".index(one) for one in half])):
        assert row(EXAM, {"theirs": given}).measures["accuracy"].value == 0.5
    seeds = row(EXAM, {"theirs": [np.array(half), np.array(letters)]})
    assert seeds.measures["accuracy"].value == 0.75 and seeds.seeds_sd == pytest.approx(0.5 / 2**0.5)


def test_a_letter_beside_scores_is_the_answer(write):
    def predicted(scored):
        lines = [",".join([one.question_id, one.letter, *scored(one.answer)]) for one in EXAM]
        return write("id,letter\n" + "\n".join(lines) + "\n")

    def near(answer):
        return [f"{-8.4 + 1e-11 * (place == answer)!r}" for place in range(4)]

    for scored in (near, lambda answer: ["0.5"] * 4):
        found = row(EXAM, f"theirs={predicted(scored)}", baselines="first")
        assert found.measures["accuracy"].value == 1
    apart = np.array([[-8.4 + 1e-11 * (place == one.answer) for place in range(4)] for one in EXAM])
    assert row(EXAM, {"theirs": apart}).measures["accuracy"].value == 1
    with pytest.raises(DataError, match=r"has the answer [A-D], whose score isn't the highest") as error:
        losses = predicted(lambda answer: [str(int(place != answer)) for place in range(4)])
        tk.compare(EXAM, f"theirs={losses}", **FEW)
    assert error.value.line == 2


def test_wrong_answers_of_an_exam(write):
    lines = [f"{one.question_id},A" for one in EXAM]
    for text in ("\n".join(lines[1:]), "\n".join([*lines[1:], "0,E"]), "\n".join([*lines[1:], "0,A,1,2"])):
        path = write(text + "\n")
        with pytest.raises(DataError) as error:
            tk.compare(EXAM, f"theirs={path}", **FEW)
        assert error.value.path == path
    for given in (np.array(["A"]), {"0": "A"}, {one.question_id: None for one in EXAM}):
        with pytest.raises(DataError):
            tk.compare(EXAM, {"theirs": given}, **FEW)
    with pytest.raises(UsageError):
        tk.compare(EXAM, {"theirs": pd.DataFrame({"id": ["0", "0"], "answer": ["A", "B"]})}, **FEW)


@pytest.mark.slow
def test_an_ensemble_takes_predictions_that_are_given_with_each_data_set(tmp_path):
    data, other = exam(20, seed=1), exam(20, seed=2)
    letters = {one.question_id: one.letter for one in data}
    made = tk.ensemble(
        {"theirs": letters, "first": "first", "longest": "longest"}, dev=data, out=tmp_path / "e"
    )
    assert list(made.weights) == ["predictions of theirs", "first", "longest"]
    theirs = {one.question_id: one.letter for one in other}
    found = tk.compare(other, {"both": tmp_path / "e", "theirs": theirs}, accept_leaks=True, **FEW)
    assert {one.system: one.accuracy for one in found}["both"] == 1
    with pytest.raises(ModelError):
        tk.compare(other, tmp_path / "e", accept_leaks=True, **FEW)
    with pytest.raises(UsageError) as error:
        tk.ensemble({"theirs": [letters, letters], "first": "first"}, dev=data, out=tmp_path / "f")
    assert error.value.params == ("members",)


def test_answers_to_questions_about_passages(write):
    right = {one.question_id: one.answers[0].text if one.answers else "" for one in SPANS}
    path = write(json.dumps(right), "theirs.json")
    for given in (path, right):
        assert row(SPANS, {"theirs": given}).measures["EM"].value == 1
    ids = list(right)
    for wrong in ({one: right[one] for one in ids[1:]}, {**right, ids[0]: 3}):
        path = write(json.dumps(wrong), "theirs.json")
        with pytest.raises(DataError) as error:
            tk.compare(SPANS, f"theirs={path}", **FEW)
        assert error.value.path == path


def test_an_ensemble_of_readers_takes_predictions(tmp_path):
    right = {one.question_id: one.answers[0].text for one in SPANS}
    members = {"theirs": right, "sentence-bm25": "sentence-bm25"}
    tk.ensemble(members, dev=SPANS, out=tmp_path / "e", **FEW)
    both = {"both": tmp_path / "e", "theirs": right}
    assert row(SPANS, both, name="both", accept_leaks=True).measures["EM"].value == 1
    with pytest.raises(DataError):
        far = {one: "no such words" for one in right}
        tk.ensemble({**members, "theirs": far}, dev=SPANS, out=tmp_path / "f", **FEW)


def test_a_list_of_models_is_several_and_a_name_has_seeds():
    assert list(named_systems("tfidf,bm25(k1=0.9,b=0.4)")) == ["tfidf", "bm25(k1=0.9,b=0.4)"]
    assert [len(seeds) for seeds in named_systems(["random", "x=a.trec,b.trec"]).values()] == [1, 2]
