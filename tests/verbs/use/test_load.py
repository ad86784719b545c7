import pytest

from textkin.verbs.use.load import load, load_encoder


@pytest.mark.parametrize("model", ["default", "minilm", "ranker"])
def test_the_texts_of_a_pair_are_not_two_arguments(model: str) -> None:
    loaded = load(model)
    with pytest.raises(
        TypeError, match=r"^score\(\) takes pairs in one .* write score\(\[\(a, b\), ...\]\)$"
    ):
        loaded.score("a mill", "a house")  # type: ignore[call-arg, arg-type]
    assert loaded.score(("a mill", "a house")) == loaded.score([("a mill", "a house")])[0]


def test_options_that_loading_does_not_have() -> None:
    with pytest.raises(TypeError, match=r"^load_encoder\(\) has no option 'dtype'; choose one of: path$"):
        load_encoder("default", dtype="bf16")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"takes 1 argument without a name; write load\(path\)$"):
        load("default", "cpu")  # type: ignore[call-arg, arg-type]
