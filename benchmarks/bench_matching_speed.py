"""Training speed of K-NRM and MatchPyramid on answer selection, compared with plain PyTorch.

Run: ``python benchmarks/bench_matching_speed.py [--steps 25] [--turns 5] [--threads 1] [--full]``

The plain side follows matchzoo-py's models, tutorials and data set: every text padded to 30 or 40 tokens, one
instance at a time from a Python data set, one kernel after another, an embedding with a dense gradient,
``torch.optim.Adam`` with its defaults. (matchzoo-py 1.1.1 itself can't be installed on Python 3.11: its setup
needs pkg_resources, its pins pandas 0.24, its modules names that Python 3.10 removed.) textkin's side is its
own loop with its own objective, as a recipe runs it.

Both train on the same questions: 20 right answers per step, each with 1 or 4 wrong ones of its question,
30,000 words, 300 dimensions, hinge loss on ranks, Adam. Texts are about as long as WikiQA's; with ``--full``
each has 30 or 40 tokens, so that nothing is padding. A pair is a question with one answer. Absolute speeds
depend on the machine and its load; the ratio of one run counts. Processor seconds, also given, are less
affected by other load.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from setting import show_setting
from textkin.networks.architectures.table import build
from textkin.networks.batches.padded import TextBatch
from textkin.networks.recipes.recipe import ObjectiveConfig, TrainingConfig
from textkin.training.device import Device
from textkin.training.loop import Dev, train
from textkin.training.objectives import build_objective
from textkin.training.pair_data import TrainingData

WORDS, DIM, BATCH, WRONG = 30_000, 300, 20, 9
LONGEST = {"question": 30, "answer": 40}
TYPICAL = {"question": 7, "answer": 24}
MODELS: dict[str, dict[str, Any]] = {
    "knrm": {"kernels": 21},
    "match-pyramid": {"similarity": "dot", "filters": [16, 32], "hidden": [], "dropout": 0.1},
}


@dataclass(frozen=True, slots=True)
class Corpus:
    """Questions, each with one right answer and then wrong ones, as token ids; 0 is padding."""

    questions: list[NDArray[np.int32]]
    answers: list[list[NDArray[np.int32]]]


def make_corpus(questions: int, *, full: bool) -> Corpus:
    """Words by Zipf's law, lengths by a log-normal one."""
    rng = np.random.default_rng(0)
    shares = 1 / np.arange(10, WORDS + 9)

    def text(kind: str) -> NDArray[np.int32]:
        drawn = LONGEST[kind] if full else int(TYPICAL[kind] * rng.lognormal(sigma=0.4))
        length = min(max(drawn, 3), LONGEST[kind])
        return rng.choice(np.arange(1, WORDS), size=length, p=shares / shares.sum()).astype(np.int32)

    return Corpus(
        [text("question") for _ in range(questions)],
        [[text("answer") for _ in range(1 + WRONG)] for _ in range(questions)],
    )


