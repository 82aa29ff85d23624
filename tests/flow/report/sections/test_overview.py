"""The screen that decides: what it says about the three risks, the losses, what to watch out for, and who decided."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import pytest
from report_examples import LOSSES, Page

import voile as vl
from voile.errors import SpecError
from voile.flow.report.report import Report, report
from voile.releases.release import Release
from voile.results import Audit


def list_risks(made: Report) -> list[str]:
    return [item["bounded"] for item in made.as_json()["overview"]["risks"]]


def test_the_three_risks_follow_the_claims(data: Any, release: Release) -> None:
    assert list_risks(report(release)) == ["yes", "partly", "yes"], (
        "k-anonymity and l-diversity; other releases are open"
    )
    assert list_risks(report(vl.publish(data, vl.KAnonymity(k=5)))) == ["yes", "partly", "no"]
    assert list_risks(report(vl.publish(data, vl.LDiversity(l=3), vl.Anatomy()))) == ["no", "no", "yes"]
    spread = vl.publish(data, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3, form="distinct")))
    assert list_risks(report(spread)) == ["yes", "partly", "no"], "distinct l-diversity bounds no belief"
    some = vl.publish(data, vl.AlphaK(alpha=0.5, k=5, protect=("HIV infection",)))
    assert list_risks(report(some)) == ["yes", "partly", "partly"]


def test_a_broken_promise_bounds_nothing(release: Release, audit: Audit) -> None:
    wrong = dataclasses.replace(audit.findings[0], bound=Fraction(1, 100))
    assert list_risks(report(release, Audit((wrong,)))) == ["no", "no", "no"]
    assert list_risks(report(dataclasses.replace(release, tables={}))) == ["no", "no", "no"]


def test_what_to_mind_names_recognisable_people_lost_columns_and_the_worst_attack(data: Any, audit: Audit) -> None:
    shown = report(vl.publish(data, vl.LDiversity(l=3), vl.Anatomy())).as_json()["overview"]
    assert "everyone in it is recognisable" in shown["mind"][0]
    coarse = vl.publish(data, vl.KAnonymity(k=5), vl.FullDomain())
    overview = report(coarse, audit, vl.measure(data, coarse)).as_json()["overview"]
    assert any("Hardly anything is left of the column 'birth'" in point for point in overview["mind"])
    assert any("the attack “Minimality”" in point for point in overview["mind"])
    assert any("(*): birth 100 %" in point for point in overview["lost"])
    assert report(coarse).as_json()["overview"]["lost"][-1].startswith("Nothing else was measured")


def test_everything_but_the_first_screen_is_folded(full: Report) -> None:
    head, _, folded = full.html.partition('<details class="fold">')
    assert "What to watch out for" in head
    assert "Bounded against the adversary above" in head  # an attack outside the promise may still succeed
    assert "Second reader" in head
    assert "Risk before and after" not in head
    assert folded.count('<details class="fold">') == 8
    assert "<h2>" not in "".join(part.partition("<summary>")[0] for part in folded.split("</summary>")[1:])


def test_who_decided_is_given_and_never_guessed(release: Release) -> None:
    blank = report(release, losses=LOSSES)
    assert blank.as_json()["decision"] == {"by": "", "on": "", "reasons": []}
    made = report(release, decided_by=" A. <b>Schmidt ", decided_on="2026-03-31", reasons=["For a partner.", " "])
    assert made.as_json()["decision"] == {"by": "A. <b>Schmidt", "on": "2026-03-31", "reasons": ["For a partner."]}
    page = Page(made.html)
    assert "A. <b>Schmidt" in page.text
    assert "For a partner." in page.text
    with pytest.raises(SpecError, match="is not a date"):
        report(release, decided_on="31.3.2026")
