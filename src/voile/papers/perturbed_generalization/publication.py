"""Table II: the three phases on the eight patients, replayed with the random numbers that the paper prints."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl

from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.methods.perturbed_generalization.perturbed_generalization import PerturbedGeneralization
from voile.models.anti_corruption.anti_corruption import AntiCorruption
from voile.models.anti_corruption.privacy_arithmetic import Terms, group_size
from voile.papers.paper import Claim, Item, Run
from voile.papers.perturbed_generalization.patients import (
    BOXES,
    DISEASES,
    KEPT,
    NAMES,
    PEOPLE,
    PERTURBED,
    SAMPLED,
    SCHEMA,
    make_coins,
    make_frame,
)
from voile.papers.table_lookup import look_up
from voile.releases.randomized_response import Channel

S, P, SKEW = 0.5, 0.25, Fraction(1, 2)
FEMALE_ONLY = ("breast cancer", "ovarian cancer")
PRINTED_BOXES = "; ".join(f"{age} {gender} {zipcode}" for age, gender, zipcode in BOXES.values())


def replay(run: Run) -> pl.DataFrame:
    """Publish the patients with the printed random numbers; return for each person what every phase makes of them."""
    coins, channel = make_coins(), Channel(P, len(DISEASES))
    codes = np.array([DISEASES.index(disease) for *_, disease in PEOPLE])
    perturbed = [DISEASES[code] for code in channel.perturb(codes, coins, "perturb")]
    growth = float(Terms(group_size(S), len(DISEASES), SKEW).growth(P))
    release = publish(
        read(make_frame(), SCHEMA),
        AntiCorruption(growth=growth, skew=float(SKEW)),
        PerturbedGeneralization(s=S, p=P),
        key=coins,
    )
    table = release.tables["table"].with_columns(pl.col("gender", "age", "zipcode").cast(pl.String))
    rows = []
    for (name, age, gender, _, disease), after in zip(PEOPLE, perturbed, strict=True):
        box = table.filter(pl.col("age_low") <= age, pl.col("age_high") >= age, pl.col("gender") == gender)
        number = table.rows().index(box.row(0))
        shown = box.row(0, named=True)
        rows.append(
            {"person": name, "disease": disease, "perturbed": after, "group": number + 1}
            | {"box": f"{shown['age']} {shown['gender']} {shown['zipcode']}", "shown": shown["disease"]}
            | {"group_size": shown["group_size"], "boxes_that_fit": box.height}
        )
    return pl.DataFrame(rows)


def _name_groups(frame: pl.DataFrame) -> str:
    return "; ".join(
        ", ".join(people) for people in frame.group_by("group", maintain_order=True).agg("person")["person"]
    )


def _find_lost(frame: pl.DataFrame) -> str:
    return ", ".join(sorted(set(frame["perturbed"]) - set(frame["shown"])))


def _find_absurd(frame: pl.DataFrame) -> str:
    men = frame.filter(pl.col("box").str.contains(" M "), pl.col("shown").is_in(FEMALE_ONLY))
    return ", ".join(sorted(set(men["shown"]))) or "none"


def _list_claims() -> list[Claim]:
    claims = [
        Claim(
            f"table II(a), {name}",
            f"after perturbation, {name}'s disease is {PERTURBED[name]}",
            PERTURBED[name],
            look_up("perturbed", person=name),
        )
        for name in NAMES
    ]
    claims += [
        Claim(
            f"table II(c), row {number}",
            f"the group of {name} shows {PERTURBED[name]}",
            PERTURBED[name],
            look_up("shown", person=name),
        )
        for number, name in enumerate(SAMPLED, 1)
    ]
    claims += [
        Claim("section IV", "s = 0.5 gives k = 2", 2, lambda frame: group_size(S)),
        Claim(
            "section IV",
            "all values are altered except those of Calvin and Gloria",
            ", ".join(KEPT),
            lambda frame: ", ".join(frame.filter(pl.col("perturbed") == pl.col("disease"))["person"]),
        ),
        Claim(
            "table II(b)",
            "the groups are Bob and Calvin, Debbie and Ellie, Fiona and Gloria, Henry and Isaac",
            "Bob, Calvin; Debbie, Ellie; Fiona, Gloria; Henry, Isaac",
            _name_groups,
        ),
        Claim(
            "table II(b)",
            "the boxes are those of Table I(c)",
            PRINTED_BOXES,
            lambda frame: "; ".join(frame["box"].unique(maintain_order=True)),
            because="the paper's intervals come from a taxonomy that it does not give; our boxes are the regions "
            "between the cuts, which hold the same people",
        ),
        Claim("table II(c), column G", "every group has 2 people", 2, lambda frame: _one(frame["group_size"])),
        Claim("section II", "at most |D| s = 4 rows are published", 4, lambda frame: frame["group"].n_unique()),
        Claim(
            "section V-A, step A1",
            "exactly one published row fits each person",
            1,
            lambda frame: _one(frame["boxes_that_fit"]),
        ),
        Claim(
            "section IV",
            "the last row is absurd: a man with ovarian cancer",
            "ovarian cancer",
            _find_absurd,
        ),
        Claim(
            "section IV",
            "some values of Table II(a) are not in Table II(c)",
            "dementia, pneumonia",
            _find_lost,
        ),
    ]
    return claims


def _one(column: pl.Series) -> int:
    """Return the only value of a column."""
    return int(column.unique().item())


ITEM = Item(
    "table-2",
    "Table II: perturbed generalization of the patients, with the printed random numbers",
    replay,
    note="The method runs as it is, with a key that gives the random numbers of the printed table.",
    claims=_list_claims(),
    seed="those of the printed table",
)
