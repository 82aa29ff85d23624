"""Synthetic census microdata with the nine columns of the literature's SAL table."""

from functools import cache
from math import erf, exp, log, sqrt
from typing import NamedTuple

import numpy as np
import polars as pl

from voile.datasets._names import EDUCATIONS, GENDERS, GROUPS, MARITAL, PLACES, RACES, STATE_PLACES
from voile.datasets._sampling import AliasTable, Cells, Codes, Floats, alias_table, draw
from voile.datasets._work import EMPLOYERS, OCCUPATIONS, WORK_CLASSES

_SEED = 20_250_101
_BLOCK = 1 << 17  # small enough for the temporaries of a block to stay in cache
_AGES = np.arange(17, 91)
_BANDS = 50
_BAND_WIDTH = 2_000  # dollars; the last band has no upper end
_POINT = 0.02  # step of the log-income scale
_LOW, _HIGH = 8.0, 12.0  # ends of the log-income scale
_STAGES: Cells = np.searchsorted([25, 45, 65], _AGES, side="right")  # young, grown, middle-aged, old
_GROUP_NAMES = list(GROUPS)
_GROUP_OF_PLACE: Cells = np.array([_GROUP_NAMES.index(place.group) for place in PLACES.values()], dtype=np.intp)

_TEXT: dict[str, tuple[str, ...]] = {
    "gender": GENDERS,
    "education": tuple(EDUCATIONS),
    "birthplace": tuple(PLACES),
    "occupation": tuple(OCCUPATIONS),
    "race": RACES,
    "work-class": tuple(WORK_CLASSES),
    "marital-status": tuple(MARITAL),
}


class _Tables(NamedTuple):
    age: AliasTable
    gender: AliasTable
    birthplace: AliasTable
    education: AliasTable
    marital: AliasTable
    race: AliasTable
    occupation: AliasTable
    work: AliasTable
    income: AliasTable


class _Pay(NamedTuple):
    """Points that each trait adds on the log-income scale."""

    age: Cells
    gender: Cells
    education: Cells
    occupation: Cells
    work: Cells
    marital: Cells


def census(rows: int) -> pl.DataFrame:
    """Generate synthetic census microdata: age, gender, seven more traits and an income band, realistically correlated.

    The same number always gives the same rows. The seed is fixed and public, so these are no secret coins.
    Text columns are `pl.Enum` with sorted categories; age runs from 17 to 90 and income over the bands 0 to 49, each
    2,000 dollars wide. Of the error of always guessing "below 50,000 dollars", the other columns explain about a third,
    as in UCI Adult.

    >>> table = census(1000)
    >>> table.shape
    (1000, 9)
    >>> table.equals(census(1000))
    True
    """
    if rows < 1:
        raise ValueError(f"rows must be at least 1, got {rows}")
    rng = np.random.Generator(np.random.PCG64(_SEED))
    blocks = [_block(rng, min(_BLOCK, rows - start)) for start in range(0, rows, _BLOCK)]
    columns: list[pl.Series] = []
    for name in list(blocks[0]):
        codes = np.concatenate([block.pop(name) for block in blocks])
        columns.append(_text(name, codes) if name in _TEXT else pl.Series(name, codes).cast(pl.Int64))
    return pl.DataFrame(columns)


def _text(name: str, codes: Codes) -> pl.Series:
    labels = _TEXT[name]
    order = sorted(labels)
    rank = np.array([order.index(label) for label in labels], dtype=np.uint8)
    return pl.Series(name, order, dtype=pl.Enum(order)).gather(pl.Series(rank[codes]))


def _block(rng: np.random.Generator, rows: int) -> dict[str, Codes]:
    """Draw one block of rows as codes, each column given the columns it depends on."""
    tables, pay = _tables(), _pay()
    anyone = np.zeros(rows, dtype=np.intp)
    age = draw(rng, tables.age, anyone)
    stage = _STAGES[age]
    gender = draw(rng, tables.gender, stage)
    birthplace = draw(rng, tables.birthplace, stage)
    group = _GROUP_OF_PLACE[birthplace]
    education = draw(rng, tables.education, group * len(_AGES) + age)
    occupation = draw(rng, tables.occupation, (stage * 2 + gender) * len(EDUCATIONS) + education)
    race = draw(rng, tables.race, group)
    work = draw(rng, tables.work, stage * len(OCCUPATIONS) + occupation)
    marital = draw(rng, tables.marital, age.astype(np.intp) * 2 + gender)
    points = pay.age[age] + pay.gender[gender] + pay.education[education] + pay.occupation[occupation]
    points += pay.work[work] + pay.marital[marital]
    return {
        "age": age + np.uint8(_AGES[0]),
        "gender": gender,
        "education": education,
        "birthplace": birthplace,
        "occupation": occupation,
        "race": race,
        "work-class": work,
        "marital-status": marital,
        "income": draw(rng, tables.income, points.clip(0, _points(_HIGH - _LOW))),
    }


