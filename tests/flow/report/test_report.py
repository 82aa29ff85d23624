"""The report: what it says, what it never says, and how it gets onto disk."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import voile as vl
from voile.adversaries.adversary import Adversary, Knowledge
from voile.errors import DataError, SpecError
from voile.flow.report import charts
from voile.flow.report.page_rendering import bound, number, percent
from voile.flow.report.report import Report, report
from voile.releases.certificate import Certificate
from voile.releases.release import Release, Words, of_shape
from voile.results import Answer, Audit, Belief, Checked, Finding, Loss, Losses, Verdict

NEIGHBOUR = Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI)
INSIDER = Adversary.who("insider", Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.ALGORITHM)
LOSSES = Losses(
    (
        Loss("certainty", "Certainty penalty", 0.41, {"birth": 0.52, "sex": 0.0, "zip": 0.63}, "0 to 1"),
        Loss("query-error", "Query error", 0.2234, {"median": 0.11}, "1,000 queries"),
    )
)


@pytest.fixture(scope="module")
def data() -> Any:
    schema = vl.Schema(identifier=["name"], quasi=["birth", "sex", "zip"], sensitive=["disease"])
    return vl.read(vl.datasets.hospital(), schema)


@pytest.fixture(scope="module")
def release(data: Any) -> Release:
    return vl.publish(data, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3)))


@pytest.fixture(scope="module")
def audit(release: Release) -> Audit:
    sizes, tallies = release.sizes, release.tallies["disease"]
    unique = Belief("identity", np.array([1.0, 0.5]), np.array([372, 28]), 1 / 400)
    largest = tallies.largest() / sizes
    return Audit(
        (
            Finding(
                "linking",
                "Linking",
                NEIGHBOUR,
                Belief("identity", 1 / sizes, sizes, 1 / 400),
                Fraction(1, 5),
                "k",
                unique,
            ),
            Finding(
                "homogeneity",
                "Same value",
                NEIGHBOUR,
                Belief("belief", largest, sizes, 0.19, "disease"),
                Fraction(1, 3),
            ),
            Finding(
                "skewness", "Gain", NEIGHBOUR, Belief("gain", largest / 2, sizes, 0.0, "disease"), Fraction(3, 5), "t"
            ),
            Finding("minimality", "Minimality", INSIDER, Belief("belief", largest, sizes, 0.19, "disease"), None),
            Finding(
                "order", "Distance", INSIDER, Belief("distance", largest, sizes, 0.0, "disease", {"worlds": 9.0}), None
            ),
        )
    )


@pytest.fixture(scope="module")
def full(release: Release, audit: Audit) -> Report:
    return report(release, audit, LOSSES)


class Page(HTMLParser):
    """The visible text, the headings in order, and every attribute of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.headings, self.attributes, self.tags = "", [], [], []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data)


