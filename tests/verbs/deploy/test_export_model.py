"""Exports opened again by the runtimes that they are for."""

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from tests.models.interop import tiny, tiny_pairs
from tests.text.static_folders import TOKENS, table, write
from textkin.base.errors import DataError, MissingExtraError, ModelError, OutputError, UsageError, VerifyError
from textkin.base.files import sha256_of_file
from textkin.data.protocols import Side
from textkin.models.inference.scorers import load_scorer
from textkin.models.provenance import hash_of_model
from textkin.verbs.deploy import export_folder
from textkin.verbs.deploy import export_model as module
from textkin.verbs.deploy.export_model import export_model

pytestmark = [pytest.mark.long, pytest.mark.torch]

TEXTS = [*(text for text in tiny.TEXTS if text), "How do I reset it?", "the lazy dog", "a refund, again"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    path = tmp_path_factory.mktemp("sample") / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n")
    return path


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A transformer with a dense layer and prompts."""
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize

    folder = tmp_path_factory.mktemp("encoder") / "tiny"
    prompts = {"query": "query: ", "document": "passage: "}
    layers = (lambda: Dense(tiny.WIDTH, 12), Normalize)
    return tiny.write_theirs(folder, "bert", *layers, max_length=12, prompts=prompts)


@pytest.fixture(scope="module")
def static(tmp_path_factory):
    weights = np.linspace(0.5, 1.5, len(TOKENS)).astype(np.float32)
    return write(tmp_path_factory.mktemp("static") / "bag", {"embeddings": table(), "weights": weights})


def run_card(folder: Path, texts: list[str], monkeypatch) -> np.ndarray:
    """The output of the code in an export's README for texts."""
    monkeypatch.chdir(folder)
    code = re.findall(r"```python\n(.*?)```", Path("README.md").read_text(), flags=re.DOTALL)[0]
    names = {}
    exec(code.replace('["first text", "second text"]', repr(texts)), names)
    return names["vectors"]


def certificate(folder: Path) -> dict:
    return json.loads((folder / "parity.json").read_text())


@pytest.mark.parametrize("to", ["onnx", "openvino"])
def test_a_transformer_says_the_same_in_another_runtime(to, encoder, sample, tmp_path, monkeypatch):
    made = export_model(encoder, out=tmp_path / "out", to=to, sample=sample)
    assert made.runtime.startswith({"onnx": "onnxruntime 1", "openvino": "openvino 20"}[to])
    assert made.kept and 1 - 1e-5 <= made.parity.worst <= made.parity.mean < 1 + 1e-9
    assert (made.parity.count, made.texts, made.parity.rank_change) == (len(TEXTS), len(TEXTS), 0)
    assert (made.model, made.model_sha256) == ("tiny", hash_of_model(encoder))
    told = certificate(tmp_path / "out")
    assert told["parity"] == {
        **told["parity"],
        "measure": "cosine",
        "worst": made.parity.worst,
        "same": 1.0,
    }
    assert {to, "torch", "textkin"} - set(told["versions"]) in (set(), {"onnx"})
    found = {item.name: sha256_of_file(item) for item in (tmp_path / "out").iterdir()}
    beside = ("parity.json", "passport.json")
    assert told["files"] == {name: hash for name, hash in found.items() if name not in beside}
    here = str(Path(module.__file__).parents[1]).encode()
    assert not any(here in item.read_bytes() for item in (tmp_path / "out").iterdir())
    for side, prompt in ((Side.QUERY, "query: "), (Side.DOCUMENT, "passage: ")):
        assert f"Put `{prompt!r}` before every {side}." in (tmp_path / "out" / "README.md").read_text()
        vectors = run_card(tmp_path / "out", [prompt + text for text in TEXTS], monkeypatch)
        expected = load_scorer(encoder).encode(TEXTS, side=side)
        np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_a_cross_encoder_in_onnx(sample, tmp_path):
    folder = tiny_pairs.write_bare(tmp_path / "pairs")
    made = export_model(folder, out=tmp_path / "out", to="onnx", sample=sample)
    assert (made.parity.measure, made.promised) == ("difference", 1e-3)
    assert made.kept and made.parity.worst < 1e-4
    assert made.parity.count == len(TEXTS) * (len(TEXTS) - 1)
    settings = json.loads((tmp_path / "out" / "export.json").read_text())
    assert settings["inputs"] == ["input_ids", "attention_mask", "token_type_ids"]


def test_8_bits_state_their_loss(static, sample, tmp_path):
    whole = export_model(static, out=tmp_path / "out", to="onnx", sample=sample)
    assert whole.promised == 1 - 1e-5
    small = export_model(static, out=tmp_path / "out", to="onnx", precision="int8", sample=sample)
    assert small.promised is None and small.kept
    assert 0.9 < small.parity.worst < 1 - 1e-6
    assert {item.name for item in (tmp_path / "out").iterdir()} == {
        *("model.onnx", "tokenizer.json", "export.json", "README.md", "parity.json", "passport.json")
    }


@pytest.mark.parametrize("precision", ["fp32", "fp16", "int8"])
def test_model2vec(precision, static, sample, tmp_path):
    made = export_model(static, out=tmp_path / "out", to="model2vec", precision=precision, sample=sample)
    assert made.runtime.startswith("model2vec") and made.kept
    exact = {"fp32": 1 - 1e-6, "fp16": 1 - 1e-5, "int8": 0.999}
    assert made.parity.worst > exact[precision]


def test_texts_are_given_in_a_file_or_in_a_list(static, sample, tmp_path):
    texts = sample.read_text().splitlines()
    made = [export_model(static, out=tmp_path / "out", to="model2vec", sample=one) for one in (sample, texts)]
    assert made[0].sample_sha256 == made[1].sample_sha256 and made[1].sample == "texts"
    assert made[0].parity == made[1].parity


@pytest.mark.parametrize("to", ["model2vec", "sentence-transformers"])
def test_texts_with_unknown_parts_are_counted(to, static, tmp_path):
    model2vec = pytest.importorskip("model2vec")
    from sentence_transformers import SentenceTransformer

    texts = [*TEXTS, TEXTS[0] + " \u30b7", "\u3057"]
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(texts) + "\n")
    made = export_model(static, out=tmp_path / "out", to=to, sample=path)
    theirs = model2vec.StaticModel.from_pretrained if to == "model2vec" else SentenceTransformer
    found = theirs(str(tmp_path / "out")).encode(texts)
    own = load_scorer(static).encode(texts)
    cosines = (own * found).sum(axis=1) / np.maximum(np.linalg.norm(found, axis=1), 1e-9)
    differ = cosines < 1 - 1e-4
    assert made.unknown_texts == differ.sum() >= 2
    assert made.unknown_worst == pytest.approx(cosines.min(), abs=1e-6)
    assert certificate(tmp_path / "out")["unknown_texts"] == made.unknown_texts


