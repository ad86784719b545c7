from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.verbs.making import write_pairs
from textkin.base.errors import DataError, ModelError, VerifyError
from textkin.base.files import sha256_of_file
from textkin.verbs.experiments.study_folder import StudyOptions
from textkin.verbs.experiments.study_result import StudyResult
from textkin.verbs.experiments.verify import verify_run

pytestmark = pytest.mark.torch


def forge(folder: Path, name: str) -> None:
    """Record the hash of a file that was changed, as a careful forger would."""
    path = folder / "hashes.json"
    hashes = json.loads(path.read_text())
    path.write_text(json.dumps({**hashes, name: sha256_of_file(folder / name)}))


def test_a_fresh_study_passes(studied: tuple[Path, StudyOptions, StudyResult]) -> None:
    found = verify_run(studied[2].folder)
    assert found.files == len(json.loads((studied[2].folder / "hashes.json").read_text()))
    assert found.figures > 200
    assert found.scores == studied[2].report.systems.pairs
    assert found.largest_change < 1e-5
    assert found.same_code


@pytest.mark.parametrize(
    "name",
    [
        "study.json",
        "split/test.tsv",
        "split/split.json",
        "scores/dev.tsv",
        "scores/curve.tsv",
        "model/model.safetensors",
        "model/README.md",
        "trained/tiny-seed0/metrics.jsonl",
        "report.html",
        "report.md",
        "report.json",
    ],
)
def test_a_changed_byte_is_found(copy: Path, name: str) -> None:
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(VerifyError) as error:
        verify_run(copy)
    assert (error.value.path, error.value.expected) == (copy / name, "the file that was written")


def test_a_missing_file_is_found(copy: Path) -> None:
    (copy / "scores" / "test.tsv").unlink()
    with pytest.raises(VerifyError):
        verify_run(copy)


def test_checkpoints_may_go(copy: Path) -> None:
    for folder in copy.glob("trained/*/checkpoints"):
        shutil.rmtree(folder)
    verify_run(copy)


def change(report: dict, *place: str | int, by: float = 0.01) -> None:
    for key in place[:-1]:
        report = report[key]
    report[place[-1]] += by


@pytest.mark.parametrize(
    ("where", "edit"),
    [
        (
            r"systems.rows\[tfidf\].measures.AP.value",
            lambda r: change(r, "systems", "rows", 2, "measures", "AP", "value"),
        ),
        (
            r"systems.rows\[constant\].against.[\w-]+.p",
            lambda r: change(r, "systems", "rows", 0, "against", r["systems"]["references"][0], "p"),
        ),
        ("verdict.difference", lambda r: change(r, "verdict", "difference")),
        ("verdict.p", lambda r: change(r, "verdict", "p", by=-0.3)),
        ("verdict.kind", lambda r: r["verdict"].update(kind="worse")),
        ("threshold.value", lambda r: change(r, "threshold", "value")),
        ("threshold.test.F1.low", lambda r: change(r, "threshold", "test", "F1", "low")),
        ("calibration.after.ece.value", lambda r: change(r, "calibration", "after", "ece", "value")),
        (
            r"label_curve.points\[1\].result.value",
            lambda r: change(r, "label_curve", "points", 1, "result", "value"),
        ),
        ("systems.detectable", lambda r: r["systems"].update(detectable=0.5)),
        ("threshold", lambda r: r.update(threshold=None)),
        ("systems.rows", lambda r: r["systems"]["rows"].pop()),
    ],
)
def test_a_changed_figure_is_found_even_with_a_new_hash(
    copy: Path, where: str, edit: Callable[[dict], None]
) -> None:
    path = copy / "report.json"
    report = json.loads(path.read_text())
    edit(report)
    path.write_text(json.dumps(report))
    forge(copy, "report.json")
    with pytest.raises(VerifyError) as error:
        verify_run(copy)
    assert re.fullmatch(rf"report\.{where}", *error.value.params)


def test_other_weights_are_found_even_with_new_hashes(
    copy: Path, studied: tuple[Path, StudyOptions, StudyResult]
) -> None:
    chosen = studied[2].report.verdict.model
    other = next(name for name in ("tiny", "other") if name != chosen)
    for item in (copy / "trained" / f"{other}-seed0" / "model").iterdir():
        shutil.copy(item, copy / "model" / item.name)
        forge(copy, f"model/{item.name}")
    with pytest.raises(VerifyError):
        verify_run(copy)
    (copy / "model" / "model.safetensors").write_bytes(b"short")
    forge(copy, "model/model.safetensors")
    with pytest.raises(ModelError) as error:
        verify_run(copy)
    assert str(error.value.path).endswith("model.safetensors")


