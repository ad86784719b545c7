"""The commands of collections, from files to hits."""

import io
import json
import shutil

import pytest

from textkin.base.hub import located
from textkin.cli import main
from textkin.collection.collection_model import facts_of

ROWS = [
    ("t1", "Where can I park my car?", "en", 2019),
    ("t2", "When do you open on Sunday?", "en", 2021),
    ("t3", "Wo kann ich parken?", "de", 2022),
    ("t4", "Is there a car park?", "en", 2023),
]


COLUMNS = ("--text", "subject", "--id", "key", "--metadata", "lang,year")


def written(path):
    lines = ["key,subject,lang,year", *(",".join(map(str, row)) for row in ROWS)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def table(tmp_path):
    return written(tmp_path / "tickets.csv")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    table = written(folder / "tickets.csv")
    assert main(["collection", "add", str(folder / "c"), str(table), *COLUMNS]) == 0
    return folder / "c"


@pytest.fixture
def collection(stored, tmp_path):
    return shutil.copytree(stored, tmp_path / "c")


def ids(found):
    return [hit["entry_id"] for hit in found.json["hits"]]


@pytest.mark.slow
def test_search_explains_its_hits(textkin, collection):
    found = textkin("search", collection, "car park", "-k", "2", "--explain", "--json").json
    by_words = textkin("search", collection, "car park", "-k", "2", "--mode", "words", "--json").json
    by_vectors = textkin("search", collection, "car park", "--mode", "vectors", "--json").json
    for place, one in enumerate(found["explained"]):
        name = found["hits"][place]["entry_id"]
        [bm25] = [hit["score"] for hit in by_words["hits"] if hit["entry_id"] == name]
        [cosine] = [hit["score"] for hit in by_vectors["hits"] if hit["entry_id"] == name]
        assert abs(sum(word["weight"] for word in one["bm25"]["words"]) - bm25) < 1e-6
        assert abs(sum(map(sum, one["cosine"]["shares"])) - cosine) < 1e-6
        assert one["reranked"] is None
    shown = textkin("search", collection, "car park", "-k", "1", "--explain").out
    assert "adds sums to the score" in shown and "shares of all pairs of tokens sum" in shown
    words = textkin("search", collection, "park", "-k", "1", "--explain", "--mode", "words").out
    assert "shares of all pairs" not in words
    assert textkin("search", collection, "zebra", "--mode", "words", "--explain").out.startswith("nothing")
    files = ("q.txt", "--out", "run.trec", "--explain")
    assert "--explain and --out" in textkin("search", collection, *files).error


@pytest.mark.slow
def test_what_is_added_is_counted(textkin, table, tmp_path):
    added = textkin("collection", "add", tmp_path / "c", table, *COLUMNS, "--json").json
    assert (added["entries"], added["added"]["new"], added["added"]["encoded"]) == (4, 4, 4)


@pytest.mark.slow
def test_the_same_again_changes_nothing(textkin, table, collection):
    assert (
        "0 new, 0 changed, 4 unchanged; 0 different"
        in textkin("collection", "add", collection, table, *COLUMNS).out
    )
    table.write_text(table.read_text().replace("Sunday", "Monday").replace("2023", "2024"))
    added = textkin("collection", "add", collection, table, *COLUMNS, "--json").json["added"]
    assert (added["changed"], added["unchanged"], added["encoded"]) == (2, 2, 1)


@pytest.mark.slow
def test_search(textkin, collection):
    assert ids(textkin("search", collection, "car park", "-k", "2", "--json")) == ["t4", "t1"]
    assert ids(textkin("search", collection, "parken", "--mode", "words", "--json")) == ["t3"]
    assert len(ids(textkin("search", collection, "parken", "--mode", "vectors", "--json"))) == 4
    english = ("--where", "lang = 'en' and year >= 2020")
    assert set(ids(textkin("search", collection, "car", *english, "--json"))) == {"t2", "t4"}
    assert "nothing found" in textkin("search", collection, "zebra", "--mode", "words").out
    assert "Wo kann ich parken?" in textkin("search", collection, "parken").out
    found = textkin("search", collection, "car", "--where", "lang = en")
    assert found.code == 2
    assert "has 'en' at character 8, expected a text in quotes" in found.error


def test_queries_from_standard_input(textkin, collection, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("parken\n\ncar\n"))
    lines = textkin("search", collection, "-", "--mode", "words", "--json").out.splitlines()
    found = [json.loads(line) for line in lines]
    assert [one["query"] for one in found] == ["parken", "car"]


def test_a_file_of_queries_becomes_a_run(textkin, collection, tmp_path):
    queries = tmp_path / "queries.tsv"
    queries.write_text("id\ttext\nq1\tcar park\nq2\tzebra\n")
    made = textkin(
        *("search", collection, queries, "--out", tmp_path / "run", "--mode", "words", "--json")
    ).json
    assert (made["queries"], made["without"], made["hits"]) == (2, 1, 2)
    lines = [line.split() for line in (tmp_path / "run").read_text().splitlines()]
    assert [(line[0], line[2], line[5]) for line in lines] == [
        ("q1", "t4", "textkin-words"),
        ("q1", "t1", "textkin-words"),
    ]


def test_remove(textkin, collection, tmp_path):
    (tmp_path / "ids.txt").write_text("t1\nnone\n")
    removed = textkin("collection", "remove", collection, "--ids", tmp_path / "ids.txt", "--json").json
    assert (removed["removed"], removed["missing"], removed["entries"]) == (1, 1, 3)
    assert "1 entry removed" in textkin("collection", "remove", collection, "--where", "lang = 'de'").out
    assert set(ids(textkin("search", collection, "park", "--json"))) == {"t2", "t4"}
    assert "--ids or --where" in textkin("collection", "remove", collection).error


@pytest.mark.slow
def test_a_collection_is_looked_after(textkin, collection, tmp_path):
    about = textkin("collection", "info", collection, "--json").json
    assert (about["entries"], about["model"], about["analyser"]) == (4, "default", "plain")
    assert about["model_sha256"] == about["passport"]["sha256"] == facts_of("default")["sha256"]
    assert "passport: canaries" in textkin("collection", "info", collection).out
    assert textkin("verify", "default", "--expect", collection).code == 0
    assert textkin("collection", "check", collection, "--json").json == {
        "count": 4,
        "database": [],
        "cache": [],
    }
    export = textkin("collection", "export", collection, "--out", tmp_path / "all.jsonl")
    assert "4 entries written" in export.out
    first = json.loads((tmp_path / "all.jsonl").read_text().splitlines()[0])
    assert first == {"id": "t1", "text": "Where can I park my car?", "metadata": {"lang": "en", "year": 2019}}
    assert textkin("collection", "export", collection, "--out", tmp_path / "all.txt").code == 2
    exported = textkin("collection", "export", collection, "--out", tmp_path / "again.jsonl", "--json").json
    assert exported == {"out": str(tmp_path / "again.jsonl"), "entries": 4}
    assert textkin("collection", "compact", collection, "--json").json["cache_bytes"] > 0
    assert textkin("collection", "repair", collection, "--json").json["count"] == 4


def test_damage_is_told_by_the_exit_code(textkin, collection):
    textkin("collection", "compact", collection)
    [segment] = (collection / "cache").glob("*.segment")
    segment.write_bytes(segment.read_bytes()[:-1])
    found = textkin("collection", "check", collection, "--json")
    assert found.code == 8
    assert len(found.json["cache"]) == 1
    assert ids(textkin("search", collection, "car park", "-k", "2", "--json")) == ["t4", "t1"]


@pytest.mark.slow
def test_plain_text_and_a_beir_folder(textkin, tmp_path):
    (tmp_path / "texts.txt").write_text("ice melts\n\nfire burns\nice melts\n")
    found = textkin("collection", "add", tmp_path / "c", tmp_path / "texts.txt", "--json").json
    assert (found["entries"], found["added"]["unchanged"], found["has_ids"]) == (2, 1, False)
    folder = tmp_path / "beir"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "Ice", "text": "melts"}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "melting"}\n')
    textkin("collection", "add", tmp_path / "e", folder, "--analyser", "english")
    assert ids(textkin("search", tmp_path / "e", "melting", "--mode", "words", "--json")) == ["d1"]
    made = textkin("search", tmp_path / "e", folder, "--out", tmp_path / "run", "--json").json
    assert made["hits"] == 1
    assert (
        "--analyser is 'plain'"
        in textkin("collection", "add", tmp_path / "e", folder, "--analyser", "plain").error
    )


