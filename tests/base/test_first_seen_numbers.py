from hypothesis import given
from hypothesis import strategies as st

from textkin.base.first_seen_numbers import enumerated


@given(st.lists(st.text(max_size=2)))
def test_each_thing_has_the_number_of_its_first_place_among_the_different_ones(things):
    numbers, different = enumerated(iter(things))
    assert different == list(dict.fromkeys(things))
    assert [different[number] for number in numbers] == things
    assert numbers.dtype == "int64" and numbers.shape == (len(things),)
