"""Copies of a transformer's folder, faithful ones and others, each made by a function of folder and path."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from textkin.data.protocols import Side
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.models.inference.scorers import NeuralEncoder
from textkin.models.model_folder import Model, load_model, save_decision, save_model
from textkin.networks.architectures.table import build
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.verbs.deploy.export_model import export_model

Make = Callable[[Path, Path], object]


class Rounded:
    """An encoder whose vectors are stored in fewer bits."""

    def __init__(self, folder: Path, bits: Callable[[np.ndarray], np.ndarray]) -> None:
        self.name, self._encoder, self._bits = "rounded", loaded(folder), bits

    def encode(self, texts, *, side=Side.DOCUMENT):
        return self._bits(self._encoder.encode(texts, side=side))


def loaded(folder: Path) -> NeuralEncoder:
    model = load_model(folder)
    return NeuralEncoder(model.module, model.pipeline, name=model.name, loaded=model)


def bf16(values: np.ndarray) -> np.ndarray:
    return torch.from_numpy(values).bfloat16().float().numpy()


def weights(change: Callable[[str, torch.Tensor], torch.Tensor]) -> Make:
    """The same network with other weights."""

    def make(folder: Path, out: Path) -> Path:
        model = load_model(folder)
        with torch.no_grad():
            for name, weight in model.module.named_parameters():
                weight.copy_(change(name, weight.clone()))
        return save_model(model, out)

    return make


def quantised(levels: int) -> Make:
    """Weights in a few levels, with a scale for each row: the gentlest way."""

    def change(_name: str, weight: torch.Tensor) -> torch.Tensor:
        if weight.ndim != 2:
            return weight
        scale = weight.abs().amax(dim=1, keepdim=True).clamp_min(1e-9) / levels
        return (weight / scale).round() * scale

    return weights(change)


def pipeline(**changes: object) -> Make:
    """The same network behind another text pipeline."""

    def make(folder: Path, out: Path) -> Path:
        model = load_model(folder)
        options = {**model.pipeline._options(), **changes}
        definition = options.pop("definition", None) or model.pipeline.definition
        if callable(definition):
            definition = json.dumps(definition(json.loads(model.pipeline.definition)))
        return save_model(replace(model, pipeline=TokenizerPipeline(definition, **options)), out)

    return make


def arguments(**changes: object) -> Make:
    """The same weights in another architecture."""

    def make(folder: Path, out: Path) -> Path:
        model = load_model(folder)
        values = {**model.arguments, **changes}
        module = build(model.architecture, **{**values, "backbone": copy.deepcopy(model.module.backbone)})
        for ours, theirs in zip(module.dense, model.module.dense, strict=True):
            ours.load_state_dict(theirs.state_dict())
        return save_model(replace(model, arguments=values, module=module), out)

    return make


def shorter(folder: Path, out: Path) -> Path:
    limit = load_model(folder).pipeline.max_length
    return pipeline(max_length=limit * 3 // 4)(folder, out)


def layers(change: Callable[[torch.nn.Module], None]) -> Make:
    def make(folder: Path, out: Path) -> Path:
        model = load_model(folder)
        with torch.no_grad():
            change(model.module.backbone)
        return save_model(model, out)

    return make


def swap(backbone: torch.nn.Module) -> None:
    first, second = backbone.encoder.layer[0], backbone.encoder.layer[1]
    mine, others = copy.deepcopy(first.state_dict()), copy.deepcopy(second.state_dict())
    first.load_state_dict(others)
    second.load_state_dict(mine)


def silence(backbone: torch.nn.Module) -> None:
    backbone.encoder.layer[-1].output.dense.weight.zero_()


def behead(backbone: torch.nn.Module) -> None:
    width = backbone.config.hidden_size // backbone.config.num_attention_heads
    backbone.encoder.layer[0].attention.output.dense.weight[:, :width].zero_()


def casing(definition: dict) -> dict:
    definition["normalizer"]["lowercase"] = not definition["normalizer"]["lowercase"]
    return definition


def accents(definition: dict) -> dict:
    ours = definition["normalizer"]
    strips = ours["lowercase"] if ours["strip_accents"] is None else ours["strip_accents"]
    ours["strip_accents"] = not strips
    return definition


def other_tokens(definition: dict) -> dict:
    """Ten letters are permuted, as in a retrained tokenizer."""
    vocabulary = definition["model"]["vocab"]
    letters = [one for one in vocabulary if len(one) == 1 and one.isalpha()][:10]
    ids = [vocabulary[one] for one in letters]
    vocabulary.update(zip(letters, ids[1:] + ids[:1], strict=True))
    return definition


def unnormalised(folder: Path, out: Path) -> Path:
    return arguments(normalize=False)(folder, out)


def noise(name: str, weight: torch.Tensor) -> torch.Tensor:
    torch.manual_seed(len(name))
    return weight + 0.05 * weight.std(correction=0) * torch.randn_like(weight)


def other(name: str, weight: torch.Tensor) -> torch.Tensor:
    torch.manual_seed(len(name))
    return weight[torch.randperm(len(weight))] if weight.ndim == 2 else weight


TAMPERED: dict[str, Make] = {
    "8 bits, a scale for each row": quantised(127),
    "6 bits": quantised(31),
    "4 bits": quantised(7),
    "pooling by the first token": arguments(pooling=["first"]),
    "pooling by the largest": arguments(pooling=["max"]),
    "vectors of any length": unnormalised,
    "another prompt of documents": pipeline(prompts={Side.DOCUMENT: "again: "}),
    "another prompt of queries": pipeline(prompts={Side.QUERY: "again: "}),
    "another limit of tokens": shorter,
    "other lower-casing": pipeline(definition=casing),
    "other accents": pipeline(definition=accents),
    "another tokenizer": pipeline(definition=other_tokens),
    "swapped layers": layers(swap),
    "a layer less": layers(silence),
    "a head less": layers(behead),
    "a little noise": weights(noise),
    "another checkpoint": weights(other),
    "no biases": weights(lambda name, one: one * 0 if name.endswith("bias") else one),
    "positions left out": weights(lambda name, one: one * 0 if "position_embeddings" in name else one),
    "a larger embedding of a special token": weights(
        lambda name, one: torch.cat([one[:1], one[1:] * 1.05]) if "word_embeddings" in name else one
    ),
    "fewer dimensions": arguments(truncate=8),
}


def moved(folder: Path, out: Path) -> Path:
    return Path(shutil.copytree(folder, out / "elsewhere"))


def saved_twice(folder: Path, out: Path) -> Path:
    return save_model(load_model(save_model(load_model(folder), out / "a")), out / "b")


def with_files(folder: Path, out: Path) -> Path:
    made = moved(folder, out)
    (made / "README.md").write_text("another card")
    (made / "notes.txt").write_text("notes")
    return made


def with_threshold(folder: Path, out: Path) -> Path:
    made = save_model(load_model(folder), out)
    labels, scores = np.array([0.0, 1.0] * 50), np.linspace(0, 1, 100, dtype=np.float32)
    found = fit_threshold(labels, scores, Goal.parse("f1"))
    save_decision(made, threshold=SavedThreshold(found, "pairs"), calibration=None)
    return made


def reformatted(folder: Path, out: Path) -> Path:
    made = moved(folder, out)
    for path in (made / "tokenizer.json", made / "config.json"):
        path.write_text(json.dumps(json.loads(path.read_text()), indent=3))
    return made


def exported(to: str, precision: str = "fp32") -> Make:
    def make(folder: Path, out: Path) -> Path:
        sample = out / "texts.txt"
        sample.write_text("\n".join(f"text {number}" for number in range(20)))
        export_model(folder, out=out / "export", to=to, precision=precision, sample=sample)
        return out / "export"

    return make


def saved_by_others(folder: Path, out: Path) -> Path:
    from sentence_transformers import SentenceTransformer

    SentenceTransformer(str(folder), device="cpu").save(str(out / "theirs"), create_model_card=False)
    return out / "theirs"


def trained_nothing(folder: Path, out: Path) -> Model:
    """A trip through training mode."""
    found = loaded(folder)
    found._module.train()
    return found


HONEST: dict[str, Make] = {
    "itself": lambda folder, _: folder,
    "moved": moved,
    "a link": lambda folder, out: (out / "link").symlink_to(folder.resolve()) or out / "link",
    "saved by textkin": lambda folder, out: save_model(load_model(folder), out),
    "saved twice": saved_twice,
    "saved by sentence-transformers": saved_by_others,
    "other files beside it": with_files,
    "a threshold saved with it": with_threshold,
    "JSON set otherwise": reformatted,
    "ONNX": exported("onnx"),
    "OpenVINO": exported("openvino"),
    "OpenVINO in 16 bits": exported("openvino", "fp16"),
    "exported to sentence-transformers": exported("sentence-transformers"),
    "weights in bf16": weights(lambda _, one: one.bfloat16().float()),
    "weights in fp16": weights(lambda _, one: one.half().float()),
    "products in bf16": lambda folder, _: loaded(folder).computing("bf16"),
    "vectors in bf16": lambda folder, _: Rounded(folder, bf16),
    "vectors in fp16": lambda folder, _: Rounded(folder, lambda one: one.astype(np.float16).astype("f4")),
    "an object": lambda folder, _: loaded(folder),
    "in training mode": trained_nothing,
}
