import pytest

from textkin.verbs.use.load import load


@pytest.mark.parametrize("model", ["default", "minilm", "ranker"])
def test_the_texts_of_a_pair_are_not_two_arguments(model: str) -> None:
    loaded = load(model)
    with pytest.raises(
        TypeError, match=r"^score\(\) takes pairs in one .* write score\(\[\(a, b\), ...\]\)$"
    ):
        loaded.score("a mill", "a house")  # type: ignore[call-arg, arg-type]
    assert loaded.score(("a mill", "a house")) == loaded.score([("a mill", "a house")])[0]
