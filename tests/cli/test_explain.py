from pathlib import Path

from tests.cli.conftest import Textkin

PAIR = ("How do I reset my password?", "I forgot the password")


def test_explain_prints_the_weights(textkin: Textkin, tmp_path: Path) -> None:
    page = tmp_path / "why.html"
    found = textkin("explain", "default", *PAIR, "--top", 2, "--out", page)
    assert found.code == 0, found.error
    assert "shares of all pairs of tokens sum to the score" in found.out
    assert found.out.count("password   password") == 1 and "++++++++++" in found.out
    assert str(page) in found.out and page.read_text().startswith("<!doctype html>")
    told = textkin("explain", "tfidf", *PAIR, "--json")
    assert told.json["method"] == "shares" and len(told.json["shares"]) == 6
    assert "word frequencies from these two texts" in told.err


def test_faithfulness_of_a_file(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    rows = [f"red number{at} cat\ta blue number{at} dog\t{at % 2}\n" for at in range(8)]
    path.write_text("a\tb\tlabel\n" + "".join(rows))
    found = textkin("explain", "default", "--pairs", path, "--sample", 6)
    assert found.code == 0, found.error
    assert "random" in found.out and "6 pairs of pairs.tsv" in found.out
    told = textkin("explain", "default", "--pairs", path, "--json").json
    assert [one["order"] for one in told["curves"]] == ["random", "shares"]


def test_wrong_arguments(textkin: Textkin, tmp_path: Path) -> None:
    assert "nothing to explain" in textkin("explain", "default", "one").error
    assert "--out is 'x.txt'" in textkin("explain", "default", *PAIR, "--out", "x.txt").error
    both = textkin("explain", "default", "a", "--pairs", tmp_path / "none.tsv")
    assert both.code == 2 and "neither texts nor --out" in both.error
    assert textkin("explain", "nobody", *PAIR).code == 5


def test_score_explains_itself(textkin: Textkin, tmp_path: Path) -> None:
    found = textkin("score", "default", *PAIR, "--explain")
    assert found.code == 0, found.error
    assert "0.7965" in found.out.splitlines()[2] and found.out.count("password   password") == 1
    assert (
        "--explain goes with two texts" in textkin("score", "default", "--pairs", tmp_path, "--explain").error
    )
    assert "--explain prints tables" in textkin("score", "default", *PAIR, "--explain", "--json").error
