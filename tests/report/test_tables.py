import dataclasses

from tests.report.example import bare_report, by_class, full_report, systems, threshold
from textkin.report.content import (
    Estimate,
    PrecisionRecall,
    PrecisionRecallCurve,
    ReferenceDifference,
    SystemRow,
    Systems,
)
from textkin.report.figure_words import best_of, outcome, standings
from textkin.report.tables import (
    Grid,
    by_class_caption,
    by_class_grids,
    confusion_grid,
    narrow_grid,
    precision_recall_grid,
    systems_caption,
    systems_grid,
    terminal_rows,
    without_empty_columns,
)


def test_the_terminal_table_has_the_main_measure_best_first():
    header, rows = terminal_rows(full_report())
    assert header == (
        "system",
        "AP",
        "95 % interval",
        "against TF-IDF",
        "95 % interval",
        "p",
        "seed sd",
        "training",
    )
    assert rows[0] == (
        "siamese-lstm",
        "0.742",
        "0.731 to 0.753",
        "+0.041",
        "+0.029 to +0.053",
        "0.0002",
        "0.0031",
        "2 min 11 s",
    )
    assert [row[0] for row in rows[:4]] == ["siamese-lstm", "siamese-mean", "TF-IDF", "TF-IDF, characters"]
    assert rows[2] == ("TF-IDF", "0.701", "0.690 to 0.712", "", "", "", "", "")


def test_columns_that_nobody_fills_are_left_out():
    rows = (SystemRow("b", True, {"AP": Estimate(0.5)}), SystemRow("a", False, {"AP": Estimate(0.5)}))
    report = dataclasses.replace(bare_report(), systems=Systems(rows))
    assert terminal_rows(report) == (("system", "AP"), [("a", "0.500"), ("b", "0.500")])
    assert terminal_rows(bare_report()) == (("system", "AP"), [])


def test_systems_without_the_main_measure_come_last():
    rows = (SystemRow("a", True, {"F1": Estimate(0.9)}), SystemRow("b", False, {"AP": Estimate(-0.5)}))
    report = dataclasses.replace(bare_report(), systems=Systems(rows))
    assert terminal_rows(report)[1] == [("b", "-0.500"), ("a", "")]


def test_all_measures_the_main_one_first():
    grid = systems_grid(systems(), "AP")
    assert grid.header[:6] == ("system", "kind", "AP", "accuracy", "ROC AUC", "F1")
    assert all(len(row) == len(grid.header) for row in grid.rows)
    assert [row[1] for row in grid.rows[:4]] == ["trained", "trained", "baseline, reference", "baseline"]


def two_references():
    """Every row is compared with TF-IDF and with BM25, which it exceeds by 0.04 more."""
    rows = []
    for row in systems().rows:
        against = dict(row.against)
        if row.name != "BM25":
            gain = row.measures["AP"].value - 0.655
            against["BM25"] = ReferenceDifference(
                Estimate(gain, gain - 0.02, gain + 0.02), 0.2 if gain < 0.08 else 0.01
            )
        rows.append(dataclasses.replace(row, against=against))
    return dataclasses.replace(systems(), rows=tuple(rows), references=("TF-IDF", "BM25"))


def test_each_reference_has_its_columns():
    grid = systems_grid(two_references(), "AP")
    assert grid.header[6:10] == ("against TF-IDF", "p", "against BM25", "p")
    rows = {row[0]: row for row in grid.rows}
    assert rows["BM25"][6:10] == ("-0.046 (-0.058 to -0.034)", "0.0002", "", "")
    assert rows["TF-IDF"][1] == rows["BM25"][1] == "baseline, reference"
    narrow = narrow_grid(two_references(), "AP")
    assert narrow.header == (
        *("system", "AP", "95 % interval", "accuracy", "ROC AUC", "F1"),
        *("against TF-IDF", "p", "against BM25", "p", "seed sd", "training", "parameters"),
    )
    assert narrow.rows[0] == (
        *("siamese-lstm", "0.742", "0.731 to 0.753", "0.748", "0.846", "0.731"),
        *("+0.041", "0.0002", "+0.087", "0.0100", "0.0031", "2 min 11 s", "1.24 M"),
    )
    assert {row[0]: row[6:10] for row in narrow.rows}["TF-IDF"] == ("", "", "+0.046", "0.20")