@pytest.mark.parametrize("to", ["model2vec", "sentence-transformers"])
def test_a_trained_table_and_its_copy_agree_on_unknown_tokens(to, tmp_path):
    pytest.importorskip("model2vec")
    pairs = [(f"when do you open {n}", f"opening hours {n % 3}", n % 2) for n in range(40)]
    tk.train(pairs, dev=pairs, recipe="static", out=tmp_path / "run", seed=0)
    model = tmp_path / "run" / "model"
    tk.export(model, to=to, out=tmp_path / "copy")
    texts = ["reset \u5bc6\u7801 now", "\u65e5\u672c\u8a9e", "\u043a\u0430\u043a do you open", "open"]
    own, theirs = (tk.load_encoder(folder).encode(texts) for folder in (model, tmp_path / "copy"))
    np.testing.assert_allclose(own, theirs, atol=1e-5)
    tk.verify(tmp_path / "copy", expect=model)
    assert json.loads((tmp_path / "copy" / "passport.json").read_text())["model"]["name"] == "copy"


@pytest.mark.parametrize("kind", ["encoder", "static", "score", "classes"])
@pytest.mark.parametrize("installed", [True, False])
def test_sentence_transformers(kind, installed, request, sample, tmp_path, monkeypatch):
    if kind in ("encoder", "static"):
        folder = request.getfixturevalue(kind)
    else:
        folder = tiny_pairs.write_bare(tmp_path / "pairs", outputs=1 if kind == "score" else 3)
    if not installed:
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    made = export_model(folder, out=tmp_path / "out", to="sentence-transformers", sample=sample)
    assert made.runtime.startswith("sentence-transformers" if installed else "textkin")
    assert made.parity.measure == ("cosine" if kind in ("encoder", "static") else "difference")
    assert (made.parity.rank_change is None) == (kind == "classes")
    assert made.kept and made.parity.same == 1


