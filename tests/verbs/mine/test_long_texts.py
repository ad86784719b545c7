"""Pairs with texts longer than an encoder's limit."""

import csv

import numpy as np
import pytest

import textkin as tk
from tests.verbs.making_long import documents, siamese
from textkin.base.errors import UsageError
from textkin.vectors.long_texts import LongTexts

pytestmark = pytest.mark.torch

SHORT = ["how are you", "how are you the", "where is the bank"]
TEXTS = [*documents(4), *SHORT]


def pairs(found):
    rows = zip(found.pairs.a.tolist(), found.pairs.b.tolist(), found.pairs.score.tolist(), strict=True)
    return {(frozenset((a, b)), score) for a, b, score in rows}


@pytest.mark.parametrize(
    "wanted",
    [
        dict(threshold=0.1),
        dict(threshold=0.1, recall=0.9),
    ],
)
def test_pairs_of_cut_texts_are_withheld(wanted):
    encoder = siamese()
    found = tk.mine(TEXTS, encoder, **wanted)
    assert {place for pair, _ in pairs(found) for place in pair} == {4, 5, 6}
    assert found.about.withheld >= 6 and found.about.truncation.cut == 4
    every = tk.mine(TEXTS, encoder, **wanted, long="accept")
    assert len(every) == len(found) + found.about.withheld and every.about.withheld == 0
    assert pairs(found) <= pairs(every)


@pytest.mark.parametrize("wanted", [dict(top=1), dict(top=3), dict(top=1000), dict(per_text=1)])
def test_cut_texts_take_no_place_among_the_best(wanted):
    found = tk.mine(TEXTS, siamese(), **wanted)
    alone = tk.mine(SHORT, siamese(), **wanted)
    assert pairs(found) == {(frozenset(place + 4 for place in pair), score) for pair, score in pairs(alone)}
    assert found.about.withheld is None and found.about.truncation.cut == 4
    assert found.about.threshold == alone.about.threshold
    assert "4 texts compared for equality only, because the model cut them; long='accept'" in found.text()
    every = tk.mine(TEXTS, siamese(), **wanted, long="accept")
    assert every.about.withheld == 0 and pairs(every) != pairs(found)


def test_another_threshold_than_that_of_the_best_counts_what_is_withheld():
    found = tk.mine(TEXTS, siamese(), top=7)
    assert (len(found), found.about.withheld) == (3, None)
    assert found.rethreshold(0.999).about.withheld == 6
    more = found.rethreshold(-1)
    assert (len(more), more.about.withheld) == (3, 18)
    fewer = more.rethreshold(0.999)
    assert fewer.about.withheld == 6 == tk.mine(TEXTS, siamese(), threshold=0.999).about.withheld


def test_equal_texts_are_pairs_however_long_they_are():
    found = tk.mine([*TEXTS, TEXTS[0]], siamese(), threshold=0.99)
    assert (frozenset((0, 7)), 1.0) in pairs(found) and found.about.equal == 1
    other = tk.mine(TEXTS[:2], siamese(), against=[TEXTS[0]], threshold=0.99)
    assert (len(other), other.about.withheld, other.about.truncation.texts) == (1, 1, 3)


def test_windows_compare_them_whole():
    encoder, wanted = siamese(), dict(threshold=0.99, long=LongTexts.WINDOWS)
    texts = [TEXTS[0], f"{TEXTS[0]} end", TEXTS[0][:6000] + TEXTS[1][6000:], *SHORT]
    found = tk.mine(texts, encoder, **wanted)
    assert found.about.withheld == 0 and found.about.truncation.windows > 100
    long = {pair: score for pair, score in pairs(found) if max(pair) < 3}
    assert frozenset((0, 1)) in long and all(score < 1 for score in long.values())
    assert (np.diff(found.pairs.score) <= 0).all()
    two = tk.mine(texts[:1], encoder, against=texts[1:], **wanted)
    assert two.pairs.score.max() == np.float32(long[frozenset((0, 1))])


def test_windows_want_a_threshold():
    for wanted in (dict(top=5), dict(per_text=2), dict()):
        with pytest.raises(UsageError, match=r"needs threshold|can't be combined"):
            tk.mine(TEXTS, siamese(), **wanted, long="windows")


def test_windows_without_a_threshold_are_refused_before_anything_is_read(tmp_path):
    wanted = dict(per_text=2, long=LongTexts.WINDOWS)
    with pytest.raises(UsageError) as error:
        tk.mine(tmp_path / "missing.txt", out=tmp_path / "pairs.tsv", **wanted)
    assert error.value.params == ("long", "per_text")


def test_files_hold_no_pair_of_cut_texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n")
    out = tmp_path / "pairs.tsv"
    found = tk.mine(path, out=out, model=siamese(), threshold=0.1)
    rows = list(csv.DictReader(out.read_text().splitlines(), delimiter="\t"))
    assert {row["id_a"] for row in rows} | {row["id_b"] for row in rows} == {"5", "6", "7"}
    assert found.about.withheld > 0


def test_the_encoder_in_the_box_reads_all():
    found = tk.mine(TEXTS, tk.load_encoder(), threshold=0.9)
    assert (found.about.truncation.cut, found.about.truncation.limit, found.about.withheld) == (0, None, 0)
