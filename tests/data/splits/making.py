"""Sets of pairs for the tests of this room."""

from hypothesis import strategies as st

from textkin.data.records import LabelKind, Pair, PairSet

_WORDS = st.sampled_from([f"word{number}" for number in range(40)])


def binary(*rows, ids=None):
    """Rows are (a, b, label)."""
    return PairSet(
        tuple(
            Pair(a, b, label, *(ids[row] if ids else ("", "")), row=row)
            for row, (a, b, label) in enumerate(rows)
        ),
        LabelKind.BINARY,
        name="made",
    )


@st.composite
def pair_sets(draw, min_size=12, max_size=60):
    """Binary pairs with shared texts, mirrored and repeated rows, case variants and shared ids."""
    styles = (str, str.upper, lambda text: text + "?", lambda text: f" {text}!")
    row = st.tuples(
        _WORDS, st.sampled_from(styles), _WORDS, st.sampled_from(styles), st.sampled_from([0.0, 1.0])
    )
    rows = draw(st.lists(row, min_size=min_size, max_size=max_size))
    return PairSet(
        tuple(
            Pair(style_a(a), style_b(b), label, row=number)
            for number, (a, style_a, b, style_b, label) in enumerate(rows)
        ),
        LabelKind.BINARY,
        name="drawn",
    )