def test_scores_that_are_not_numbers_are_found(copy: Path) -> None:
    path = copy / "scores" / "test.tsv"
    lines = path.read_text().splitlines()
    lines[5] = "\t".join(["1.0", *["nan"] * lines[5].count("\t")])
    path.write_text("\n".join(lines) + "\n")
    forge(copy, "scores/test.tsv")
    with pytest.raises(DataError) as error:
        verify_run(copy)
    assert error.value.line == 6


def test_scores_of_other_labels_are_found(copy: Path) -> None:
    path = copy / "scores" / "test.tsv"
    lines = path.read_text().splitlines()
    label, _, rest = lines[1].partition("\t")
    lines[1] = f"{1 - float(label)}\t{rest}"
    path.write_text("\n".join(lines) + "\n")
    forge(copy, "scores/test.tsv")
    with pytest.raises(VerifyError):
        verify_run(copy)


def test_no_study(tmp_path: Path, copy: Path) -> None:
    write_pairs(tmp_path / "pairs.tsv", [("a", "b", 1)])
    with pytest.raises(DataError) as error:
        verify_run(tmp_path)
    assert str(error.value.path).endswith("hashes.json")
    with pytest.raises(DataError) as error:
        verify_run(tmp_path / "none")
    assert str(error.value.path).endswith("hashes.json")
    (copy / "hashes.json").write_text("[]")
    with pytest.raises(DataError) as error:
        verify_run(copy)
    assert str(error.value.path).endswith("hashes.json")
    (copy / "hashes.json").write_text("{}")
    with pytest.raises(VerifyError):
        verify_run(copy)


@pytest.mark.parametrize("name", ["x" * 300, "a/" * 3_000 + "b", "nul\0"])
def test_a_name_that_no_system_takes_holds_no_study(name):
    with pytest.raises(DataError):
        verify_run(name)


def edited(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("report.html", lambda text: re.sub(r"0\.\d\d", "0.99", text)),
        ("report.html", lambda text: text.replace("</body>", "<p>0.99</p></body>")),
        ("report.html", lambda text: text.replace("<body", "<body style='display:none'", 1)),
        ("report.md", lambda text: re.sub(r"0\.\d\d", "0.99", text)),
        ("report.md", lambda text: text + "\n"),
        ("report.json", lambda text: text.replace("{", '{"title": "another",', 1)),
        ("model/README.md", lambda text: re.sub(r"0\.\d\d", "0.99", text)),
    ],
)
def test_a_forged_report_is_found_even_with_a_new_hash(
    copy: Path, name: str, edit: Callable[[str], str]
) -> None:
    path = copy / name
    before = path.read_text(encoding="utf-8")
    path.write_text(edit(before), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != before
    forge(copy, name)
    with pytest.raises(VerifyError) as error:
        verify_run(copy)
    assert (error.value.path, error.value.expected) == (path, "the figures of report.json")


def test_of_other_code_only_what_a_page_shows_counts(copy: Path) -> None:
    report = json.loads((copy / "report.json").read_text())
    was = report["reproduction"]["hashes"]["code"]
    for name in ("report.json", "report.md", "report.html"):
        edited(copy / name, was, "0" * 64)
        forge(copy, name)
    assert not verify_run(copy).same_code
    edited(copy / "report.html", "<body", "<body class='older'")
    forge(copy, "report.html")
    assert not verify_run(copy).same_code
    edited(copy / "report.html", "</body>", "<p>0.99</p></body>")
    forge(copy, "report.html")
    with pytest.raises(VerifyError):
        verify_run(copy)


@pytest.mark.parametrize(
    "place", [("threshold", "threshold", "value"), ("threshold", "fitted_on"), ("calibration",)]
)
def test_a_model_that_decides_otherwise_is_found_even_with_a_new_hash(
    copy: Path, place: tuple[str, ...]
) -> None:
    path = copy / "model" / "textkin.json"
    manifest = found = json.loads(path.read_text())
    for key in place[:-1]:
        found = found[key]
    found[place[-1]] = {"value": 0.01, "fitted_on": "other pairs", "calibration": None}[place[-1]]
    path.write_text(json.dumps(manifest))
    forge(copy, "model/textkin.json")
    with pytest.raises(VerifyError, match=rf"model\.{place[0]}.* comes out as"):
        verify_run(copy)
