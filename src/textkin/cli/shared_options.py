"""Options that several commands share, each written once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, final

import typer

from textkin.base.errors import UsageError
from textkin.base.text_equality import Equal
from textkin.data.readers import FORMATS, Reading, TextReading
from textkin.data.readers.read_options import Labels, Questions, QuotingOption

if TYPE_CHECKING:
    from textkin.vectors.long_texts import LongTexts
    from textkin.vectors.on_ray.location import Workplace

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]

Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="ROLE=COLUMN,...",
        help="Which column is what, by name or number from 1, such as a=question1,b=question2,label=same. "
        "Roles: a, b, label, id_a, id_b. Found by itself where it can be.",
    ),
]
Format = Annotated[
    str,
    typer.Option("--format", metavar="NAME", help=f"{', '.join(FORMATS)}, or auto to find out."),
]
Quoting = Annotated[
    QuotingOption,
    typer.Option("--quoting", help="Whether double quotes in the file quote, as in CSV, or are text."),
]
EncodingName = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="The file's encoding, such as cp1252. Left out: UTF-8, or UTF-16 with a byte order mark.",
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="The table's column of ids, or its number. Left out: by its name, or the rows' numbers.",
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", metavar="N", min=0, max=2**32 - 1, help="Same seed and same input: same result."),
]
Vectors = Annotated[
    Path | None,
    typer.Option(
        "--vectors",
        exists=True,
        metavar="PATH",
        help="Word vectors: a GloVe, word2vec or fastText file (text, or word2vec's .bin), or a model2vec "
        "folder.",
    ),
]
Device = Annotated[
    Literal["auto", "cpu", "cuda"], typer.Option("--device", help="Where to train; auto takes a GPU if any.")
]
Fit = Annotated[
    Path | None,
    typer.Option(
        "--fit",
        metavar="TEXTS",
        help="File of texts from which baselines take their word frequencies; the given texts if left out.",
    ),
]
ModelName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="default for the encoder in the box, a folder with a model (of textkin, sentence-transformers, "
        "Hugging Face or model2vec), the name of one in the Hugging Face cache, or a baseline: constant, "
        "random, order, tfidf, tfidf-char, bm25, lucene-classic, minhash, mean-vectors, or with a language "
        "tfidf:english, bm25:english.",
    ),
]
AnalyserName = Annotated[
    str,
    typer.Option(
        "--analyser",
        metavar="NAME",
        help="How tfidf and bm25 read: plain, or a language, such as english, to stem words and leave stop "
        "words out. Tables then call them bm25:english, which can be named as a MODEL, too.",
    ),
]
EitherAnalyser = Annotated[
    str,
    typer.Option(
        "--analyser",
        metavar="NAME",
        help="A language to stem words and leave stop words out, or plain. On test tfidf and bm25 read so "
        "or plainly, whichever is stronger on dev.",
    ),
]
DecisionFile = Annotated[
    Path | None,
    typer.Option(
        "--decision",
        metavar="FILE",
        help="A file of textkin calibrate --out, or decision.json of dedupe, for this model: its threshold "
        "stands for the model's own.",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="T",
        help="Pairs that score T or more are the same: a number of yours, which tables mark as not fitted. "
        "It stands for the model's own.",
    ),
]
EncoderName = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="An encoder: default for the one in the box, which is taken if this is left out, a folder, "
        "or the name of one in the Hugging Face cache.",
    ),
]
Embeddings = Annotated[
    Path | None,
    typer.Option(
        "--embeddings",
        metavar="V.npy",
        help="Vectors of TEXTS from any source: a NumPy file with one row for each text that is not empty, "
        "such as textkin encode writes. No model is needed then.",
    ),
]
Windows = Annotated[
    bool,
    typer.Option(
        "--windows",
        help="Compare texts that are longer than the model reads whole, in overlapping windows: two are the "
        "same if their windows pair up in order. Without this, their pairs are withheld and counted.",
    ),
]
AcceptCut = Annotated[
    bool,
    typer.Option("--accept-cut", help="Take what the model reads of a longer text for the whole."),
]
TextsFile = Annotated[
    Path,
    typer.Argument(
        metavar="TEXTS", help="Plain text with one text a line, or a table: CSV, TSV, JSONL, Parquet, Excel."
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option(
        "--text",
        metavar="COLUMN",
        help="The table's column of texts, or its number; subject,body reads two as one text, and data.text "
        "looks into objects of JSON lines.",
    ),
]
Download = Annotated[
    bool,
    typer.Option(
        "--download",
        help="Fetch models that are neither folders nor in the cache from the Hugging Face hub. Without "
        "this, nothing is asked of the network.",
    ),
]

UnknownTokens = Annotated[
    Literal["withhold", "accept"],
    typer.Option(
        "--unknown",
        help="Texts of whose tokens the model doesn't know a fifth or more: withhold takes none for the "
        "same as another, unless they are equal; accept goes by their scores.",
    ),
]

EqualTexts = Annotated[
    Equal,
    typer.Option(
        "--equal",
        help="When two texts are the same text: exact, all characters are; form, but for blanks and for "
        "spellings of one character in Unicode; case, capitals aside; letters, all but letters and digits "
        "aside. Superscripts and fractions always count.",
    ),
]

On = Annotated[
    Literal["ray"] | None,
    typer.Option(
        "--on",
        help="Have Ray's workers do the work, on this machine or several: same files, same result. Needs the "
        "extra ray. Left out: this process.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="With --on: of a running Ray; auto for the one of this machine. Left out: one is started here.",
    ),
]


@final
@dataclass(frozen=True, slots=True)
class FileLayout:
    """How a file of pairs, or of questions, is read."""

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
    """How a file of texts is read."""

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
    """What becomes of texts that are longer than a model reads."""

    windows: Windows = False
    accept_cut: AcceptCut = False

    def chosen(self) -> LongTexts | None:
        """The same for verbs; None where nobody says it.

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
    """Where the work is done."""

    on: On = None
    address: Address = None

    def workplace(self) -> Workplace:
        """The same for verbs."""
        return {"on": self.on, "address": self.address}


def fetch(*models: str | None, download: bool) -> None:
    """Bring models of the hub into the cache, if the user asked for it; None stands for no model.

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
