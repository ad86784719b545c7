from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.cli.conftest import Textkin


def test_hash_says_what_the_codes_are_worth(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "codes.npy"
    found = textkin("hash", texts, "--out", out)
    assert found.code == 0 and "1 empty text (line 3)" in found.err
    lines = found.out.splitlines()
    assert lines[0] == "5 texts, 4 different; codes of 256 bits, of meaning, default"
    assert lines[1] == "measured on 4 texts against 4:"
    assert lines[2].startswith("  recall@3 1.000; 1.000 if the 3 nearest codes are ranked exactly")
    assert lines[3].startswith("  cosines estimated to 0.")
    assert lines[4].split("  ")[0] == "cosine from" and lines[6].split()[:2] == ["0.95", "2"]
    assert lines[-1].endswith(f"s; written to {out}")
    assert np.load(out).shape == (5, 32)
    assert (tmp_path / "codes.ids.txt").read_text().split() == ["1", "2", "4", "5", "6"]


def test_hash_of_spelling_as_json(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "codes.npy"
    command = ("hash", texts, "--out", out, "--of", "words", "--bits", "64", "--json")
    found = textkin(*command).json
    assert (found["of"], found["bits"], found["count"], found["different"]) == ("words, SimHash", 64, 5, 4)
    assert found["fidelity"]["against"] == 4 and found["fidelity"]["nearest"] == 3
    assert found["about"] == str(tmp_path / "codes.json")
    assert textkin(*command, "--sample", "0").json["fidelity"] is None
    first = np.load(out)
    textkin(*command, "--seed", "1")
    assert not np.array_equal(np.load(out), first)


def test_hash_takes_vectors(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    vectors, one, other = (tmp_path / name for name in ("v.npy", "one.npy", "other.npy"))
    textkin("encode", texts, "--out", vectors)
    assert textkin("hash", texts, "--out", one).code == 0
    assert textkin("hash", texts, "--out", other, "--embeddings", vectors).code == 0
    assert one.read_bytes() == other.read_bytes()


def test_hash_says_which_codes_say_nothing(textkin: Textkin, tmp_path: Path) -> None:
    texts, vectors = tmp_path / "t.txt", tmp_path / "v.npy"
    texts.write_text("one\n")
    np.save(vectors, np.zeros((1, 2), dtype=np.float32))
    found = textkin("hash", texts, "--embeddings", vectors, "--out", tmp_path / "c.npy")
    assert found.out.splitlines()[:2] == [
        "1 text, 1 different; codes of 256 bits, of meaning, given vectors",
        "1 text with a vector of zeros, whose code says nothing",
    ]


def test_what_hash_refuses(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    out, empty, broken = tmp_path / "c.npy", tmp_path / "empty.txt", tmp_path / "broken.npy"
    empty.touch()
    broken.write_bytes(b"\x93NUMPY")
    for arguments, code, words in (
        (("--bits", "100"), 2, "--bits is 100"),
        (
            ("--of", "letters", "--model", "default"),
            2,
            "--model and --embeddings don't apply to codes of letters",
        ),
        (("--model", "no-such-model"), 5, "no-such-model"),
        (("--embeddings", broken), 3, "is no whole NumPy file of numbers"),
        (("--embeddings", tmp_path / "none.npy"), 3, "no such file"),
        (("--out", tmp_path / "c.bin"), 2, "expected a name that ends in .npy"),
        (("--out", texts / "c.npy"), 7, "can't write"),
        (("--of", "word"), 2, "--of is 'word'; did you mean 'words'?"),
    ):
        where = () if "--out" in arguments else ("--out", out)
        found = textkin("hash", texts, *where, *arguments)
        assert found.code == code and words in found.error
    assert "the file is empty" in textkin("hash", empty, "--out", out).error
    empty.write_text("\n \n")
    assert "holds no text" in textkin("hash", empty, "--out", out).error
    assert textkin("hash", tmp_path / "none.txt", "--out", out).code == 3
    assert not list(tmp_path.glob("*c.npy*"))


def test_codes_are_searched(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    codes, out = tmp_path / "codes.npy", tmp_path / "found.tsv"
    textkin("hash", texts, "--out", codes)
    lines = textkin("hash", texts, "--search", codes, "-k", 2, "--out", out).out.splitlines()
    assert lines[0] == "5 queries, 5 codes of meaning, default"
    assert lines[1] == "all codes were compared: none that is nearer was missed"
    assert lines[2].startswith("the codes themselves: recall@3 1.000 against exact cosines")
    assert len(out.read_text().splitlines()) == 11
    shown = textkin("hash", texts, "--search", codes, "--bands", 5, "--out", out).out
    assert "5 bands of 51 or 52 bits: " in shown and "measured on 5 queries; " in shown
    told = textkin("hash", texts, "--search", codes, "--bands", 5, "--out", out, "--json").json
    assert told["bands"]["sample"] == 5 and told["codes_recall"] == [1.0, 3]


def test_what_a_search_refuses(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    codes, out = tmp_path / "codes.npy", tmp_path / "found.tsv"
    textkin("hash", texts, "--out", codes)
    for option in (("--bits", 64), ("--of", "words"), ("--seed", 0)):
        found = textkin("hash", texts, "--search", codes, "--out", out, *option)
        assert (
            found.code == 2 and f"{option[0]} with --search; leave it out: codes.json says it" in found.error
        )
    for option in (("--bands", 4), ("-k", 3)):
        found = textkin("hash", texts, "--out", codes, *option)
        assert found.code == 2 and "without --search" in found.error
