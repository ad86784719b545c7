"""Write vectors as PI-SQuAD files, with names that every file system accepts."""

import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np

from textkin.base.argument_checks import check_fields
from textkin.base.counts import count
from textkin.base.files import as_output, sha256_of_file
from textkin.base.paths import is_file
from textkin.base.progress import progress
from textkin.base.results import ResultRow, Summary
from textkin.collection.phrase_files.npz_vectors import Dtype, save_rows
from textkin.data.protocols import Features, PhraseEncoder, PhraseVectors, nothing_of
from textkin.data.readers.datasets.squad_parts import ContextPart, QuestionPart, read_contexts, read_questions
from textkin.vectors.index import encoded_phrases as encoding
from textkin.vectors.index.resumable_folder import PartFolder, finished, part_folder

FORMAT = 2
CONTEXTS, QUESTIONS = "phrases of contexts", "questions"
QUESTION_FILE = "questions.json"
"""The file of questions and their paragraphs, next to the question vectors."""

_AT_ONCE = 32
_NOTED_EVERY = 512  # files
_COUNTS = ("items", "vectors", "empty", "dim", "bytes", "words")

_Written = tuple[list[Path], list[int]]  # the files of a batch, and the number of vectors per item


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedOptions:
    """Options for writing vectors.

    Attributes:
        dtype: float32, float16 or int8: four, two or one bytes per number.
        compressed: compress the files.
        with_texts: for contexts, also write the text of the paragraph and the offsets of its phrases.
        per_passage: for contexts, the number of phrases per paragraph with the highest priors; all if None.
    """

    dtype: Dtype = "float32"
    compressed: bool = False
    with_texts: bool = False
    per_passage: int | None = None

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EmbeddedFiles(Summary):
    """Vectors on the disk.

    Attributes:
        out: the folder or zip file.
        items: the number of paragraphs or questions.
        vectors: the number of vectors: phrases, or one per question.
        empty: the number of paragraphs without a phrase.
        dim: width of the vectors.
        bytes: the total size of the files, before zipping.
        words: the number of whitespace-separated words of the paragraphs or questions.
        already: True if all files existed before.
        are_questions: True for vectors of questions.
    """

    out: Path
    items: int
    vectors: int
    empty: int
    dim: int
    bytes: int
    words: int
    already: bool = False
    are_questions: bool = False

    @property
    def bytes_per_word(self) -> float:
        """Bytes on disk per word."""
        return self.bytes / self.words if self.words else float("nan")

    def _rows(self) -> Iterator[ResultRow]:
        yield {**self._fields(), "bytes_per_word": self.bytes_per_word}

    def text(self) -> str:
        """The counts, the sizes and the folder."""
        what = "question" if self.are_questions else "context"
        a_word = f", {self.bytes_per_word:,.0f} bytes a word" if self.words else ""
        items, vectors = count(self.items, what), count(self.vectors, "vector")
        size = f"{self.bytes / 2**20:,.1f} MiB{a_word}"
        lines = [f"{items}, {vectors} of {self.dim:,} dimensions; {size}"]
        if self.empty:
            lines.append(f"{count(self.empty, what)} without a phrase")
        return "\n".join([*lines, f"{'were there already' if self.already else 'written to'}: {self.out}"])

    def as_dict(self) -> dict[str, Any]:
        """The counts, the sizes and the folder."""
        return self.rows()[0]


