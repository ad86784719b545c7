import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.text.sentences import sentences

PIECES = [
    *("Mr.", "U.S.", "No.", "1.", "3.14", "etc.", "J.", "e.g.", "The", "the", "He", "Smith", "5", "β", "「"),
    *(
        ".",
        "!",
        "?",
        "...",
        "…",
        "。",
        '"',
        "'",
        "”",
        ")",
        "(",
        "[5]",
        ":12",
        "\n",
        "\n\n",
        "\t",
        " ",
        "\u00a0",
    ),
]


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=25).map("".join)))
def test_sentences_and_gaps_give_back_the_text(text):
    rebuilt, last = "", 0
    for start, end in sentences(text):
        gap = text[last:start]
        assert gap.strip() == "" and start < end
        assert text[start:end] == text[start:end].strip()
        rebuilt += gap + text[start:end]
        last = end
    assert text[last:].strip() == ""
    assert rebuilt + text[last:] == text


@given(
    st.lists(st.sampled_from(["The cat sat.", "Is it?", "Yes!", 'He said "no."', "It is 3.14."]), max_size=8)
)
def test_plain_sentences_are_found_again(parts):
    assert cut("  ".join(parts)) == parts


@pytest.mark.parametrize(
    "parts",
    [
        ["Mr. Smith met Dr. J. R. Jones at 3.14 p.m.", "He left."],
        ["He moved to the U.S.", "In 1990 he came back."],
        ["The U.S. Army won."],
        ["It was sold by Apple Inc. and Co. Ltd. in May.", "No. 5 is alive."],
        ["See Fig. 3, vol. 2 and pp. 5.", "Then Jan. 5 came.", "He said no.", "Fine."],
        ["In World War I the end came.", "That was World War I.", "The end."],
        ['"Who?" he asked.', '"Me!"', "“So be it.”", "(It was.)", "[Really.]"],
        ["It is known.[5]", "It is said.[citation needed]", "He wrote.:12–15", "So it is."],
        ["Wait...", "What?!", "No… not that.", "A . . . b."],
        ["1. Preheat the oven.", "2. Bake it."],
        ["John Newcomen's.", "Newcomen's engines."],
        ["Visit amazon.com.", "Buy it."],
        ["Costs rose by 5.", "3 of 7 closed."],
        ["A heading", "A paragraph without stop", "Another"],
        ["这是一句。", "这是第二句！", "好吗？"],
        ["Ω is a letter.", "Ψ is too."],
        ["He is A. A. Milne."],
        ["The end"],
        [],
    ],
)
def test_where_sentences_end(parts):
    blank = "\n\n" if "A heading" in parts else "" if "好吗？" in parts else " "
    assert cut(blank.join(parts)) == parts


def test_line_breaks_and_odd_blanks():
    assert cut("\n  One\nline.\u00a0Two.\t\n\nThree\n") == ["One\nline.", "Two.", "Three"]
    assert cut(" \n ") == []
    assert cut("Next.No blank") == ["Next.No blank"]


def test_long_texts_take_linear_time():
    text = "a. " * 40_000 + "." * 40_000 + "\n" * 40_000 + "[" * 40_000 + ".[" * 40_000
    assert sum(end - start for start, end in sentences(text)) <= len(text)
