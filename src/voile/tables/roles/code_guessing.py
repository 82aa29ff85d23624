"""Whole numbers that are codes: an industry or an occupation is a category, however it is written."""

from __future__ import annotations

import re

_CODES = re.compile(
    r"(?:^|[^a-z])(?:codes?|industry|indus|occupation|occup|occ|job|naics|sic|soc|isco|isic|nace|icd|icd9|icd10|drg|"
    r"cpt|atc|hcpcs|zip|zipcode|postcode|postal|plz|region|state|county|district|province|canton|country|nation|"
    r"sector|branch|department|dept|ward|category|type|class|status|race|ethnicity|religion|party|kod|schl(?:ue|ü)ssel|"
    r"beruf|branche|kanton|bundesland|profession|secteur|gremio|codigo|codice)(?:[^a-z]|$)"
)


def looks_like_codes(name: str, type_name: str) -> bool:
    """Whether a column of whole numbers has the name of a category.

    >>> looks_like_codes("industry code", "Int64"), looks_like_codes("age", "Int64"), looks_like_codes("zip", "String")
    (True, False, False)
    """
    return type_name.startswith(("Int", "UInt")) and bool(_CODES.search(name.casefold().replace("_", " ")))
