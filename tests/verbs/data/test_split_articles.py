import json

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers.datasets.squad import read_squad
from textkin.verbs.data.split_articles import split_articles


def write(path, titles, *, version="1.1", text="{title} is a page."):
    articles = []
    for title in titles:
        asked = {"id": f"{title}-1", "question": f"What is {title}?", "answers": []}
        answer = {"text": title, "answer_start": 0}
        asked |= (
            {"is_impossible": True, "plausible_answers": [answer]}
            if version == "2.0"
            else {"answers": [answer]}
        )
        paragraph = {"context": text.format(title=title), "qas": [asked], "more": 1}
        articles.append({"title": title, "paragraphs": [paragraph]})
    path.write_text(json.dumps({"version": version, "data": articles, "by": "us"}))
    return path


TITLES = [f"Page_{number}" for number in range(10)]


def titles_in(folder):
    sides = {
        name: json.loads((folder / f"{name}.json").read_text())["data"] for name in ("train", "dev", "test")
    }
    return {name: [article["title"] for article in data] for name, data in sides.items()}


def test_articles_are_copied_whole(tmp_path):
    path = write(tmp_path / "squad.json", TITLES)
    report = split_articles(path, out=tmp_path / "out", dev=2, test=3, seed=1)
    sides = titles_in(tmp_path / "out")
    assert {name: len(titles) for name, titles in sides.items()} == {"train": 5, "dev": 2, "test": 3}
    assert sorted(title for titles in sides.values() for title in titles) == TITLES
    whole = json.loads(path.read_text())
    for name, titles in sides.items():
        side = json.loads((tmp_path / "out" / f"{name}.json").read_text())
        assert (side["version"], side["by"]) == ("1.1", "us")
        assert side["data"] == [one for one in whole["data"] if one["title"] in titles]
        assert len(read_squad(tmp_path / "out" / f"{name}.json").data) == len(titles)
    assert report.rows()[2] == {"side": "test", "articles": 3, "passages": 3, "questions": 3, "impossible": 0}
    assert (report.shared_passages, report.shared_questions) == (0, 0)
    account = json.loads((tmp_path / "out" / "split.json").read_text())
    assert account["sides"]["dev"]["titles"] == sides["dev"] and account["seed"] == 1
    assert set(account["files"]) == {"train.json", "dev.json", "test.json"}
    assert "0 paragraphs, 0 questions" in str(report)


def test_the_other_version_follows_by_title(tmp_path):
    split_articles(write(tmp_path / "1.json", TITLES), out=tmp_path / "one", dev=2, test=3)
    second = write(tmp_path / "2.json", TITLES[::-1][:-2], version="2.0")
    report = split_articles(second, out=tmp_path / "two", like=tmp_path / "one")
    one, two = titles_in(tmp_path / "one"), titles_in(tmp_path / "two")
    for name in one:
        assert set(two[name]) == set(one[name]) - {"Page_0", "Page_1"}
    assert sum(side.impossible for side in report.sides.values()) == 8
    assert (report.seed, report.like) == (None, str(tmp_path / "one"))
    kept = json.loads((tmp_path / "two" / "train.json").read_text())["data"][0]["paragraphs"][0]["qas"][0]
    assert kept["plausible_answers"]


def test_texts_on_several_sides_are_counted(tmp_path):
    path = write(tmp_path / "squad.json", TITLES, text="All pages are this.")
    document = json.loads(path.read_text())
    for article in document["data"]:
        article["paragraphs"][0]["qas"] = []
    path.write_text(json.dumps(document))
    report = split_articles(path, out=tmp_path / "out", dev=1, test=1)
    assert (report.shared_passages, report.shared_questions) == (1, 0)


def test_what_is_refused(tmp_path):
    path = write(tmp_path / "train.json", TITLES)
    with pytest.raises(UsageError) as error:
        split_articles(path, out=tmp_path / "out")
    assert error.value.params == ("dev_size", "test_size", "like")
    with pytest.raises(UsageError) as error:
        split_articles(path, out=tmp_path / "out", dev=1, like=tmp_path)
    assert error.value.params == ("dev_size", "test_size", "like")
    with pytest.raises(UsageError) as error:
        split_articles(path, out=tmp_path, dev=1, test=1)
    assert error.value.params == ("out",)
    with pytest.raises(DataError, match="10 articles can't give 5 to dev and 5 to test"):
        split_articles(path, out=tmp_path / "out", dev=5, test=5)
    with pytest.raises(DataError) as error:
        split_articles(path, out=tmp_path / "out", like=tmp_path)
    assert str(error.value.path).endswith("dev.json")
    assert not (tmp_path / "out").exists()
