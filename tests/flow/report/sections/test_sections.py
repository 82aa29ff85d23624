"""The sections of a report: each says what it is for, and a section without content is left out."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from report_examples import Page

import voile as vl
from voile.adversaries.adversary import Knowledge
from voile.flow.report.report import Report, report
from voile.flow.report.sections import SECTIONS
from voile.flow.report.sections.losses import has_column_parts
from voile.releases.release import Release, find_shape
from voile.results import Answer, Audit, Checked, Loss, Losses, Verdict


def test_the_sections_come_in_order(full: Report) -> None:
    assert Page(full.html).headings == [
        "Privacy report",
        "What is promised",
        "Against whom",
        "What is lost",
        "What to watch out for",
        "Who decided, and why",
        "The promises in full",
        "Who might try",
        "Risk before and after",
        "What analysts lose",
        "What the recipient can and cannot compute",
        "How the groups look",
        "The columns",
        "Limits",
        "The certificate, and how to check it",
    ]


def test_sections_without_content_are_left_out_and_said_to_be_missing(release: Release) -> None:
    page = Page(report(release).html)
    assert not {"Who might try", "Risk before and after"} & set(page.headings)
    assert "What analysts lose" not in page.headings
    assert "No attack was run for this report." in page.text
    assert report(release).as_json()["audit"] is None


def test_an_audit_without_findings_and_no_measures(release: Release) -> None:
    page = Page(report(release, Audit(()), Losses(())).html)
    assert "No attack was run." in page.text
    assert "Nothing was measured." in page.text


def test_every_claim_names_its_bound_its_adversary_and_what_is_outside(full: Report) -> None:
    page, stated = Page(full.html).text, full.as_json()["promises"]
    for claim in stated:
        assert claim["promise"] in page
        assert set(claim["may_know"]).isdisjoint(claim["not_covered"])
        assert len(claim["may_know"]) + len(claim["not_covered"]) == len(Knowledge)
    assert "1/5 = 20 %" in page
    assert "1/3 = 33.3 %" in page
    assert Knowledge.ALGORITHM.value in stated[0]["not_covered"]


def test_an_adversary_who_rules_out_values_is_counted(data: Any) -> None:
    release = vl.publish(data, vl.LDiversity(l=4, form="recursive", c=2.0))
    claim = report(release).as_json()["promises"][0]
    assert any(text.endswith("(up to 2)") for text in claim["may_know"])
    assert any(text.startswith("more than 2 ") for text in claim["not_covered"])


def test_findings_are_split_by_the_promise(full: Report) -> None:
    page = full.html
    inside, outside = page.index("<h3>Inside the promise"), page.index("<h3>Outside the promise")
    assert inside < page.index("<strong>Linking</strong>") < outside < page.index("<strong>Minimality</strong>")
    assert page.count(">PASSED<") == 3
    assert ">FAILED<" not in page


def test_a_failed_attack_is_in_the_headline(release: Release, audit: Audit) -> None:
    wrong = dataclasses.replace(audit.findings[0], bound=Fraction(1, 100))
    page = report(release, Audit((wrong, *audit.findings[1:]))).html
    assert "ATTACK SUCCEEDS" in page
    assert "1 of 3 attacks inside the promise exceeds the promised bound" in page
    assert page.count(">FAILED<") == 1


@pytest.mark.parametrize(
    ("checks", "badge", "answer"),
    [
        ((Checked("tables", Answer.HOLDS),), "HOLDS", "holds"),
        ((Checked("tables", Answer.HOLDS), Checked("claim", Answer.BROKEN, "3 of 9 groups.")), "BROKEN", "broken"),
        ((Checked("tables", Answer.HOLDS), Checked("claim", Answer.NEEDS, "key")), "NOT FULLY CHECKED", "needs"),
        ((), "BROKEN", "broken"),  # nothing checked is no reason for trust
    ],
)
def test_the_verdict_is_a_badge(release: Release, checks: tuple[Checked, ...], badge: str, answer: str) -> None:
    made = report(release, verdict=Verdict(checks, ("A note.",)))
    assert made.as_json()["headline"]["answer"] == answer
    assert f'<div class="verdict {answer}"><span class="badge {answer}">{badge}</span>' in made.html
    assert "A note." in made.html
    assert repr(made).startswith(f"Report({answer}, 2 promises")


def test_the_limits_follow_the_claims_and_the_columns(data: Any) -> None:
    schema = vl.Schema(quasi=["birth", "sex"], sensitive=["disease"], other=["zip"])
    open_ = vl.publish(vl.read(vl.datasets.hospital(), schema), vl.KAnonymity(k=5))
    said = " ".join(report(open_).as_json()["limits"])
    assert "no claim about it: the column 'zip'" in said
    assert "the sensitive column 'disease'" in said
    assert "shared values" in said
    assert "minimality" not in said
    assert "values of other people" in said
    closed = " ".join(report(vl.publish(data, vl.LDiversity(l=3))).as_json()["limits"])
    assert "Nothing here holds against someone who knows the algorithm" in closed
    mixed = vl.publish(data, vl.Policy(vl.KAnonymity(k=2), vl.MConfidentiality(m=2, protect=("Asthma",))), vl.Mask())
    assert "k-anonymity does not hold against someone who knows the algorithm" in " ".join(
        report(mixed).as_json()["limits"]
    )
    assert "shared values" not in closed
    assert "sensitive column" not in closed


def test_a_promise_names_the_columns_that_the_adversary_knows(release: Release) -> None:
    names = ", ".join(str(entry["name"]) for entry in release.described("quasi"))
    assert f"the person&#39;s quasi-identifier ({names})" in report(release).html


def test_every_finding_is_in_the_matrix(full: Report, audit: Audit) -> None:
    told = full.as_json()["adversaries"]
    assert [row["name"] for row in told] == ["neighbour", "insider"], "who is promised something against comes first"
    assert [item["title"] for row in told for item in row["tries"]] == [item.title for item in audit.findings]
    assert full.html.count('class="tag good">inside the promise<') == 3
    assert full.html.count('class="tag">outside the promise<') == 2
    assert told[0]["knows"] == [Knowledge.MEMBERSHIP.value, Knowledge.QUASI.value]


def test_a_preset_is_one_adversary_with_its_story(release: Release, data: Any) -> None:
    made = report(release, vl.audit(release, data, adversary=["insurer", "colleague", "employer"]))
    told = made.as_json()["adversaries"]
    assert [row["preset"]["name"] for row in told] == ["insurer", "colleague"]
    assert [item["title"] for item in told[1]["tries"]] == [
        "Homogeneity of 'disease'",
        "Corruption attack on 'disease'",
    ]
    page = Page(made.html).text
    assert all(row["preset"]["story"] in page for row in told)
    assert "employer: the attack chain does not apply to a generalized release like this one." in page


def test_a_broken_promise_is_marked_in_the_matrix(release: Release, audit: Audit) -> None:
    wrong = dataclasses.replace(audit.findings[0], bound=Fraction(1, 100))
    assert "inside the promise: BROKEN" in report(release, Audit((wrong,))).html


@pytest.mark.parametrize("shape", ["generalized", "bucketized", "decomposed", "sampled", "republished"])
def test_every_shape_says_what_can_be_computed(shape: str) -> None:
    words = find_shape(shape).description
    assert words.computable
    assert words.not_computable
    assert words.protection.endswith(".")


def test_what_the_recipient_can_compute_is_said(full: Report) -> None:
    page, told = Page(full.html).text, full.as_json()["recipient"]
    assert all(text in page for text in (*told["can"], *told["cannot"]))
    assert [item["measure"] for item in told["measured"]] == ["query-error"]
    assert "Query error, on average: 22.3 % (1,000 queries)." in page


def test_losses_by_column_of_any_measure(release: Release) -> None:
    losses = Losses((Loss("all", "All", 0.4, {"total": 3.0}), Loss("mine", "Mine", 0.4, {"birth": 0.5, "zip": 0.3})))
    assert "Mine, column by column" in Page(report(release, None, losses).html).text
    assert has_column_parts({"birth": 0.5, "zip": None}, {"birth", "zip"})
    assert not has_column_parts({"birth": 1.5, "zip": 0.1}, {"birth", "zip"})
    assert not has_column_parts({}, {"birth"})


def test_every_section_has_a_module_and_a_template() -> None:
    folder = Path(vl.__file__).parent / "flow" / "report" / "sections"
    for suffix in ("py", "html"):
        assert {file.stem for file in folder.glob(f"*.{suffix}")} - {"__init__"} == set(SECTIONS)


def test_knobs_that_are_methods_or_levels_are_written_out() -> None:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    page = Page(report(vl.publish(data, vl.KAnonymity(k=5), vl.Append())).html)
    assert "(grouping = mondrian (recoding = tight, suppression = 0.0), " in page.text
