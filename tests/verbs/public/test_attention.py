import pytest

import textkin as tk
from tests.verbs.use.test_attention import PAIR, scorer
from textkin.data.attention_map import AttentionMap
from textkin.verbs.use.attention import Attention

pytestmark = pytest.mark.torch


def test_a_pair_of_texts_has_matrices():
    found = tk.attention(*PAIR, model=scorer())
    assert isinstance(found, Attention) and isinstance(found.maps[0], AttentionMap)
    assert found.maps[0].rows == ("Who", "built", "the", "mill", "?")


def test_layers_belong_to_transformers():
    with pytest.raises(tk.TextkinError) as error:
        tk.attention(*PAIR, model=scorer(), layers=[1])
    assert error.value.params == ("layers", "heads")
