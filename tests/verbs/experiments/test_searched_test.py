"""Test as a BEIR folder, which the systems of a study search."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import textkin as tk
from tests.verbs.making import rows, write_pairs, write_recipe
from tests.verbs.making_data import write_beir
from tests.verbs.making_data import write_recipe as write_other
from textkin.base.errors import DataError, LeakError, UsageError, VerifyError
from textkin.base.files import sha256_of_file
from textkin.data.pair_set_operations import content_hash
from textkin.data.readers.datasets import beir
from textkin.data.readers.datasets.beir import read_beir
from textkin.kinds.first_stage import FirstStage
from textkin.models.inference.scorers import load_scorer
from textkin.verbs.experiments.verify import verify_run
from textkin.verbs.train.dataset_splits import Selection, Sources, load_dataset

pytestmark = pytest.mark.torch

FEW = {"resamples": 20, "rounds": 20}
PAIRS = "both"  # compares two texts at a time


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    folder = tmp_path_factory.mktemp("searched")
    corpus = write_beir(folder / "corpus", splits=("test",))
    return write_pairs(folder / "train.tsv", rows()[60:]), corpus, write_recipe(folder)


@pytest.fixture(scope="module")
def found(files: tuple[Path, Path, str], tmp_path_factory: pytest.TempPathFactory) -> tk.verbs.StudyResult:
    train, corpus, recipe = files
    place = tmp_path_factory.mktemp("study")
    other = write_other(place, PAIRS, task="pairs", architecture="word-means", arguments="dim = 8")
    out = place / "out"
    return tk.study(train=train, test=corpus, models=[recipe, other], seeds=1, out=out, device="cpu", **FEW)


def figures(found: tk.verbs.StudyResult, name: str) -> dict[str, float]:
    (row,) = (one for one in found.report.systems.rows if one.name == name)
    return {measure: interval.value for measure, interval in row.measures.items()}


def test_figures_are_those_of_compare(
    files: tuple[Path, Path, str], found: tk.verbs.StudyResult, tmp_path: Path
) -> None:
    model = found.folder / "trained" / "tiny-seed0" / "model"
    tuned = next(one.name for one in found.report.systems.rows if one.name.startswith("bm25"))
    again = tk.compare(files[1], {"tiny": model, tuned: tuned}, baselines="tfidf-char", **FEW)
    assert found.report.measure == again.measure == "nDCG@10"
    for name in ("tiny", tuned, "tfidf-char"):
        (row,) = (one for one in again.systems.rows if one.name == name)
        assert figures(found, name) == pytest.approx({key: one.value for key, one in row.measures.items()})


def test_what_compares_two_texts_ranks_what_bm25_finds(
    files: tuple[Path, Path, str], found: tk.verbs.StudyResult
) -> None:
    data = read_beir(files[1]).data
    first = FirstStage.of(data)
    scorer = load_scorer(found.folder / "trained" / f"{PAIRS}-seed0" / "model")
    run = first.reranked(scorer.score(first.texts).astype(float))
    assert figures(found, PAIRS)["nDCG@10"] == pytest.approx(
        tk.measure(run, data.qrels, measures=["nDCG@10"], resamples=20)["nDCG@10"]
    )
    assert any(note.startswith(f"{PAIRS}: rank the 100") for note in found.report.notes)


def test_the_report_says_what_was_searched_and_what_sides_share(
    files: tuple[Path, Path, str], found: tk.verbs.StudyResult, tmp_path: Path
) -> None:
    data = read_beir(files[1]).data
    proof = found.report.facts.proof
    assert f"test: {len(data.qrels.query_ids)} queries, which search {len(data.corpus)} documents." in proof
    assert found.report.reproduction.hashes["test"] == content_hash(data)
    everything = write_pairs(tmp_path / "all.tsv", rows())
    dataset = load_dataset(Sources(everything, files[1]), Selection(task="pairs"))
    judged = {text for pair in data.texts for text in pair}
    assert judged.isdisjoint(
        text for side in (dataset.train, dataset.dev) for pair in side.texts for text in pair
    )
    assert dataset.left_out > 0 and dataset.searched is not None


def test_documents_without_judgements_may_recur(files: tuple[Path, Path, str], tmp_path: Path) -> None:
    data = read_beir(files[1]).data
    some = dict(list(data.qrels.to_dict().items())[:5])
    rest = tk.RetrievalSet(data.corpus, data.queries, tk.Qrels.from_dict(some))
    beir.write_beir(rest, tmp_path / "some")
    everything = write_pairs(tmp_path / "all.tsv", rows())
    notes = load_dataset(Sources(everything, tmp_path / "some"), Selection(task="pairs")).notes
    assert any(note.endswith("documents with train.") for note in notes)


def test_a_study_is_verified_and_what_was_changed_is_found(
    found: tk.verbs.StudyResult, tmp_path: Path
) -> None:
    assert verify_run(found.folder).largest_change < 1e-5
    copy = Path(shutil.copytree(found.folder, tmp_path / "copy"))
    run = copy / "runs" / f"{found.report.verdict.model}.run.trec"
    lines = [line.split() for line in run.read_text().splitlines()]
    run.write_text(
        "".join(f"{' '.join([*line[:4], str(float(line[4]) + 1), *line[5:]])}\n" for line in lines)
    )
    hashes = copy / "hashes.json"
    changed = {f"runs/{run.name}": sha256_of_file(run)}
    hashes.write_text(json.dumps(json.loads(hashes.read_text()) | changed))
    with pytest.raises(VerifyError):
        verify_run(copy)


def test_a_corpus_in_memory_is_searched_as_its_folder(
    files: tuple[Path, Path, str], found: tk.verbs.StudyResult, tmp_path: Path
) -> None:
    train, corpus, recipe = files
    data = read_beir(corpus).data
    again = tk.study(
        train=train, test=data, models=[recipe], seeds=1, out=tmp_path / "out", device="cpu", **FEW
    )
    assert figures(again, "tiny") == figures(found, "tiny")
    assert again.report.reproduction.hashes["test"] == content_hash(data)


def test_one_folder_may_hold_the_judgements_of_all_sides(
    files: tuple[Path, Path, str], tmp_path: Path
) -> None:
    folder = write_beir(tmp_path / "all", splits=("test", "dev"))
    judged = (folder / "qrels" / "test.tsv").read_text().splitlines()
    for name, kept in (("test", slice(1, 12)), ("dev", slice(12, None))):
        content = "\n".join([judged[0], *judged[kept]]) + "\n"
        (folder / "qrels" / f"{name}.tsv").write_text(content)
    recipe = files[2]
    found = tk.study(
        train=files[0], dev=folder, test=folder, models=[recipe], seeds=1, out=tmp_path / "out", **FEW
    )
    assert any("best on dev (nDCG@10" in note for note in found.report.notes)
    assert len(found.report.facts.sides) == 3
    with pytest.raises(UsageError) as error:
        (folder / "qrels" / "dev.tsv").unlink()
        tk.study(train=folder, dev=folder, test=folder, models=[recipe], out=tmp_path / "other", **FEW)
    assert error.value.params == ("train", "dev", "test")


def test_wrong_folders(files: tuple[Path, Path, str], found: tk.verbs.StudyResult, tmp_path: Path) -> None:
    train, corpus, recipe = files
    given = {"train": train, "models": [recipe], "seeds": 1, "out": tmp_path / "out", **FEW}
    with pytest.raises(UsageError) as error:
        tk.study(test=corpus, decisions=True, **given)
    assert error.value.params == ("decisions",)
    with pytest.raises(UsageError) as error:
        tk.study(test=corpus, measures=["nDGC"], **given)
    assert error.value.params == ("measures",)
    several = write_beir(tmp_path / "several", splits=("train", "dev"))
    with pytest.raises(DataError) as wrong:
        tk.study(test=several, **given)
    assert wrong.value.path == several
    start = found.folder / "trained" / "tiny-seed0" / "model"
    others = write_pairs(tmp_path / "others.tsv", rows()[:60])
    data = [pair for pair in tk.load_pairs(train).data if pair.label]
    asked = {f"q{place}": pair.a for place, pair in enumerate(data)}
    documents = {f"d{place}": pair.b for place, pair in enumerate(data)}
    judged = tk.Qrels.from_dict({f"q{place}": {f"d{place}": 1} for place in range(len(data))})
    seen = tk.RetrievalSet(documents, asked, judged, name="seen")
    with pytest.raises(LeakError):
        tk.study(test=seen, start=str(start), **given | {"train": others})
    assert not (tmp_path / "out").exists()
