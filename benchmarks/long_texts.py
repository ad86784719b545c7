"""Deduplication of long texts with a common beginning.

    python benchmarks/long_texts.py MODEL [MODEL ...]

Texts of 2,700 words: the first 700 are the same in all, the others are drawn for each from the words of the
bundled questions. In addition, each text is repeated with one word inserted before its last 1,000. Printed
are the number of distinct texts, the number kept, and the number of correct removals, by default, in windows,
and if the part read counts as the whole.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from setting import show_setting
from textkin.data.samples import path
from textkin.kinds.systems import load_encoder
from textkin.vectors.long_texts import LongTexts
from textkin.verbs.dedupe.deduped import DedupeOptions, dedupe_texts

TEXTS, HEAD, OWN = 20, 700, 2_000
THRESHOLD = 0.9


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("models", nargs="+", metavar="MODEL")
    show_setting("numpy", "tokenizers")
    originals, copies = texts()
    for model in arguments.parse_args().models:
        encoder = load_encoder(model)
        print(f"\n{encoder.name} reads {getattr(encoder, 'max_tokens', None) or 'all'} tokens")
        for long in (None, LongTexts.WINDOWS, LongTexts.ACCEPT):
            options = DedupeOptions(threshold=THRESHOLD, long=long)
            start = time.perf_counter()
            found = dedupe_texts([*originals, *copies], encoder, options=options)
            seconds = time.perf_counter() - start
            stays = found.stays % TEXTS
            right = int((stays[found.removed] == found.removed % TEXTS).sum())
            told = f"{len(set(stays.tolist()))} of {TEXTS} texts stay, {right} of {TEXTS} copies go"
            how = "default" if long is None else long.value
            print(f"  {how:8} {told}, {len(found.withheld)} pairs withheld, {seconds:.1f} s", flush=True)


def texts() -> tuple[list[str], list[str]]:
    """The texts, and the second versions of them."""
    lines = path("questions.tsv").read_text(encoding="utf-8").splitlines()[1:]
    words = sorted({word for line in lines for word in line.split("\t")[2].lower().split() if word.isalpha()})
    rng = np.random.default_rng(0)
    head = rng.choice(words, HEAD).tolist()
    bodies = [[*head, *rng.choice(words, OWN).tolist()] for _ in range(TEXTS)]
    copies = [[*body[:-1000], "indeed", *body[-1000:]] for body in bodies]
    return [" ".join(body) for body in bodies], [" ".join(body) for body in copies]


if __name__ == "__main__":
    main()