class PlainRows(torch.utils.data.IterableDataset[tuple[NDArray[np.int64], NDArray[np.int64]]]):
    """A right answer with wrong ones of its question, padded on the left."""

    def __init__(self, corpus: Corpus, negatives: int) -> None:
        self.corpus, self.negatives = corpus, negatives

    def __iter__(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        rng = np.random.default_rng(1)
        for number in rng.permutation(len(self.corpus.questions)):
            answers = self.corpus.answers[number]
            wrong = rng.integers(1, len(answers), size=self.negatives)
            chosen = [answers[0], *(answers[index] for index in wrong)]
            question = filled(self.corpus.questions[number], LONGEST["question"])
            yield (
                np.stack([question] * len(chosen)),
                np.stack([filled(answer, LONGEST["answer"]) for answer in chosen]),
            )


def filled(text: NDArray[np.int32], length: int) -> NDArray[np.int64]:
    row = np.zeros(length, dtype=np.int64)
    row[length - len(text) :] = text
    return row


def collated(rows: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> tuple[Tensor, Tensor]:
    left, right = zip(*rows, strict=True)
    return torch.from_numpy(np.concatenate(left)), torch.from_numpy(np.concatenate(right))


class PlainKNRM(nn.Module):
    """One kernel after another."""

    def __init__(self, kernels: int = 21) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, DIM, padding_idx=0)
        self.places = [(1 + 2 * number) / (kernels - 1) - 1 for number in range(kernels - 1)]
        self.output = nn.Linear(kernels, 1)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        """Scores of the pairs."""
        a = nn.functional.normalize(self.embedding(left), dim=-1)
        b = nn.functional.normalize(self.embedding(right), dim=-1)
        cosines = torch.einsum("bld,brd->blr", a, b)
        features = []
        for place, width in [*((place, 0.1) for place in self.places), (1.0, 0.001)]:
            near = torch.exp(-((cosines - place) ** 2) / (2 * width**2))
            features.append(torch.log1p(near.sum(dim=-1)).sum(dim=-1))
        return self.output(torch.stack(features, dim=1))


class PlainPyramid(nn.Module):
    """Two convolutions, then a mean over cells of the padded matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, DIM, padding_idx=0)
        self.layers = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d((3, 10)),
            nn.Flatten(),
            nn.Dropout(0.1),
            nn.Linear(32 * 3 * 10, 1),
        )

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        """Scores of the pairs."""
        products = torch.einsum("bld,brd->blr", self.embedding(left), self.embedding(right))
        return self.layers(products.unsqueeze(1))


PLAIN = {"knrm": PlainKNRM, "match-pyramid": PlainPyramid}


@dataclass(frozen=True, slots=True)
class Moment:
    """Wall-clock and processor time, in seconds."""

    wall: float
    processor: float

    @classmethod
    def now(cls) -> Moment:
        """The current moment."""
        return cls(time.perf_counter(), time.process_time())

    def __sub__(self, start: Moment) -> Moment:
        return Moment(self.wall - start.wall, self.processor - start.processor)


def plain(name: str, corpus: Corpus, negatives: int) -> Moment:
    """Train for an epoch and return the duration."""
    torch.manual_seed(0)
    model = PLAIN[name]()
    start = Moment.now()
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    rows = torch.utils.data.DataLoader(PlainRows(corpus, negatives), batch_size=BATCH, collate_fn=collated)
    model.train()
    for left, right in rows:
        scores = model(left, right).view(-1, 1 + negatives)
        loss = torch.relu(1 - scores[:, 0] + scores[:, 1:].mean(dim=1)).mean()
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        optimiser.step()
        loss.item()
    return Moment.now() - start


def ours(name: str, corpus: Corpus, negatives: int) -> Moment:
    """The same with textkin's loop, up to evaluation and saving."""
    config = ObjectiveConfig(
        loss="rank-hinge", rows="candidate-pairs", batch_size=BATCH, negatives_each=negatives
    )
    torch.manual_seed(0)
    module = build(name, size=WORDS, pad_id=0, dim=DIM, **MODELS[name])
    objective = build_objective(config, training_data(corpus), model=module, seed=0)
    moments = [Moment.now()]

    def at_the_end(_: nn.Module) -> float:
        moments.append(Moment.now())
        return 0.0

    with tempfile.TemporaryDirectory() as folder:
        train(
            module,
            [objective],
            settings=TrainingConfig(epochs=1, learning_rate=1e-3),
            dev=Dev("nothing", at_the_end),
            folder=Path(folder),
            seed=0,
            device=Device("cpu"),
        )
    return moments[1] - moments[0]


def training_data(corpus: Corpus) -> TrainingData:
    """The corpus in the form of textkin's readers and text pipeline."""
    questions, each = len(corpus.questions), 1 + WRONG
    ids = (*corpus.questions, *(answer for answers in corpus.answers for answer in answers))
    query = np.repeat(np.arange(questions), each)
    right = np.tile(np.arange(each) == 0, questions)
    return TrainingData(
        texts=tuple(map(str, range(len(ids)))),
        ids=ids,
        components=np.arange(len(ids)),
        a=query,
        b=questions + np.arange(questions * each),
        labels=right.astype(np.float32),
        similarities=right.astype(np.float32),
        classes=right.astype(np.int64),
        positive=np.flatnonzero(right),
        query=query,
        pad_id=0,
        pad_to="longest",
    )


def check_that_scores_agree() -> None:
    """Check that both K-NRMs with the same weights and no padding give the same scores."""
    corpus = make_corpus(8, full=True)
    one, other = PlainKNRM(), build("knrm", size=WORDS, pad_id=0, dim=DIM)
    tensors = [one.embedding.weight, one.output.weight, one.output.bias]
    other.load_state_dict(dict(zip(other.state_dict(), tensors, strict=True)))
    left, right = next(iter(torch.utils.data.DataLoader(PlainRows(corpus, 1), 8, collate_fn=collated)))
    whole = [TextBatch(ids, torch.ones_like(ids, dtype=torch.bool)) for ids in (left, right)]
    torch.testing.assert_close(other(*whole), one(left, right), atol=1e-3, rtol=1e-4)


def median_of(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=25, help="of a turn")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--full", action="store_true", help="all texts have 30 or 40 tokens")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    show_setting("torch")
    print(f"{asked.threads} thread(s)")
    check_that_scores_agree()
    corpus = make_corpus(BATCH * asked.steps, full=asked.full)
    for name in MODELS:
        for negatives in (1, 4):
            pairs = BATCH * asked.steps * (1 + negatives)
            # The first turn warms up.
            turns = [
                (plain(name, corpus, negatives), ours(name, corpus, negatives))
                for _ in range(1 + asked.turns)
            ][1:]
            theirs, mine = (
                statistics.median(pairs / m.wall for m in side) for side in zip(*turns, strict=True)
            )
            print(
                f"{name:<14} 1 + {negatives}: plain {theirs:5.0f} pairs/s, textkin {mine:5.0f}; ratio "
                + median_of([other.wall / own.wall for other, own in turns])
                + ", of processor time "
                + median_of([other.processor / own.processor for other, own in turns])
            )


if __name__ == "__main__":
    main()
