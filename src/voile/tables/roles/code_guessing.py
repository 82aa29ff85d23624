"""Whole numbers that are codes: an industry or an occupation is a category, however it is written."""

from __future__ import annotations

import re

from voile.tables.roles.column_words import split_words

_CODES = re.compile(
    r"(?:^|[^a-z])(?:codes?|industry|indus|occupation|occup|occ|job|naics|sic|soc|isco|isic|nace|icd|icd9|icd10|drg|"
    r"cpt|atc|hcpcs|zip|zipcode|postcode|postal|plz|region|state|county|district|province|canton|country|nation|"
    r"sector|branch|department|dept|ward|category|type|class|status|race|ethnicity|religion|party|kod|schl(?:ue|ü)ssel|"
    r"beruf|branche|kanton|bundesland|profession|secteur|gremio|codigo|codice|sex|gender|geschlecht|sexe|marital|"
    r"familienstand|relationship|language|citizenship|diagnosis|diagnose|diag|dx|treatment|arm|procedure|prozedur|"
    r"puma|fips|nuts|plz5?|post ?leit ?zahl|code postal|cap|cp|gruppe|typ|kategorie|art)(?:[^a-z]|$)"
)


def looks_like_codes(name: str, type_name: str) -> bool:
    """Whether a column of whole numbers has the name of a category.

    >>> looks_like_codes("industry code", "Int64"), looks_like_codes("age", "Int64"), looks_like_codes("zip", "String")
    (True, False, False)
    """
    return type_name.startswith(("Int", "UInt")) and bool(_CODES.search(split_words(name)))
