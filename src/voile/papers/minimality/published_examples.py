"""The tables of the slides, published by local recoding and then attacked: nothing is written out by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import polars as pl

from voile.attacks.minimality import Minimality
from voile.attacks.minimality.exact_worlds import Requirement
from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.methods.base import Method
from voile.methods.full_domain import FullDomain
from voile.methods.local_recoding import LocalRecoding
from voile.models.alpha_k import AlphaK
from voile.models.base import Model
from voile.models.ck_safety import CKSafety
from voile.models.k_e import KE
from voile.models.l_diversity import LDiversity
from voile.models.personalized import Personalized
from voile.models.t_closeness.t_closeness import TCloseness
from voile.papers.minimality.slide_tables import CANCER, SCHOOL
from voile.papers.minimality.written_releases import attack_local, require_model, require_of_join
from voile.papers.paper import Claim, Run
from voile.releases.release import Release
from voile.tables.schema import Schema


@dataclass(frozen=True)
class SlideTable:
    """A table of the slides: the values of each kind of people, what it must satisfy, and the belief about a value of
    somebody of the first kind that follows from the slides' reasoning. `assumed` is the requirement that the adversary
    supposes, if it is not the one that was asked for. With `again`, the table was published before by full-domain, and
    the requirement must hold in the join of both releases."""

    name: str
    people: Mapping[str, Sequence[Any]]
    model: Model
    value: Any
    slides: str
    assumed: Model | None = None
    wishes: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    again: bool = False

    @property
    def requirement(self) -> Model | Requirement:
        """What the adversary eliminates tables by, on paper."""
        model = self.assumed or self.model
        if not self.again:
            return model
        earlier = write_groups(self, publish_slide(self, FullDomain()))
        return require_of_join(earlier, require_model(model, [v for values in self.people.values() for v in values]))


TABLES = (
    SlideTable("2-diversity", {"q1": ["Yes"] * 2, "q2": ["None"] * 4}, CANCER, "Yes", "1"),
    SlideTable(
        "(3,3)-diversity",
        {"q1": ["Diabetes", "HIV", "HIV"], "q2": ["Lung", "Ulcer", "Alzheimer", "Gall"]},
        LDiversity(l=3, form="recursive", c=3),
        "HIV",
        "2/3",
    ),
    SlideTable(
        "(0.4,3)-anonymity, our own",
        {"q1": ["HIV", "HIV", "none"], "q2": ["none"] * 6},
        AlphaK(alpha=0.4, k=3, protect=("HIV",)),
        "HIV",
        "2/3",
    ),
    SlideTable("0.2-closeness", {"q1": ["HIV"] * 2, "q2": ["none"] * 3 + ["HIV"]}, TCloseness(t=0.2), "HIV", "1"),
    SlideTable("(2,5k)-anonymity", {"q1": [30, 30], "q2": [20, 10, 40]}, KE(k=2, e=5), 30, "1"),
    SlideTable(
        "personalized privacy",
        {"q1": ["1st-4th"], "q2": ["undergrad"] * 2},
        Personalized(p=0.5, own_nodes=True),
        "1st-4th",
        "1",
        Personalized(p=0.5, nodes=("elementary",)),
        {"q1": ["elementary"], "q2": [None, None]},
    ),
    SlideTable("sequential releases", {"q1": ["Yes"] * 2, "q2": ["None"] * 4}, CANCER, "Yes", "1", again=True),
    SlideTable(
        "(0.6,1)-safety, our own",
        {"q1": ["HIV", "HIV", "flu"], "q2": ["cold", "asthma", "ulcer", "gout", "fever"]},
        CKSafety(c=0.6, k=1),
        "HIV",
        "2/3",
    ),
    SlideTable(
        "Adult, aged 80, self-employed",
        {"self-employed": ["7th-8th"], "private": ["HS-grad"] * 2},
        Personalized(p=0.5, nodes=("7th-8th",)),
        "7th-8th",
        "1",
    ),
)


def published_examples(run: Run) -> pl.DataFrame:
    """Publish each table of the slides by local recoding and attack the release: belief about every kind of people,
    counted by hand (written) and by the attack (attack)."""
    return pl.DataFrame([row for table in TABLES for row in attack_slide(table)])


def attack_slide(table: SlideTable) -> list[dict[str, Any]]:
    """Publish one table and attack it; one row per kind of people."""
    release = publish_slide(table, LocalRecoding())
    belief = attack_release(table, release)
    external = {kind: len(values) for kind, values in table.people.items()}
    groups = write_groups(table, release)
    tree = SCHOOL if table.wishes else None
    written = attack_local(external, groups, table.requirement, hierarchy=tree)
    rows = []
    for kind in table.people:
        after = written.belief[kind, table.value] if written.belief else None
        rows.append(
            {
                "example": table.name,
                "published": "; ".join(f"{group['shown']}: {', '.join(map(str, group['values']))}" for group in groups),
                "person": kind,
                "value": str(table.value),
                "before": str(written.naive[kind, table.value]),
                "written": str(after),
                "attack": belief.get(kind),
                "expected": table.slides if kind == next(iter(table.people)) else None,
            }
        )
    return rows


def publish_slide(table: SlideTable, method: Method) -> Release:
    """Publish a table of the slides by a method."""
    rows = [(kind, value) for kind, values in table.people.items() for value in values]
    frame = pl.DataFrame(rows, schema=["qid", "value"], orient="row")
    wished = [wish for kind in table.people for wish in table.wishes.get(kind, ())]
    frame = frame.with_columns(pl.Series("node", wished, dtype=pl.String)) if table.wishes else frame
    school: dict[str, Any] = {"value": SCHOOL} if table.wishes else {}
    schema = Schema(
        quasi=["qid"],
        sensitive=["value"],
        hierarchies={"qid": _top(table), **school},
        domains={"value": [leaf for leaves in SCHOOL.values() for leaf in leaves]} if table.wishes else {},
        guarding={"value": "node"} if table.wishes else {},
    )
    return publish(read(frame, schema), table.model, method)


def _top(table: SlideTable) -> dict[str, list[str]]:
    return {"Q": list(table.people)}


def attack_release(table: SlideTable, release: Release) -> dict[str, float]:
    """Return the belief of the minimality attack in the value, for each kind of people; the register says how many
    people of each kind there are. If no model protects the value alone, the attack says of each kind only how certain
    its likeliest value is, so the answer is about the first kind."""
    register = pl.DataFrame({"qid": [kind for kind, values in table.people.items() for _ in values]})
    external = read(register, Schema(quasi=["qid"], hierarchies={"qid": _top(table)}))
    guesses = Minimality(requirement=table.assumed).guesses(release, external)
    kinds = release.match_register(external).kind
    texts = external.columns["qid"].domain.labels
    belief = guesses[-1].belief  # a guess about protected values, if there is one, comes last
    asked = list(table.people) if belief.limits == "protected belief" else list(table.people)[:1]
    beliefs = {texts[kind]: float(risk) for kind, risk in zip(kinds, belief.risk, strict=True)}
    return {kind: beliefs[kind] for kind in asked}


def write_groups(table: SlideTable, release: Release) -> list[dict[str, Any]]:
    """Write a release as the slides print it: the values of each group, and how many people of each kind are inside."""
    left = Counter({kind: len(values) for kind, values in table.people.items()})
    shown: dict[str, list[Any]] = {}
    for qid, value in release.tables["table"].select("qid", "value").rows():
        shown.setdefault(str(qid), []).append(value)
    for kind in table.people:
        left[kind] -= len(shown.get(kind, ()))
    return [
        {"shown": qid, "inside": {qid: len(values)} if qid in table.people else dict(left), "values": values}
        for qid, values in sorted(shown.items(), key=lambda item: item[0] in table.people)
    ]


def _claim_release(example: str, printed: str, because: str = "") -> Claim:
    """The slides print the release itself: by group, the values in order."""

    def read(frame: pl.DataFrame) -> str:
        shown = frame.filter(pl.col("example") == example)["published"][0]
        return str(shown).replace("*:", "Q:")

    return Claim(f"slides, {example}", f"The release shows {printed}.", printed, read, because=because)


def _claim_breach(example: str) -> Claim:
    """The slides call every such release a breach: the attack believes more than somebody who ignores the method."""

    def read(frame: pl.DataFrame) -> str:
        row = frame.filter(pl.col("example") == example).row(0, named=True)
        return f"{row['before']} to {row['attack']:.4g}"

    def rises(printed: str, ours: str) -> bool:
        before, after = ours.split(" to ")
        return float(after) > Fraction(before)

    return Claim(f"section 2.4, {example}", "The release has a privacy breach.", "a breach", read, rises)


PUBLISHED_CLAIMS = (
    _claim_release("2-diversity", "Q: None, None, Yes, Yes; q2: None, None"),
    Claim(
        "section 2.1",
        "P(o is linked to Cancer | Knowledge) = 1",
        1,
        lambda frame: frame.filter(example="2-diversity")["attack"][0],
    ),
    _claim_release(
        "(3,3)-diversity",
        "Q: Diabetes, HIV, HIV, Lung; q2: Alzheimer, Gall, Ulcer",
        "among diseases that serve equally well local recoding takes the first in order, the slides take Lung cancer",
    ),
    _claim_breach("(3,3)-diversity"),
    _claim_breach("(0.4,3)-anonymity, our own"),
    _claim_breach("(0.6,1)-safety, our own"),
    _claim_breach("sequential releases"),
    _claim_release("0.2-closeness", "Q: HIV, HIV, none; q2: HIV, none, none"),
    _claim_breach("0.2-closeness"),
    _claim_release(
        "(2,5k)-anonymity",
        "Q: 20, 30, 30; q2: 10, 40",
        "among incomes that serve equally well local recoding takes the first in order, 10k; the slides take 20k",
    ),
    _claim_breach("(2,5k)-anonymity"),
    _claim_release("personalized privacy", "Q: 1st-4th, undergrad; q2: undergrad"),
    _claim_breach("personalized privacy"),
)
