from textkin.data.readers.read_report import Skip, SkipCounter


def test_sentence_counts_and_explains() -> None:
    counter = SkipCounter("pairs.tsv")
    counter.rows = 31_111
    for line in (12, 40, 77, 90, 91, 95, 99, 100, 1200):
        counter.skip(line, "empty text")
    counter.skip(1500, "no label")
    report = counter.report()
    assert report.kept == 31_101
    assert report.examples[:3] == (Skip(12, "empty text"), Skip(40, "empty text"), Skip(77, "empty text"))
    assert report.sentence() == (
        "31,111 rows, 31,101 kept; skipped 10: 9 empty text (lines 12, 40, 77, ...), 1 no label (line 1,500)"
    )


def test_nothing_skipped() -> None:
    counter = SkipCounter("x")
    counter.rows = 1
    assert counter.report().sentence() == "1 row, 1 kept"
