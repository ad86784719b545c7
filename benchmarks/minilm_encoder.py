"""Build the built-in transformer, or measure the distance of its vectors from the original's.

    python benchmarks/minilm_encoder.py make SOURCE --out src/textkin/models/box/minilm
    python benchmarks/minilm_encoder.py check SOURCE TEXTS... --out src/textkin/models/box/minilm

SOURCE is all-MiniLM-L6-v2's folder, TEXTS are files with one text per line. The check reads SOURCE with
sentence-transformers and the built-in model with textkin, and writes ``certificate.json``.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import numpy as np

from textkin.base.files import sha256_of_file, sha256_of_json, write_bytes, write_json, write_text
from textkin.models.packed_weights import GROUP, PACKED, packed
from textkin.models.provenance import versions

SOURCE = "model.safetensors"
NAME = "sentence-transformers/all-MiniLM-L6-v2"
COPIED = (
    *("config.json", "modules.json", "sentence_bert_config.json", "special_tokens_map.json"),
    *("tokenizer_config.json", "1_Pooling/config.json"),
)
BUFFERS = ("position_ids",)  # recomputed by each reader of the network


def make(source: Path, out: Path) -> None:
    """Write the weights, the tokenizer and the settings."""
    from safetensors.numpy import load_file, save

    tensors = {
        name: tensor
        for name, tensor in load_file(source / SOURCE).items()
        if not name.endswith(BUFFERS) and not name.startswith("pooler.")
    }
    write_bytes(out / PACKED, save(packed(tensors), metadata={"format": "pt"}))
    tokenizer = json.loads((source / "tokenizer.json").read_text(encoding="utf-8"))
    write_text(out / "tokenizer.json", json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")))
    for name in COPIED:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, out / name)
    write_json(
        out / "source.json",
        {
            "name": NAME,
            "licence": "Apache-2.0",
            "sha256": {name: sha256_of_file(source / name) for name in (SOURCE, "tokenizer.json")},
            "stored": f"int8, a scale in float16 for each {GROUP} numbers of a row; vectors in float16",
        },
    )


def check(source: Path, texts: list[str], out: Path) -> None:
    """Write the agreement of the vectors with the original's."""
    from sentence_transformers import SentenceTransformer

    from textkin.kinds.systems import load_encoder

    theirs = SentenceTransformer(str(source), device="cpu", local_files_only=True).encode(
        texts, normalize_embeddings=True, batch_size=32
    )
    cosines = (theirs.astype(np.float64) * load_encoder("minilm").encode(texts)).sum(axis=1)
    worst = int(cosines.argmin())
    write_json(
        out / "certificate.json",
        {
            "original": NAME,
            "texts": len(texts),
            "sha256_of_texts": sha256_of_json(texts),
            "worst": round(float(cosines[worst]), 6),
            "mean": round(float(cosines.mean()), 6),
            "below_0.999": int((cosines < 0.999).sum()),
            "weights": {PACKED: sha256_of_file(out / PACKED), SOURCE: sha256_of_file(source / SOURCE)},
            "versions": versions(),
        },
    )
    print(
        f"{len(texts):,} texts: mean {cosines.mean():.6f}, worst {cosines[worst]:.6f}: {texts[worst][:60]!r}"
    )


def main() -> None:
    """Build it or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("make", "check"))
    parser.add_argument("source", type=Path)
    parser.add_argument("texts", type=Path, nargs="*")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.what == "make":
        make(options.source, options.out)
        return
    lines = [line for path in options.texts for line in path.read_text(encoding="utf-8").split("\n")]
    check(options.source, [line for line in lines if line], options.out)


if __name__ == "__main__":
    main()
