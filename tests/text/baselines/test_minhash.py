import numpy as np
import pytest

from textkin.base.shingles import jaccard, min_hashes, shingles
from textkin.text.baselines.minhash import MinHash
from textkin.text.baselines.pair_scoring import Lexical

TEXTS = ["How do I get a card?", "how do I get  a card?", "How do I get the card?", "no", "No!", ""]


def test_the_score_is_the_share_of_equal_numbers():
    texts = [text for text in TEXTS if "  " not in text]
    signatures = [made.hashvalues for made in min_hashes(shingles(text.casefold()) for text in texts)]
    pairs = [(a, b) for a in range(len(texts)) for b in range(len(texts))]
    expected = [np.mean(signatures[a] == signatures[b]) for a, b in pairs]
    scores = MinHash().score([(texts[a], texts[b]) for a, b in pairs])
    assert scores.dtype == np.float32
    # Different numbers may end in the same 16 bits.
    assert scores == pytest.approx(expected, abs=1.5 / 128)


def test_equal_but_for_case_and_blanks():
    same, near, other = MinHash().score([(TEXTS[0], TEXTS[1]), (TEXTS[0], TEXTS[2]), (TEXTS[0], TEXTS[3])])
    assert same == 1 > near > 0 == other
    share = jaccard(shingles(TEXTS[0].casefold()), shingles(TEXTS[2].casefold()))
    assert near == pytest.approx(share, abs=0.15)


def test_it_is_a_scorer_whose_scores_are_products_of_rows():
    scorer = MinHash()
    assert isinstance(scorer, Lexical)
    left, right = scorer.queries(TEXTS), scorer.documents(TEXTS)
    assert left.shape == right.shape and left.has_canonical_format
    products = (left @ right.T).toarray()
    assert products.dtype == np.float32
    np.testing.assert_array_equal(np.diag(products), 1)
    np.testing.assert_array_equal(products[0], scorer.score([(TEXTS[0], text) for text in TEXTS]))
