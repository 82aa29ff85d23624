"""The small examples of the paper, its slides and its FAQ. They need no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from voile.models.alpha_k import AlphaK
from voile.models.k_e import KE
from voile.models.l_diversity import LDiversity
from voile.models.personalized import Personalized
from voile.models.t_closeness.t_closeness import TCloseness
from voile.papers.minimality.mask_formulas import distribution, mechanism_aware_credibility
from voile.papers.minimality.written_releases import attack_local, credibility_global, require_model, require_of_join
from voile.papers.paper import Run

SCHOOL = {"elementary": ["1st-4th", "5th-6th"], "university": ["undergrad", "graduate"]}


def show_group(values: Sequence[Any], **inside: int) -> dict[str, Any]:
    """Return a published group: its values, and how many people of each kind are inside."""
    return {"inside": inside, "values": list(values)}


def examples(run: Run) -> pl.DataFrame:
    """Compute every example of the slides and the FAQ: belief before and after reasoning about the algorithm."""
    two, safe = AlphaK(alpha=0.5, k=2, protect=("Yes",)), AlphaK(alpha=0.6, k=2, protect=("HIV",))
    cancer = [show_group(["Yes", "Yes", "None", "None"], q1=2, q2=2), show_group(["None", "None"], q2=2)]
    cases: list[tuple[str, Mapping[str, int], list[dict[str, Any]], Any, str, Any]] = [
        ("2-diversity", {"q1": 2, "q2": 4}, cancer, two, "q1", "Yes"),
        (
            "(3,3)-diversity",
            {"q1": 3, "q2": 4},
            [
                show_group(["Diabetes", "HIV", "Lung", "HIV"], q1=3, q2=1),
                show_group(["Ulcer", "Alzheimer", "Gall"], q2=3),
            ],
            LDiversity(l=3, form="recursive", c=3),
            "q1",
            "HIV",
        ),
        (
            "(0.5,2)-anonymity",
            {"q1": 2, "q2": 4},
            cancer,
            two,
            "q2",
            "Yes",
        ),
        (
            "0.2-closeness",
            {"q1": 2, "q2": 4},
            [show_group(["HIV", "HIV", "none"], q1=2, q2=1), show_group(["none", "none", "HIV"], q2=3)],
            TCloseness(t=0.2),
            "q1",
            "HIV",
        ),
        (
            "(2,5k)-anonymity",
            {"q1": 2, "q2": 3},
            [show_group([30, 30, 20], q1=2, q2=1), show_group([10, 40], q2=2)],
            KE(k=2, e=5),
            "q1",
            30,
        ),
        (
            "personalized privacy",
            {"q1": 1, "q2": 2},
            [show_group(["1st-4th", "undergrad"], q1=1, q2=1), show_group(["undergrad"], q2=1)],
            Personalized(p=0.5, nodes=("elementary",)),
            "q1",
            "1st-4th",
        ),
        ("sequential releases", {"q1": 2, "q2": 4}, cancer, require_in_join(two), "q1", "Yes"),
        ("(0.6,2)-safety, as the slides count", {"q1": 3, "q2": 10}, hiv_groups(), safe, "q1", "HIV"),
        (
            "Adult, aged 80, self-employed",
            {"self-employed": 1, "private": 2},
            [
                {"inside": {"self-employed": 1, "private": 1}, "values": ["7th-8th", "HS-grad"]},
                {"inside": {"private": 1}, "values": ["HS-grad"]},
            ],
            AlphaK(alpha=0.5, k=2, protect=("7th-8th",)),
            "self-employed",
            "7th-8th",
        ),
    ]
    rows = []
    for name, external, published, requirement, kind, value in cases:
        tree = SCHOOL if name == "personalized privacy" else None
        test = judge_by_shares(requirement, published) if isinstance(requirement, AlphaK) else requirement
        outcome = attack_local(external, published, test, hierarchy=tree)
        after = outcome.belief[kind, value] if outcome.belief else None
        rows.append(make_row(name, kind, value, outcome.naive[kind, value], after, outcome.kept, outcome.total))
    return pl.DataFrame(rows)


def make_row(name: str, kind: str, value: Any, before: Fraction, after: Fraction | None, kept: int, total: int) -> Any:
    return {
        "example": name,
        "person": kind,
        "value": str(value),
        "before": str(before),
        "after": str(after),
        "before_number": float(before),
        "after_number": float(after) if after is not None else None,
        "worlds_kept": kept,
        "worlds": total,
    }


def judge_by_shares(model: AlphaK, published: Sequence[Mapping[str, Any]]) -> Any:
    """Return the slides' simplified diversity: the share of the sensitive value, whatever the size of the group."""
    nodes = Personalized(p=model.alpha, nodes=model.protect)
    return require_model(nodes, [value for shown in published for value in shown["values"]])


def require_in_join(model: AlphaK) -> Any:
    """Return the requirement for a table that was published before in one group: it must hold in the join as well."""
    whole = [show_group(["Yes", "Yes", "None", "None", "None", "None"], q1=2, q2=4)]
    return require_of_join(whole, judge_by_shares(model, whole))


def hiv_groups() -> list[dict[str, Any]]:
    return [show_group(["HIV"] * 2 + ["none"] * 8, q1=3, q2=7), show_group(["none"] * 3, q2=3)]


def global_recoding(run: Run) -> pl.DataFrame:
    """Compute the closed form for global recoding, as fractions."""
    rows = []
    for sizes, sensitive, least in (
        ([2, 4], 2, 2),
        ([2, 2, 4], 3, 2),
        ([5, 10], 4, 3),
        ([2, 3, 5], 4, 2),
        ([4, 4], 2, 2),
    ):
        found = credibility_global(sizes, sensitive, least)
        before = Fraction(sensitive, sum(sizes))
        for place, size in enumerate(sizes):
            after = found[place] if found else None
            rows.append(
                {
                    "groups": "+".join(map(str, sizes)),
                    "sensitive": sensitive,
                    "l": least,
                    "person_in_group_of": size,
                    "before": str(before),
                    "after": str(after),
                    "after_number": float(after) if after is not None else None,
                }
            )
    return pl.DataFrame(rows)


def masking(run: Run) -> pl.DataFrame:
    """Compute the slides' distribution D, and what an adversary who knows MASK believes about a published share."""
    steps = distribution({"q3": ["Yes", "None"], "q4": ["None", "None"], "Q": ["Yes", "Yes"]}, "Yes", 2)
    rows = [
        {"what": "D of the slides", "theta": None, "size": 2, "l": 2, "share": share, "belief": chance}
        for share, chance in steps["D"].items()
    ]
    for theta, size, least in ((0.4, 2, 2), (0.3, 4, 2), (0.1, 10, 5)):
        for variant in ("original", "slack"):
            for share, belief in mechanism_aware_credibility(theta, size, least, variant):
                name = f"belief, {variant} sampling"
                rows.append({"what": name, "theta": theta, "size": size, "l": least, "share": share, "belief": belief})
    return pl.DataFrame(rows, schema_overrides={"theta": pl.Float64})
