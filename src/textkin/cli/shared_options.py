"""Options that several commands share, each written once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, final

from textkin.base.options import Option
from textkin.collection.store.address import place_of
from textkin.data.readers import FORMATS, Reading
from textkin.data.readers.read_options import Labels, Questions, QuotingOption

CollectionPlace = Annotated[
    Any,
    Option(
        "Folder of a collection, or postgresql://USER@HOST/DATABASE.", metavar="COLLECTION", parse=place_of
    ),
]
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


def fetch(*models: str | None, download: bool) -> None:
    """Download models of the hub into the cache, if requested; None stands for no model.

    Raises:
        ModelError: the hub can't be reached, or has no such model.
    """
    if download:
        from textkin.kinds.systems import fetch_named

        fetch_named(*models, download=download)
