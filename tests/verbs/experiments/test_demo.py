from __future__ import annotations

import html
from pathlib import Path

import pytest

from tests.verbs.making import write_recipe
from textkin.data import samples
from textkin.data.readers import load_pairs
from textkin.data.records import PairSet
from textkin.measures.intervals.sampling import Sampling
from textkin.verbs.data.split_file import split_file
from textkin.verbs.experiments.demo_tour import take_tour
from textkin.verbs.experiments.sample_files import write_pairs
from textkin.verbs.experiments.study_folder import StudyOptions
from textkin.verbs.experiments.verify import verify_run

pytestmark = [pytest.mark.long, pytest.mark.torch]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "pairs.tsv"
    assert write_pairs(path) == len(load_pairs(path).data)
    return path


@pytest.fixture(scope="module")
def data(pairs: Path) -> PairSet:
    return load_pairs(pairs).data


def table(name: str) -> list[list[str]]:
    return [line.split("\t") for line in samples.path(name).read_text(encoding="utf-8").splitlines()[1:]]


def test_the_file_is_always_the_same(pairs: Path, tmp_path: Path) -> None:
    write_pairs(tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_bytes() == pairs.read_bytes()


def test_groups_are_the_same_and_near_misses_are_not(data: PairSet) -> None:
    group = {text: (topic, name) for topic, name, text in table("questions.tsv")}
    sizes: dict[tuple[str, str], int] = {}
    for name in group.values():
        sizes[name] = sizes.get(name, 0) + 1
    same = [pair for pair in data if pair.label == 1]
    assert all(group[pair.a] == group[pair.b] and pair.a != pair.b for pair in same)
    assert len(same) == sum(size * (size - 1) // 2 for size in sizes.values())
    differing = {(pair.a, pair.b) for pair in data if pair.label == 0}
    assert {(a, b) for _, a, b in table("near_misses.tsv")} <= differing
    assert not any(a in group and group[a] == group.get(b) for a, b in differing)


def test_it_can_be_split(pairs: Path, tmp_path: Path) -> None:
    report = split_file(pairs, tmp_path / "split")
    assert report.sides["train"].components > 50
    assert all(side.pairs > 200 for side in report.sides.values())
    assert sum(report.dropped.values()) < 0.1 * sum(side.pairs for side in report.sides.values())


def test_the_tour(tmp_path: Path) -> None:
    options = StudyOptions(models=(write_recipe(tmp_path, epochs=1),), seeds=1, sampling=Sampling(10, 10))
    found = take_tour(tmp_path / "out", options=options)
    threshold = found.study.report.threshold.value
    texts = samples.path("inbox.txt").read_text(encoding="utf-8").splitlines()
    assert found.found.texts == len(texts)
    scores = [pair.score for pair in found.found.pairs]
    assert scores == sorted(scores, reverse=True)
    assert all(score >= threshold - 1e-6 for score in scores)
    group = {texts[int(line) - 1]: name for line, name in table("inbox_groups.tsv")}
    assert all(pair.a in texts and pair.b in texts and pair.a != pair.b for pair in found.found.pairs)
    assert found.right == sum(
        pair.a in group and group[pair.a] == group.get(pair.b) for pair in found.found.pairs
    )
    assert found.study.report.duplicates == found.found
    assert html.escape(found.found.pairs[0].a, quote=False) in found.study.page.read_text().replace(
        "&quot;", '"'
    )
    verify_run(found.study.folder)
