import json

import numpy as np
import pytest

from tests.cli.conftest import textkin as textkin
from tests.models.interop.tiny import TEXTS, WIDTH, theirs, write_bare
from tests.reference import distilled as oracle
from textkin.base.errors import ModelError, UsageError
from textkin.models.model_folder import load_model
from textkin.text.baselines.static_encoder import StaticEncoder
from textkin.text.distilled import sif_weights, zipf
from textkin.text.static_embeddings import load_static
from textkin.verbs.deploy import distil_model as distilling
from textkin.verbs.deploy.distil_model import DistilOptions, distil_model

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    return write_bare(tmp_path_factory.mktemp("teacher") / "bert")


def by_hand(teacher, table, dim):
    """Every token alone through the network, one after another."""
    model = load_model(teacher)
    names = model.pipeline.tokens
    around = [names.index("[CLS]")], [names.index("[SEP]")]
    kept = [token for token in table.pipeline.tokens if token != "[UNK]"]
    rows = [
        oracle.token_alone(model.module.backbone, around[0], [names.index(token)], around[1])
        for token in kept
    ]
    return oracle.components(np.stack(rows).astype(float), dim) * sif_weights(zipf(len(kept)), 1e-2)[:, None]


def test_a_distillation_equals_a_plain_loop_and_others_open_it(teacher, tmp_path):
    from model2vec import StaticModel

    made = distil_model(
        teacher, out=tmp_path / "out", options=DistilOptions(dim=6, sif=1e-2, stored="float32")
    )
    table = load_static(made.folder)
    tokens = table.pipeline.tokens
    assert (made.tokens, made.dim, made.texts) == (len(tokens), 6, 0)
    rows = [place for place, token in enumerate(tokens) if token != "[UNK]"]
    np.testing.assert_allclose(table.matrix[rows], by_hand(teacher, table, 6), atol=1e-5)
    assert not table.matrix[tokens.index("[UNK]")].any()
    vectors = StaticEncoder(table).encode(TEXTS)
    opened = StaticModel.from_pretrained(made.folder, force_download=False)
    np.testing.assert_allclose(opened.encode(TEXTS), vectors, atol=1e-6)
    np.testing.assert_allclose(theirs(made.folder).encode(TEXTS), vectors, atol=1e-6)
    record = json.loads((made.folder / "distil.json").read_text())
    assert (record["teacher"], record["options"]["dim"]) == ("bert", 6)
    # 8 bits, in its place
    small = distil_model(teacher, out=tmp_path / "out", options=DistilOptions(dim=6, sif=1e-2))
    assert small.megabytes < made.megabytes
    opened = StaticModel.from_pretrained(small.folder, force_download=False)
    np.testing.assert_allclose(
        opened.encode(TEXTS), StaticEncoder(load_static(small.folder)).encode(TEXTS), atol=1e-6
    )
    known = vectors.any(axis=1)
    assert np.vecdot(opened.encode(TEXTS), vectors)[known].min() > 0.99


def test_texts_words_and_frequencies(teacher, tmp_path):
    (tmp_path / "texts.txt").write_text("\n".join(text for text in TEXTS if text) + "\n")
    (tmp_path / "words.txt").write_text("passwords\nthe\n")
    (tmp_path / "counts.tsv").write_text("the\t50\npasswords\t1\n")
    options = {"dim": 4, "stored": "float32", "texts": (tmp_path / "texts.txt",)}
    fitted = distil_model(teacher, out=tmp_path / "fitted", options=DistilOptions(**options, strength=0.01))
    pointed = distil_model(
        teacher, out=tmp_path / "pointed", options=DistilOptions(**options, strength=0.01, epochs=0)
    )
    moved = load_static(fitted.folder).matrix - load_static(pointed.folder).matrix
    assert 0 < np.abs(moved).max() < 0.1
    held = distil_model(teacher, out=tmp_path / "held", options=DistilOptions(**options, strength=1e6))
    assert fitted.texts == len(set(TEXTS)) - 1

    def agreement(made):
        from textkin.models.inference.scorers import load_scorer
        from textkin.text.distilled import principal_components

        texts = [text for text in TEXTS if text]
        vectors = load_scorer(teacher).encode(texts)
        wanted = principal_components(vectors, 4).of(vectors)
        found = StaticEncoder(load_static(made.folder)).encode(texts)
        return np.vecdot(found, wanted / np.linalg.norm(wanted, axis=1, keepdims=True)).mean()

    assert agreement(fitted) > max(0.9, agreement(held) + 0.05)
    worded = distil_model(
        teacher,
        out=tmp_path / "worded",
        options=DistilOptions(
            dim=None, stored="float16", vocabulary=tmp_path / "words.txt", frequencies=tmp_path / "counts.tsv"
        ),
    )
    assert (worded.words, worded.dim) == (1, WIDTH)
    assert load_static(worded.folder).pipeline.tokens[-1] == "passwords"


def test_what_is_refused(teacher, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thing").touch()
    with pytest.raises(UsageError) as error:
        distil_model(teacher, out=tmp_path / "full")
    assert error.value.params == ("out",)
    made = distil_model(teacher, out=tmp_path / "out", options=DistilOptions(dim=4))
    with pytest.raises(ModelError, match="static"):
        distil_model(made.folder, out=tmp_path / "again")
    with pytest.raises(UsageError) as error:
        distil_model(teacher, out=tmp_path / "wide", options=DistilOptions(dim=WIDTH + 1))
    assert (error.value.params, error.value.value) == (("dim",), WIDTH + 1)
    with pytest.raises(UsageError) as error:
        DistilOptions(sif=0)
    assert (error.value.params, error.value.value) == (("sif",), 0)


def test_near_texts_are_looked_for_block_by_block(monkeypatch):
    vectors = np.random.default_rng(0).normal(size=(25, 4)).astype(np.float32)
    monkeypatch.setattr(distilling, "_BLOCK", 13)
    near = distilling._nearest(vectors)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for text, row in enumerate(near):
        block = range(13) if text < 13 else range(13, 25)
        others = sorted(set(block) - {text}, key=lambda other: -units[text] @ units[other])
        assert row.tolist() == others[: len(row)]
    assert (distilling._nearest(vectors[:3]) >= 0).sum(axis=1).tolist() == [2, 2, 2]


def test_the_command(teacher, tmp_path, textkin):
    out = tmp_path / "out"
    said = textkin("distil", teacher, "--out", out, "--dim", "5", "--sif", "inf", "--json").json
    assert (said["dim"], said["folder"], said["teacher"]) == (5, str(out), "bert")
    assert load_static(out).matrix.shape == (said["tokens"], 5)
    assert textkin("distil", teacher, "--out", out, "--dim", "5", "--no-pca").code == 2
