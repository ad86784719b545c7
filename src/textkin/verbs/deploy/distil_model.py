"""Make a static encoder of a transformer: one vector a token, and no network left.

::

    model.safetensors    the vectors, with the weights of their tokens in them
    tokenizer.json       of the teacher, without tokens that texts never have
    ngrams.safetensors   rows for n-grams of unknown words, which other libraries leave aside
    config.json          and modules.json: model2vec and sentence-transformers open the folder by these
    distil.json          the teacher and the settings
    README.md            the model card
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.argument_checks import check_fields
from textkin.base.arrays import Bools, Floats, Floats32, Ints, Ints32
from textkin.base.errors import DataError, ModelError, invalid
from textkin.base.extras import import_torch
from textkin.base.files import atomic_files, sha256_of_file, sole_writer, write_json, write_text
from textkin.base.hub import located, name_of
from textkin.base.progress import progress
from textkin.base.python_inputs import several
from textkin.base.results import Summary
from textkin.data.readers import load_texts
from textkin.models.provenance import hash_of_model
from textkin.text.distilled import fit_to_texts, principal_components, sif_weights, zipf
from textkin.text.distilled_similarities import NEAR, fit_to_similarities
from textkin.text.distilled_tokens import DistilledTokens, distilled_tokens, read_frequencies, read_words
from textkin.text.static_embeddings import StaticTable, Stored, save_static
from textkin.text.unknown_tokens import is_suspect
from textkin.text.unknown_vectors import fit_ngrams
from textkin.vectors.join.nearest import Searcher
from textkin.version import __version__

if TYPE_CHECKING:
    from textkin.networks.architectures.transformer import TransformerEncoder
    from textkin.text.tokenizer_pipeline import TokenizerPipeline

RECORD, CARD = "distil.json", "README.md"
_LAST = "config.json"
_TOKENS_PER_BATCH = 4_096
_TEXTS_PER_BATCH = 1_024
_BLOCK = 200_000  # texts; the search within them takes the square of that


@dataclass(frozen=True, slots=True)
class DistilOptions:
    """Options of distillation.

    Attributes:
        dim: width of the vectors, by principal components; None leaves the teacher's dimensions as they are.
        sif: coefficient of the tokens' weights; infinite for no weights.
        vocabulary: a file of words that get vectors of their own, beside the teacher's tokens.
        frequencies: a file of tokens with counts; others count as the rarest of these. Left out, the order of
            the vocabulary is taken for that of frequencies, by Zipf's law.
        texts: files of texts, any format that textkin reads; given, tokens' vectors are fitted so that the
            means over texts point where the teacher's vectors of these texts do.
        strength: strength of the regularisation towards the tokens' own vectors.
        epochs: passes over the texts after that fit, in which texts learn to resemble each other as they do
            for the teacher; 0 for none.
        stored: the type of the vectors in the file.
        ngrams: rows for hashed character n-grams, from which unknown Latin words get vectors; 0 for none.

    Example:
        >>> DistilOptions(dim=64).stored
        'int8'
    """

    dim: int | None = 128
    sif: float = 1e-4
    vocabulary: Path | None = None
    frequencies: Path | None = None
    texts: tuple[Path, ...] = ()
    strength: float = 1.0
    epochs: int = 2
    stored: Stored = "int8"
    ngrams: int = 2048

    def __post_init__(self) -> None:
        check_fields(self)
        several(self.texts, "texts")
        if not self.sif > 0:
            raise invalid("sif", self.sif, expected="a number above 0, such as 1e-4")
        if not 0 < self.strength < float("inf"):
            raise invalid("strength", self.strength, expected="a finite number above 0, such as 1")


@dataclass(frozen=True, slots=True, repr=False)
class Distilled(Summary):
    """Result of a distillation.

    Attributes:
        folder: the folder of the static encoder.
        teacher: the name of its teacher.
        tokens: with vectors.
        dim: width of the vectors.
        words: words that were added to the teacher's tokens.
        left_out: words of the vocabulary that the tokenizer takes apart, or knew before.
        texts: distinct texts that the vectors were fitted to.
        megabytes: size of all files.

    Example:
        >>> from textkin.verbs import Distilled
        >>> from dataclasses import fields
        >>> [field.name for field in fields(Distilled)][:4]
        ['folder', 'teacher', 'tokens', 'dim']
    """

    folder: Path
    teacher: str
    tokens: int
    dim: int
    words: int
    left_out: int
    texts: int
    megabytes: float

    def text(self) -> str:
        """The teacher, the student and its size in words."""
        more = f", {self.words:,} of them words added to its own" if self.words or self.left_out else ""
        lines = [
            f"{self.folder}: {self.tokens:,} tokens of {self.teacher}{more}, width {self.dim}, "
            f"{self.megabytes:.1f} MB"
        ]
        if self.texts:
            lines.append(f"fitted to {self.texts:,} texts")
        if self.left_out:
            lines.append(f"{self.left_out:,} words have no token of their own, or had one before")
        return "\n".join(lines)


def distil_model(data: Path | str, *, out: Path | str, options: DistilOptions | None = None) -> Distilled:
    """Make a static encoder of a transformer; textkin, model2vec and sentence-transformers open its folder.

    Args:
        data: the teacher: a folder, or the name of a model in the Hugging Face cache.
        out: the new folder, or an older distillation to be replaced.
        options: see :class:`DistilOptions`.

    Raises:
        ModelError: the teacher can't be read, or is not a transformer.
        DataError: a file of words, frequencies or texts can't be read.
        UsageError: an option does not fit the teacher, or ``out`` holds something else.
        OutputError: ``out`` can't be written to.
    """
    from textkin.kinds.systems import load
    from textkin.kinds.systems.passports import keep_passport

    import_torch()
    options = options or DistilOptions()
    source = located(data)
    module, pipeline = _teacher(source)
    with sole_writer(out) as target:
        if any(target.iterdir()) and not (target / RECORD).is_file():
            raise invalid("out", target, expected="an empty folder, or one with a distilled model")
        words = [] if options.vocabulary is None else read_words(options.vocabulary)
        chosen = distilled_tokens(pipeline, words)
        texts = _texts(options.texts)
        plain = _table(module, pipeline, chosen, texts, options)
        table = with_ngrams(plain, chosen.tokens, options.ngrams)
        record = {
            "textkin": __version__,
            "teacher": name_of(source),
            "teacher_sha256": hash_of_model(source),
            "tokens": len(chosen.tokens),
            "dim": table.matrix.shape[1],
            "texts": len(texts),
            "words": chosen.words,
            "options": _recorded(options),
        }
        with atomic_files(target, last=_LAST) as staged:
            save_static(table, staged, stored=options.stored)
            write_json(staged / RECORD, record)
            write_text(staged / CARD, _card(target.name, record))
        keep_passport(load(target), target)
        return Distilled(
            folder=target,
            teacher=name_of(source),
            tokens=len(chosen.tokens),
            dim=table.matrix.shape[1],
            words=chosen.words,
            left_out=chosen.left_out,
            texts=len(texts),
            megabytes=sum(item.stat().st_size for item in target.iterdir()) / 1e6,
        )


def _teacher(source: Path) -> tuple[TransformerEncoder, TokenizerPipeline]:
    from textkin.models.model_folder import load_model
    from textkin.networks.architectures.transformer import TransformerEncoder
    from textkin.text.tokenizer_pipeline import TokenizerPipeline

    model = load_model(source)
    if not isinstance(model.module, TransformerEncoder) or not isinstance(model.pipeline, TokenizerPipeline):
        raise ModelError(
            f"{source} holds a model of the kind {model.architecture}",
            fix="give a sentence encoder on a transformer",
        )
    return model.module.eval(), model.pipeline


def _texts(files: Sequence[Path]) -> list[str]:
    return list(dict.fromkeys(text for file in files for text in load_texts(file).data.texts))


def _table(
    module: TransformerEncoder,
    pipeline: TokenizerPipeline,
    chosen: DistilledTokens,
    texts: Sequence[str],
    options: DistilOptions,
) -> StaticTable:
    """The vectors: of tokens alone, along principal components, weighted, and maybe fitted to texts."""
    alone = token_vectors(module, pipeline, chosen)
    known = np.array([bool(pieces) for pieces in chosen.pieces])
    of_texts = towards = _vectors_of_texts(module, pipeline, texts)
    vectors = alone
    if options.dim is not None:
        axes = principal_components(of_texts if texts else alone[known], options.dim)
        # Tokens have a middle of their own, since each is read between the same special tokens.
        vectors = (alone - alone[known].mean(axis=0)) @ axes.axes
        towards = axes.of(of_texts) if texts else of_texts
    weights = np.zeros(len(alone), dtype=np.float32)
    weights[known] = sif_weights(_frequencies(chosen, known, options.frequencies), options.sif)
    matrix = np.asarray(vectors * weights[:, None], dtype=np.float32)
    plain = StaticTable(tokenizer=chosen.tokenizer, matrix=matrix, normalize=True)
    if not texts:
        return plain
    ids = plain.pipeline.ids(texts)
    fitted = fit_to_texts(matrix, ids, towards, strength=options.strength)
    fitted = with_similarities(fitted, ids, of_texts, epochs=options.epochs)
    return StaticTable(tokenizer=chosen.tokenizer, matrix=fitted, normalize=True)


def with_similarities(
    matrix: Floats32,
    ids: Sequence[Ints32],
    of_texts: Floats32,
    *,
    epochs: int,
) -> Floats32:
    """Token vectors whose similarities of texts are closer to the teacher's.

    Args:
        matrix: the vectors so far. Shape [tokens, dim].
        ids: the tokens of each text.
        of_texts: the teacher's vectors. Shape [texts, width].
        epochs: passes over the texts; 0 leaves the vectors as they are.
    """
    if not epochs or not len(ids):
        return matrix
    near = _nearest(of_texts)
    with progress("comparing texts", total=epochs * len(ids)) as shown:
        return fit_to_similarities(matrix, ids, of_texts, near, epochs=epochs, advance=shown.advance)


def _nearest(vectors: Floats32) -> Ints:
    """The texts nearest to each within its block, -1 where there are no more. Shape [texts, near]."""
    found = []
    for block in np.array_split(np.arange(len(vectors)), -(-len(vectors) // _BLOCK)):
        part = vectors[block]
        near = Searcher(part, cosine=True).nearest(part, NEAR, apart=True, quiet=False).documents
        found.append(np.where(near < 0, -1, near + block[0]))
    return np.concatenate(found)


def with_ngrams(table: StaticTable, tokens: Sequence[str], count: int) -> StaticTable:
    """The same table with ``count`` rows for n-grams, fitted to vectors of its Latin words."""
    bare = [token.lstrip("▁Ġ") for token in tokens]
    places = [place for place, word in enumerate(bare) if _is_word(word) and table.matrix[place].any()]
    if not count or not places:
        return table
    fitted = fit_ngrams([bare[place] for place in places], table.matrix[places], buckets=count)
    return replace(table, ngrams=fitted)


def _is_word(token: str) -> bool:
    return len(token) > 2 and token.isalpha() and not is_suspect(token)


def _frequencies(chosen: DistilledTokens, known: Bools, file: Path | None) -> Floats:
    """Frequency of each token with a vector, from a file or by Zipf's law. Shape [known tokens]."""
    if file is None:
        return zipf(int(known.sum()))
    found = read_frequencies(file)
    listed = [found.get(token) for token, has in zip(chosen.tokens, known, strict=True) if has]
    given = [count for count in listed if count is not None]
    if not given:
        raise DataError("has none of the tokens", path=file, fix="spell tokens as tokenizer.json does")
    return np.array([min(given) if count is None else count for count in listed])