def test_a_threshold_goes_with_a_folder_until_its_files_change(static, tmp_path, capsys):
    folder, decision = tmp_path / "model", tmp_path / "decision.json"
    shutil.copytree(static, folder)
    labelled = [(a, b, int(a[:4] == b[:4])) for a in TEXTS[:6] for b in TEXTS[:6]]
    tk.calibrate(labelled, folder, f1=True, out=decision)
    pairs = [(a, b) for a, b, _ in labelled]
    wanted = tk.score(pairs, model=folder, decision=decision)
    assert wanted.threshold is not None and tk.score(pairs, model=folder).threshold is None
    tk.verify(folder, decision=decision, out=folder)
    found = tk.score(pairs, model=folder)
    assert found.threshold == wanted.threshold and found.threshold_fitted
    np.testing.assert_array_equal(found.same, wanted.same)
    np.testing.assert_array_equal(found.probabilities, wanted.probabilities)
    with (folder / "tokenizer.json").open("a") as file:
        file.write("\n")
    capsys.readouterr()
    assert tk.score(pairs, model=folder).threshold is None
    assert "is left aside, since it is of other files" in capsys.readouterr().err


def test_an_export_that_says_something_else_is_not_written(static, sample, tmp_path, monkeypatch):
    def wrong(folder, to):
        runtime, rows = open_export(folder, to)
        return runtime, lambda texts: rows(texts) * np.linspace(1, 1.3, 6, dtype=np.float32)

    open_export = export_folder.open_export
    monkeypatch.setattr(export_folder, "open_export", wrong)
    out = tmp_path / "out"
    with pytest.raises(VerifyError):
        export_model(static, out=out, to="model2vec", sample=sample)
    assert list(tmp_path.iterdir()) == []
    made = export_model(static, out=out, to="model2vec", sample=sample, accept_loss=True)
    assert not made.kept and not certificate(out)["kept"]
    monkeypatch.setattr(
        export_folder, "open_export", lambda *_: ("", lambda texts: np.full((len(texts), 6), np.nan))
    )
    with pytest.raises(VerifyError):
        export_model(static, out=out, to="model2vec", sample=sample, accept_loss=True)
    assert certificate(out)["parity"]["worst"] < 1


def test_what_a_target_cannot_express(encoder, static, sample, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ModelError, match=r"tiny can't be exported to model2vec: .*tk.distil"):
        export_model(encoder, out=out, to="model2vec", sample=sample)
    with pytest.raises(UsageError) as error:
        export_model(static, out=out, to="openvino", precision="int8", sample=sample)
    assert error.value.params == ("dtype",)
    with pytest.raises(UsageError) as error:
        export_model("tfidf", out=out, to="onnx", sample=sample)
    assert error.value.params == ("model",)
    pairs = tiny_pairs.write_bare(tmp_path / "pairs")
    with pytest.raises(ModelError, match="can't be exported to model2vec"):
        export_model(pairs, out=out, to="model2vec", sample=sample)
    assert not out.exists()


def test_wrong_samples_and_folders(static, sample, tmp_path):
    one = tmp_path / "one.txt"
    one.write_text("the cat\nthe cat\n")
    with pytest.raises(DataError) as error:
        export_model(static, out=tmp_path / "out", to="model2vec", sample=one)
    assert str(error.value.path).endswith("one.txt")
    with pytest.raises(UsageError) as error:
        export_model(static, out=one, to="model2vec", sample=sample)
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        export_model(static, out=tmp_path, to="model2vec", sample=sample)
    assert error.value.params == ("out",)
    with pytest.raises(OutputError):
        export_model(static, out=one / "below", to="model2vec", sample=sample)
    made = tmp_path / "out"
    export_model(static, out=made, to="model2vec", sample=sample)
    with pytest.raises(UsageError) as error:
        export_model(made, out=made, to="model2vec", sample=sample)
    assert error.value.params == ("out",)


@pytest.mark.parametrize(
    ("package", "to"), [("onnxscript", "onnx"), ("onnxruntime", "onnx"), ("openvino", "openvino")]
)
def test_missing_packages(package, to, static, sample, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"'{package}'.*pip install 'textkin\[{to}\]'"):
        export_model(static, out=tmp_path / "out", to=to, sample=sample)
    assert list(tmp_path.iterdir()) == []


def test_the_bundled_sample_is_the_default(static, tmp_path):
    made = export_model(static, out=tmp_path / "out", to="model2vec")
    assert (made.sample, made.texts) == ("bundled questions.tsv", 1000)


def test_the_minilm_in_the_box(sample, tmp_path):
    made = export_model("minilm", out=tmp_path / "out", to="onnx", sample=sample)
    assert made.kept and 1 - 1e-5 < made.parity.worst <= made.parity.mean < 1 + 1e-6
    assert (made.parity.same, made.parity.rank_change) == (1, 0)


@pytest.mark.parametrize("name", ["x" * 300, "a/" * 3_000 + "b"])
def test_a_folder_whose_name_no_system_takes_can_not_be_written(encoder, sample, name):
    with pytest.raises(OutputError):
        export_model(encoder, out=name, to="onnx", sample=sample)
