from __future__ import annotations

from tests.report.example import full_report
from textkin.report.figure_words import full, sentence
from textkin.report.model_card import card, decision, with_decision

REPORT = full_report()


def test_every_figure_is_in_the_card() -> None:
    words = card(REPORT, "siamese-lstm", 2)
    assert words.startswith("# siamese-lstm\n\nA textkin model, seed 2 of a study of quora")
    assert sentence(REPORT.verdict) in words
    for row in REPORT.systems.rows:
        assert f"| {row.name} | {' | '.join(full(figure) for figure in row.measures.values())} |" in words
    assert decision(REPORT.threshold, fitted_on="dev") in words


def test_a_new_decision_replaces_the_old_one_and_nothing_else() -> None:
    old = card(REPORT, "siamese-lstm", 2)
    new = with_decision(old, r"From \\1 on.")
    assert decision(REPORT.threshold, fitted_on="dev") not in new
    assert new.count("## How it decides\n\nFrom \\\\1 on.\n\n## Use") == 1
    before, after = old.split("## How it decides")[0], old[old.index("## Use") :]
    assert new.startswith(before) and new.endswith(after)
    assert with_decision(new, r"From \\1 on.") == new
    last = with_decision("# mine", "Words.")
    assert last == "# mine\n\n## How it decides\n\nWords.\n"
    assert with_decision(last, "Others.").rstrip() == "# mine\n\n## How it decides\n\nOthers."
