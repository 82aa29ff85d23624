"""Every small table that the slides print, judged by the requirement that the slides name for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl

from voile.models.base import Model
from voile.models.ck_safety import CKSafety
from voile.models.k_anonymity import KAnonymity
from voile.models.k_e import KE
from voile.models.l_diversity import LDiversity
from voile.models.personalized import Personalized
from voile.models.t_closeness.t_closeness import TCloseness
from voile.papers.minimality.written_releases import require_model
from voile.papers.paper import Claim, Run

SCHOOL = {"elementary": ["1st-4th", "5th-6th"], "university": ["undergrad", "graduate"]}
TWO, CANCER = KAnonymity(k=2), Personalized(p=0.5, nodes=("Yes",))  # the slides' diversity: a share of one value
HIV = Personalized(p=0.6, nodes=("HIV",))
DIVERSE, CLOSE, INCOME, SAFE = LDiversity(l=3, form="recursive", c=3), TCloseness(t=0.2), KE(k=2, e=5), CKSafety(0.6, 2)
GUARDED = Personalized(p=0.5, nodes=("elementary",))
ILLS = ["Lung cancer", "Ulcer", "Alzheimer", "Gallstones"]
Groups = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, eq=False)
class PrintedTable:
    """A table as the slides print it: the values of each group, the requirement, and whether the slides say that it
    holds. `because` is why the model says otherwise."""

    name: str
    groups: Groups
    requirement: str
    model: Model
    holds: bool
    because: str = ""


def _table(name: str, model: Model, requirement: str, holds: bool, because: str = "", **groups: list[Any]) -> Any:
    return PrintedTable(name, groups, requirement, model, holds, because)


def _sick(first: int, others: int) -> list[str]:
    return ["HIV"] * first + ["none"] * others


LINKED = (
    "one of three people in q1 has HIV: two rules, from each of the other two to the third, make it certain. The "
    "slides count the share of HIV alone, at most 0.6"
)
TABLES: tuple[PrintedTable, ...] = (
    _table("patients, as collected", TWO, "2-anonymity", False, r=["None"], p=["Yes"], k=["None"], m=["None"]),
    _table("patients, released", TWO, "2-anonymity", True, male=["None", "Yes"], female=["None", "None"]),
    _table("both men have cancer", TWO, "2-anonymity", True, male=["Yes", "Yes"], female=["None", "None"]),
    _table("both men have cancer", CANCER, "2-diversity", False, male=["Yes", "Yes"], female=["None", "None"]),
    _table("by city, as collected", CANCER, "2-diversity", False, q1=["None"], q2=["Yes"], q3=["None"], q4=["None"]),
    _table("by city, released", CANCER, "2-diversity", True, Q1=["None", "None"], Q2=["Yes", "None"]),
    _table("e.g. 1", CANCER, "2-diversity", True, q1=["Yes", "None"], q2=["Yes"] + ["None"] * 3),
    _table("e.g. 2", CANCER, "2-diversity", False, q1=["Yes"] * 2, q2=["None"] * 4),
    _table("e.g. 2, released", CANCER, "2-diversity", True, Q=["Yes"] * 2 + ["None"] * 2, q2=["None"] * 2),
    _table("six people", TWO, "2-anonymity", False, q1=["Yes"], q2=["Yes"], q3=["Yes", "None"], q4=["None"] * 2),
    _table("six people, released", TWO, "2-anonymity", True, Q=["Yes"] * 2, q3=["Yes", "None"], q4=["None"] * 2),
    _table("bucketization", CANCER, "1/2-deassociation", True, Q1=["Yes", "None"], Q2=["Yes", "None"]),
    _table("districts, released", TWO, "2-anonymity", True, male=["None", "Yes"], female=["None", "None"]),
    _table("districts, half", CANCER, "1/2-deassociation", True, Shatin=["Yes", "None"], NT=["Yes", "None"]),
    _table("diseases, first", DIVERSE, "(3,3)-diversity", True, q1=["Diabetes", "HIV", ILLS[0]], q2=["HIV", *ILLS[1:]]),
    _table("diseases, second", DIVERSE, "(3,3)-diversity", False, q1=["Diabetes", "HIV", "HIV"], q2=ILLS),
    _table(
        "diseases, second, released",
        DIVERSE,
        "(3,3)-diversity",
        True,
        Q=["Diabetes", "HIV", ILLS[0], "HIV"],
        q2=ILLS[1:],
    ),
    _table("closeness, first", CLOSE, "0.2-closeness", True, q1=_sick(1, 1), q2=_sick(2, 2)),
    _table("closeness, second", CLOSE, "0.2-closeness", False, q1=_sick(2, 0), q2=_sick(1, 3)),
    _table("closeness, second, released", CLOSE, "0.2-closeness", True, Q=_sick(2, 1), q2=_sick(1, 2)),
    _table("incomes, first", INCOME, "(2,5k)-anonymity", True, q1=[30, 20], q2=[30, 20, 40]),
    _table("incomes, second", INCOME, "(2,5k)-anonymity", False, q1=[30, 30], q2=[20, 10, 40]),
    _table("incomes, second, released", INCOME, "(2,5k)-anonymity", True, Q=[30, 30, 20], q2=[10, 40]),
    _table("safety, first", SAFE, "(0.6,2)-safety", True, LINKED, q1=_sick(1, 2), q2=_sick(1, 8)),
    _table("safety, first", HIV, "(0.6,2)-safety counted by shares", True, q1=_sick(1, 2), q2=_sick(1, 8)),
    _table("safety, second", HIV, "(0.6,2)-safety counted by shares", False, q1=_sick(2, 1), q2=_sick(0, 9)),
    _table("safety, second, released", HIV, "(0.6,2)-safety counted by shares", True, Q=_sick(2, 8), q2=_sick(0, 3)),
    _table("schools, first", GUARDED, "personalized privacy", True, q1=["undergrad"], q2=["1st-4th", "undergrad"]),
    _table("schools, second", GUARDED, "personalized privacy", False, q1=["1st-4th"], q2=["undergrad"] * 2),
    _table(
        "schools, second, released", GUARDED, "personalized privacy", True, Q=["1st-4th", "undergrad"], q2=["undergrad"]
    ),
)


def judge_tables(run: Run) -> pl.DataFrame:
    """Judge every printed table by its requirement; `linked` is the largest share of a value that the slides protect
    in any group."""
    return pl.DataFrame([_judge(table) for table in TABLES])


def _judge(table: PrintedTable) -> dict[str, Any]:
    values = [value for group in table.groups.values() for value in group]
    tree = SCHOOL if table.model is GUARDED else None
    satisfied = require_model(table.model, values, tree)
    protected = [value for value in ("Yes", "HIV", "1st-4th") if value in values]
    shares = [
        Fraction(group.count(value), len(group)) for group in map(list, table.groups.values()) for value in protected
    ]
    return {
        "table": table.name,
        "groups": "; ".join(f"{name}: {', '.join(map(str, group))}" for name, group in table.groups.items()),
        "rows": len(values),
        "smallest_group": min(len(group) for group in table.groups.values()),
        "linked": str(max(shares)) if shares else None,
        "requirement": table.requirement,
        "holds": satisfied(table.groups),
    }


def _read_cell(name: str, column: str, requirement: str = "") -> Any:
    def read(frame: pl.DataFrame) -> Any:
        rows = frame.filter(pl.col("table") == name)
        return (rows.filter(pl.col("requirement") == requirement) if requirement else rows)[column][0]

    return read


def _claim_verdict(table: PrintedTable) -> Claim:
    holds = _read_cell(table.name, "holds", table.requirement)
    word = "satisfies" if table.holds else "does not satisfy"
    return Claim(
        f"slides, {table.name}",
        f"The table {word} {table.requirement}.",
        word,
        lambda frame: "satisfies" if holds(frame) else "does not satisfy",
        because=table.because,
    )


TABLE_VERDICTS = (
    *map(_claim_verdict, TABLES),
    *(
        Claim(
            f"slides, {name}",
            f"Each quasi-identifier occurs at least {n} times.",
            n,
            _read_cell(name, "smallest_group"),
        )
        for name, n in (("patients, released", 2), ("six people, released", 2), ("districts, released", 2))
    ),
    *(
        Claim(
            f"slides, {name}",
            "Everybody is linked to cancer with probability at most 1/2.",
            "1/2",
            _read_cell(name, "linked"),
        )
        for name in ("by city, released", "e.g. 2, released", "bucketization", "districts, half")
    ),
    Claim(
        "slides, both men have cancer",
        "2-anonymity does not keep privacy: both men have cancer.",
        "1",
        _read_cell("both men have cancer", "linked"),
    ),
    Claim(
        "slides, (0.6,2)-safety",
        "The table of 12 people becomes the release, so the release has 12 rows.",
        12,
        _read_cell("safety, second, released", "rows"),
        because="the slides print 12 rows before the release and 13 in it",
    ),
)
