"""textkin encode."""

from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Textkin
from textkin.models.inference.scorers import load_scorer

pytestmark = pytest.mark.torch


def test_writes_one_row_a_text_in_their_order(textkin: Textkin, trained: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "texts.txt", tmp_path / "vectors.npy"
    path.write_text("repair printer 1\n\nsell the oven\nways\n")
    shown = textkin("encode", path, trained / "model", "--out", out)
    assert shown.code == 0 and "skipped 1: 1 empty text (line 2)" in shown.err
    assert shown.out.splitlines()[-2].split() == ["tiny", "3", "8", str(out)]
    assert shown.out.splitlines()[-1] == "precision fp32, without a check"
    wanted = load_scorer(trained / "model").encode(["repair printer 1", "sell the oven", "ways"])
    np.testing.assert_array_equal(np.load(out, allow_pickle=False), wanted)
    told = textkin("encode", path, trained / "model", "--out", out, "--json").json
    ids = tmp_path / "vectors.ids.txt"
    assert ids.read_text() == "1\n3\n4\n"
    assert (told["model"], told["count"], told["dim"]) == ("tiny", 3, 8)
    assert (told["out"], told["ids"]) == (str(out), str(ids))
    assert textkin("encode", path, trained / "model", "--out", out, "--dtype", "bf16").code == 2


def test_takes_a_column_and_word_vectors(textkin: Textkin, tmp_path: Path) -> None:
    table, vectors = tmp_path / "table.csv", tmp_path / "glove.txt"
    table.write_text("id,subject,body\nx,green apple,one\ny,pear,two\n")
    vectors.write_text("green 1 0\napple 0 1\npear 1 1\n")
    command = ["encode", table, "mean-vectors", "--vectors", vectors, "--out", tmp_path / "v.npy"]
    told = textkin(*command, "--text", "subject", "--json").json
    assert (told["count"], told["dim"], Path(told["ids"]).read_text()) == (2, 2, "x\ny\n")
    assert np.load(tmp_path / "v.npy").shape == (2, 2)
    assert textkin(*command, "--text", "nosuch").code == 2


def test_leaves_nothing_half_written(textkin: Textkin, trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("one text\n")
    assert "gives no vectors" in textkin("encode", path, "tfidf", "--out", tmp_path / "v.npy").error
    assert textkin("encode", path, trained / "model", "--out", path).code == 2
    assert textkin("encode", path, trained / "model", "--out", tmp_path / "v.npy", "--dtype", "x").code == 2
    (tmp_path / "v.ids.txt").write_text("one text\n")
    assert textkin("encode", tmp_path / "v.ids.txt", trained / "model", "--out", tmp_path / "v.npy").code == 2
    assert (tmp_path / "v.ids.txt").read_text() == path.read_text() == "one text\n"
    (tmp_path / "v.ids.txt").unlink()
    assert textkin("encode", path, trained / "model", "--out", path / "v.npy").code == 7
    assert sorted(item.name for item in tmp_path.iterdir()) == ["texts.txt"]


def test_the_side_says_which_prompt_stands_before_texts(textkin: Textkin, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    from tests.text.static_folders import write_prompted

    folder, path, out = write_prompted(tmp_path / "model"), tmp_path / "texts.txt", tmp_path / "vectors.npy"
    texts = ["dog sat", "the cats sat"]
    path.write_text("\n".join(texts) + "\n")
    model = SentenceTransformer(str(folder), device="cpu")
    for side, encode, prompt in (
        ("text", model.encode, ""),
        ("query", model.encode_query, "cat "),
        ("document", model.encode_document, "the "),
    ):
        told = textkin("encode", path, folder, "--out", out, "--side", side, "--json").json
        assert (told["side"], told["prompt"]) == (side, prompt)
        found, wanted = np.load(out), encode(texts)
        cosines = np.vecdot(found, wanted) / np.linalg.norm(found, axis=1) / np.linalg.norm(wanted, axis=1)
        np.testing.assert_allclose(cosines, 1, atol=1e-6)
        shown = textkin("encode", path, folder, "--out", out, "--side", side).out
        assert (f"'{prompt}'" in shown) == bool(prompt)
    assert "see --side query or --side document" in textkin("encode", path, folder, "--out", out).out