def test_standings_say_who_beats_each_reference():
    assert standings(systems()) == []
    assert standings(two_references()) == [
        f"Against {reference}, of 2 trained systems: 1 better (siamese-lstm), 1 not distinguishable "
        "(siamese-mean), 0 worse; at p < 0.05."
        for reference in ("TF-IDF", "BM25")
    ]


def test_the_outcome_says_of_each_model_whether_it_beats_the_reference():
    assert outcome(systems(), "AP") == (
        "At p < 0.05: siamese-lstm beats TF-IDF by 0.041 AP; siamese-mean is not distinguishable from TF-IDF."
    )
    assert outcome(two_references(), "AP") == ""  # standings say that
    rows = systems().rows
    run = next(row for row in rows if row.name == "BM25")  # a user's model
    assert outcome(dataclasses.replace(systems(), rows=(run,), predictions=("BM25",)), "AP") == (
        "At p < 0.05: BM25 is worse than TF-IDF by 0.046 AP."
    )
    assert outcome(dataclasses.replace(systems(), rows=(run,)), "AP") == ""  # nobody asks about a baseline
    against = {"TF-IDF": dataclasses.replace(run.against["TF-IDF"], decidable=False)}
    few = dataclasses.replace(run, trained=True, against=against)
    assert outcome(dataclasses.replace(systems(), rows=(few,)), "AP") == (
        "At p < 0.05: this test can't decide between BM25 and TF-IDF."
    )
    three = tuple(dataclasses.replace(few, name=name) for name in ("a", "b", "c"))
    assert outcome(dataclasses.replace(systems(), rows=three), "AP") == (
        "At p < 0.05: this test can't tell a, b and c from TF-IDF."
    )


def test_equal_bests_are_counted():
    best = max(systems().rows, key=lambda row: row.measures["AP"].value)
    rows = (*systems().rows, dataclasses.replace(best, name="its twin"))
    said = best_of(dataclasses.replace(systems(), rows=rows), "AP")
    assert said.endswith(f"the highest of {len(rows)} systems, with 1 other as high.")
    assert best_of(systems(), "AP").endswith(f"the highest of {len(rows) - 1} systems.")


def test_a_reference_that_is_the_only_trained_system_has_no_standing():
    table = dataclasses.replace(two_references(), references=("TF-IDF", "siamese-lstm"))
    rows = [row for row in table.rows if row.name != "siamese-mean"]
    assert len(standings(dataclasses.replace(table, rows=tuple(rows)))) == 1


def test_the_caption_says_what_is_known():
    assert systems_caption(Systems(()), "AP") == ""
    assert systems_caption(Systems((), queries=243), "MAP") == "Test set: 243 queries."
    assert systems_caption(Systems((), components=7, detectable=0.00314), "AP") == (
        "Test set: 7 independent groups. The minimum detectable difference is about 0.0031 AP."
    )


def test_class_by_class():
    figures, counts = by_class_grids(by_class())
    assert figures.header == ("class", "pairs", "precision", "recall", "F1")
    assert figures.rows[0][:3] == ("not the same", "2,931", "0.850 (0.830 to 0.870)")
    assert counts.header == ("pairs of class", "called not the same", "called same", "called can't <tell>")
    assert counts.rows[1] == ("same", "902", "830", "4")
    assert by_class_caption(by_class()) == (
        "Decisions of siamese-lstm, 3 seeds together; counts are means over them."
    )
    assert by_class_caption(dataclasses.replace(by_class(), seeds=1)) == "Decisions of siamese-lstm."


def test_precision_at_a_recall_is_the_best_of_the_cuts_that_reach_it():
    curve = PrecisionRecallCurve("m", True, (0.25, 0.5, 0.75), (1.0, 0.5, 0.6))
    grid = precision_recall_grid(PrecisionRecall((curve,)))
    shown = dict(grid.rows)
    assert (shown["0.2"], shown["0.3"], shown["0.5"], shown["0.7"], shown["0.8"]) == (
        "1.000",
        "0.600",
        "0.600",
        "0.600",
        "",
    )


def test_confusion_stands_truth_by_row():
    grid = confusion_grid(threshold().confusion)
    assert grid.rows == (("same", "530", "1,206"), ("not the same", "63", "2,868"))


def test_empty_columns():
    grid = Grid(("a", "b"), (("1", ""), ("2", "")))
    assert without_empty_columns(grid) == Grid(("a",), (("1",), ("2",)))
    assert without_empty_columns(Grid(("a", "b"), ())).header == ("a", "b")