@cache
def _tables() -> _Tables:
    return _Tables(
        age=alias_table(1 / (1 + np.exp((_AGES - 64) / 9.0)) + 0.02),
        gender=alias_table([(0.52, 0.48), (0.51, 0.49), (0.50, 0.50), (0.42, 0.58)]),
        birthplace=alias_table([_place_weights(away) for away in (0.8, 1.5, 1.0, 0.7)]),
        education=alias_table([_education_weights(name, int(age)) for name in _GROUP_NAMES for age in _AGES]),
        marital=alias_table([_marital_weights(int(age), woman) for age in _AGES for woman in (False, True)]),
        race=alias_table([GROUPS[name].races for name in _GROUP_NAMES]),
        occupation=alias_table(
            [
                _occupation_weights(stage == 0, woman, level)
                for stage in range(4)
                for woman in (False, True)
                for level in range(len(EDUCATIONS))
            ]
        ),
        work=alias_table([_work_weights(job.employer, stage) for stage in range(4) for job in OCCUPATIONS.values()]),
        income=alias_table([_income_weights(_LOW + _POINT * i) for i in range(_points(_HIGH - _LOW) + 1)]),
    )


def _place_weights(away: float) -> list[float]:
    return [place.weight * (1.0 if name in STATE_PLACES else away) for name, place in PLACES.items()]


def _education_weights(group: str, age: int) -> Floats:
    """Later cohorts stay longer at school; nobody holds a degree before the age at which it is usually reached."""
    cohort = -0.45 if age >= 75 else -0.15 if age >= 60 else 0.08
    level = np.arange(len(EDUCATIONS))
    tilt = (GROUPS[group].schooling + cohort) * (level - 9) / 2.5
    weights: Floats = np.array(list(EDUCATIONS.values())) * np.exp(tilt)
    highest = (8, 12, 13, 14, 15, 17)[int(np.searchsorted([18, 20, 22, 24, 27], age, side="right"))]
    weights[highest:] = 0.0
    return weights


def _marital_weights(age: int, woman: bool) -> tuple[float, ...]:
    wed = 1 / (1 + exp(-(age - (25.0 if woman else 27.0)) / 3.5)) * 0.93
    widowed = wed * min(0.85, exp((age - 90) / (14.0 if woman else 10.0)) * (0.85 if woman else 0.5))
    divorced = (wed - widowed) * 0.2 * min(1.0, max(0.05, (age - 18) / 25))
    separated, absent = 0.035 * wed, 0.025 * wed
    return (1 - wed, max(wed - widowed - divorced - separated - absent, 0.01), absent, separated, divorced, widowed)


def _occupation_weights(young: bool, woman: bool, level: int) -> list[float]:
    return [
        job.weight
        * (exp(-(((level - job.schooling) / job.spread) ** 2) / 2) + 0.01)
        * (job.women if woman else 1 - job.women)
        * (job.young if young else 1.0)
        for job in OCCUPATIONS.values()
    ]


def _work_weights(employer: str, stage: int) -> Floats:
    """Self-employment becomes likelier with age."""
    own = (0.3, 0.9, 1.2, 1.7)[stage]
    weights: Floats = np.array(EMPLOYERS[employer]) * np.array([1, 1, 1, 1, 1, own, own, 1])
    return weights


def _points(value: float) -> int:
    return round(value / _POINT)


@cache
def _pay() -> _Pay:
    """Income rises with schooling, peaks at the age of fifty, is lower for women and higher for married people."""
    start = log(40_000) - _LOW
    return _Pay(
        age=np.array([_points(start - 0.0006 * float(age - 50) ** 2) for age in _AGES], dtype=np.intp),
        gender=np.array([_points(0.10), _points(-0.10)], dtype=np.intp),
        education=np.array([_points(0.055 * (level - 9)) for level in range(len(EDUCATIONS))], dtype=np.intp),
        occupation=np.array([_points(job.pay) for job in OCCUPATIONS.values()], dtype=np.intp),
        work=np.array([_points(pay) for pay in WORK_CLASSES.values()], dtype=np.intp),
        marital=np.array([_points(pay) for pay in MARITAL.values()], dtype=np.intp),
    )


def _income_weights(centre: float) -> Floats:
    """Bands of equal width under a mixture of full-time and part-time log-normal incomes."""
    edges = [log(_BAND_WIDTH * band) for band in range(1, _BANDS)]
    below = [0.8 * _normal((e - centre) / 0.42) + 0.2 * _normal((e - centre + 0.7) / 0.7) for e in edges]
    return np.diff([0.0, *below, 1.0])


def _normal(z: float) -> float:
    return (1 + erf(z / sqrt(2))) / 2
