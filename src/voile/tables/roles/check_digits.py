"""Numbers that tell who somebody is, by their pattern and their check digit; and codes that do not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from voile.tables.code_lists.countries import COUNTRIES, US_STATES
from voile.tables.code_lists.postcodes import BRITISH, CANADIAN, DUTCH
from voile.tables.roles.name_lexicon import fold_word


def passes_luhn(digits: str) -> bool:
    """Whether the last digit is the Luhn check digit of the others.

    >>> passes_luhn("4539578763621486"), passes_luhn("4539578763621487")
    (True, False)
    """
    doubled = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def _is_iban(text: str) -> bool:
    code = re.sub(r"\s", "", text).upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", code):
        return False
    return int("".join(str(int(letter, 36)) for letter in code[4:] + code[:4])) % 97 == 1


def _is_german_tax_number(text: str) -> bool:
    digits = re.sub(r"\s", "", text)
    if not re.fullmatch(r"[1-9]\d{10}", digits):
        return False
    product = 10
    for digit in digits[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def _is_dutch_bsn(text: str) -> bool:
    if not re.fullmatch(r"\d{8,9}", text):
        return False
    digits = [int(digit) for digit in text.zfill(9)]
    total = sum(weight * digit for weight, digit in zip((9, 8, 7, 6, 5, 4, 3, 2, -1), digits, strict=True))
    return total % 11 == 0 and any(digits)


def _is_french_nir(text: str) -> bool:
    code = re.sub(r"[\s.]", "", text).upper().replace("2A", "19").replace("2B", "18")
    return bool(re.fullmatch(r"[1-478]\d{14}", code)) and 97 - int(code[:13]) % 97 == int(code[13:])


def _is_us_ssn(text: str) -> bool:
    return bool(re.fullmatch(r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}", text))


def _is_british_nhs_number(text: str) -> bool:
    digits = re.sub(r"[\s-]", "", text)
    if not re.fullmatch(r"\d{10}", digits):
        return False
    rest = 11 - sum((10 - place) * int(digit) for place, digit in enumerate(digits[:9])) % 11
    return rest != 10 and rest % 11 == int(digits[9])


def _is_british_nino(text: str) -> bool:
    return bool(re.fullmatch(r"[A-CEGHJ-PR-TW-Z]{2}\d{6}[A-D]", re.sub(r"\s", "", text).upper()))


def _is_swedish_personal_number(text: str) -> bool:
    match = re.fullmatch(r"(?:19|20)?(\d{2})(0[1-9]|1[0-2])([0-2]\d|3[01]|[6-9]\d)[-+]?(\d{4})", text)
    return match is not None and passes_luhn("".join(match.groups()))


def _is_italian_fiscal_code(text: str) -> bool:
    code = text.upper()
    if not re.fullmatch(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", code):
        return False
    odd = dict(zip("0123456789", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21), strict=True))
    odd |= dict(zip("ABCDEFGHIJ", odd.values(), strict=True))
    odd |= dict(zip("KLMNOPQRSTUVWXYZ", (2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23), strict=True))
    total = sum(
        odd[letter] if place % 2 == 0 else (int(letter) if letter.isdigit() else ord(letter) - 65)
        for place, letter in enumerate(code[:15])
    )
    return chr(65 + total % 26) == code[15]


def _is_spanish_dni(text: str) -> bool:
    match = re.fullmatch(r"([XYZ]?)(\d{7,8})-?([A-Z])", text.upper())
    if match is None:
        return False
    number = int({"": "", "X": "0", "Y": "1", "Z": "2"}[match[1]] + match[2])
    return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] == match[3]


def _is_polish_pesel(text: str) -> bool:
    if not re.fullmatch(r"\d{11}", text):
        return False
    total = sum(int(digit) * weight for digit, weight in zip(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), strict=True))
    return total % 10 == 0


def _is_payment_card(text: str) -> bool:
    digits = re.sub(r"[\s-]", "", text)
    return bool(re.fullmatch(r"[3-6]\d{12,18}", digits)) and passes_luhn(digits)


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda text: compiled.fullmatch(text) is not None


_PHONE = r"(?:\+|00)\d{1,3}[\d ()./-]{6,16}\d|\(?0\d{1,4}\)?[ /-]\d[\d ./-]{4,12}\d|\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}"

_STREET = (
    r".{2,40}(?:str\.|straße|strasse|weg|platz|allee|gasse|straat|laan|gatan|vägen|vej| street| road| avenue| st\.?"
    r"| ave\.?| rd\.?| lane| drive),? ?\d{1,4} ?[a-z]?"
    r"|\d{1,5},? (?:rue|avenue|av\.|boulevard|bd|chemin|place|[a-z]+ (?:street|st\.?|road|rd\.?|avenue|ave\.?|lane|"
    r"drive|dr\.?)).*|(?:via|calle|rua|avenida|piazza|ul\.) .{2,40} \d{1,4}"
)

_SEXES = re.compile(
    "[mfwdk]|(?:fe)?male|(?:wo)?m[ae]n|boy|girl|mann|frau|mannlich|weiblich|divers|homme|femme|masculin|feminin|uomo|"
    "donna|maschio|femmina|hombre|mujer|varon|masculino|feminino|femenino|homem|mulher|vrouw|vrouwelijk|mannelijk|"
    "kvinn[ae]|kvinde|mies|nainen|mezczyzna|kobieta|muz|zena|erkek|kadin"
)
# what tells who somebody is, wherever it stands
PERSONAL: Mapping[str, Callable[[str], bool]] = {
    "e-mail addresses": _matches(r"[^@\s]+@[^@\s]+\.[a-z]{2,}"),
    "telephone numbers": _matches(_PHONE),
    "IBANs": _is_iban,
    "German tax numbers": _is_german_tax_number,
    "Dutch BSNs": _is_dutch_bsn,
    "French social security numbers": _is_french_nir,
    "US social security numbers": _is_us_ssn,
    "NHS numbers": _is_british_nhs_number,
    "British insurance numbers": _is_british_nino,
    "Swedish personal numbers": _is_swedish_personal_number,
    "Italian fiscal codes": _is_italian_fiscal_code,
    "Spanish DNIs": _is_spanish_dni,
    "Polish PESELs": _is_polish_pesel,
    "payment cards": _is_payment_card,
    "IP addresses": _matches(r"(?:\d{1,3}\.){3}\d{1,3}"),
    "web addresses": _matches(r"(?:https?://|www\.)\S+"),
    "UUIDs": _matches(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    "street addresses": _matches(_STREET),
    "hashes": _matches(r"(?=[0-9a-f]*[a-f])(?=(?:[a-f]*[0-9]){3})[0-9a-f]{10,128}"),
}

_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:18|19|20)\d{2}"
_CLOCK = r"(?:[T ,]*(?:[01]?\d|2[0-3]):?[0-5]\d(?::?[0-5]\d(?:[.,]\d+)?)?(?:Z| ?[AP]M|[+-]\d{2}:?\d{2})?)?"
_DATE = (
    rf"(?:{_YEAR}[-/.]{_MONTH}[-/.]{_DAY}|(?:{_DAY}[-/.]{_MONTH}|{_MONTH}[-/.]{_DAY})[-/.](?:{_YEAR}|\d{{2}})"
    r"|(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r"|(?:(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?:19|20)\d{2}"
    rf"|{_DAY}[ -]?[A-Z]{{3}}[ -]?(?:{_YEAR}|\d{{2}}))"
)

POINTED = "ICD-10 codes with a point"  # rooms and seats have none
MIXED = "codes of letters and digits"
FIVE_DIGITS = "postcodes of five digits"
DATES = "dates"
_OTHERS = "Polish or Portuguese postcodes"
POSTCODES = (BRITISH.name, DUTCH.name, CANADIAN.name, FIVE_DIGITS, _OTHERS)

# what others may know, or what should stay secret
GENERAL: Mapping[str, Callable[[str], bool]] = {
    "ICD-10 codes": _matches(r"[A-TV-Z]\d{2}(?:\.\d{1,2}|\.-|\d{1,2})?[+*!]?"),
    POINTED: _matches(r"[A-TV-Z]\d{2}\.[\d-]{1,2}[+*!]?"),
    **{kind.name: kind.matches for kind in (BRITISH, DUTCH, CANADIAN)},
    FIVE_DIGITS: _matches(r"\d{5}(?:-\d{4})?"),
    _OTHERS: _matches(r"\d{2}-\d{3}|\d{4}-\d{3}"),
    MIXED: _matches(r"(?=.*\d)(?=.*[A-Z])[A-Z0-9-]{6,20}"),
    DATES: _matches(_DATE + _CLOCK),
    "sexes": lambda text: _SEXES.fullmatch(fold_word(text.strip())) is not None,
    "months": _matches(r"(?:19|20)\d{2}[-/.](?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])[-/.](?:19|20)\d{2}"),
    "countries": lambda text: COUNTRIES.place(text) is not None,
    "US states": lambda text: US_STATES.fullmatch(text.upper()) is not None,
}
