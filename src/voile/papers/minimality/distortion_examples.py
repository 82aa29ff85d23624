"""The measurement of distortion on the last slides: levels climbed, divided by the height of the taxonomy."""

from __future__ import annotations

from typing import Any

import polars as pl

from voile.flow.measure.measure import measure
from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.measures.distortion import Distortion
from voile.methods.full_domain import FullDomain
from voile.models.k_anonymity import KAnonymity
from voile.papers.paper import Claim, Run
from voile.tables.schema import Schema

DISTRICTS = {"NT": ["Shatin", "Fanling"], "Kowloon": ["Mong Kok", "Yau Ma Tei"]}
CASES: tuple[tuple[str, list[str], Any], ...] = (
    ("1/1", ["29 Jan", "16 July", "21 Oct", "8 Feb"], {"*": ["29 Jan", "16 July", "21 Oct", "8 Feb"]}),
    ("2/2", ["Shatin", "Mong Kok"], DISTRICTS),
    ("1/2", ["Shatin", "Fanling", "Mong Kok", "Yau Ma Tei"], DISTRICTS),
)


def distortion_examples(run: Run) -> pl.DataFrame:
    """Publish a few people with 2-anonymity by full-domain, so that a column climbs one level of one, two levels of two
    and one level of two, and measure the distortion."""
    rows = []
    for levels, values, tree in CASES:
        data = read(pl.DataFrame({"value": values}), Schema(quasi=["value"], hierarchies={"value": tree}))
        release = publish(data, KAnonymity(k=2), FullDomain())
        shown = ", ".join(dict.fromkeys(map(str, release.tables["table"]["value"])))
        loss = measure(data, release, [Distortion()])["distortion"].value
        rows.append({"levels": levels, "shown": shown, "distortion": loss})
    return pl.DataFrame(rows)


def _value(levels: str) -> Any:
    return lambda frame: frame.filter(pl.col("levels") == levels)["distortion"][0]


DISTORTION_CLAIMS = (
    Claim("appendix B.1.2", "Measurement = 1/1 = 1.0", 1.0, _value("1/1")),
    Claim("appendix B.1.2", "Measurement = 2/2 = 1.0", 1.0, _value("2/2")),
    Claim("appendix B.1.2", "Measurement = 1/2 = 0.5", 0.5, _value("1/2")),
    Claim(
        "appendix B.1.2",
        "Shatin shown as NT causes less distortion than 16 July shown as *.",
        "less",
        lambda frame: bool(_value("1/2")(frame) < _value("1/1")(frame)),
    ),
)