def token_vectors(
    module: TransformerEncoder, pipeline: TokenizerPipeline, chosen: DistilledTokens
) -> Floats32:
    """The teacher's vector of each token between special tokens; zero for tokens without pieces.

    The vectors have the lengths that the pooling gives them. Shape [tokens, width].
    """
    import torch

    from textkin.networks.batches.padded import TextBatch

    before, after = pipeline.frame
    rows = [np.array([*before, *pieces, *after], dtype=np.int32) for pieces in chosen.pieces]
    lengths = np.array([len(row) if pieces else 0 for row, pieces in zip(rows, chosen.pieces, strict=True)])
    order = np.flatnonzero(lengths)[np.argsort(lengths[lengths > 0], kind="stable")]
    vectors = np.zeros((len(rows), module.dim), dtype=np.float32)
    size = max(1, _TOKENS_PER_BATCH // max(1, int(lengths.max(initial=1))))
    with torch.inference_mode(), progress("reading tokens", total=len(order)) as shown:
        for start in range(0, len(order), size):
            part = order[start : start + size]
            batch = TextBatch.from_ids([rows[row] for row in part], pad_id=pipeline.pad_id)
            vectors[part] = module.pooled(batch).float().numpy()
            shown.advance(len(part))
    return vectors


def _vectors_of_texts(
    module: TransformerEncoder, pipeline: TokenizerPipeline, texts: Sequence[str]
) -> Floats32:
    from textkin.models.inference.scorers import NeuralEncoder

    encoder = NeuralEncoder(module, pipeline, name="teacher")
    vectors = np.empty((len(texts), module.dim), dtype=np.float32)
    with progress("reading texts", total=len(texts), quiet=not texts) as shown:
        for start in range(0, len(texts), _TEXTS_PER_BATCH):
            part = texts[start : start + _TEXTS_PER_BATCH]
            vectors[start : start + len(part)] = encoder.encode(part)
            shown.advance(len(part))
    return vectors


def _recorded(options: DistilOptions) -> dict[str, Any]:
    """The options in JSON's types; files count by their content."""
    files = {
        name: None if path is None else sha256_of_file(path)
        for name, path in (("vocabulary", options.vocabulary), ("frequencies", options.frequencies))
    }
    sif = None if np.isinf(options.sif) else options.sif
    return {**asdict(options), **files, "sif": sif, "texts": [sha256_of_file(path) for path in options.texts]}


def _card(name: str, record: dict[str, Any]) -> str:
    fitted = f", fitted to its vectors of {record['texts']:,} texts" if record["texts"] else ""
    return (
        f"# {name}\n\nA static encoder: {record['tokens']:,} token vectors of width {record['dim']}, "
        f"distilled by textkin {record['textkin']} from {record['teacher']}{fitted}. "
        f"`{RECORD}` has the options.\n\n"
        "Nothing has been measured with it yet. The teacher's licence holds for it too.\n"
    )
