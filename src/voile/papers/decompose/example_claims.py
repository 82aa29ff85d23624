"""What the poster says about its running example, beside what follows from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from voile.methods.anatomy import optimal_l
from voile.papers.decompose.example import (
    attack_carl,
    count_diverse_groupings,
    count_refuted,
    describe_tables,
    list_beliefs,
    list_groups,
    list_noise,
)
from voile.papers.decompose.poster import EXAMPLE
from voile.papers.paper import Claim, Item
from voile.papers.table_lookup import look_up, select_rows


def _write_range(frame: pl.DataFrame, attack: str) -> str:
    """Return which salaries Carl may have in the generalized table, in dollars: i means 1000 i to 1000 (i + 1)."""
    rows = frame.filter(pl.col("attack").str.starts_with(attack), pl.col("release") == "generalized")
    values = rows.filter(pl.col("belief") > 0)["salary"].to_list()
    return f"{1000 * min(values)}-{1000 * (max(values) + 1)}"


def _write_noise(column: str) -> Callable[[pl.DataFrame], str]:
    return lambda frame: ", ".join(map(str, frame.filter(pl.col(column))["salary"]))


TABLE_CLAIMS = [
    Claim("section III, item 3", "Table III has two groups", 2, lambda frame: select_rows(frame, table="III").height),
    Claim(
        "section III, item 4",
        "Table III is 4-anonymous",
        4,
        lambda frame: int(select_rows(frame, table="III")["people"].to_numpy().min()),
    ),
    Claim(
        "section III, item 5", "group 1 of Table III has 3 occupations", 3, look_up("occupations", table="III", group=1)
    ),
    Claim(
        "section III, item 5",
        "group 1 of Table III has at least 3 salaries",
        3,
        look_up("salaries", table="III", group=1),
        agrees=lambda printed, ours: ours >= printed,
    ),
    Claim(
        "section IV, item 4",
        "in group 2 each occupation has 2 salaries",
        2,
        look_up("salaries_per_occupation", table="III", group=2),
    ),
    Claim(
        "section IV, item 4",
        "such groups cannot cover the whole table: ways to halve it into them",
        0,
        lambda frame: count_diverse_groupings(),
    ),
    Claim(
        "section VI, corollary 2",
        "l of the occupation is 8/2 = 4",
        4,
        lambda frame: int(frame["optimal_l_of_occupation"][0]),
    ),
    Claim(
        "section VI, Table IV",
        "each SA-group has one row of 4 different occupations",
        4,
        lambda frame: int(select_rows(frame, table="IV")["occupations"].to_numpy().min()),
    ),
]
GROUP_CLAIMS = [
    Claim(
        "section VII, item 3",
        "group 1 has 3 different salaries",
        3,
        lambda frame: len(frame["real salaries"][0].split(", ")),
    ),
    Claim(
        "section VII, item 2",
        "salary 8 occurs twice in group 1 and is listed once",
        1,
        lambda frame: frame["listed salaries"][0].split(", ").count("8"),
    ),
    Claim(
        "section VII, item 3",
        "the optimal l of the salary is 8/2 = 4",
        4,
        lambda frame: optimal_l(np.unique([row["salary"] for row in EXAMPLE], return_counts=True)[1]),
    ),
    Claim(
        "section VII, Table VI",
        "with the noise value 4, group 1 lists 4 salaries",
        4,
        lambda frame: len(frame["listed salaries"][0].split(", ")),
    ),
]
NOISE_CLAIMS = [
    Claim(
        "section VII, item 3",
        "4 and 7 are allowed noise values, 9 is not",
        "4, 7",
        _write_noise("allowed by the poster"),
    ),
    Claim(
        "section VII, item 3",
        "no adversary can rule out an allowed noise value",
        "4, 7",
        _write_noise("cannot be refuted"),
        because="7 can be refuted: of the two clerks' rows, 8 fits group 1 alone, so 7 is in group 2",
    ),
]
POSTERIOR_CLAIMS = [
    Claim(
        "section VII, items 2 and 3",
        "l = 4 for the salary: no salary is believed with more than 1/4",
        "0.25",
        lambda frame: float(frame["belief"].to_numpy().max()),
        because="the joint table counts how often a salary occurs with an occupation of the group, and 8 fits twice",
    ),
]
ATTACK_CLAIMS = [
    Claim(
        "section IV, chain attack",
        "knowing that Carl is a policeman reveals the salary 8000-9000",
        "8000-9000",
        lambda frame: _write_range(frame, "chain"),
    ),
    Claim(
        "section IV, chain attack",
        "with full confidence",
        1,
        lambda frame: float(
            frame.filter(pl.col("attack").str.starts_with("chain"), pl.col("release") == "generalized")["belief"]
            .to_numpy()
            .max()
        ),
    ),
    Claim(
        "section IV, chain attack",
        "the salary that is revealed is Diana's",
        "Diana",
        lambda frame: next(row["name"] for row in EXAMPLE if row["occ"] == "police"),
        because="the adversary who locates Carl learns Carl's salary; the name is a slip",
    ),
    Claim(
        "section IV, exclusion attack",
        "knowing that Carl is no nurse leaves 8000-10000",
        "8000-10000",
        lambda frame: _write_range(frame, "exclusion"),
    ),
]
ITEMS = (
    Item(
        "tables",
        "Tables II to IV: the running example, generalized and decomposed",
        describe_tables,
        note="The text that has come down to us does not print the rows of its tables. They are rebuilt from all that "
        "it says about them, so these claims check that everything it says can be true at once.",
        claims=TABLE_CLAIMS,
    ),
    Item(
        "groups",
        "Tables V and VI: SA-groups and their lists",
        list_groups,
        note="Group 1 lists three salaries; the poster adds 4 as noise to have four.",
        claims=GROUP_CLAIMS,
    ),
    Item("noise", "Noise values for group 1", list_noise, claims=NOISE_CLAIMS),
    Item(
        "posterior",
        "What can be believed in group 1",
        list_beliefs,
        note="A policeman's salary is known whatever is listed, because there is one policeman.",
        claims=POSTERIOR_CLAIMS,
    ),
    Item("attacks", "Chain and exclusion attacks on Carl", attack_carl, claims=ATTACK_CLAIMS, seed="key of 32 bytes 0"),
    Item(
        "refuted",
        "Noise that the poster allows and an adversary refutes",
        count_refuted,
        note="On random tables of twelve rows in four groups.",
        seed="seed 0",
    ),
)