@pytest.mark.slow
def test_another_model_is_refused(textkin, collection, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(located("default"), copy)
    (copy / "README.md").write_text("the same in another place")
    assert ids(textkin("search", collection, "car park", "-k", "1", "--model", copy, "--json")) == ["t4"]
    (copy / "config.json").write_text((copy / "config.json").read_text() + " ")
    assert ids(textkin("search", collection, "car park", "-k", "1", "--model", copy, "--json")) == ["t4"]
    tokens = (copy / "tokenizer.json").read_text()
    (copy / "tokenizer.json").write_text(tokens.replace('"lowercase":true', '"lowercase":false'))
    assert (copy / "tokenizer.json").read_text() != tokens
    found = textkin("search", collection, "car park", "--model", copy)
    assert found.code == 8
    assert "is not the model that the passport of default was made for" in found.error
    assert "what differs: file config.json, file tokenizer.json" in found.error
    assert textkin("match", collection, "car park", "--model", copy, "--threshold", "0.9").code == 8
    assert textkin("verify", copy, "--expect", collection).code == 8
    drifting = textkin("search", collection, "car park", "--model", copy, "--accept-drift")
    assert drifting.code == 0
    assert "mean cosine 0." in drifting.err and "bound 0.99998" in drifting.err
    assert textkin("search", collection, "car", "--model", "no/such/model").code == 5
    assert textkin("search", tmp_path / "none", "car").code == 3
    assert not (tmp_path / "none").exists()
    (tmp_path / "odd.csv").write_text("key,matter\nt1,Where can I park?\n")
    assert "--text NAME" in textkin("collection", "add", collection, tmp_path / "odd.csv").error


@pytest.mark.slow
def test_an_approximate_search_says_so(textkin, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("".join(f"note {number} about {number % 7} things\n" for number in range(200)))
    textkin("collection", "add", tmp_path / "c", texts)
    assert "no cells to search in" in textkin("search", tmp_path / "c", "note", "--probe", "2").error
    made = textkin("collection", "index", tmp_path / "c", "14")
    assert "14 cells, made at change 200" in made.out and "--probe 8: recall@10 " in made.out
    found = textkin("search", tmp_path / "c", "note 7", "--probe", "2")
    assert "vectors approximate, 2 of 14 cells, recall@10 0." in found.out
    assert "on 200 stored texts" in found.out
    asked = ("search", tmp_path / "c", "note 7", "--mode", "vectors", "--json")
    every = textkin(*asked, "--probe", "14").json
    assert every["hits"] == textkin(*asked).json["hits"]
    assert "exact, all 14 cells" in every["ranked_by"]
    assert "14 cells" in textkin("collection", "info", tmp_path / "c").out
    told = textkin("collection", "index", tmp_path / "c", "4", "--json").json
    assert set(told["recall"]) == {"1", "2", "4"}
    assert "CELLS is 26" in textkin("collection", "index", tmp_path / "c", "26").error
    assert (
        "--probe and --mode can't be combined"
        in textkin("search", tmp_path / "c", "x", "--probe", "2", "--mode", "words").error
    )
    assert "searches are exact" in textkin("collection", "index", tmp_path / "c", "0").out
    assert textkin("search", tmp_path / "c", "note", "--probe", "2").code == 2


@pytest.mark.slow
def test_long_texts_are_in_windows(textkin, tmp_path):
    long = "Where can I park my car? " * 12 + "Do you lend laptops? " * 12
    (tmp_path / "texts.txt").write_text(f"{long}\nWhen do you open?\n")
    added = textkin("collection", "add", tmp_path / "w", tmp_path / "texts.txt", "--windows", "16")
    assert "2 different texts encoded by default, the long ones in " in added.out
    [hit] = textkin("search", tmp_path / "w", "lend laptops", "-k", "1", "--json").json["hits"]
    start, end = hit["window"]
    assert hit["text"].strip() == long.strip() and "laptops" in long[start:end] and end - start < 120
    shown = textkin("search", tmp_path / "w", "lend laptops", "-k", "1").out
    assert "laptops" in shown and "car" not in shown
    assert textkin("collection", "info", tmp_path / "w", "--json").json["in_windows"] == 1
    assert "intact" in textkin("collection", "check", tmp_path / "w").out
    other = textkin("collection", "add", tmp_path / "w", tmp_path / "texts.txt", "--windows", "0")
    assert other.code == 2 and "has windows of 16 tokens, not one vector for each text" in other.error
    refused = textkin("collection", "add", tmp_path / "x", tmp_path / "texts.txt", "--windows", "3")
    assert refused.code == 2 and "--windows is 3" in refused.error
    assert not (tmp_path / "x").exists()


def test_a_file_that_can_not_be_read_makes_no_collection(textkin, tmp_path):
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "nul.txt").write_bytes(b"a\0b\n")
    for name in ("missing.txt", "empty.txt", "nul.txt"):
        assert textkin("collection", "add", tmp_path / "new", tmp_path / name).code == 3
        assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_add_tells_what_the_model_does_not_know(textkin, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("ᚠᚢᚦᚨᚱᚲ ᚷᚹᚺᚾᛁᛃ\nWhere can I park?\n")
    for windows in ("0", "64"):
        added = textkin("collection", "add", tmp_path / windows, texts, "--windows", windows)
        assert "of the tokens of 1 of 2 texts" in added.err
    again = textkin("collection", "add", tmp_path / "again", texts, "--json").json
    assert (again["coverage"]["texts"], again["coverage"]["noticeable"]) == (2, 1)
    assert "of 1 of 1 text " in textkin("search", tmp_path / "0", "ᚠᚢᚦᚨᚱᚲ ᚷᚹᚺᚾᛁᛃ").err
    assert "of 1 of 1 text " in textkin("match", tmp_path / "0", "ᛃᛁᚾᚺᚹᚷ", "--threshold", "0.9").err
    assert not textkin("search", tmp_path / "0", "Where can I park?").err


def test_blank_queries_are_refused(textkin, collection):
    for query in ("", "  "):
        assert "isn't blank" in textkin("search", collection, query).error
        assert "is blank" in textkin("match", collection, query, "--threshold", "0.9").error


def test_names_that_no_entry_has_are_told(textkin, collection):
    found = textkin("search", collection, "park", "--where", "yaer != 2019")
    assert "no entry has the metadata 'yaer', which the filter asks for" in found.err
    assert not textkin("search", collection, "park", "--where", "year != 2019 and not x exists").err
    assert (
        "no entry has the metadata 'yaer'"
        in textkin("collection", "remove", collection, "--where", "yaer != 1").error
    )
    assert textkin("collection", "info", collection, "--json").json["entries"] == 4


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_prices_are_numbers(textkin, tmp_path, ending):
    prices = ["9.99", "19.90", "5.00", "12.50", "7"]
    path = tmp_path / f"prices.{ending}"
    if ending == "csv":
        rows = [f"{number},lamp {number},{price}" for number, price in enumerate(prices)]
        path.write_text("\n".join(["id,text,price", *rows]))
    else:
        rows = [f'{{"id": "{n}", "text": "lamp {n}", "price": {price}}}' for n, price in enumerate(prices)]
        path.write_text("\n".join(rows))
    columns = ("--text", "text", "--id", "id", "--metadata", "price")
    textkin("collection", "add", tmp_path / "c", path, *columns)
    found = textkin("search", tmp_path / "c", "lamp", "--where", "price < 20", "--json")
    assert (sorted(ids(found)), found.err) == (list("01234"), "")
    assert ids(textkin("search", tmp_path / "c", "lamp", "--where", "price = 5", "--json")) == ["2"]
    assert "5 entries removed" in textkin("collection", "remove", tmp_path / "c", "--where", "price < 20").out


@pytest.mark.slow
def test_texts_that_a_filter_compares_with_numbers_are_told(textkin, tmp_path):
    (tmp_path / "t.csv").write_text('id,text,price\n1,red lamp,n/a\n2,blue lamp,"19,90"\n3,green lamp,5.00\n')
    textkin("collection", "add", tmp_path / "c", tmp_path / "t.csv", "--text", "text", "--metadata", "price")
    told = "'price' is compared with a number, but 2 of its 3 values are texts"
    assert told in textkin("search", tmp_path / "c", "lamp", "--where", "price < 20").err
    assert told in textkin("collection", "remove", tmp_path / "c", "--where", "price < 20").err


@pytest.mark.slow
def test_words_that_can_not_match_are_told(textkin, collection, tmp_path):
    found = textkin("search", collection, "xyzzy", "--mode", "words", "--json").json
    assert (found["hits"], found["unmatched"]) == ([], "unknown words")
    assert textkin("search", collection, "?!", "--mode", "words", "--json").json["unmatched"] == "no words"
    found = textkin("search", collection, "park", "--where", "year = 2021", "--json").json
    assert (len(found["hits"]), found["unmatched"]) == (1, "filtered")
    assert "ranked by vectors alone" in textkin("search", collection, "xyzzy").out
    (tmp_path / "q.txt").write_text("park\nxyzzy\n")
    asked = (tmp_path / "q.txt", "--out", tmp_path / "r.trec", "--json")
    assert textkin("search", collection, *asked).json["unmatched"] == 1


@pytest.mark.slow
def test_a_floor_on_the_cosine(textkin, collection):
    asked = ("search", collection, "park", "--mode", "vectors", "--json")
    scores = [hit["score"] for hit in textkin(*asked).json["hits"]]
    found = textkin(*asked, "--min-score", scores[1]).json["hits"]
    assert [hit["score"] for hit in found] == scores[:2]
    found = textkin("search", collection, "park", "--mode", "vectors", "--min-score", "0.999")
    assert found.out == "nothing found with a cosine of 0.999 or more\n"
    assert "--mode vectors" in textkin("search", collection, "park", "--min-score", "0.5").error
    assert "--min-score is 1.5" in textkin(*asked, "--min-score", "1.5").error


@pytest.mark.slow
def test_true_and_false_of_a_table(textkin, tmp_path):
    rows = [{"id": "a", "text": "ice", "done": True}, {"id": "b", "text": "ice", "done": False}]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    textkin("collection", "add", tmp_path / "c", tmp_path / "rows.jsonl", "--metadata", "done")
    assert ids(textkin("search", tmp_path / "c", "ice", "--where", "done = true", "--json")) == ["a"]
    assert ids(textkin("search", tmp_path / "c", "ice", "--where", "done != true", "--json")) == ["b"]


@pytest.mark.slow
def test_lost_cells_are_made_again_where_hits_are_explained(textkin, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("".join(f"note number {number}\n" for number in range(100)))
    textkin("collection", "add", tmp_path / "c", texts)
    textkin("collection", "index", tmp_path / "c", "4")
    for path in (tmp_path / "c" / "cache").glob("*.cells"):
        path.unlink()
    found = textkin("search", tmp_path / "c", "note 7", "--probe", "2", "--explain", "-k", "2")
    assert (found.code, "cells are made again" in found.err) == (0, True)


def test_the_passport_of_a_collection(textkin, collection, tmp_path):
    written = tmp_path / "passport.json"
    told = textkin("verify", collection, "--out", written)
    assert (told.code, "canaries" in told.out) == (0, True)
    assert textkin("verify", "default", "--expect", written).code == 0
    assert textkin("verify", collection, "--json").json["passport"] == json.loads(written.read_text())
    assert "doesn't apply to a collection" in textkin("verify", collection, "--expect", written).error
