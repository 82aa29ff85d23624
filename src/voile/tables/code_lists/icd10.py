"""ICD-10: categories of three characters, blocks and chapters.

Source: World Health Organization, International Statistical Classification of Diseases and Related Health Problems,
10th revision, edition of 2019. Codes of national modifications (ICD-10-GM, ICD-10-CM) are placed by their category of
three characters; the few that WHO does not have are not in the list. Case, a dagger or an asterisk and the letter for
how certain a German diagnosis is do not matter. Assault (X85-Y09) is two blocks here. What was compared with a second
source is in docs/decisions/0051-sources-of-code-lists.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from voile.tables.code_lists.code_list import CodeList, Path, group_codes

# a chapter and the blocks in it, each by its first and its last category
_CHAPTERS = {
    "A00-B99 Infectious and parasitic diseases": "A00-09 A15-19 A20-28 A30-49 A50-64 A65-69 A70-74 A75-79 A80-89 "
    "A92-99 "
    "B00-09 B15-19 B20-24 B25-34 B35-49 B50-64 B65-83 B85-89 B90-94 B95-98 B99-99",
    "C00-D48 Neoplasms": "C00-14 C15-26 C30-39 C40-41 C43-44 C45-49 C50-50 C51-58 C60-63 C64-68 C69-72 C73-75 C76-80 "
    "C81-96 C97-97 D00-09 D10-36 D37-48",
    "D50-D89 Blood and immune disorders": "D50-53 D55-59 D60-64 D65-69 D70-77 D80-89",
    "E00-E90 Endocrine, nutritional and metabolic diseases": "E00-07 E10-14 E15-16 E20-35 E40-46 E50-64 E65-68 E70-90",
    "F00-F99 Mental and behavioural disorders": "F00-09 F10-19 F20-29 F30-39 F40-48 F50-59 F60-69 F70-79 F80-89 "
    "F90-98 "
    "F99-99",
    "G00-G99 Diseases of the nervous system": "G00-09 G10-14 G20-26 G30-32 G35-37 G40-47 G50-59 G60-64 G70-73 G80-83 "
    "G90-99",
    "H00-H59 Diseases of the eye": "H00-06 H10-13 H15-22 H25-28 H30-36 H40-42 H43-45 H46-48 H49-52 H53-54 H55-59",
    "H60-H95 Diseases of the ear": "H60-62 H65-75 H80-83 H90-95",
    "I00-I99 Diseases of the circulatory system": "I00-02 I05-09 I10-15 I20-25 I26-28 I30-52 I60-69 I70-79 I80-89 "
    "I95-99",
    "J00-J99 Diseases of the respiratory system": "J00-06 J09-18 J20-22 J30-39 J40-47 J60-70 J80-84 J85-86 J90-94 "
    "J95-99",
    "K00-K93 Diseases of the digestive system": "K00-14 K20-31 K35-38 K40-46 K50-52 K55-64 K65-67 K70-77 K80-87 K90-93",
    "L00-L99 Diseases of the skin": "L00-08 L10-14 L20-30 L40-45 L50-54 L55-59 L60-75 L80-99",
    "M00-M99 Diseases of muscles and bones": "M00-25 M30-36 M40-54 M60-79 M80-94 M95-99",
    "N00-N99 Diseases of the genitourinary system": "N00-08 N10-16 N17-19 N20-23 N25-29 N30-39 N40-51 N60-64 N70-77 "
    "N80-98 N99-99",
    "O00-O99 Pregnancy, childbirth and the puerperium": "O00-08 O10-16 O20-29 O30-48 O60-75 O80-84 O85-92 O94-99",
    "P00-P96 Conditions of the perinatal period": "P00-04 P05-08 P10-15 P20-29 P35-39 P50-61 P70-74 P75-78 P80-83 "
    "P90-96",
    "Q00-Q99 Congenital malformations": "Q00-07 Q10-18 Q20-28 Q30-34 Q35-37 Q38-45 Q50-56 Q60-64 Q65-79 Q80-89 Q90-99",
    "R00-R99 Symptoms and abnormal findings": "R00-09 R10-19 R20-23 R25-29 R30-39 R40-46 R47-49 R50-69 R70-79 R80-82 "
    "R83-89 R90-94 R95-99",
    "S00-T98 Injury and poisoning": "S00-09 S10-19 S20-29 S30-39 S40-49 S50-59 S60-69 S70-79 S80-89 S90-99 T00-07 "
    "T08-14 "
    "T15-19 T20-32 T33-35 T36-50 T51-65 T66-78 T79-79 T80-88 T90-98",
    "V01-Y98 External causes": "V01-99 W00-99 X00-59 X60-84 X85-99 Y00-09 Y10-34 Y35-36 Y40-84 Y85-89 Y90-98",
    "Z00-Z99 Contact with health services": "Z00-13 Z20-29 Z30-39 Z40-54 Z55-65 Z70-76 Z80-99",
    "U00-U99 Special purposes": "U00-49 U82-85",
}
_CODE = re.compile(r"([A-Z]\d{2})(\.?)(\d{0,2})(-?)([AGVZ]?)([+*!†]?)", re.ASCII | re.IGNORECASE)
_LONGER = re.compile(r"([A-Z]\d{2})\.[0-9A-Z]{1,4}", re.ASCII | re.IGNORECASE)  # of ICD-10-CM: too many to be listed
MOST_ENDINGS = 600  # per category, up to which all codes below a label are listed
_NATIONAL = re.compile(r"[A-Z]\d{2}(?:\.?[0-9A-Z]{1,4}|\.-)?[+*!]?|U(?:5[0-2]|6\d|7\d|8[01])(?:\.\d{1,2})?!?")
_ICD9 = re.compile(r"\d{3}(?:\.\d{1,2})?|V\d{2}\.\d{1,2}|E[89]\d{2}(?:\.\d)?")


@cache
def _find_groups() -> dict[str, tuple[str, str]]:
    """Return the block and the chapter of each category."""
    found = {}
    for chapter, blocks in _CHAPTERS.items():
        for block in blocks.split():
            letter, first, last = block[0], int(block[1:3]), int(block[4:])
            label = f"{letter}{first:02}-{letter}{last:02}"
            for number in range(first, last + 1):
                found[f"{letter}{number:02}"] = (label, chapter)
    return found


def _place(code: str) -> Path | None:
    match = _CODE.fullmatch(code)
    if match is not None and match[2] and not (match[3] or match[4]):
        return None
    match = match or _LONGER.fullmatch(code)
    category = match[1].upper() if match is not None else ""
    return (category, *_find_groups()[category]) if category in _find_groups() else None


def _list_codes(examples: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return all codes that could be below each label, with endings after the category of the forms that the examples
    have; nothing if some are of a form with too many."""
    endings: dict[bool, set[str]] = {}  # whether the category is in lower case
    for code in examples:
        if _place(code) is None:
            continue
        match = _CODE.fullmatch(code)
        if match is None:
            return {}
        endings.setdefault(code[0].islower(), set()).update(_list_endings(*match.groups()[1:]))
    if sum(map(len, endings.values())) > MOST_ENDINGS:
        return {}
    paths = {
        (category.lower() if is_lower else category) + ending: (category, block, chapter)
        for category, (block, chapter) in _find_groups().items()
        for is_lower, some in sorted(endings.items())
        for ending in sorted(some)
    }
    return group_codes(paths)


def _list_endings(sign: str, digits: str, dash: str, letter: str, mark: str) -> list[str]:
    size = len(digits)
    numbers = [f"{number:0{size}}" for number in range(10**size)] if size else [""]
    letters = [""] if not letter else [*("agvz" if letter.islower() else "AGVZ")]
    return [f"{sign}{number}{dash}{certainty}{mark}" for number in numbers for certainty in letters]


ICD10 = CodeList(
    "icd10",
    2019,
    "ICD-10 (WHO, 2019)",
    "World Health Organization",
    _place,
    _list_codes,
    {
        "ICD-9": lambda code: _ICD9.fullmatch(code) is not None,
        "a national edition of ICD-10": lambda code: _NATIONAL.fullmatch(code) is not None,
    },
)
