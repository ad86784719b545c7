"""``textkin cluster``, from texts to groups."""

import json

import pytest

TABLE = "id,text,topic\n1,Where can I park?,car\n2,Where can I park my car?,car\n3,Do you sell bread?,food\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize("method", ["average", "communities"])
def test_a_table_with_known_groups(textkin, table, tmp_path, method):
    out = tmp_path / "groups.jsonl"
    options = ("--threshold", "0.7", "--gold", "topic", "--method", method, "--out", out)
    found = textkin("cluster", table, *options)
    assert found.code == 0
    assert "1 group of 2 texts" in found.out and "pair F1" in found.out and "components" in found.out
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["group"] for row in rows] == [1, 1, None]
    told = textkin("cluster", table, *options, "--json").json
    assert (told["singles"], told["groups"][0]["size"], told["gold"]["known"]) == (1, 2, 2)


@pytest.mark.slow
def test_a_collection(textkin, table, tmp_path):
    columns = ("--id", "id", "--text", "text", "--metadata", "topic")
    assert textkin("collection", "add", tmp_path / "c", table, *columns).code == 0
    options = ("--threshold", "0.7", "--json")
    assert textkin("cluster", tmp_path / "c", *options).json["texts"] == 3
    assert textkin("cluster", tmp_path / "c", *options, "--where", 'topic = "car"').json["texts"] == 2
    assert "no such column" not in textkin("cluster", tmp_path / "c", "--gold", "colour", *options).error


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "--threshold"),
        (("--threshold", "nan"), "threshold"),
        (("--threshold", "0.7", "--gold", "colour"), "colour"),
        (("--threshold", "0.7", "--resolution", "0.2"), "--resolution doesn't apply to --method average"),
        (("--threshold", "0.7", "--out", "groups.xml"), "--out is 'groups.xml'"),
        (("--threshold", "0.7", "--where", "a = 1"), "--where doesn't apply"),
        (("--decision", "none.json"), "none.json"),
    ],
)
def test_wrong_options_are_one_line(textkin, table, options, says):
    assert says in textkin("cluster", table, *options).error


def test_files_without_groups(textkin, tmp_path):
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    assert "the file is empty" in textkin("cluster", empty, "--threshold", "0.7").error
    empty.write_text("\n\n")
    assert "holds no text" in textkin("cluster", empty, "--threshold", "0.7").error
    empty.write_text("one\n")
    assert "0 groups of 0 texts" in textkin("cluster", empty, "--threshold", "0.7").out
    assert "one text per line" in textkin("cluster", empty, "--threshold", "0.7", "--gold", "x").error
    assert "holds no text" not in textkin("cluster", tmp_path / "gone.txt", "--threshold", "0.7").error
    (tmp_path / "none").mkdir()
    assert "no collection" in textkin("cluster", tmp_path / "none", "--threshold", "0.7").error
