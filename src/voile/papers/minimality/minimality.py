"""Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing (VLDB 2007), and its slides."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from voile.errors import Unsatisfiable
from voile.flow.report.figures import Figure
from voile.measures.alteration import Alteration
from voile.measures.distortion import Distortion
from voile.methods.base import Method
from voile.methods.full_domain import FullDomain
from voile.methods.mask.mask import Mask
from voile.methods.mondrian.mondrian import Mondrian
from voile.models.alpha_k import AlphaK
from voile.models.k_e import KE
from voile.models.l_diversity import LDiversity
from voile.models.m_confidentiality import MConfidentiality
from voile.models.personalized import Personalized
from voile.models.policy import Policy
from voile.models.t_closeness.t_closeness import TCloseness
from voile.papers.minimality.mask_formulas import distribution, mechanism_aware_credibility
from voile.papers.minimality.written_releases import (
    attack_local,
    credibility_global,
    require_model,
    require_of_join,
)
from voile.papers.paper import Item, Paper, Run
from voile.tables.schema import Schema

LOW = ("Preschool", "1st-4th", "5th-6th", "7th-8th")
COLUMNS = ("age", "workclass", "marital-status", "occupation", "race", "sex", "native-country", "salary-class")
SCHOOL = {"elementary": ["1st-4th", "5th-6th"], "university": ["undergrad", "graduate"]}


def group(values: Sequence[Any], **inside: int) -> dict[str, Any]:
    return {"inside": inside, "values": list(values)}


def examples(run: Run) -> pl.DataFrame:
    """Every example of the slides and the FAQ: belief before and after reasoning about the algorithm."""
    two, safe = AlphaK(alpha=0.5, k=2, protect=("Yes",)), AlphaK(alpha=0.6, k=2, protect=("HIV",))
    cancer = [group(["Yes", "Yes", "None", "None"], q1=2, q2=2), group(["None", "None"], q2=2)]
    cases: list[tuple[str, Mapping[str, int], list[dict[str, Any]], Any, str, Any]] = [
        ("2-diversity", {"q1": 2, "q2": 4}, cancer, two, "q1", "Yes"),
        (
            "(3,3)-diversity",
            {"q1": 3, "q2": 4},
            [group(["Diabetes", "HIV", "Lung", "HIV"], q1=3, q2=1), group(["Ulcer", "Alzheimer", "Gall"], q2=3)],
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
            [group(["HIV", "HIV", "none"], q1=2, q2=1), group(["none", "none", "HIV"], q2=3)],
            TCloseness(t=0.2),
            "q1",
            "HIV",
        ),
        (
            "(2,5k)-anonymity",
            {"q1": 2, "q2": 3},
            [group([30, 30, 20], q1=2, q2=1), group([10, 40], q2=2)],
            KE(k=2, e=5),
            "q1",
            30,
        ),
        (
            "personalized privacy",
            {"q1": 1, "q2": 2},
            [group(["1st-4th", "undergrad"], q1=1, q2=1), group(["undergrad"], q2=1)],
            Personalized(p=0.5, nodes=("elementary",)),
            "q1",
            "1st-4th",
        ),
        ("sequential releases", {"q1": 2, "q2": 4}, cancer, _sequential(two), "q1", "Yes"),
        ("(0.6,2)-safety, as the slides count", {"q1": 3, "q2": 10}, _hiv(), safe, "q1", "HIV"),
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
        test = _shares_only(requirement, published) if isinstance(requirement, AlphaK) else requirement
        found = attack_local(external, published, test, hierarchy=tree)
        after = found.belief[kind, value] if found.belief else None
        rows.append(_row(name, kind, value, found.naive[kind, value], after, found.kept, found.total))
    return pl.DataFrame(rows)


def _row(name: str, kind: str, value: Any, before: Fraction, after: Fraction | None, kept: int, total: int) -> Any:
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


def _shares_only(model: AlphaK, published: Sequence[Mapping[str, Any]]) -> Any:
    """The slides' simplified diversity: the share of the sensitive value, whatever the size of the group."""
    nodes = Personalized(p=model.alpha, nodes=model.protect)
    return require_model(nodes, [value for shown in published for value in shown["values"]])


def _sequential(model: AlphaK) -> Any:
    """The same table was published before in one group: the requirement must hold in the join as well."""
    whole = [group(["Yes", "Yes", "None", "None", "None", "None"], q1=2, q2=4)]
    return require_of_join(whole, _shares_only(model, whole))


def _hiv() -> list[dict[str, Any]]:
    return [group(["HIV"] * 2 + ["none"] * 8, q1=3, q2=7), group(["none"] * 3, q2=3)]


def global_recoding(run: Run) -> pl.DataFrame:
    """The closed form for global recoding, as fractions."""
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
    """The slides' distribution D, and what who knows MASK believes of a published share."""
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


