"""ISCO-08: major and sub-major groups of occupations.

Source: International Labour Organization, International Standard Classification of Occupations 2008. Titles of major
groups are grouped as Eurostat's metadata server groups them (RAMON, code list CL_ISCO08: OC1-3, OC4_5, OC6-8, OC1-5).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from voile.tables.code_lists.code_list import CodeList, Path, group_codes

_MAJOR = {
    "0": "0 Armed forces occupations",
    "1": "1 Managers",
    "2": "2 Professionals",
    "3": "3 Technicians and associate professionals",
    "4": "4 Clerical support workers",
    "5": "5 Service and sales workers",
    "6": "6 Skilled agricultural, forestry and fishery workers",
    "7": "7 Craft and related trades workers",
    "8": "8 Plant and machine operators, and assemblers",
    "9": "9 Elementary occupations",
}
_NOT_MANUAL, _SKILLED_MANUAL = "Non manual workers", "Skilled manual workers"
_GROUPS_OF_TITLES: dict[str, Path] = {
    **dict.fromkeys("123", ("Managers, professionals, technicians and associate professionals", _NOT_MANUAL)),
    **dict.fromkeys("45", ("Clerical support workers, service and sales workers", _NOT_MANUAL)),
    **dict.fromkeys("678", (_SKILLED_MANUAL, _SKILLED_MANUAL)),
}
_TITLES: dict[str, Path] = {
    written: _GROUPS_OF_TITLES.get(digit, (written, written))
    for digit, title in _MAJOR.items()
    for written in (title, title[2:], title[2:].lower())
}
_SUB_MAJOR = frozenset(
    f"{major}{minor}"
    for major, minors in zip("0123456789", (3, 4, 6, 5, 4, 4, 3, 5, 3, 6), strict=True)
    for minor in range(1, minors + 1)
)  # the groups of a major group are numbered from 1


def is_title(code: str) -> bool:
    """Whether a value is the title of a major group, which no other list has."""
    return code in _TITLES


def _place(code: str) -> Path | None:
    if code in _TITLES:
        return _TITLES[code]
    if not re.fullmatch(r"[0-9]{3,4}", code) or code[:2] not in _SUB_MAJOR:
        return None
    return (f"{code[:2]}{'x' * (len(code) - 2)}", _MAJOR[code[0]])


def _list_codes(examples: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return all codes of as many digits as the examples have below each label."""
    paths = {
        f"{group}{number:0{length - 2}}": (f"{group}{'x' * (length - 2)}", _MAJOR[group[0]])
        for length in sorted({len(code) for code in examples if _place(code) and code not in _TITLES})
        for group in sorted(_SUB_MAJOR)
        for number in range(10 ** (length - 2))
    }
    return group_codes(paths | (_TITLES if any(map(is_title, examples)) else {}))


ISCO08 = CodeList(
    "isco08",
    2008,
    "ISCO-08 (ILO, 2008)",
    "International Labour Organization",
    _place,
    _list_codes,
    {"ISCO-88 or a national list": lambda code: re.fullmatch(r"\d{1,5}", code) is not None},
)
