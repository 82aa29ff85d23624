"""Countries by ISO 3166-1, in the regions of the United Nations.

Sources: ISO 3166-1; United Nations Statistics Division, Standard country or area codes for statistical use (M49), 2023.
The list itself is countries.csv. Kosovo is in neither: XK and XKX are user-assigned codes that the European Commission,
SWIFT and Unicode's CLDR use, and EL and UK are those of the European Commission for Greece and the United Kingdom.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from voile.tables.code_lists.code_list import CodeList, Path, group_codes, match_codes

LONGEST_CODE = 3
# further names in use, of which some tables have the spelling mistakes
_OTHER_NAMES = {
    "US": "United States|USA", "GB": "UK|England|Scotland|Great Britain", "DE": "Deutschland", "AT": "Österreich",
    "CH": "Schweiz", "FR": "Frankreich", "IT": "Italien", "ES": "Spanien", "PL": "Polen", "TR": "Turkey|Türkei",
    "RU": "Russia", "VN": "Vietnam", "IR": "Iran", "KR": "South Korea|Korea|South", "TW": "Taiwan", "LA": "Laos",
    "NL": "Holland|Holand-Netherlands|Niederlande", "BE": "Belgien", "GR": "Griechenland|EL", "HU": "Ungarn",
    "RO": "Rumänien", "CZ": "Czech Republic|Tschechien", "SY": "Syria|Syrien", "BO": "Bolivia", "VE": "Venezuela",
    "TZ": "Tanzania", "MD": "Moldova", "TT": "Trinadad&Tobago|Trinidad&Tobago", "CO": "Columbia", "HK": "Hong",
    "UM": "Outlying-US(Guam-USVI-etc)", "CI": "Ivory Coast", "MK": "Macedonia", "MM": "Burma", "CV": "Cape Verde",
    "PS": "Palestine",
}  # fmt: skip

_FORMER = {
    "Yugoslavia": ("Southern Europe", "Europe"),
    "Soviet Union": ("Eastern Europe", "Europe"),
    "Czechoslovakia": ("Eastern Europe", "Europe"),
}
_USER_ASSIGNED = {"XK": ("XK", "XKX", "Kosovo", "Southern Europe", "Europe")}
US_STATES = re.compile(
    "A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]"
)
_GERMAN_STATES = re.compile("B[BEWY]|H[BEH]|MV|N[IW]|RP|S[HLNT]|TH")
_SWISS_CANTONS = re.compile("A[GIR]|B[ELS]|FR|G[ELR]|JU|LU|N[EW]|OW|S[GHOZ]|T[GI]|UR|V[DS]|Z[GH]")


@cache
def _read_list() -> dict[str, tuple[str, str, str, str, str]]:
    """Return the entries by the code of two letters: codes, name, subregion, region."""
    entries, region, subregion = {}, "", ""
    for line in files("voile.tables.code_lists").joinpath("countries.csv").read_text(encoding="utf-8").splitlines():
        if line.startswith("##"):
            subregion = line[2:].strip()
        elif line.startswith("#"):
            region = line[1:].strip()
        elif line:
            two, three, name = line.split(",", 2)
            entries[two] = (two, three, name, subregion, region)
    return entries | _USER_ASSIGNED


@cache
def _list_spellings() -> tuple[dict[str, Path], ...]:
    """Return the regions of each country by its code of two letters, of three letters, and by its names as they are, in
    lower case and in upper case. Codes in lower case are not read: they may be languages."""
    two_letters, three_letters, names = dict[str, Path](), dict[str, Path](), dict[str, Path](_FORMER)
    for two, three, name, subregion, region in _read_list().values():
        path = (subregion, region)
        two_letters[two], three_letters[three] = path, path
        for spelling in (name, *_OTHER_NAMES.get(two, "").split("|")):
            if spelling:
                names |= {spelling: path, spelling.replace(" ", "-"): path}
    long_names = {name: path for name, path in names.items() if len(name) > LONGEST_CODE}
    lower = {name.lower(): path for name, path in long_names.items()}
    upper = {name.upper(): path for name, path in long_names.items()}
    return two_letters, three_letters, names, lower, upper


def _place(code: str) -> Path | None:
    return next((spellings[code] for spellings in _list_spellings() if code in spellings), None)


def _list_codes(examples: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return all countries below each region, in the ways of writing that the examples have."""
    two_letters, three_letters, names, lower, upper = _list_spellings()
    usual = [
        spellings for spellings in (two_letters, three_letters, names) if any(code in spellings for code in examples)
    ]
    others = [
        spellings for spellings in (lower, upper) if any(code in spellings and code not in names for code in examples)
    ]
    return group_codes({code: path for spellings in (*usual, *others) for code, path in spellings.items()})


COUNTRIES = CodeList(
    "countries",
    2023,
    "ISO 3166-1 in UN regions (M49, 2023)",
    "ISO; United Nations Statistics Division",
    _place,
    _list_codes,
    rivals=tuple(map(match_codes, (US_STATES, _GERMAN_STATES, _SWISS_CANTONS))),
    share=0.9,  # the codes of many lists have two letters
)