def embed_contexts(
    contexts: Path | str,
    out: Path | str,
    encoder: PhraseEncoder,
    *,
    model_hash: str,
    options: EmbedOptions | None = None,
) -> EmbeddedFiles:
    """Write the phrases of each paragraph: ``TITLE_NUMBER.npz`` with a row each, ``.json`` with their texts.

    For an encoder that can predict "no answer", the first phrase represents it: an empty one.

    The same call resumes an interrupted one.

    Args:
        contexts: a context file; one with questions is rejected.
        out: a folder, or a file ending in .zip.
        encoder: encodes the phrases; it never sees a question.
        model_hash: identifies the encoder, so that files of different encoders aren't mixed.
        options: see :class:`EmbedOptions`.

    Raises:
        UsageError: the encoder gives no priors to keep phrases by.
        DataError: the contexts can't be read, or the encoder returns invalid vectors.
        OutputError: ``out`` contains other things, or can't be written.
    """
    options = options or EmbedOptions()
    made_of = _made_of(CONTEXTS, contexts, encoder, model_hash, options)
    if before := finished(out, made_of):
        return _account(Path(out), before, already=True)
    part = read_contexts(contexts)
    names = [name for article in paragraph_names(part) for name in article]
    texts = [text for article in part.paragraphs for text in article]
    nones = {sparse: encoding.encoded_nothing(encoder, sparse=sparse) for sparse in (False, True)}
    with part_folder(out, made_of) as folder:

        def write(batch: slice) -> _Written:
            found = encoding.encoded_phrases(encoder, texts[batch], per_passage=options.per_passage)
            paths = []
            for name, text, phrases in zip(names[batch], texts[batch], found, strict=True):
                paths += [folder.path / f"{name}.npz", folder.path / f"{name}.json"]
                none = nones[not isinstance(phrases.vectors, np.ndarray)]
                rows = phrases.vectors if none is None else encoding.stacked([none, phrases.vectors])
                _write_rows(paths[-2], rows, options)
                said = _described(text, phrases, with_none=none is not None, with_texts=options.with_texts)
                paths[-1].write_text(said, encoding="utf-8")
            return paths, [len(each) for each in found]

        _work_through(folder, texts, f"phrases by {encoder.name}", write)
        return _finish(folder, encoder)


def embed_questions(
    questions: Path | str,
    out: Path | str,
    encoder: PhraseEncoder,
    *,
    model_hash: str,
    options: EmbedOptions | None = None,
) -> EmbeddedFiles:
    """Write the vector of each question: ``ID.npz`` with one row; and the questions.

    Args:
        questions: a question file; one with contexts or answers is rejected.
        out: as for :func:`embed_contexts`, as are the errors.
        encoder: it never sees a context.
        model_hash: as for :func:`embed_contexts`.
        options: see :class:`EmbedOptions`; those for contexts have no effect.
    """
    options = options or EmbedOptions()
    made_of = _made_of(QUESTIONS, questions, encoder, model_hash, options)
    if before := finished(out, made_of):
        return _account(Path(out), before, already=True)
    part = read_questions(questions)
    names = safe_names([each.question_id for each in part.questions])
    texts = [each.question for each in part.questions]
    with part_folder(out, made_of) as folder:

        def write(batch: slice) -> _Written:
            rows = encoding.encoded_questions(encoder, texts[batch])
            paths = [folder.path / f"{name}.npz" for name in names[batch]]
            for number, path in enumerate(paths):
                _write_rows(path, rows[number : number + 1], options)
            return paths, [1] * len(paths)

        _work_through(folder, texts, f"questions by {encoder.name}", write)
        with as_output(folder.target):
            copyfile(questions, folder.path / QUESTION_FILE)
        return _finish(folder, encoder)


def _made_of(
    holds: str, data: Path | str, encoder: PhraseEncoder, model_hash: str, options: EmbedOptions
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "holds": holds,
        "model": encoder.name,
        "model_hash": model_hash,
        "data_hash": sha256_of_file(data) if is_file(data) else "",
        "no_answer": nothing_of(encoder) is not None,
        **asdict(options),
    }


