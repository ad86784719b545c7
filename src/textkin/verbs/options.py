"""Options that several verbs share, each declared once: its type, its help, its bounds, its panel of help.

This module imports nothing heavy, since the help of a command reads it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from textkin.base.options import Option

Texts = Annotated[
    Any,
    Option(
        "One text per line, a table (CSV, TSV, JSONL, Parquet, Excel), or a folder of text files.",
        python="Or the texts in a sequence, a column or a data frame.",
        command=Path,
    ),
]
TextsOrCollection = Annotated[
    Any,
    Option(
        "A collection (a folder or an address), or texts: one per line, or a table.",
        metavar="COLLECTION",
        command=str,
    ),
]
CollectionPlace = Annotated[
    Any,
    Option(
        "The collection: its folder, or an address: postgresql://USER@HOST/DATABASE?collection=NAME.",
        metavar="COLLECTION",
        command=str,
    ),
]
MetadataColumns = Annotated[
    Any,
    Option(
        "Columns to store as metadata, which `where` filters.",
        metavar="COLUMN,...",
        panel="Input",
        command=str,
        python="A list of names.",
    ),
]
TextColumn = Annotated[
    str | int | Sequence[str] | None,
    Option(
        "Column of texts, such as subject; subject,body joins two.",
        metavar="COLUMN",
        panel="Input",
        command=str,
        python="Or a list of names.",
    ),
]
IdColumn = Annotated[
    str | int | None,
    Option("Column of ids.", metavar="COLUMN", panel="Input", command=str),
]
Quoting = Annotated[
    Literal["auto", "csv", "none"],
    Option("Treat double quotes as CSV quotes, or as text.", panel="Input", rare=True),
]
EncodingName = Annotated[
    str | None,
    Option("File encoding, such as cp1252. Default: UTF-8.", metavar="NAME", panel="Input", rare=True),
]
Pairs = Annotated[
    Any,
    Option(
        "Labelled pairs: a file (CSV, TSV, JSONL, Parquet, Quora, STS, ...).", metavar="PAIRS", command=Path
    ),
]
Columns = Annotated[
    Any,
    Option(
        "Columns by role: a, b, label, id_a, id_b; of rankings query, candidate, query_id, candidate_id.",
        metavar="ROLE=COLUMN,...",
        panel="Input",
        command=str,
    ),
]
Format = Annotated[
    Any,
    Option(
        "File format; auto recognises it.",
        metavar="NAME",
        panel="Input",
        rare=True,
        command=str,
        python="Also your function that reads a file.",
    ),
]
MorePairs = Annotated[
    Any,
    Option(
        "Further pairs that mean the same, to train on. May be repeated.",
        metavar="FILE",
        panel="Input",
        command=list[Path],
    ),
]
Near = Annotated[
    float | None,
    Option(
        "Keep texts that are this similar on one side of the split, such as 0.9.", metavar="X", low=0, high=1
    ),
]
Labels = Annotated[
    Literal["entailment", "relatedness", "good", "graded"] | None,
    Option(
        "Label to use. SICK: entailment (default) or relatedness. SemEval: good (default), or graded, which "
        "tells potentially useful comments from bad ones.",
        panel="Input",
        rare=True,
    ),
]
QuestionSet = Annotated[
    Literal["answered", "mixed", "all"],
    Option(
        "Questions with a right candidate, with right and wrong ones, or all.", panel="Rankings", rare=True
    ),
]
DatasetSplit = Annotated[
    str | None,
    Option("Split of a data set that has several, such as dev.", metavar="NAME", panel="Input", rare=True),
]
Vectors = Annotated[
    Path | None,
    Option(
        "Word vectors: a GloVe, word2vec or fastText file, or a model2vec folder.",
        metavar="PATH",
        panel="Model",
    ),
]
Analyser = Annotated[
    str,
    Option(
        "Language of tfidf and bm25, such as english: they stem its words and ignore its stop words.",
        metavar="NAME",
        panel="Model",
        rare=True,
    ),
]
Device = Annotated[
    Literal["auto", "cpu", "cuda"],
    Option("Processor to train on; auto takes a GPU if there is one.", panel="Model", rare=True),
]
EncoderModel = Annotated[
    Any,
    Option(
        "default or minilm (built in), a model folder, or a cached Hugging Face name.",
        python="Or an object with encode(texts).",
        metavar="MODEL",
        panel="Model",
        command=str,
    ),
]
EncoderArgument = Annotated[
    Any,
    Option(
        "default or minilm (built in), a model folder, a cached Hugging Face name, or mean-vectors. "
        "Default: default.",
        metavar="MODEL",
        command=str,
        argument=True,
    ),
]
Embeddings = Annotated[
    Any,
    Option(
        "Vectors of the texts instead of a model: a NumPy file with one row per text.",
        metavar="V.npy",
        panel="Model",
        rare=True,
        command=Path,
    ),
]
Dtype = Annotated[
    Literal["auto", "fp32", "bf16"],
    Option("Number type of a transformer; auto measures whether bf16 pays.", panel="Model", rare=True),
]
Download = Annotated[
    bool, Option("Fetch models that aren't cached from the Hugging Face hub.", panel="Model", rare=True)
]
UnknownTokens = Annotated[
    Literal["withhold", "accept"],
    Option(
        "Texts in which a fifth or more of the tokens are unknown: withhold compares them for equality only.",
        panel="Model",
        rare=True,
    ),
]
CollectionModel = Annotated[
    Any,
    Option(
        "Encoder of the texts, or of a collection whose model has moved.",
        metavar="MODEL",
        panel="Model",
        command=str,
    ),
]
AcceptDrift = Annotated[
    bool,
    Option(
        "Accept a model that differs from the collection's, and report the drift of its vectors.",
        panel="Model",
        rare=True,
    ),
]
LongTextRule = Annotated[
    Literal["withhold", "windows", "accept"] | None,
    Option(
        "Texts longer than the model reads: withhold them, compare them whole in windows, or accept "
        "truncation.",
        panel="Model",
    ),
]
EqualTexts = Annotated[
    Literal["exact", "form", "case", "letters"],
    Option(
        "Texts that count as equal: exact; form ignores blanks and Unicode forms; case also capitals; "
        "letters all but letters and digits.",
        panel="Decision",
        rare=True,
    ),
]
Guards = Annotated[
    Any,
    Option(
        "Differences that keep texts apart: numbers, negation, names, order, content; or none. auto: all but "
        "content, but all for texts from templates.",
        metavar="NAME,...",
        panel="Decision",
        command=str,
    ),
]
DecisionFile = Annotated[
    Path | str | None,
    Option(
        "Threshold from a file of calibrate or dedupe, instead of the model's own.",
        metavar="FILE",
        panel="Decision",
        rare=True,
        command=Path,
    ),
]
GoalPrecision = Annotated[
    float | None,
    Option("Fit the threshold for this precision.", metavar="X", panel="Decision", low=0, high=1),
]
GoalRecall = Annotated[
    float | None,
    Option("Fit the threshold for this recall.", metavar="X", panel="Decision", low=0, high=1),
]
BestF1 = Annotated[bool, Option("Fit the threshold for the best F1, the default.", panel="Decision")]
BestAccuracy = Annotated[bool, Option("Fit the threshold for the best accuracy.", panel="Decision")]
GoalRule = Annotated[
    Literal["lower-end", "estimate"],
    Option(
        "Figure that must reach the precision or recall: the lower confidence bound, which holds for other "
        "pairs, or the estimate.",
        panel="Decision",
        rare=True,
    ),
]
Resamples = Annotated[int, Option("Bootstrap resamples of the intervals.", metavar="N", low=1, rare=True)]
Rounds = Annotated[
    int | None,
    Option("Rounds of the randomisation test. Default: 10,000 or more.", metavar="N", low=1, rare=True),
]
AttentionFile = Annotated[
    Path | None,
    Option(
        "Write the attention between the two texts: heat maps to a page, .html, or numbers to .json.",
        metavar="FILE",
        panel="Output",
    ),
]
FitTexts = Annotated[
    Any,
    Option(
        "Texts that baselines take word frequencies from. Default: the given texts.",
        metavar="FILE",
        panel="Model",
        command=Path,
    ),
]
Heads = Annotated[
    Sequence[int],
    Option(
        "Heads of each layer whose attention is averaged, from 1. Default: all. May be repeated.",
        metavar="N",
        panel="Output",
        rare=True,
        command=list[int],
    ),
]
Layers = Annotated[
    Sequence[int],
    Option(
        "Layers of a transformer whose attention is averaged, from 1. Default: all. May be repeated.",
        metavar="N",
        panel="Output",
        rare=True,
        command=list[int],
    ),
]
ScorerModel = Annotated[
    Any,
    Option(
        "default or minilm (built in), a model folder, a cached Hugging Face name, or a baseline: tfidf, "
        "bm25, minhash, mean-vectors, ...",
        metavar="MODEL",
        panel="Model",
        command=str,
    ),
]
WordVectors = Annotated[
    Path | None,
    Option(
        "Word vectors of the baseline mean-vectors: GloVe, word2vec, fastText or model2vec.",
        metavar="PATH",
        panel="Model",
        rare=True,
    ),
]
Where = Annotated[
    str | None,
    Option(
        "Filter of metadata, such as 'lang = \"en\" and year >= 2020'.",
        metavar="FILTER",
    ),
]
Wait = Annotated[
    float | None,
    Option("Seconds to wait for another writer. Default: 30.", metavar="SECONDS", low=0, rare=True),
]
Ray = Annotated[
    Literal["ray"] | None,
    Option("Run on Ray's workers, on this machine or several, with the same result.", panel="Ray", rare=True),
]
RayAddress = Annotated[
    str | None,
    Option(
        "Address of a running Ray; auto for this machine's. Default: start one.",
        metavar="HOST:PORT",
        panel="Ray",
        rare=True,
    ),
]
Seed = Annotated[int, Option("Random seed.", metavar="N", low=0, high=2**32 - 1, rare=True)]
AcceptLeaks = Annotated[
    bool,
    Option(
        "Continue, with a warning, if a model was trained on more than 1 % of the measured data.", rare=True
    ),
]
Cache = Annotated[
    Path | None,
    Option(
        "File that keeps the output of trained networks, so that an interrupted call resumes and the next "
        "one is quick.",
        metavar="FILE",
        panel="Model",
        rare=True,
    ),
]
CorpusDepth = Annotated[
    int,
    Option(
        "Sentences per choice that a model which can't search, such as a cross-encoder, judges.",
        metavar="N",
        low=1,
        panel="Exams",
        rare=True,
    ),
]
DropIdenticalIds = Annotated[
    bool,
    Option("Drop the document that has the query's own id, as BEIR does.", panel="Rankings", rare=True),
]
FitTextsFile = Annotated[
    Path | None,
    Option(
        "Texts that baselines take word frequencies from. For classes: labelled training pairs.",
        metavar="FILE",
        panel="Model",
        rare=True,
    ),
]
GroupBy = Annotated[
    Literal["paragraph", "article"],
    Option("Questions that are resampled together.", panel="Spans", rare=True),
]
Live = Annotated[
    bool,
    Option("Write DIR/live.html, a page that follows the training in a browser.", panel="Output", rare=True),
]
TableFile = Annotated[
    Path | None,
    Option("File for the table: .md, .tex, .csv, .tsv, .jsonl or .parquet.", metavar="FILE", panel="Output"),
]
TableColumns = Annotated[
    Any,
    Option(
        "Columns of that file, such as system,AP,p. Default: all; in .tex those that fit a paper's column.",
        metavar="NAME,...",
        panel="Output",
        command=str,
        rare=True,
    ),
]
Measures = Annotated[
    Sequence[str | Callable[..., float]],
    Option(
        "nDCG@10, MAP, MRR@10, recall@100, ... The first one is tested.",
        flag="measure",
        short="-m",
        metavar="NAME",
        panel="Rankings",
        command=list[str],
    ),
]
Baselines = Annotated[
    Any,
    Option(
        "Baselines. Default: those that fit the data.",
        metavar="NAME,...",
        command=str,
    ),
]
Support = Annotated[
    Any,
    Option(
        "Sentences in which support:MODEL searches: a file, or a folder of tables. May be repeated.",
        metavar="PATH",
        panel="Exams",
        rare=True,
        command=list[Path],
    ),
]
Voters = Annotated[
    int,
    Option("Similar questions that vote for lucene.", metavar="N", low=1, panel="Exams", rare=True),
]
QuestionScorer = Annotated[
    str | None,
    Option("Model that compares questions for lucene.", metavar="MODEL", panel="Exams", rare=True),
]
AnswerScorer = Annotated[
    str | None,
    Option("Model that compares answers with choices.", metavar="MODEL", panel="Exams", rare=True),
]
KeepLeaks = Annotated[
    bool, Option("Keep questions of the exam that occur in a corpus.", panel="Exams", rare=True)
]
Reference = Annotated[
    Path | None,
    Option("For WikiQA: a .ref file that lists the questions.", metavar="FILE", panel="Rankings", rare=True),
]
ExamCorpus = Annotated[
    Any,
    Option(
        "Answered questions in which lucene searches. May be repeated.",
        metavar="FILE",
        panel="Exams",
        rare=True,
        command=list[Path],
    ),
]
