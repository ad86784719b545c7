import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError, UsageError
from textkin.data.splits.articles import ArticleCounts, sides_like, sides_of_titles

TITLES = st.lists(st.text("abc", max_size=2), min_size=4, max_size=12)


def distinct(titles):
    return len({title for title in titles if title}) + sum(not title for title in titles)


@given(TITLES, st.integers(0, 2), st.integers(0, 2), st.integers(0, 5))
def test_sides_share_no_title_and_have_the_sizes_asked_for(titles, dev, test, seed):
    if dev + test >= distinct(titles):
        with pytest.raises(DataError, match="articles can't give"):
            sides_of_titles(titles, ArticleCounts(dev, test), seed=seed)
        return
    sides = sides_of_titles(titles, ArticleCounts(dev, test), seed=seed)
    assert list(sides) == ["train", "dev", "test"]
    assert sorted(place for places in sides.values() for place in places) == list(range(len(titles)))
    names = {side: {titles[place] or place for place in places} for side, places in sides.items()}
    assert (len(names["dev"]), len(names["test"])) == (dev, test)
    assert not names["dev"] & names["test"] and not names["train"] & (names["dev"] | names["test"])
    assert sides == sides_of_titles(titles, ArticleCounts(dev, test), seed=seed)


@given(st.permutations([f"page {number}" for number in range(12)]))
def test_the_order_of_the_file_does_not_matter(titles):
    plain = sorted(titles)
    expected = {
        side: {plain[place] for place in places}
        for side, places in sides_of_titles(plain, ArticleCounts(3, 4), seed=1).items()
    }
    found = sides_of_titles(titles, ArticleCounts(3, 4), seed=1)
    assert {side: {titles[place] for place in places} for side, places in found.items()} == expected
    assert sides_of_titles(titles, ArticleCounts(3, 4), seed=2) != found


def test_another_split_is_followed_by_title():
    given = {"train": ["a", "b", "gone"], "dev": ["c"], "test": []}
    assert sides_like(["c", "a", "b", "a"], given) == {"train": [1, 2, 3], "dev": [0], "test": []}
    with pytest.raises(DataError, match="2 articles are on no side of the other split, the first is 'x'"):
        sides_like(["a", "x", "y"], given)
    with pytest.raises(DataError, match="'a' is on the sides train and dev"):
        sides_like(["a"], {"train": ["a"], "dev": ["a"]})
    with pytest.raises(UsageError) as error:
        ArticleCounts(-1, 0)
    assert (error.value.params, error.value.value) == (("dev",), -1)
