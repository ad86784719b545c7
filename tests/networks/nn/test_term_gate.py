import numpy as np
import pytest
import torch

from tests.reference.matching_matrix import shares
from textkin.base.errors import UsageError
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.term_gate import TermGate

pytestmark = pytest.mark.torch

TEXTS = [[2, 3, 4], [5], []]
IDF = np.linspace(1, 3, 6, dtype=np.float32)


def batch():
    return TextBatch.from_ids([np.array(text, dtype=np.int32) for text in TEXTS], pad_id=0)


@pytest.mark.parametrize("gate", ["idf", "embedding"])
def test_words_share_what_their_idf_or_vector_gives(gate):
    layer = TermGate(gate, size=6, pad_id=0, dim=4)
    vectors = torch.randn(3, 3, 4)
    weight = layer.weight.weight[0].tolist()
    if gate == "idf":
        layer.idf.set(IDF)
        scores = [[weight[0] * float(IDF[token]) for token in text] for text in TEXTS]
    else:
        rows = vectors.tolist()
        scores = [
            [sum(w * x for w, x in zip(weight, rows[row][place], strict=True)) for place in range(len(text))]
            for row, text in enumerate(TEXTS)
        ]
    found = layer(batch(), vectors)
    for row, text in enumerate(TEXTS):
        expected = [*(shares(scores[row]) if text else []), *[0.0] * (3 - len(text))]
        torch.testing.assert_close(found[row], torch.tensor(expected))


def test_an_unknown_gate_is_refused():
    with pytest.raises(UsageError) as error:
        TermGate("tfidf", size=6, pad_id=0, dim=4)
    assert error.value.params == ("gate",)
