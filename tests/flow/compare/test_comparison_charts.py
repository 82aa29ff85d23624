"""The charts of a comparison: drawn where there is something to draw."""

from __future__ import annotations

from dataclasses import replace

from voile.flow.compare.comparison_charts import COLUMNS, build_cell, draw_charts, draw_heat
from voile.flow.compare.trial import AttackResult, LossResult, Trial
from voile.flow.compare.trial_table import TrialTable

INSIDE = AttackResult("homogeneity", "Homogeneity", limits="belief", worst=0.5, mean=0.4, bound="1/3", inside=True)
TRIAL = Trial(
    "mondrian",
    "l-diversity (l=3)",
    {"name": "mondrian"},
    ({"name": "l-diversity", "l": 3},),
    verified="holds",
    reached=(INSIDE,),
    losses=(LossResult("certainty", "GCP", 0.2),),
)


def test_every_chart_has_two_widths() -> None:
    drawn = draw_charts(TrialTable((TRIAL,), (), "certainty", 10))
    assert set(drawn["frontier"]) == {"wide", "narrow"}
    assert set(drawn["heat"]) == {"l-diversity (l=3)"}
    assert set(drawn["heat"]["l-diversity (l=3)"]) == {"wide", "narrow"}


def test_without_a_loss_there_is_no_frontier() -> None:
    assert draw_charts(TrialTable((replace(TRIAL, losses=()),), (), "certainty", 10))["frontier"] is None


def test_many_trials_are_divided_among_drawings() -> None:
    table = TrialTable(tuple(replace(TRIAL, title=str(number)) for number in range(13)), (), "certainty", 10)
    assert len(draw_heat(table, "l-diversity (l=3)", "narrow")) == -(-13 // COLUMNS["narrow"]) == 3
    assert len(draw_heat(table, "l-diversity (l=3)", "wide")) == 2


def test_cells_show_what_an_attack_reaches() -> None:
    assert build_cell(1, "Homogeneity", INSIDE)["shown"] == "50%"
    assert build_cell(1, "Homogeneity", replace(INSIDE, passed=False))["shown"] == "50%!"
    assert build_cell(1, "Distance", replace(INSIDE, limits="distance"))["shown"] == "0.50"
    assert build_cell(1, "Chain", AttackResult("chain", "chain"))["shown"] == "–"
