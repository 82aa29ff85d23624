"""Levels of education by ISCED 2011, for the words that tables use for them.

Source: UNESCO Institute for Statistics, International Standard Classification of Education 2011; which word belongs to
which level is our reading.
"""

from __future__ import annotations

from collections.abc import Sequence

from voile.tables.code_lists.code_list import CodeList, Path, group_codes

_LEVELS = {
    ("primary or less", "below upper secondary"): "none|no schooling|preschool|kindergarten|primary|1st-4th|5th-6th|"
    "elementary|elementary school|less than 1st grade|1st 2nd 3rd or 4th grade|5th or 6th grade|grundschule|ISCED 0|ISCED 1",
    ("lower secondary", "below upper secondary"): "7th-8th|9th|10th|11th|12th|7th and 8th grade|9th grade|10th grade|"
    "11th grade|12th grade no diploma|lower secondary|some high school|less than high school|hauptschule|"
    "hauptschulabschluss|realschule|realschulabschluss|mittlere reife|ISCED 2",
    ("upper secondary", "upper secondary or vocational"): "HS-grad|high school|high school graduate|secondary|"
    "upper secondary|a-levels|abitur|fachabitur|baccalaureat|VWO|ISCED 3",
    ("post-secondary or short tertiary", "upper secondary or vocational"): "Some-college|Assoc-voc|Assoc-acdm|associate|"
    "associate degree|associates degree-occup /vocational|associates degree-academic program|"
    "some college but no degree|vocational|apprenticeship|lehre|ausbildung|berufsausbildung|ISCED 4|ISCED 5",
    ("bachelor", "university"): "bachelors|bachelor|bachelors degree(ba ab bs)|bachelor's degree|college|licence|ISCED 6",
    ("master or more", "university"): "masters|master|masters degree(ma ms meng med msw mba)|master's degree|Prof-school|"
    "prof school degree (md dds dvm llb jd)|doctorate|doctorate degree(phd edd)|PhD|university|hochschule|"
    "hochschulabschluss|promotion|diplom|magister|graduate school|ISCED 7|ISCED 8",
}
_PATHS: dict[str, Path] = {
    spelling: path
    for path, words in _LEVELS.items()
    for word in words.split("|")
    for spelling in (word, word.casefold(), word.capitalize())
}


def _list_codes(examples: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return group_codes(_PATHS)


EDUCATION = CodeList("education", 2011, "ISCED 2011 (UNESCO)", "UNESCO Institute for Statistics", _PATHS.get, _list_codes)