def real_example(run: Run) -> pl.DataFrame:
    """The people aged 80 with an absent spouse, as they stand in the table, before and after the attack."""
    frame = pl.read_csv(run.source("the Adult table"))
    chosen = frame.filter((pl.col("age") == 80) & (pl.col("marital-status") == "Married-spouse-absent"))
    kinds = chosen["workclass"].value_counts().rows()
    external = {str(kind): int(people) for kind, people in kinds}
    alone = min(external, key=lambda kind: (external[kind], kind))
    other = next(kind for kind in external if kind != alone)
    values = {kind: chosen.filter(pl.col("workclass") == kind)["education"].to_list() for kind in external}
    published = [
        {"inside": {alone: 1, other: 1}, "values": [values[alone][0], values[other][0]]},
        {"inside": {other: external[other] - 1}, "values": values[other][1:]},
    ]
    low = next(value for value in values[alone] if value in LOW)
    test = _shares_only(AlphaK(alpha=0.5, k=2, protect=(low,)), published)
    found = attack_local(external, published, test)
    rows = []
    for kind in external:
        after = found.belief[kind, low] if found.belief else None
        rows.append(_row("Adult, aged 80", kind, low, found.naive[kind, low], after, found.kept, found.total))
    return pl.DataFrame(rows)


def global_experiment(run: Run) -> pl.DataFrame:
    return _experiment(run, FullDomain())


def local_experiment(run: Run) -> pl.DataFrame:
    return _experiment(run, Mondrian())


def _experiment(run: Run, method: Method) -> pl.DataFrame:
    """Time and distortion of MASK against an algorithm that ignores the attack, for 3 to 8 columns, m = 2 and 10."""
    source = run.source("the Adult table")
    frame = pl.read_csv(source)
    frame = frame.sample(6000, seed=1) if run.quick else frame
    sizes = (3, 5, 8) if run.quick else range(3, 9)
    folder = source.parent / "hierarchies"
    rows, done = [], 0
    for m in (2, 10):
        for size in sizes:
            run.step(done, 2 * len(sizes), f"{method.name}, m = {m}, {size} columns")
            done += 1
            names = COLUMNS[:size]
            trees = {n: folder / f"{n}.csv" if (folder / f"{n}.csv").is_file() else "auto" for n in names}
            data = run.read(frame, Schema(quasi=names, sensitive=["education"], hierarchies=trees))
            confidential = Policy(MConfidentiality(m=m, protect=LOW))
            asked: list[tuple[str, Policy, Method]] = [
                ("ignores the attack", Policy(AlphaK(alpha=1 / m, k=m, protect=LOW)), method),
                ("MASK, slack", confidential, Mask(anonymizer=method)),
                ("MASK, paper", confidential, Mask(sampling="paper", anonymizer=method)),
            ]
            for name, policy, chosen in asked:
                rows.append({"m": m, "columns": size, "algorithm": name, **_run(run, data, policy, chosen)})
    line = (pl.col("algorithm") + ", m = " + pl.col("m").cast(pl.String)).alias("line")
    return pl.DataFrame(rows).with_columns(line)


def _run(run: Run, data: Any, policy: Policy, method: Method) -> dict[str, float | None]:
    start = time.perf_counter()
    try:
        release = run.publish(data, policy, method)
    except Unsatisfiable:
        return {"seconds": None, "distortion": None, "changed": None}
    took = time.perf_counter() - start
    losses = run.measure(data, release, [Distortion(), Alteration()])
    return {"seconds": took, "distortion": losses["distortion"].value, "changed": losses["alteration"].value}


PAPER = Paper(
    "minimality",
    "Minimality attack in privacy preserving data publishing (VLDB 2007)",
    (
        Item(
            "examples",
            "Every example of the slides and the FAQ",
            examples,
            note="Naive belief takes every assignment of a group's values to its people as equally likely. The "
            "(0.6,2)-safety example is counted as the slides do, by shares; under the definition of (c,k)-safety a "
            "table with one HIV in a group of three is not safe, and the slides show 12 rows once and 13 rows later.",
        ),
        Item("global", "Global recoding, the closed form", global_recoding),
        Item(
            "masking",
            "MASK: the distribution of the slides, and what who knows the method believes",
            masking,
            note="With the published sampling, belief exceeds 1/l (0.58 for theta 0.4 in groups of 2); with sampling "
            "by slack it does not.",
        ),
        Item("adult-80", "The real example: aged 80, married, spouse absent", real_example),
        *(
            Item(
                name,
                f"MASK against an algorithm that ignores the attack, {recoding}",
                compute,
                figures=(
                    Figure("columns", "seconds", "line", "quasi-identifier columns", "execution time (s)"),
                    Figure("columns", "distortion", "line", "quasi-identifier columns", "distortion"),
                ),
                note="Sensitive are the four lowest educations; changed is the share of sensitive cells that MASK "
                "changed. Where a row is empty, no release keeps the promise.",
            )
            for name, recoding, compute in (
                ("experiment-global", "global recoding (full-domain)", global_experiment),
                ("experiment-local", "local recoding (Mondrian)", local_experiment),
            )
        ),
    ),
)
