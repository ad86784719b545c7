from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Textkin


def test_codes_show_their_worth(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "codes.npy"
    found = textkin("encode", texts, "--bits", 256, "--out", out)
    assert found.code == 0 and "1 empty text (line 3)" in found.err
    lines = found.out.splitlines()
    assert lines[0] == "5 texts, 4 different; codes of 256 bits, of meaning, default"
    assert lines[1] == "measured on 4 texts against 4:"
    assert lines[2].startswith("  recall@3 1.000; 1.000 if the 3 nearest codes are ranked exactly")
    assert lines[3].startswith("  cosines estimated to 0.")
    assert lines[4].split("  ")[0] == "cosine from" and lines[6].split()[:2] == ["0.95", "2"]
    assert lines[-1] == f"written to {out}"
    assert np.load(out).shape == (5, 32)
    assert (tmp_path / "codes.ids.txt").read_text().split() == ["1", "2", "4", "5", "6"]


def test_codes_of_spelling_as_json(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "codes.npy"
    command = ("encode", texts, "--out", out, "--of", "words", "--bits", "64", "--json")
    found = textkin(*command).json
    assert (found["of"], found["bits"], found["count"], found["different"]) == ("words, SimHash", 64, 5, 4)
    assert found["fidelity"]["against"] == 4 and found["fidelity"]["nearest"] == 3
    assert found["about"] == str(tmp_path / "codes.json")
    assert textkin(*command, "--sample", "0").json["fidelity"] is None
    first = np.load(out)
    textkin(*command, "--seed", "1")
    assert not np.array_equal(np.load(out), first)


def test_codes_of_given_vectors(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    vectors, one, other = (tmp_path / name for name in ("v.npy", "one.npy", "other.npy"))
    textkin("encode", texts, "--out", vectors)
    assert textkin("encode", texts, "--bits", 256, "--out", one).code == 0
    assert textkin("encode", texts, "--bits", 256, "--out", other, "--embeddings", vectors).code == 0
    assert one.read_bytes() == other.read_bytes()


def test_codes_that_say_nothing_are_counted(textkin: Textkin, tmp_path: Path) -> None:
    texts, vectors = tmp_path / "t.txt", tmp_path / "v.npy"
    texts.write_text("one\n")
    np.save(vectors, np.zeros((1, 2), dtype=np.float32))
    found = textkin("encode", texts, "--bits", 256, "--embeddings", vectors, "--out", tmp_path / "c.npy")
    assert found.out.splitlines()[:2] == [
        "1 text, 1 different; codes of 256 bits, of meaning, given vectors",
        "1 text with a vector of zeros, whose code says nothing",
    ]


@pytest.mark.slow
def test_codes_that_are_refused(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    out, empty, broken = tmp_path / "c.npy", tmp_path / "empty.txt", tmp_path / "broken.npy"
    empty.touch()
    broken.write_bytes(b"\x93NUMPY")
    for arguments, code, words in (
        (("--bits", "100"), 2, "--bits is 100"),
        (
            ("default", "--of", "letters"),
            2,
            "MODEL and --embeddings don't apply to codes of letters",
        ),
        (("no-such-model",), 5, "no-such-model"),
        (("--embeddings", broken), 3, "is not a whole NumPy file of numbers"),
        (("--embeddings", tmp_path / "none.npy"), 3, "no such file"),
        (("--out", tmp_path / "c.bin"), 2, "expected a name that ends in .npy"),
        (("--out", texts / "c.npy"), 7, "can't write"),
        (("--of", "word"), 2, "--of is 'word'; did you mean 'words'?"),
    ):
        where = () if "--out" in arguments else ("--out", out)
        where = where if "--bits" in arguments else (*where, "--bits", 256)
        found = textkin("encode", texts, *where, *arguments)
        assert found.code == code and words in found.error
    assert "the file is empty" in textkin("encode", empty, "--bits", 256, "--out", out).error
    empty.write_text("\n \n")
    assert "holds no text" in textkin("encode", empty, "--bits", 256, "--out", out).error
    assert textkin("encode", tmp_path / "none.txt", "--bits", 256, "--out", out).code == 3
    assert not list(tmp_path.glob("*c.npy*"))


@pytest.mark.slow
def test_codes_are_searched(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    codes, out = tmp_path / "codes.npy", tmp_path / "found.tsv"
    textkin("encode", texts, "--bits", 256, "--out", codes)
    lines = textkin("search", codes, texts, "-k", 2, "--out", out).out.splitlines()
    assert lines[0] == "5 queries, 5 codes of meaning, default"
    assert lines[1] == "compared with all codes"
    assert lines[2].startswith("recall@3 of the codes against exact cosines")
    assert len(out.read_text().splitlines()) == 11
    shown = textkin("search", codes, texts, "--bands", 5, "--out", out).out
    assert "5 bands of 51 or 52 bits: " in shown and "measured on 5 queries; " in shown
    told = textkin("search", codes, texts, "--bands", 5, "--out", out, "--json").json
    assert told["bands"]["sample"] == 5 and told["codes_recall"] == [1.0, 3]
