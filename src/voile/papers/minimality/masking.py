"""MASK on the six people of the slides, by the method itself, and what an adversary who knows it believes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.methods.local_recoding import LocalRecoding
from voile.methods.mask.mask import Mask
from voile.models.k_anonymity import KAnonymity
from voile.models.m_confidentiality import MConfidentiality
from voile.papers.minimality.mask_formulas import distribution, mechanism_aware_credibility
from voile.papers.paper import Claim, Run
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema
from voile.tables.secret_key import Key

PEOPLE = [("q1", "Yes"), ("q2", "Yes"), ("q3", "Yes"), ("q3", "None"), ("q4", "None"), ("q4", "None")]
TOP = {"Q": ["q1", "q2"], "q3 or none": ["q3"], "q4 or none": ["q4"]}
KEYS = 200  # releases of the six people, one for each of the keys 0, 1, ...


def _read_people() -> Microdata:
    frame = pl.DataFrame(PEOPLE, schema=["qid", "cancer"], orient="row")
    found: Microdata = read(frame, Schema(quasi=["qid"], sensitive=["cancer"], hierarchies={"qid": TOP}))
    return found


def _group_values(table: pl.DataFrame) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for qid, value in table.select(pl.all().cast(pl.String)).rows():
        groups.setdefault(qid, []).append(value)
    return groups


def mask_steps(run: Run) -> pl.DataFrame:
    """Follow the four steps on the six people: the anonymizer and MASK are voile's, with the paper's sampling."""
    data = _read_people()
    groups = _group_values(publish(data, KAnonymity(k=2), LocalRecoding()).tables["table"])
    found = distribution(groups, "Yes", 2)
    rows: list[dict[str, Any]] = [
        {"step": 1, "what": "people in the smallest group", "group": "", "number": min(map(len, groups.values()))}
    ]
    rows += [
        {"step": 2, "what": "share of cancer", "group": name, "number": groups[name].count("Yes") / len(groups[name])}
        for name in sorted(groups)
    ]
    rows += [{"step": 2, "what": "fails 2-diversity (V)", "group": name, "number": 1} for name in sorted(found["V"])]
    rows += [{"step": 2, "what": "passes 2-diversity (L)", "group": name, "number": 1} for name in sorted(found["L"])]
    rows += [
        {"step": 3, "what": f"chance of a share of {share:g} (D)", "group": "", "number": chance}
        for share, chance in found["D"].items()
    ]
    shares: Counter[float] = Counter()
    for number in range(KEYS):
        key = Key(number.to_bytes(32, "big"))
        release = publish(
            data,
            MConfidentiality(m=2, protect=("Yes",)),
            Mask(sampling="paper", anonymizer=LocalRecoding()),
            key=key,
        )
        values = _group_values(release.tables["table"])["Q"]
        shares[values.count("Yes") / len(values)] += 1
    for share, times in sorted(shares.items()):
        what = f"releases that show a share of {share:g}"
        rows.append({"step": 4, "what": what, "group": "Q", "number": times / KEYS})
    return pl.DataFrame(rows, schema_overrides={"number": pl.Float64})


def _number(step: int, what: str, group: str = "") -> Any:
    chosen = (pl.col("step") == step) & (pl.col("what") == what) & (pl.col("group") == group)
    return lambda frame: frame.filter(chosen)["number"][0]


def _names(what: str) -> Any:
    return lambda frame: ", ".join(frame.filter(pl.col("what") == what)["group"])


def _list_shares(frame: pl.DataFrame) -> list[float]:
    return [float(what.rpartition(" ")[2]) for what in frame.filter(pl.col("step") == 4)["what"]]


STEP_CLAIMS = (
    Claim(
        "FAQ, step 1", "Each quasi-identifier occurs at least two times.", 2, _number(1, "people in the smallest group")
    ),
    Claim("FAQ, step 2", "V = {Q}", "Q", _names("fails 2-diversity (V)")),
    Claim("FAQ, step 2", "L = {q3, q4}", "q3, q4", _names("passes 2-diversity (L)")),
    Claim("FAQ, step 3", "The share in q3 is 0.5.", 0.5, _number(2, "share of cancer", "q3")),
    Claim("FAQ, step 3", "The share in q4 is 0.", 0, _number(2, "share of cancer", "q4")),
    Claim("FAQ, step 3", "Prob(p = 0) = 0.5", 0.5, _number(3, "chance of a share of 0 (D)")),
    Claim("FAQ, step 3", "Prob(p = 0.5) = 0.5", 0.5, _number(3, "chance of a share of 0.5 (D)")),
    Claim(
        "FAQ, step 4",
        "Q may show the share 0.5 after distortion; it is drawn with probability 0.5.",
        0.5,
        _number(4, "releases that show a share of 0.5", "Q"),
        within=0.1,
    ),
    Claim(
        "FAQ, step 4",
        "No group shows more than 1/2 after distortion.",
        "at most 0.5",
        lambda frame: max(_list_shares(frame)) <= 0.5,
    ),
)


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


MASKING_CLAIMS = (
    Claim(
        "section 3, theorem",
        "The algorithm generates m-confidential data: belief is at most 1/m = 0.5 for m = 2.",
        "at most 0.5",
        lambda frame: frame.filter(what="belief, original sampling", l=2)["belief"].max(),
        agrees=lambda printed, ours: ours <= 0.5,
        because="an adversary who knows the algorithm, and that 40 % of all people have the value, believes with "
        "probability 0.58 that a member of a group of two has it if the group shows it once: many such groups are "
        "imitations, in which both members had it",
    ),
)