def _work_through(
    folder: PartFolder, texts: Sequence[str], title: str, write: Callable[[slice], _Written]
) -> None:
    """Write the remaining files, and record at intervals how much is durable."""
    counts = {key: int(folder.state.get(key, 0)) for key in ("items", "vectors", "empty", "words")}
    fresh: list[Path] = []
    with progress(title, total=len(texts)) as shown, as_output(folder.target):
        shown.advance(counts["items"])
        for portion in encoding.in_portions(texts[counts["items"] :], _AT_ONCE):
            batch = slice(counts["items"], counts["items"] + len(portion))
            paths, vectors = write(batch)
            fresh += paths
            counts["items"] += len(vectors)
            counts["vectors"] += sum(vectors)
            counts["empty"] += vectors.count(0)
            counts["words"] += sum(len(text.split()) for text in portion)
            shown.advance(len(vectors))
            if len(fresh) >= _NOTED_EVERY:
                folder.save(counts, fresh)
                fresh = []
        folder.save(counts, fresh)


def _write_rows(path: Path, rows: Features, options: EmbedOptions) -> None:
    with path.open("wb") as stream:
        save_rows(stream, rows, dtype=options.dtype, compressed=options.compressed)


def _described(text: str, phrases: PhraseVectors, *, with_none: bool, with_texts: bool) -> str:
    """The phrases' texts as JSON, optionally with offsets; "no answer" is the empty phrase."""
    places = [[0, 0]] * with_none + phrases.offsets.tolist()
    texts = [text[start:end] for start, end in places]
    value = {"phrases": texts, "context": text, "answer_spans": places} if with_texts else texts
    return json.dumps(value, ensure_ascii=False)


def _finish(folder: PartFolder, encoder: PhraseEncoder) -> EmbeddedFiles:
    return _account(
        folder.target,
        folder.finish({**folder.state, "dim": encoder.dim, "bytes": folder.size()}),
        already=False,
    )


def _account(out: Path, manifest: Mapping[str, Any], *, already: bool) -> EmbeddedFiles:
    counts = {key: int(manifest.get(key, 0)) for key in _COUNTS}
    are_questions = manifest["made_of"]["holds"] == QUESTIONS
    return EmbeddedFiles(out=out, already=already, are_questions=are_questions, **counts)


_FORBIDDEN = frozenset('/\\:*?"<>|')
_LONGEST = 200  # bytes, of 255; a paragraph's number, an ending and those of temporary files follow


def safe_names(names: Sequence[str]) -> list[str]:
    """Unique names that every file system accepts; safe names stay unchanged.

    Characters that some system disallows are percent-encoded, ``%2F``. Names that would then be equal, or
    differ only in case or in the form of their accents, get ``%-2``, ``%-3`` and so on, in order. A long name
    is truncated, with a hash at its end.
    """
    taken: set[str] = set()
    found = []
    for name in names:
        plain = _cut("".join(_escaped(character) for character in name))
        if plain.startswith("."):
            plain = "%2E" + plain[1:]
        free, number = plain, 1
        while (key := _folded(free)) in taken:
            number += 1
            free = f"{plain}%-{number}"
        taken.add(key)
        found.append(free)
    return found


def paragraph_names(part: ContextPart) -> list[list[str]]:
    """``TITLE_NUMBER`` for each paragraph of each article, numbers from 0."""
    titles = safe_names(part.titles)
    return [
        [f"{title}_{number}" for number in range(len(paragraphs))]
        for title, paragraphs in zip(titles, part.paragraphs, strict=True)
    ]


def asked_paragraph_names(part: QuestionPart) -> list[str]:
    """The same for the paragraph of each question."""
    titles = safe_names(part.titles)
    return [f"{titles[each.article]}_{each.paragraph}" for each in part.questions]


def raw_paragraph_names(part: QuestionPart) -> list[str]:
    """The names that another program may have used: unescaped titles."""
    return [f"{part.titles[each.article]}_{each.paragraph}" for each in part.questions]


def _escaped(character: str) -> str:
    if character in _FORBIDDEN or not (character.isprintable() or character == " "):
        return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
    return character


def _cut(name: str) -> str:
    content = name.encode("utf-8", "surrogatepass")
    if len(content) <= _LONGEST:
        return name
    start = content[: _LONGEST - 18].decode("utf-8", "ignore")
    return f"{start}%-{sha256(content).hexdigest()[:16]}"


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
