"""A small invented hospital table for demonstrations."""

from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
import polars as pl

from voile.datasets._sampling import Floats, alias_table, draw

_SEED = 4_711
_ROWS = 400
_YEAR_START = date(2025, 1, 1)

_FIRST = {
    "Female": "Adele Bianca Camille Dora Elena Flora Greta Hanna Ines Jeanne Klara Lucie Marta Nadia Odile Paula Rosa "
    "Sofia Teresa Vera",
    "Male": "Albin Bruno Cyril Dario Emil Felix Gustav Hugo Ivan Jonas Karel Luc Marek Nico Oscar Pablo Remi Stefan "
    "Tomas Victor",
}
_LAST = (
    "Albertini Barbier Castel Delorme Estrada Fabre Garnier Hoffmann Ivanova Jansen Keller Lambert Moreau Novak "
    "Ortega Pellegrin Quintana Rossi Santos Tessier Urban Vidal Weber Ximenes Zeller"
)
_ZIPS = (
    "04100 04200 04300 05000 05100 06000 06100 06200 06300 06400 06500 06600 "
    "13001 13002 13003 13100 13200 83000 83100 83200 83300 84000 84100 84200"
)


class _Disease(NamedTuple):
    """A disease: weights before the ages of 18, 45 and 70 and after; share of women; usual wards; usual cost."""

    ages: tuple[float, float, float, float]
    women: float
    wards: tuple[str, ...]
    cost: int


_DISEASES = {
    "Appendicitis": _Disease((22, 9, 4, 1), 0.45, ("Surgery",), 4200),
    "Asthma": _Disease((30, 9, 4, 3), 0.55, ("Pulmonology", "Internal medicine"), 1900),
    "Breast cancer": _Disease((0, 8, 14, 7), 0.98, ("Oncology", "Surgery"), 11800),
    "Depression": _Disease((12, 16, 9, 5), 0.62, ("Psychiatry",), 5200),
    "Gallstones": _Disease((1, 8, 9, 6), 0.65, ("Surgery", "Internal medicine"), 3900),
    "Heart failure": _Disease((0.5, 2, 10, 18), 0.45, ("Cardiology",), 7400),
    "Hip fracture": _Disease((2, 2, 4, 17), 0.68, ("Surgery",), 9600),
    "HIV infection": _Disease((1, 9, 4, 0.5), 0.28, ("Internal medicine",), 6100),
    "Influenza": _Disease((18, 8, 6, 9), 0.50, ("Internal medicine", "Pulmonology"), 1500),
    "Lung cancer": _Disease((0, 2, 11, 9), 0.38, ("Oncology", "Pulmonology"), 13500),
    "Pneumonia": _Disease((14, 6, 8, 13), 0.48, ("Pulmonology", "Internal medicine"), 3600),
    "Type 2 diabetes": _Disease((2, 6, 13, 11), 0.46, ("Internal medicine", "Cardiology"), 2800),
}


def hospital() -> pl.DataFrame:
    """Generate the 400 stays of 2025 in an invented hospital: name, date of birth, zip code, ward and disease.

    Nothing is missing and no name occurs twice. No disease exceeds 18 % of the rows.

    >>> hospital().columns
    ['name', 'birth', 'sex', 'zip', 'admitted', 'ward', 'disease', 'cost']
    >>> hospital().height
    400
    """
    rng = np.random.Generator(np.random.PCG64(_SEED))
    names = {sex: _full_names(rng, first) for sex, first in _FIRST.items()}
    zips = _zips(rng)
    rows = [_stay(names, zip_, uniforms) for zip_, uniforms in zip(zips, rng.random((_ROWS, 7)), strict=True)]
    return pl.DataFrame(
        rows,
        schema={
            "name": pl.String,
            "birth": pl.Date,
            "sex": pl.String,
            "zip": pl.String,
            "admitted": pl.Date,
            "ward": pl.String,
            "disease": pl.String,
            "cost": pl.Int64,
        },
        orient="row",
    )


def _full_names(rng: np.random.Generator, first: str) -> list[str]:
    every = [f"{given} {family}" for given in first.split() for family in _LAST.split()]
    return [every[i] for i in np.argsort(rng.random(len(every)))]


def _zips(rng: np.random.Generator) -> list[str]:
    """Draw the zip code of each stay; some towns are larger than others."""
    towns = _ZIPS.split()
    sizes = alias_table([1 / (3 + i * 7 % len(towns)) for i in range(len(towns))])
    return [towns[code] for code in draw(rng, sizes, np.zeros(_ROWS, dtype=np.intp))]


def _stay(names: dict[str, list[str]], zip_: str, u: Floats) -> tuple[str, date, str, str, date, str, str, int]:
    """Turn seven uniform numbers into one stay, taking an unused name off the list."""
    sex = "Female" if u[0] < 0.52 else "Male"
    admitted = _YEAR_START + timedelta(days=int(u[1] * 365))
    # A power below 1 leans towards the old, who go to hospital more often.
    birth = admitted - timedelta(days=365 + int(u[2] ** 0.6 * 93 * 365))
    age = (admitted - birth).days / 365.25
    disease = _disease(age, sex == "Female", float(u[3]))
    traits = _DISEASES[disease]
    ward = traits.wards[0] if u[4] < 0.75 else traits.wards[-1]
    cost = round(traits.cost * (0.6 + 0.5 * u[5] + 0.3 * u[6] + age / 300), -1)
    return names[sex].pop(), birth, sex, zip_, admitted, ward, disease, int(cost)


def _disease(age: float, woman: bool, u: float) -> str:
    stage = int(np.searchsorted([18, 45, 70], age, side="right"))
    weights = [d.ages[stage] * (d.women if woman else 1 - d.women) for d in _DISEASES.values()]
    bounds = np.cumsum(weights)
    return list(_DISEASES)[int(np.searchsorted(bounds, u * bounds[-1], side="right"))]
