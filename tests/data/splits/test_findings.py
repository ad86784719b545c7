from textkin.data.splits.findings import Finding, LintReport, Place, Severity, Topic

ONE = Finding(Topic.SELF_PAIR, Severity.WARNING, ("a.tsv",), 1234, "Look at them.")
OTHER = Finding(Topic.SHARED_PAIR, Severity.ERROR, ("a.tsv", "b.tsv"), 1, "Remove it.")


def test_places_are_lines_where_they_are_known():
    assert str(Place("a.tsv", 0)) == "a.tsv: row 0"
    assert str(Place("a.tsv", 0, 2)) == "a.tsv:2"
    assert str(Place("a.arrow", 0, 2)) == "a.arrow: row 2"


def test_a_report_is_rows():
    report = LintReport((ONE, OTHER), (("a.tsv", 12345), ("", 3)))
    assert report.rows() == [
        {
            "severity": "warning",
            "finding": "self-pair",
            "cases": 1234,
            "where": "a.tsv",
            "message": "Look at them.",
        },
        {
            "severity": "error",
            "finding": "shared-pair",
            "cases": 1,
            "where": "a.tsv, b.tsv",
            "message": "Remove it.",
        },
    ]
    assert "a.tsv: 12,345 pairs" in str(report) and "pairs: 3 pairs" in str(report)


def test_findings_by_topic_and_severity():
    report = LintReport((ONE, OTHER), ())
    assert report.of(Topic.SELF_PAIR) == (ONE,)
    assert report.of(Topic.SHARED_TEXT) == ()
    assert report.has_errors
    assert not LintReport((ONE,), ()).has_errors
