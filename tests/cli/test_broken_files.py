"""Files that no command can read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Textkin

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n"
RUN = "q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 1.0 x\nq9 Q0 d1 1 1.0 x\n"


@pytest.fixture
def trec(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    return tmp_path / "qrels.txt", tmp_path / "run.txt"


def broken(folder: Path) -> dict[str, Path]:
    """Files that no command can read."""
    contents = {
        "empty.tsv": b"",
        "nul.tsv": b"a\tb\x00\t1\n",
        "latin.tsv": b"caf\xe9\tb\t1\n",
        "cut.gz": b"\x1f\x8b\x08",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    return {name: folder / name for name in [*contents, "folder", "missing.tsv"]}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["empty.tsv", "nul.tsv", "latin.tsv", "cut.gz", "folder", "missing.tsv"])
@pytest.mark.parametrize("as_json", [False, True])
def test_a_broken_file_is_one_line_that_names_it(
    textkin: Textkin, tmp_path: Path, trec: tuple[Path, Path], kind: str, as_json: bool
) -> None:
    path, out = broken(tmp_path)[kind], tmp_path / "out"
    for command in (
        ["data", "lint", path],
        ["data", "split", path, "--out", out],
        ["compare", f"run={trec[1]}", "--qrels", path, "-m", "MAP"],
        *([] if kind == "folder" else [["compare", f"run={path}", "--qrels", trec[0], "-m", "MAP"]]),
        ["train", "siamese-bag", "--train", path, "--dev", path, "--out", out],
        ["score", "--pairs", path, "--model", "tfidf"],
        ["encode", path, "tfidf", "--out", out.with_suffix(".npy")],
    ):
        found = textkin(*command, *(["--json"] if as_json else []))
        assert found.code == 3, command
        assert str(path) in found.error
        assert not out.exists() and not out.with_suffix(".npy").exists()