# what it says ------------------------------------------------------------------------------------------------------
def test_the_sections_come_in_order(full: Report) -> None:
    assert Page(full.html).headings == [
        "Privacy report",
        "What is promised",
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
    inside, outside = page.index("Inside the promise"), page.index("Shown, outside the promise")
    assert inside < page.index("<strong>Linking</strong>") < outside < page.index("<strong>Minimality</strong>")
    assert page.count(">PASSED<") == 3
    assert ">FAILED<" not in page


def test_a_failed_attack_is_in_the_headline(release: Release, audit: Audit) -> None:
    wrong = dataclasses.replace(audit.findings[0], bound=Fraction(1, 100))
    page = report(release, Audit((wrong, *audit.findings[1:]))).html
    assert "ATTACK SUCCEEDS" in page
    assert "1 of 3 attacks inside the promise reaches more" in page
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


def test_verify_is_the_default(release: Release) -> None:
    assert report(release).verdict == vl.verify(release)


def test_the_limits_follow_the_claims_and_the_columns(data: Any) -> None:
    schema = vl.Schema(quasi=["birth", "sex"], sensitive=["disease"], other=["zip"])
    open_ = vl.publish(vl.read(vl.datasets.hospital(), schema), vl.KAnonymity(k=5))
    said = " ".join(report(open_).as_json()["limits"])
    assert "no claim about it: the column 'zip'" in said
    assert "the sensitive column 'disease'" in said
    assert "shared values" in said
    assert "minimality" in said
    assert "values of other people" in said
    closed = " ".join(report(vl.publish(data, vl.LDiversity(l=3))).as_json()["limits"])
    assert "shared values" not in closed
    assert "sensitive column" not in closed


def test_page_and_json_agree(full: Report) -> None:
    content = full.as_json()
    assert content["headline"]["people"] == 400
    assert content["headline"]["groups"] == content["groups"]["groups"] == full.release.groups
    assert sum(bin["groups"] for bin in content["groups"]["histogram"]) == full.release.groups
    assert [item["title"] for item in content["losses"]] == ["Certainty penalty", "Query error"]
    assert len(content["audit"]["findings"]) == 5
    content["promises"].clear()
    assert len(full.as_json()["promises"]) == 2  # a copy each time


# what it never says ------------------------------------------------------------------------------------------------
def test_no_cell_of_the_data(full: Report) -> None:
    frame = vl.datasets.hospital()
    text = Page(full.html).text + json.dumps(full.as_json(), ensure_ascii=False)
    for column in ("name", "disease", "zip", "birth"):
        for value in frame[column].cast(str).unique():
            assert not re.search(rf"\b{re.escape(value)}\b", text), column


def test_everything_is_inside_the_page(full: Report) -> None:
    page = Page(full.html)
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    assert not [
        name for _, name, _ in page.attributes if name.startswith("on") or name in ("src", "href", "xlink:href")
    ]
    assert "url(" not in full.html
    assert "@import" not in full.html
    outside = {found for found in re.findall(r"https?://[^\"'\s<]+", full.html) if "www.w3.org" not in found}
    assert not outside
    assert len(full.html.encode()) < 300_000


def test_names_are_escaped(release: Release) -> None:
    evil = "<script>alert('x')</script>&\""
    columns = [{**entry, "name": evil, "cell": evil} for entry in release.dictionary["columns"]]
    finding = Finding(
        evil, evil, NEIGHBOUR, Belief("belief", np.array([0.2]), np.array([9]), 0.1, evil, {evil: 1.0}), None
    )
    made = report(
        dataclasses.replace(release, dictionary={"columns": columns}),
        Audit((finding,)),
        Losses((Loss("certainty", evil, 0.1, {evil: 0.5}, evil),)),
        Verdict((Checked(evil, Answer.HOLDS, evil),)),
    )
    assert "script" not in Page(made.html).tags
    assert evil in Page(made.html).text


# charts ------------------------------------------------------------------------------------------------------------
def test_charts_are_described_and_well_formed(full: Report) -> None:
    page = Page(full.html)
    described = [value for tag, name, value in page.attributes if tag == "div" and name == "aria-label"]
    drawings = re.findall(r"<svg.*?</svg>", full.html, flags=re.S)
    assert len(drawings) == 2 * 7  # inside: probability, gain; outside: probability, distance; curve, bars, sizes
    assert page.attributes.count(("div", "role", "img")) == len(drawings)
    assert all(described)
    for drawing in drawings:
        ElementTree.fromstring(drawing)
    names = [value for _, name, value in page.attributes if name == "id"]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("steps", [3, 5000])
def test_the_curve_counts_people(steps: int) -> None:
    rng = np.random.default_rng(4)
    risk, people = rng.choice(rng.random(steps), 2000), rng.integers(1, 9, 2000)
    points = charts.exceedance(risk, people)
    assert len(points) <= charts.POINTS + 2
    assert points[0] == [0.0, 1.0]
    assert points == sorted(points, key=lambda point: point[0])
    assert max(risk) in [place for place, _ in points]
    for place, share in points:
        assert share == pytest.approx(people[risk >= place].sum() / people.sum())


def test_the_curve_of_nobody() -> None:
    assert charts.exceedance(np.zeros(0), np.zeros(0, dtype=np.int64)) == []


@pytest.mark.parametrize(
    "sizes",
    [
        np.array([5]),
        np.array([5, 5, 9]),
        np.arange(5, 400),
        np.append(np.full(1000, 7), [100_000, 250_000]),
        np.append(np.full(1000, 0), [1, 250_000]),
        np.random.default_rng(1).geometric(0.01, 100_000),
    ],
)
def test_bins_cover_every_group_once(sizes: np.ndarray) -> None:
    bins = charts.binned(sizes)
    assert len(bins) <= charts.BARS
    assert sum(bin["groups"] for bin in bins) == len(sizes)
    assert bins[0]["from"] == sizes.min()
    for bin in bins:
        assert bin["groups"] == ((sizes >= bin["from"]) & (sizes <= bin["to"])).sum()
    assert charts.histogram(bins, 340).startswith("<svg")


def test_no_groups_no_bins() -> None:
    assert charts.binned(np.zeros(0, dtype=np.int64)) == []


def test_a_bar_chart_shows_the_columns_that_lose_most() -> None:
    parts = {f"c{number}": number / 100 for number in range(100)}
    shown = charts.largest(parts)
    assert len(shown) == charts.BARS
    assert shown[0] == ("c99", 0.99)


def test_without_a_linking_attack_the_curve_shows_another(audit: Audit) -> None:
    linking, *others = audit.findings
    assert charts.over_people(others) is None
    other = dataclasses.replace(linking, attack="other", belief=dataclasses.replace(linking.belief, limits="belief"))
    found = charts.over_people([*others, other])
    assert found is not None
    assert found["attack"] == "other"


# unusual releases --------------------------------------------------------------------------------------------------
def test_many_columns_and_many_people_stay_small(release: Release) -> None:
    names = [f"a_column_with_a_rather_long_name_{number}" for number in range(40)]
    columns = [
        {"name": name, "role": "other", "kind": "numeric", "shown": "exact", "cell": "the person's own value"}
        for name in names
    ]
    sizes = np.append(np.random.default_rng(0).geometric(0.02, 500_000) + 9, [200_000] * 20)
    large: Any = SimpleNamespace(
        people=5_000_000,
        sizes=sizes,
        shape="generalized",
        words=Words("one table"),
        dictionary={"columns": columns},
        certificate=release.certificate,
    )
    risk = np.random.default_rng(0).beta(1, 30, 300_000)
    finding = Finding(
        "linking", "Linking", NEIGHBOUR, Belief("identity", risk, np.ones(300_000, int), 1e-7), Fraction(1, 5)
    )
    losses = Losses((Loss("certainty", "Certainty", 0.3, dict.fromkeys(names, 0.3)),))
    made = report(large, Audit((finding,)), losses, Verdict((Checked("tables", Answer.HOLDS),)))
    assert len(made.html.encode()) < 300_000
    assert len(json.dumps(made.as_json())) < 60_000
    assert "5,000,000" in made.html
    assert "and 34 more" in made.html


def test_a_release_whose_tables_are_gone(release: Release) -> None:
    made = report(dataclasses.replace(release, tables={}))
    assert made.as_json()["headline"]["answer"] == "broken"
    assert made.as_json()["headline"]["people"] is None
    assert "The groups cannot be counted" in made.html


@pytest.mark.parametrize(
    "claim", [{}, {"model": 7, "adversary": []}, {"model": "k-anonymity", "adversary": {"knows": 3}}]
)
def test_a_certificate_from_elsewhere_may_say_anything(release: Release, claim: dict[str, Any]) -> None:
    certificate = Certificate("generalized", {}, (claim,), "somebody")
    made = report(dataclasses.replace(release, certificate=certificate))
    assert "This claim cannot be read." in made.html
    assert "BROKEN" in made.html


def test_no_claims_at_all(release: Release) -> None:
    certificate = dataclasses.replace(release.certificate, claims=())
    assert "Nothing is claimed." in report(dataclasses.replace(release, certificate=certificate)).html


def test_numbers_that_are_none(release: Release) -> None:
    belief = Belief("belief", np.array([np.nan]), np.array([3]), float("nan"), "disease")
    losses = Losses((Loss("certainty", "Certainty", float("inf"), {"zip": float("nan")}),))
    made = report(release, Audit((Finding("x", "X", NEIGHBOUR, belief, None),)), losses)
    assert made.as_json()["losses"][0]["value"] is None
    assert "–" in made.html


@pytest.mark.parametrize(
    ("stated", "limits", "shown"),
    [
        ("1/5", "identity", "1/5 = 20 %"),
        ("2/3", "belief", "2/3 = 66.7 %"),
        ("3/20", "distance", "3/20 = 0.15"),
        ("1", "belief", "no limit"),
        ("0", "gain", "0 = 0 %"),
        ("1/0", "belief", "1/0"),
        ("1e999999999", "belief", "1e999999999"),
        ("", "belief", "–"),
        (None, "belief", "–"),
    ],
)
def test_bounds_read_well(stated: str | None, limits: str, shown: str) -> None:
    assert bound(stated, limits) == shown


def test_numbers_read_well() -> None:
    assert [percent(None), percent(0.5), number(None), number(-1.5), number(2e-9)] == [
        "–",
        "50 %",
        "–",
        "-1.5",
        "2.0e-09",
    ]


# on disk -----------------------------------------------------------------------------------------------------------
def test_save_writes_the_page_and_the_same_as_json(full: Report, tmp_path: Path) -> None:
    place = full.save(tmp_path / "new" / "report.html")
    assert place == tmp_path / "new" / "report.html"
    assert place.read_text(encoding="utf-8") == full.html
    assert json.loads(place.with_suffix(".json").read_text(encoding="utf-8")) == full.as_json()
    place.write_text("old")
    full.save(str(place))
    assert place.read_text(encoding="utf-8") == full.html
    assert sorted(found.name for found in place.parent.iterdir()) == ["report.html", "report.json"]


def test_a_report_goes_beside_a_release(full: Report, tmp_path: Path) -> None:
    full.release.save(tmp_path / "out")
    full.save(tmp_path / "out" / "report.html")
    verdict = vl.verify(tmp_path / "out")
    assert verdict.holds
    assert "report.html" in verdict.notes[0]


def test_what_cannot_be_written(full: Report, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError) as caught:
        full.save(tmp_path / "file" / "report.html")
    assert caught.value.code == "data.write"
    assert caught.value.hint
    assert str(tmp_path) not in str(caught.value)
    (tmp_path / "report.html").mkdir()
    with pytest.raises(DataError):
        full.save(tmp_path / "report.html")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["file", "report.html"]


def test_a_report_is_a_page(full: Report, tmp_path: Path) -> None:
    with pytest.raises(SpecError):
        full.save(tmp_path / "report.json")


def test_the_libraries_of_charts_load_late() -> None:
    code = (
        "import sys, voile.flow.report as r; print([m for m in ('altair', 'vl_convert', 'jinja2') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_promise_names_the_columns_that_the_adversary_knows(release: Release) -> None:
    names = ", ".join(str(entry["name"]) for entry in release.described("quasi"))
    assert f"the person&#39;s quasi-identifier ({names})" in report(release).html


# adversaries and recipients ----------------------------------------------------------------------------------------
def test_every_finding_is_in_the_matrix(full: Report, audit: Audit) -> None:
    told = full.as_json()["adversaries"]
    assert [row["name"] for row in told] == ["neighbour", "insider"], "who is promised something against comes first"
    assert [item["title"] for row in told for item in row["tries"]] == [item.title for item in audit.findings]
    assert full.html.count('class="tag good">inside the promise<') == 3
    assert full.html.count('class="tag">shown, outside the promise<') == 2
    assert told[0]["knows"] == [Knowledge.MEMBERSHIP.value, Knowledge.QUASI.value]


def test_a_preset_is_one_adversary_with_its_story(release: Release, data: Any) -> None:
    made = report(release, vl.audit(release, data, adversary=["insurer", "colleague", "employer"]))
    told = made.as_json()["adversaries"]
    assert [row["preset"]["name"] for row in told] == ["insurer", "colleague"]
    assert [item["title"] for item in told[1]["tries"]] == ["Homogeneity of 'disease'", "Corruption of 'disease'"]
    page = Page(made.html).text
    assert all(row["preset"]["story"] in page for row in told)
    assert "employer: the attack chain does not apply to a generalized release like this one." in page


def test_a_broken_promise_is_marked_in_the_matrix(release: Release, audit: Audit) -> None:
    wrong = dataclasses.replace(audit.findings[0], bound=Fraction(1, 100))
    assert "inside the promise: BROKEN" in report(release, Audit((wrong,))).html


@pytest.mark.parametrize("shape", ["generalized", "bucketized", "decomposed", "sampled", "republished"])
def test_every_shape_says_what_can_be_computed(shape: str) -> None:
    words = of_shape(shape).words
    assert words.can
    assert words.cannot
    assert words.hides.endswith(".")


def test_what_the_recipient_can_compute_is_said(full: Report) -> None:
    page, told = Page(full.html).text, full.as_json()["recipient"]
    assert all(text in page for text in (*told["can"], *told["cannot"]))
    assert [item["measure"] for item in told["measured"]] == ["query-error"]
    assert "Query error, on the average: 22.3 % (1,000 queries)." in page


def test_losses_by_column_of_any_measure(release: Release) -> None:
    losses = Losses((Loss("all", "All", 0.4, {"total": 3.0}), Loss("mine", "Mine", 0.4, {"birth": 0.5, "zip": 0.3})))
    assert "Mine, column by column" in Page(report(release, None, losses).html).text
    assert charts.by_column({"birth": 0.5, "zip": None}, {"birth", "zip"})
    assert not charts.by_column({"birth": 1.5, "zip": 0.1}, {"birth", "zip"})
    assert not charts.by_column({}, {"birth"})
