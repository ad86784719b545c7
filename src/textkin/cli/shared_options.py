"""Options that several commands share, each written once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, final

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.text_equality import Equal
from textkin.data.readers import FORMATS, Reading, TextReading
from textkin.data.readers.read_options import Labels, Questions, QuotingOption

if TYPE_CHECKING:
    from textkin.vectors.long_texts import LongTexts
    from textkin.vectors.on_ray.location import Workplace

AsJson = Annotated[bool, Option("Print one JSON object and nothing else.", flag="--json")]

Columns = Annotated[
    str | None,
    Option(
        "Columns by role, such as a=question1,b=question2,label=same. Roles: a, b, label, id_a, id_b.",
        flag="--columns",
        metavar="ROLE=COLUMN,...",
    ),
]
Format = Annotated[
    str,
    Option(f"{', '.join(FORMATS)}, or auto to find out.", flag="--format", metavar="NAME"),
]
Quoting = Annotated[
    QuotingOption,
    Option("Treat double quotes as CSV quotes, or as text.", flag="--quoting"),
]
EncodingName = Annotated[
    str | None,
    Option(
        "File encoding, such as cp1252. Default: UTF-8.",
        flag="--encoding",
        metavar="NAME",
    ),
]
IdColumn = Annotated[
    str | None,
    Option(
        "Column of ids.",
        flag="--id",
        metavar="COLUMN",
    ),
]
Seed = Annotated[
    int,
    Option("Random seed.", flag="--seed", metavar="N", low=0, high=2**32 - 1),
]
Vectors = Annotated[
    Path | None,
    Option(
        "Word vectors: a GloVe, word2vec or fastText file, or a model2vec folder.",
        flag="--vectors",
        metavar="PATH",
    ),
]
Device = Annotated[
    Literal["auto", "cpu", "cuda"],
    Option("Device to train on; auto takes a GPU if there is one.", flag="--device"),
]
Fit = Annotated[
    Path | None,
    Option(
        "File of texts from which baselines take their word frequencies; the given texts if left out.",
        flag="--fit",
        metavar="TEXTS",
    ),
]
ModelName = Annotated[
    str,
    Option(
        "default for the encoder in the box, a folder with a model (of textkin, sentence-transformers, "
        "Hugging Face or model2vec), the name of one in the Hugging Face cache, or a baseline: constant, "
        "random, order, tfidf, tfidf-char, bm25, lucene-classic, minhash, mean-vectors, or with a language "
        "tfidf:english, bm25:english.",
        metavar="MODEL",
    ),
]
AnalyserName = Annotated[
    str,
    Option(
        "Language of tfidf and bm25, such as english: they stem its words and ignore its stop words.",
        flag="--analyser",
        metavar="NAME",
    ),
]
EitherAnalyser = Annotated[
    str,
    Option(
        "Language that tfidf and bm25 stem words of, if that is better on dev; or plain.",
        flag="--analyser",
        metavar="NAME",
    ),
]
DecisionFile = Annotated[
    Path | None,
    Option(
        "Threshold from a file of calibrate or dedupe, instead of the model's own.",
        flag="--decision",
        metavar="FILE",
    ),
]
Threshold = Annotated[
    float | None,
    Option(
        "Pairs that score T or more are the same: a number of yours, which tables mark as not fitted. "
        "It stands for the model's own.",
        flag="--threshold",
        metavar="T",
    ),
]
EncoderName = Annotated[
    str | None,
    Option(
        "default or minilm (built in), a model folder, or a cached Hugging Face name.",
        flag="--model",
        metavar="MODEL",
    ),
]
Embeddings = Annotated[
    Path | None,
    Option(
        "Vectors of TEXTS from any source: a NumPy file with one row for each text that is not empty, "
        "such as textkin encode writes. No model is needed then.",
        flag="--embeddings",
        metavar="V.npy",
    ),
]
Windows = Annotated[
    bool,
    Option(
        "Compare texts that are longer than the model reads whole, in overlapping windows: two are the "
        "same if their windows pair up in order. Without this, their pairs are withheld and counted.",
        flag="--windows",
    ),
]
AcceptCut = Annotated[
    bool,
    Option("Take what the model reads of a longer text for the whole.", flag="--accept-cut"),
]
TextsFile = Annotated[
    Path,
    Option("Plain text with one text a line, or a table: CSV, TSV, JSONL, Parquet, Excel.", metavar="TEXTS"),
]
TextColumn = Annotated[
    str | None,
    Option(
        "Column of texts, such as subject; subject,body joins two.",
        flag="--text",
        metavar="COLUMN",
    ),
]
Download = Annotated[
    bool,
    Option(
        "Fetch models that aren't cached from the Hugging Face hub.",
        flag="--download",
    ),
]

UnknownTokens = Annotated[
    Literal["withhold", "accept"],
    Option(
        "Texts of whose tokens the model doesn't know a fifth or more: withhold takes none for the "
        "same as another, unless they are equal; accept goes by their scores.",
        flag="--unknown",
    ),
]

EqualTexts = Annotated[
    Equal,
    Option(
        "When two texts are the same text: exact, all characters are; form, but for blanks and for "
        "spellings of one character in Unicode; case, capitals aside; letters, all but letters and digits "
        "aside. Superscripts and fractions always count.",
        flag="--equal",
    ),
]

On = Annotated[
    Literal["ray"] | None,
    Option(
        "Have Ray's workers do the work, on this machine or several: same files, same result. Needs the "
        "extra ray. Left out: this process.",
        flag="--on",
    ),
]
Address = Annotated[
    str | None,
    Option(
        "With --on: of a running Ray; auto for the one of this machine. Left out: one is started here.",
        flag="--address",
        metavar="HOST:PORT",
    ),
]


@final
@dataclass(frozen=True, slots=True)
class FileLayout:
    """Format and columns of a file of pairs or of questions."""

    columns: Columns = None
    format: Format = "auto"
    quoting: Quoting = "auto"
    encoding: EncodingName = None

    def reading(
        self,
        *,
        questions: Questions = "answered",
        reference: Path | None = None,
        split: str | None = None,
        labels: Labels | None = None,
    ) -> Reading:
        """The same for readers, with what of a data set is wanted, as in :class:`Reading`.

        Raises:
            UsageError: ``columns`` can't be understood.
        """
        from textkin.data.readers.columns import parse_columns

        return Reading(
            columns=None if self.columns is None else parse_columns(self.columns),
            format=self.format,
            quoting=self.quoting,
            encoding=self.encoding,
            questions=questions,
            reference=reference,
            split=split,
            labels=labels,
        )


@final
@dataclass(frozen=True, slots=True)
class TextLayout:
    """Format and columns of a file of texts."""

    column: TextColumn = None
    ids: IdColumn = None
    quoting: Quoting = "auto"
    encoding: EncodingName = None

    def reading(self) -> TextReading:
        """The same for readers."""
        return TextReading(column=self.column, ids=self.ids, quoting=self.quoting, encoding=self.encoding)


@final
@dataclass(frozen=True, slots=True)
class LongOptions:
    """Treatment of texts longer than a model's maximum length."""

    windows: Windows = False
    accept_cut: AcceptCut = False

    def chosen(self) -> LongTexts | None:
        """The same for verbs; None for the default.

        Raises:
            UsageError: both are asked for.
        """
        from textkin.vectors.long_texts import LongTexts

        if self.windows and self.accept_cut:
            raise UsageError("--windows and --accept-cut at once", fix="give one of them")
        return LongTexts.WINDOWS if self.windows else LongTexts.ACCEPT if self.accept_cut else None


@final
@dataclass(frozen=True, slots=True)
class RayOptions:
    """Place of the computation: this process or a Ray cluster."""

    on: On = None
    address: Address = None

    def workplace(self) -> Workplace:
        """The same for verbs."""
        return {"on": self.on, "address": self.address}


def fetch(*models: str | None, download: bool) -> None:
    """Download models of the hub into the cache, if requested; None stands for no model.

    Raises:
        ModelError: the hub can't be reached, or has no such model.
    """
    if download:
        from textkin.kinds.systems import fetch as fetch_all

        fetch_all(*(model for model in models if model is not None))


def guards_of(given: str | None) -> tuple[str, ...] | None:
    """Names of guards with commas between them, "none" for no guard; None where nothing is given."""
    if given is None:
        return None
    return () if given == "none" else tuple(name.strip() for name in given.split(","))
