"""The small examples of the paper, its slides and its FAQ. They need no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from voile.models.alpha_k import AlphaK
from voile.models.ck_safety import CKSafety
from voile.models.k_e import KE
from voile.models.l_diversity import LDiversity
from voile.models.personalized import Personalized
from voile.models.t_closeness.t_closeness import TCloseness
from voile.papers.minimality.slide_tables import SCHOOL
from voile.papers.minimality.written_releases import attack_local, require_model, require_of_join
from voile.papers.paper import Claim, Run


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
            "(0.4,3)-anonymity, our own",
            {"q1": 3, "q2": 6},
            [show_group(["HIV"] * 2 + ["none"] * 3, q1=3, q2=2), show_group(["none"] * 4, q2=4)],
            require_model(AlphaK(alpha=0.4, k=3, protect=("HIV",)), ["HIV", "none"]),
            "q1",
            "HIV",
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
            "(0.6,1)-safety, our own",
            {"q1": 3, "q2": 5},
            [
                show_group(["HIV", "HIV", "flu", "cold", "asthma"], q1=3, q2=2),
                show_group(["ulcer", "gout", "fever"], q2=3),
            ],
            CKSafety(c=0.6, k=1),
            "q1",
            "HIV",
        ),
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


def _claim_breach(requirement: str, example: str) -> Claim:
    """The slides say of each requirement that its tables have a privacy breach: belief rises by knowing the method."""

    def read_beliefs(frame: pl.DataFrame) -> str:
        row = frame.row(by_predicate=pl.col("example") == example, named=True)
        return f"{row['before']} to {row['after']}"

    def rises(printed: str, ours: str) -> bool:
        before, after = map(Fraction, ours.split(" to "))
        return after > before

    says = f"A table that was published minimally under {requirement} has a privacy breach."
    return Claim(f"section 2.4, {requirement}", says, "a breach", read_beliefs, rises)


EXAMPLE_CLAIMS = (
    Claim(
        "section 2.1",
        "P(o is linked to Cancer | Knowledge) = 1",
        "1",
        lambda frame: frame.filter(pl.col("example") == "2-diversity")["after"][0],
    ),
    *(
        _claim_breach(requirement, example)
        for requirement, example in (
            ("(c,l)-diversity", "(3,3)-diversity"),
            ("(alpha,k)-anonymity", "(0.4,3)-anonymity, our own"),
            ("t-closeness", "0.2-closeness"),
            ("(k,e)-anonymity", "(2,5k)-anonymity"),
            ("(c,k)-safety", "(0.6,1)-safety, our own"),
            ("(c,k)-safety counted by shares", "(0.6,2)-safety, as the slides count"),
            ("personalized privacy", "personalized privacy"),
            ("sequential releases", "sequential releases"),
        )
    ),
)
