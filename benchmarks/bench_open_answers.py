"""An answer from all passages: with a phrase index, or by reading all of them for each question.

Run: ``python benchmarks/bench_open_answers.py --phrases FOLDER --reader FOLDER --data SQUAD.json
[--questions 5] [--turns 3] [--cells 1024] [--work FOLDER]``

Phrases are encoded once per turn, and stored on disk for any number of questions. The peer reads as
transformers' question-answering pipeline did: a question with a passage at a time. textkin's own reader is
compared with both. Questions are distributed over the turns; their seconds are extrapolated to all of the
data. Absolute speeds depend on the machine and its load; ratios of one run count.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench_reader import Plain
from setting import show_setting
from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
from textkin.data.readers.datasets.squad import read_squad
from textkin.data.readers.texts import Texts
from textkin.models.inference.phrase_encoders import load_phrase_encoder
from textkin.models.inference.span_readers import load_reader
from textkin.verbs.phrases.indexing import AskedIndex, index_phrases

INDEXED = "phrases"
Ask = Callable[[str], object]


def seconds(work: Callable[[], object]) -> float:
    """The duration of a call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def asking(index: AskedIndex) -> Ask:
    return lambda question: index.ask([question], 10)


def systems(options: argparse.Namespace, passages: Sequence[str], asked: Sequence[str]) -> dict[str, Ask]:
    """The systems that answer a question from all passages, by name; indexes are built."""
    texts = Texts(tuple(map(str, range(len(passages)))), tuple(passages))
    found: dict[str, Ask] = {}
    kinds = {f"{INDEXED}, exact": PhraseIndexOptions()}
    if options.cells:
        kinds[f"{INDEXED}, cells of codes"] = PhraseIndexOptions(
            cells=options.cells, probe=options.probe, bytes_per_vector=options.code_bytes
        )
    for name, kind in kinds.items():
        folder = options.work / name.replace(", ", "-").replace(" ", "-")
        start = time.perf_counter()
        built = index_phrases(texts, folder, str(options.phrases), options=kind, questions=asked)
        print(
            f"{name}: {built.phrases:,} of {built.dim} dimensions, "
            f"built in {time.perf_counter() - start:.0f} s, {built.bytes_per_phrase:,.0f} bytes a phrase; "
            + ("; ".join(one.sentence() for one in built.recall) or "exact"),
            flush=True,
        )
        found[name] = asking(AskedIndex(folder))
    reader, plain = load_reader(options.reader), Plain(options.reader, batch=None)
    found["textkin, reading"] = lambda question: reader.read([question] * len(passages), passages)
    found["transformers, reading"] = lambda question: plain([question] * len(passages), passages)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--phrases", type=Path, required=True, help="a model of spans-piqa or its kin")
    parser.add_argument("--reader", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=5)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--cells", type=int, default=1024, help="0 for the exact index alone")
    parser.add_argument("--probe", type=int, default=32)
    parser.add_argument("--code-bytes", type=int, default=64)
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    data = read_squad(options.data).data
    passages = [one.text for one in data.passages.values()]
    questions = [one.question for one in data]
    few = questions[:: max(1, len(questions) // options.questions)][: options.questions]
    show_setting("torch", "transformers")
    encoder = load_phrase_encoder(options.phrases)
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        options.work = Path(work)
        ask = systems(options, passages, questions[1::20][:500])
        for name, answered in ask.items():
            if name.startswith(INDEXED):
                answered(few[0])  # whose first question loads files
        encoding: list[float] = []
        taken: dict[str, list[float]] = {name: [] for name in ask}
        for turn in range(options.turns):
            encoding.append(seconds(lambda: encoder.phrases(passages)))
            for name, answered in ask.items():
                taken[name].append(
                    statistics.fmean(seconds(partial(answered, one)) for one in few[turn :: options.turns])
                )
            told = ", ".join(f"{name} {found[-1]:.4g}" for name, found in taken.items())
            print(f"turn {turn + 1}: encoding {encoding[-1]:.1f} s; seconds a question: {told}", flush=True)
    words = sum(len(text.split()) for text in passages)
    spent = statistics.median(encoding)
    print(
        f"encoding {len(passages):,} passages: {spent:.1f} s, {len(passages) / spent:.1f} passages a second, "
        f"{words / spent:,.0f} words a second"
    )
    base = taken["transformers, reading"]
    for name, found in taken.items():
        ratios = [theirs / own for theirs, own in zip(base, found, strict=True)]
        each = statistics.median(found)
        whole = each * len(questions) + (spent if name.startswith(INDEXED) else 0)
        print(
            f"{name:25} {1000 * each:12,.1f} ms a question  x {statistics.median(ratios):,.1f} "
            f"({min(ratios):,.1f} to {max(ratios):,.1f}); "
            f"{len(questions):,} questions: {whole / 3600:,.2f} h, multiplied"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
