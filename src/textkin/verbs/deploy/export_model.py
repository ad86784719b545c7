"""Write a model for another runtime, and prove on texts that its outputs are the same.

What was written is opened again by that runtime, before the folder is put into place::

    parity.json          the certificate: the deviation of its figures from the original's, and the texts
    passport.json        outputs for 64 texts, and the original's threshold, see ``passports``
    README.md            how to run it
    (network)            see ``models.interop.exported`` for ONNX and OpenVINO; else the library's own layout
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import DataError, ModelError, VerifyError, invalid, unknown_choice
from textkin.base.extras import require_torch
from textkin.base.files import atomic_folder, sha256_of_file, sha256_of_json, write_json
from textkin.base.hub import located
from textkin.base.paths import exists, is_folder, real
from textkin.base.progress import progress
from textkin.base.python_inputs import path_of
from textkin.base.results import ResultRow, Summary
from textkin.data import samples
from textkin.data.readers import TextReading, load_texts
from textkin.kinds.parity import (
    DEPTH,
    Parity,
    pairs_of,
    parity_of_classes,
    parity_of_scores,
    parity_of_vectors,
)
from textkin.kinds.systems.open_folder import open_model
from textkin.kinds.systems.passports import keep_passport
from textkin.models.interop.folder_kinds import CERTIFICATE
from textkin.models.passports.document import ExportLoss, PassportDecision
from textkin.models.provenance import hash_of_model, machine, versions
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.text.baselines.names import BASELINES
from textkin.verbs.deploy.targets import PRECISIONS, Precision, Target
from textkin.verbs.inputs import texts_from

if TYPE_CHECKING:
    from textkin.models.inference.scorers import NeuralClassifier, NeuralEncoder, NeuralScorer
    from textkin.models.interop.tensor_graph import Rows

# What a precision promises; others state their loss.
_LEAST_COSINE = MappingProxyType({"fp32": 1 - 1e-5, "fp16": 1 - 1e-4})
_LARGEST_DIFFERENCE = MappingProxyType({"fp32": 1e-3})
_ROUNDING = 1e-4  # tolerated difference of two vectors of the same text
_TEXTS = 1_000
_SAMPLE = "questions.tsv"


@dataclass(frozen=True, slots=True, repr=False)
class Certificate(Summary):
    """Deviation of an export from its original.

    Attributes:
        model: the original's name.
        model_sha256: the hash of its files.
        target: whose layout the export has.
        precision: number type of its weights.
        runtime: the runtime used: the target's own library, or textkin where that isn't installed.
        sample: the source of the texts.
        sample_sha256: the hash of the texts.
        texts: number of texts.
        parity: the measured parity, of the parts of texts that the model knows.
        unknown_texts: number of texts with unknown parts, for which textkin alone has vectors.
        unknown_worst: the lowest cosine between textkin's vectors of these and the export's; None of none.
        promised: the lowest cosine, or the largest difference, that the precision stands for; None if its
            loss is stated, not promised.
        kept: whether the parity is good enough.
        versions: versions of libraries.
        machine: in words.
        files: the SHA-256 of each file of the export.

    Example:
        >>> import textkin as tk
        >>> made = tk.export("default", out="exported", to="model2vec").certificate
        >>> made.parity.worst > 0.999
        True
    """

    model: str
    model_sha256: str
    target: Target
    precision: Precision
    runtime: str
    sample: str
    sample_sha256: str
    texts: int
    parity: Parity
    unknown_texts: int
    unknown_worst: float | None
    promised: float | None
    kept: bool
    versions: Mapping[str, str]
    machine: str
    files: Mapping[str, str]

    def _rows(self) -> Iterator[ResultRow]:
        parity = self.parity
        yield {
            **self._fields("model", "target", "precision", "runtime", "sample", "texts"),
            f"mean {parity.measure}": parity.mean,
            f"worst {parity.measure}": parity.worst,
            **self._fields("unknown_texts", "unknown_worst", "promised", "kept"),
        }


def export_model(
    data: Path | str,
    *,
    out: Path | str,
    to: Target,
    precision: Precision = "fp32",
    sample: Any = None,
    accept_loss: bool = False,
) -> Certificate:
    """Write a model for another runtime, whole or not at all, and prove that its outputs are the same.

    Args:
        data: the model: a folder, "default", or the name of a model in the Hugging Face cache.
        out: the new folder, or an older export to be replaced.
        to: whose layout.
        precision: number type of the weights.
        sample: texts, or their file, to compare original and export on; the questions of a bundled sample if
            left out.
        accept_loss: write the export even if it is further from the original than its precision promises.

    Raises:
        UsageError: the target knows no such precision, or ``out`` holds something else.
        ModelError: the model can't be read, or the target can't express it.
        DataError: the sample can't be read, or holds fewer than two texts.
        MissingExtraError: the packages that write it are not installed.
        VerifyError: the export's outputs differ from the original's.
        OutputError: ``out`` can't be written to.
    """
    require_torch(extra=to if to in ("onnx", "openvino") else "train")
    from textkin.models.inference.scorers import load_scorer
    from textkin.verbs.deploy.export_folder import library_versions, open_export, writer_of

    target = _target(data, out, to, precision)
    source = located(data)
    name, texts = _sample(sample)
    original = load_scorer(source)
    if original.loaded is None:
        raise ModelError(f"{source} holds no model")
    write = writer_of(original.loaded, to, precision)
    with atomic_folder(target) as staged, progress(f"exporting {original.name}", total=2) as shown:
        write(staged)
        shown.advance()
        runtime, rows = open_export(staged, to)
        parity = _parity(original, rows, texts)
        unknown = _cosines_of_unknown(original, rows, texts)
        promised = (_LEAST_COSINE if parity.measure == "cosine" else _LARGEST_DIFFERENCE).get(precision)
        if not (kept := _kept(parity, promised)) and not accept_loss:
            raise VerifyError(
                f"nothing was written: {to} in {precision} says something else than {original.name}: "
                f"the worst {parity.measure} is {parity.worst:.7f}, promised {promised}",
                fix="report it, or accept it with `accept_loss`",
            )
        certificate = Certificate(
            model=original.name,
            model_sha256=hash_of_model(source),
            target=to,
            precision=precision,
            runtime=runtime,
            sample=name,
            sample_sha256=sha256_of_json(texts),
            texts=len(texts),
            parity=parity,
            unknown_texts=len(unknown),
            unknown_worst=min(unknown, default=None),
            promised=promised,
            kept=kept,
            versions=versions() | library_versions(to),
            machine=machine(),
            files=_hashes(staged),
        )
        write_json(staged / CERTIFICATE, asdict(certificate))
        _keep_passport(staged, original, certificate, name=target.name)
        shown.advance()
    return certificate


def _keep_passport(
    folder: Path,
    original: NeuralEncoder | NeuralScorer | NeuralClassifier,
    certificate: Certificate,
    *,
    name: str,
) -> None:
    """Write the passport of an export, with the threshold of the original.

    A folder that gives its model no name gives it its own, which ``name`` will be.
    """
    from textkin.models.inference.scorers import NeuralEncoder

    model, parity, opened = original.model, certificate.parity, open_model(folder)
    loss = ExportLoss(
        original=certificate.model,
        original_sha256=certificate.model_sha256,
        target=certificate.target,
        precision=certificate.precision,
        measure=parity.measure,
        mean=parity.mean,
        worst=parity.worst,
    )
    keep_passport(
        opened,
        folder,
        name=name if opened.name == folder.name else None,
        decision=PassportDecision()
        if model is None
        else PassportDecision(model.threshold, model.calibration),
        export=loss,
        is_table=isinstance(original, NeuralEncoder) and original.is_table,
    )


def _hashes(folder: Path) -> dict[str, str]:
    files = (item for item in sorted(folder.rglob("*")) if item.is_file())
    return {item.relative_to(folder).as_posix(): sha256_of_file(item) for item in files}


def _target(model: Path | str, out: Path | str, to: Target, precision: Precision) -> Path:
    """The folder to write, after all that can be refused without reading a model."""
    if model in BASELINES:
        raise invalid("model", model, expected="an encoder: a baseline can't be exported")
    if to not in PRECISIONS:
        raise unknown_choice("to", to, PRECISIONS)
    if precision not in PRECISIONS[to]:
        raise unknown_choice("dtype", precision, PRECISIONS[to])
    target = Path(out)
    if exists(target) and not is_folder(target):
        raise invalid("out", target, expected="a folder, not a file")
    if is_folder(target) and any(target.iterdir()) and not (target / CERTIFICATE).is_file():
        raise invalid("out", target, expected="an empty folder, or one with an export")
    if real(target) == real(model):
        raise invalid("out", target, expected="another folder than the model's")
    return target


def _sample(given: Any) -> tuple[str, list[str]]:
    """A name, and distinct texts."""
    path = path_of(given)
    if given is None:
        name, found = f"bundled {_SAMPLE}", [row[-1] for row in samples.rows(_SAMPLE)]
    elif path is None:
        name, found = "texts", list(texts_from(given, TextReading()).texts)
    else:
        loaded = load_texts(path).data
        name, found = loaded.name, list(loaded.texts)
    texts = list(dict.fromkeys(found))[:_TEXTS]
    if len(texts) < 2:
        raise DataError(
            f"has {len(texts)} distinct texts, needed are two or more", path=path, fix="give more texts"
        )
    return name, texts


def _parity(
    original: NeuralEncoder | NeuralScorer | NeuralClassifier, rows: Rows, texts: list[str]
) -> Parity:
    """Compare the figures of original and export, on texts or on pairs of them."""
    from textkin.models.inference.scorers import NeuralClassifier, NeuralEncoder
    from textkin.models.network_outputs import softmax

    if isinstance(original, NeuralEncoder):
        return parity_of_vectors(original.network_vectors(texts), _finite(rows(texts)))
    pairs = pairs_of(texts[: _TEXTS // DEPTH])
    found = _finite(rows(pairs))
    if isinstance(original, NeuralClassifier):
        return parity_of_classes(original.classify(pairs), softmax(found))
    shape = (-1, min(DEPTH, len(texts) - 1))
    return parity_of_scores(original.score(pairs).reshape(shape), found.reshape(shape))


def _cosines_of_unknown(
    original: NeuralEncoder | NeuralScorer | NeuralClassifier, rows: Rows, texts: list[str]
) -> list[float]:
    """The cosine to the export of each text with unknown parts, to whose vector textkin adds theirs."""
    from textkin.models.inference.scorers import NeuralEncoder

    if not isinstance(original, NeuralEncoder) or not original.adds_unknown:
        return []
    own, known = original.encode(texts), original.network_vectors(texts)
    places = np.flatnonzero(np.abs(own - known).max(axis=1) > _ROUNDING)
    if not len(places):
        return []
    export = unit_rows(_finite(rows([texts[place] for place in places])))
    cosines: list[float] = np.einsum("td,td->t", own[places], export).tolist()
    return cosines


def _finite(found: Floats32) -> Floats32:
    if not np.isfinite(found).all():
        raise VerifyError(
            "nothing was written: the export gives numbers that are not finite",
            fix="choose another precision",
        )
    return found


def _kept(parity: Parity, promised: float | None) -> bool:
    if promised is None:
        return True
    return parity.worst >= promised if parity.measure == "cosine" else parity.worst <= promised
