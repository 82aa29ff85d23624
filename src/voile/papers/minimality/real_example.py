"""The real example: Adult published by local recoding, and the people aged 80 with an absent spouse attacked in it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

from voile.attacks.minimality import Minimality
from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.methods.local_recoding import LocalRecoding
from voile.models.personalized import Personalized
from voile.papers.minimality.written_releases import attack_local, require_model
from voile.papers.paper import Claim, Run
from voile.releases.release import Release
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema

LOW = ("Preschool", "1st-4th", "5th-6th", "7th-8th")
QUASI = ("age", "workclass", "marital-status")
AGE, ABSENT = 80, "Married-spouse-absent"
PAY = ("Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov")
NO_PAY = ("Without-pay", "Never-worked")


def adult_table(run: Run) -> pl.DataFrame:
    """Count the rows and columns of the Adult table."""
    frame = pl.read_csv(run.source("the Adult table"))
    facts = {"instances": frame.height, "attributes": frame.width, "attributes but education": frame.width - 1}
    return pl.DataFrame({"what": list(facts), "number": list(facts.values())})


def _count(what: str) -> Any:
    return lambda frame: frame.filter(pl.col("what") == what)["number"][0]


TABLE_CLAIMS = (
    Claim("section 4", "The Adult data set has 45,222 instances.", 45222, _count("instances")),
    Claim("section 4", "The Adult data set has 9 attributes.", 9, _count("attributes")),
    Claim("section 4", "The default size of the quasi-identifier is 8.", 8, _count("attributes but education")),
)


def real_example(run: Run) -> pl.DataFrame:
    """Publish age, work class, marital status and education, and attack the release: one row for each kind of people
    aged 80 whose spouse is absent. A quick run publishes those aged 75 and more, and those without pay."""
    frame = pl.read_csv(run.source("the Adult table")).select(*QUASI, "education")
    frame = frame.filter((pl.col("age") >= 75) | pl.col("workclass").is_in(NO_PAY)) if run.quick else frame
    trees = _make_trees(run.source("the Adult table").parent / "hierarchies", frame)
    schema = Schema(quasi=QUASI, sensitive=["education"], hierarchies=trees)
    present = [value for value in LOW if value in set(frame["education"])]
    model = Personalized(p=0.5, nodes=tuple(present))  # the slides' 2-diversity: at most half of a group
    release: Release = publish(read(frame, schema), model, LocalRecoding())
    register: Microdata = read(frame.select(QUASI), Schema(quasi=QUASI, hierarchies=trees))
    beliefs = _attack(release, register)
    people = frame.filter((pl.col("age") == AGE) & (pl.col("marital-status") == ABSENT)).sort("workclass", "education")
    shown = release.tables["table"].with_columns(pl.all().cast(pl.String))
    shown = shown.filter((pl.col("age") == str(AGE)) & (pl.col("marital-status") == ABSENT))
    groups = _write_groups(people, shown)
    external = Counter(people["workclass"])
    test = require_model(model, [*people["education"], *present])
    written = attack_local(external, groups, test)
    rows = []
    for kind in sorted(external):
        low = [value for value in LOW if value in people["education"]]
        after = sum(written.belief[kind, value] for value in low) if written.belief else None
        rows.append(
            {
                "workclass": kind,
                "educations": ", ".join(people.filter(pl.col("workclass") == kind)["education"]),
                "released": "; ".join(f"{group['shown']}: {', '.join(group['values'])}" for group in groups),
                "before": str(sum(written.naive[kind, value] for value in low)),
                "written": str(after),
                "attack": beliefs.get(kind),
                "people_in_the_release": release.people,
                "people_believed_above_half": int(beliefs["above"]),
            }
        )
    return pl.DataFrame(rows)


def _make_trees(folder: Path, frame: pl.DataFrame) -> dict[str, Any]:
    """Return the hierarchies: work class as the slides have it (with pay or without), the others from the files beside
    the table."""
    present = set(frame["workclass"])
    pay = {"With-pay": [n for n in PAY if n in present], "No-pay": [n for n in NO_PAY if n in present]}
    others = {n: folder / f"{n}.csv" if (folder / f"{n}.csv").is_file() else "auto" for n in ("age", "marital-status")}
    return {"workclass": {name: leaves for name, leaves in pay.items() if leaves}, **others}


def _attack(release: Release, register: Microdata) -> dict[str, float]:
    """Return the attack's belief in a low education for each work class among the chosen, and how many people of all
    are believed above 1/2."""
    belief = Minimality().guesses(release, register)[-1].belief
    matches = release.match_register(register)
    table = register.rows.histogram(QUASI)
    labels = [register.columns[name].domain.labels for name in QUASI]
    beliefs: dict[str, float] = {"above": float(belief.people[belief.risk > 0.5 + 1e-9].sum())}
    for kind, risk in zip(matches.kind, belief.risk, strict=True):
        age, work, marital = (labels[place][code] for place, code in enumerate(table.codes[kind]))
        if age == str(AGE) and marital == ABSENT:
            beliefs[work] = max(float(risk), beliefs.get(work, 0.0))
    return beliefs


def _write_groups(people: pl.DataFrame, shown: pl.DataFrame) -> list[dict[str, Any]]:
    """Write the chosen rows of the release as groups: their values, and how many people of each kind are inside."""
    exact = Counter(shown["workclass"])
    left = Counter(people["workclass"]) - Counter({kind: exact[kind] for kind in set(people["workclass"])})
    groups = []
    for name in sorted(exact, key=lambda name: (name in set(people["workclass"]), name)):
        values = sorted(shown.filter(pl.col("workclass") == name)["education"])
        inside = {name: exact[name]} if name in set(people["workclass"]) else dict(left)
        groups.append({"shown": name, "inside": inside, "values": values})
    return groups


def _person(kind: str, column: str) -> Any:
    return lambda frame: frame.filter(pl.col("workclass") == kind)[column][0]


REAL_CLAIMS = (
    Claim(
        "section 4", "The self-employed person reached 7th-8th.", "7th-8th", _person("Self-emp-not-inc", "educations")
    ),
    Claim("section 4", "The two in private work are HS-grad.", "HS-grad, HS-grad", _person("Private", "educations")),
    Claim(
        "section 4",
        "The release shows two people with pay (7th-8th, HS-grad) and one in private work (HS-grad).",
        "With-pay: 7th-8th, HS-grad; Private: HS-grad",
        _person("Private", "released"),
    ),
    Claim(
        "section 4",
        "The release is a real example of the attack: belief about the self-employed person exceeds 1/2.",
        "a breach",
        _person("Self-emp-not-inc", "attack"),
        lambda printed, ours: ours > 1 / 2,
    ),
)
