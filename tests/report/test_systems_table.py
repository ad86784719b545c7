"""The table of systems: the best is bold, and intervals are drawn for notebooks, too."""

from tests.report.example import full_report, systems
from textkin.kinds.measured_table import SystemTable
from textkin.report.study_page import figures
from textkin.report.systems_table import interval_bars, systems_table
from textkin.report.tables import best_names


def test_the_best_of_each_measure_is_bold():
    made = systems_table(systems(), "AP")
    assert best_names(systems(), "AP") == {"siamese-lstm"}
    assert made.count("<b>") == 4 and "<b>0.742</b>" in made


def test_bars_of_notebooks_need_no_style():
    bars = interval_bars(systems(), "AP")
    assert len(bars) == len(systems().rows) and not any("class=" in one for one in bars)
    assert bars[0].startswith('<svg xmlns="http://www.w3.org/2000/svg"') and "stroke=" in bars[0]
    assert interval_bars(systems(), "MRR") == []


def test_a_table_of_systems_has_a_bar_in_each_row_of_a_notebook_and_a_plot():
    class Found(SystemTable):
        measure, systems, reference = "AP", systems(), "TF-IDF"

    html = Found()._repr_html_()
    assert html.count("<svg") == html.count("<tr>") - 1 == len(systems().rows)
    assert Found().plot().page.count('class="interval-bar"') == len(systems().rows)


def test_the_plots_of_a_study_are_those_of_its_report():
    drawn = "".join(figures(full_report()))
    for title in ("Precision and recall", "Scores of", "Training of", "Would more labels pay?"):
        assert f"<figcaption>{title}" in drawn
