import re

from textkin.report.text_diff import two_texts


def marked(one, other):
    blocks = re.findall('<p dir="auto" class="said">(.*?)</p>', two_texts(one, other))
    return [re.findall("<mark>(.*?)</mark>", block) for block in blocks]


def test_words_that_only_one_has_are_marked():
    assert marked("How do I reset my password?", "how do I reset my big router?") == [
        ["password"],
        ["big router"],
    ]
    assert marked("from 5 to 7", "from 7 to 5") == [["to 7"], ["7 to"]]


def test_equal_texts_and_texts_that_share_nothing_have_no_marks():
    assert marked("The same", "the SAME") == [[], []]
    assert marked("red apples", "Where is it") == [[], []]
    assert marked("", "words") == [[], []]


def test_marks_hold_no_markup_of_the_texts():
    html = two_texts("a <b>bold</b> word", "a <script>x</script> word")
    assert "<b>" not in html and "<script" not in html
    assert html.count("<mark>") == html.count("</mark>") > 0


def test_very_long_texts_are_shown_without_marks():
    long = "word, " * 300
    assert marked(long, long + "end") == [[], []]
