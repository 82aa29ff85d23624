"""Words in the names of columns, in several languages, and what they say about a column.

The words are in column_words.txt, names that well-known surveys and standards give to columns in standard_names.txt.
They are compared without case and accents.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from voile.tables.roles.name_lexicon import fold_word

FILLER = "filler"  # words that say nothing
SHORTEST = 4  # letters of a piece of a compound
SHORT_PIECES = frozenset(
    ("age", "sex", "pay", "job", "zip", "day", "dob", "icu", "pid", "yrs", "med", "id", "nr", "no")
)
MOST_PIECES = 5
TELLING = 6  # letters of a word that says something as a part of a longer one
ROLE_OF = {
    **dict.fromkeys(
        ("birth", "age", "sex", "origin", "place", "family", "education", "work", "date", "housing"), "quasi"
    ),
    "body": "quasi",
    **dict.fromkeys(
        ("diagnosis", "treatment", "lab value", "outcome", "money", "belief", "conduct", "score", "course"), "sensitive"
    ),
    "study": "quasi",
}
AMOUNTS = {"money", "work", "age"}  # of which analysts take logarithms
# a name of something that is no person: ward name, drug name
_THINGS = re.compile(
    r"(?:^|[^a-z])(?:ward|hospital|product|drug|item|file|city|country|department|school|company|firm|brand|street|state|"
    r"meet|race|competition|tournament|project|course|program|programme|plan|policy|study|survey|campaign|channel|source|"
    r"device|browser|currency|language|store|shop|merchant|vendor|terminal|plant|lot|batch|model|employer|clinic|bank|agency|institution|organi[sz]ation|"
    r"office|university|college|business|party|team|club|league|insurer|pharmacy|facility|neighbou?rhood|"
    r"province|provincia|provincie|departamento|pais|precinct|area|nationality|animal|breed|command|court|establecimiento|merchant|grupo|lineitem|opening|county|municipality|municipio|commune|district|village|town|test|group|category|type|class|diagnosis|disease|variable|column|event|region|station|klinik|medikament|produkt|week|page)"
    r"(?:[^a-z]|$)"
)
WHOM = (
    "patient|pat|person|subject|participant|respondent|proband|customer|client|consumer|member|user|household|"
    "hh|family|employee|worker|student|pupil|insured|policyholder|taxpayer|voter|kunde|kunden|patienten|haushalt|"
    "versicherten|cliente|paciente|paziente|malade|menage|assure|individual|case|fall|beneficiary|tenant|driver|officer|"
    "agent|physician|doctor|provider|teacher|hasta|pacjent|pacient|eleve|alumno|schuler|mitarbeiter|salarie|donor|"
    "applicant|borrower|bene|inmate|offender|defendant|victim|suspect|arrestee|detainee|prisoner|owner|attendee|enrollee|"
    "staff|manager|rider|passenger|guest|host|candidate|author|player|athlete|runner|claimant|recipient|resident"
)
# groups, papers and those who work with a person, whose numbers repeat or are different in every row
_NOBODY = frozenset(
    ("household", "hh", "family", "haushalt", "menage", "case", "fall", "agent", "physician", "doctor", "provider")
) | {"teacher", "officer", "staff", "manager"}
_NUMBER = (
    "id|ids|identifier|nr|nbr|no|num|number|nummer|numero|numer|cislo|key|hash|token|guid|uuid|serial|ref|reference|"
    "referenz|aktenzeichen|sn"
)
_NUMBERS = re.compile(f"{_NUMBER}|[a-z]{{0,4}}uid")
PERSON = re.compile(
    rf"(?:id[^a-z]*)?(?:{WHOM})(?:[^a-z]*(?:{_NUMBER}|code|index|idx))?|id|nr|uid|uuid|identifier|pid(?:num)?|mrn|ssn|nhs(?:[^a-z]*"
    rf"(?:{_NUMBER}))?|nino|passport|e[^a-z]?mail|seqn|enrolid|bene[^a-z]*id|caseid|(?:fall|case|record|row)[^a-z]*"
    rf"(?:{_NUMBER}|code|index|idx)"
)
_PEOPLE = "|".join(word for word in WHOM.split("|") if word not in _NOBODY)
_SOMEBODY = re.compile(rf"(?:id[^a-z]*)?(?:{_PEOPLE})s?[^a-z]*(?:{_NUMBER}|code)?")
_HOUSEHOLD = "household|hh|family|haushalt|menage|hogar|famille|familie"
_GROUP = re.compile(rf"(?:id[^a-z]*)?(?:{_HOUSEHOLD})[^a-z]*(?:{_NUMBER}|code)?")
_AREA = re.compile(
    r"(?:.*[^a-z])?(?:zip|zipcode|zip code|postcode|postal code|plz|city|town|village|county|country|province|region|"
    r"district|neighbou?rhood|municipality|commune|suburb|borough|hometown|parish|currency|gemeinde|stadt|ciudad|ville)[^a-z]*(?:name|code|nm)?"
)
_WEIGHT = re.compile("weight|wt|gewicht|poids|peso|waga|vekt|vikt|paino|vaha")
_HEIGHT = re.compile("height|ht|grosse|taille|altura|talla|altezza|estatura|lengte|langd|wzrost|hoyde|pituus|vyska")
_UNIT = re.compile("kg|kilo|lbs?|pounds")
_QUESTION = re.compile(r"^[Qq]\d+[a-z]?(?:[_.]\d+)?[ _.:)-]+(?=\D{3})")  # Q6_1 Workload
_ORIGIN = re.compile("(?:^|[^a-z])(?:race|ethnicity)(?:[^a-z]|$)")


def split_words(name: str) -> str:
    """Return the name of a column as words without case and accents: `patientId` is `patient id`."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})", " ", name)
    folded = re.sub(r"[^\W\d_]+", lambda word: fold_word(word[0]), spaced)
    return folded.replace("_", " ").replace("#", " number ")


def is_trait(name: str) -> bool:
    """Whether a name suggests what does not change from one row of a person to the next, such as birth or sex."""
    return bool({"birth", "sex"} & set(find_meanings(name))) or _ORIGIN.search(split_words(name)) is not None


def name_number(name: str) -> str:
    """Return a name as the patterns of numbers have it: `Pat.-Nr.` is `pat.-nr`."""
    return split_words(name).strip(" .:-")


@cache
def _read_words(file: str = "column_words.txt") -> dict[str, list[str]]:
    """Return the words of each meaning that a file lists."""
    words: dict[str, list[str]] = {}
    for line in files("voile.tables.roles").joinpath(file).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            meaning, _, listed = line.partition(":")
            words.setdefault(meaning, []).extend(listed.split())
    return words


@cache
def _compile_words(phrases: bool) -> dict[str, re.Pattern[str]]:
    """Return what the words of each meaning look like: those of several words, or the single ones."""
    listed = {
        meaning: [word for word in words if ("_" in word) == phrases]
        for meaning, words in _read_words().items()
        if meaning != FILLER
    }
    return {meaning: _compile(words) for meaning, words in listed.items() if words}


def _compile(words: list[str]) -> re.Pattern[str]:
    parts = [re.escape(word).replace(r"\*", "[a-z]*").replace("_", "[^a-z]*") for word in words]
    return re.compile(rf"(?:^|[^a-z])(?:{'|'.join(parts)})(?=[^a-z]|$)")


@cache
def _compile_standard_names() -> dict[str, re.Pattern[str]]:
    """Return what whole names of surveys and standards look like."""
    patterns = {}
    for meaning, names in _read_words("standard_names.txt").items():
        parts = [re.escape(name).replace(r"\*", ".*").replace(r"\#", "[0-9]?") for name in names]
        patterns[meaning] = re.compile("|".join(parts))
    return patterns


@cache
def _list_pieces() -> frozenset[str]:
    """Return the words of which compounds are made."""
    words = {word.strip("*") for listed in _read_words().values() for word in listed if "_" not in word}
    words |= set(f"{WHOM}|{_NUMBER}".split("|"))
    return frozenset(word for word in words if len(word) >= SHORTEST) | SHORT_PIECES


def split_compound(word: str) -> list[str]:
    """Return the fewest known words that a word is made of, or a long one that it begins or ends with; the word itself
    if there are none.

    >>> split_compound("dischargeweight"), split_compound("hundesteuer"), split_compound("language")
    (['discharge', 'weight'], ['hunde', 'steuer'], ['language'])
    """
    best: list[list[str] | None] = [[], *[None] * len(word)]
    for end in range(1, len(word) + 1):
        for start in range(end):
            before, piece = best[start], word[start:end]
            if before is None or len(before) >= MOST_PIECES:
                continue
            known = piece in _list_pieces() or (piece.endswith("s") and start and piece[:-1] in _list_pieces())
            shorter = best[end]
            if known and (shorter is None or len(before) + 1 < len(shorter)):
                best[end] = [*before, piece]
    found = best[-1]
    if found is not None:
        return found
    for cut in range(1, len(word)):  # the head of a compound is its end
        for parts, piece in (([word[:cut], word[cut:]], word[cut:]), ([word[:-cut], word[-cut:]], word[:-cut])):
            if len(piece) >= TELLING and piece in _list_pieces():
                return parts
    return [word]


def find_word_meanings(text: str) -> tuple[str, ...]:
    """Return what the words of a text may mean, in the order of column_words.txt. A phrase says more than its words;
    words of a course (`time`, `result`) count where nothing else does.

    >>> find_word_meanings("tamoxifen"), find_word_meanings("never married")
    (('treatment',), ('family',))
    """
    for phrases in (True, False):
        found = tuple(meaning for meaning, pattern in _compile_words(phrases).items() if pattern.search(text))
        if found:
            return tuple(meaning for meaning in found if meaning != "course") or found
    return ()


@cache
def find_meanings(name: str) -> tuple[str, ...]:
    """Return what the words of a column's name may mean, in the order of column_words.txt.

    >>> find_meanings("Geburtsdatum"), find_meanings("annual_income"), find_meanings("x7")
    (('birth',), ('money',), ())
    """
    name = _QUESTION.sub("", name.strip())
    whole = name.casefold().replace(" ", "_")
    standard = tuple(meaning for meaning, names in _compile_standard_names().items() if names.fullmatch(whole))
    if standard:
        return standard
    words = split_words(name).strip()
    bare = re.sub(rf"^(?:{WHOM}|insured|assured)s?[^a-z]+(?=[a-z])", "", words)
    bare = re.sub(r"(?<=[a-z]) (?:at|when|bei|vid|ved|lors) .*$", "", bare)  # marital status at diagnosis
    # analysts write logarithms as lwage and squares as agesq
    logarithm, root = re.sub(r"^(?:ln|log|l)(?=[a-z]{3})", "", bare), re.sub("sq(?:uared)?$", "", bare)
    code = bare[1:] if name.isupper() and name.isalpha() else bare  # surveys write age as TAGE, race as ERACE
    compounds = re.sub(r"[a-z]+", lambda word: " ".join(split_compound(word[0])), bare)
    parent = re.sub(r"^[mfdhw] ?(?=[a-z]{3,}$)", "", bare)  # mother, father, dad, husband, wife: medu, dage
    if not AMOUNTS & set(find_word_meanings(logarithm)):
        logarithm = bare
    joined = fold_word(name) if name.isalpha() else bare  # DoB
    forms = dict.fromkeys((bare, logarithm, root, compounds, code, words, parent, joined))
    return next((found for found in map(find_word_meanings, forms) if found), ())


def is_vague(name: str) -> bool:
    """Whether a name has no word that says anything, as `status` and `group`."""
    return set(re.findall("[a-z]+", split_words(name))) <= set(_read_words()[FILLER])


def names_people(name: str, distinct: int, many: int) -> bool:
    """Whether a name speaks of people alone. Without a number in its name (`member`, `household`), a column needs many
    values: it may as well say what kind of member or household it is."""
    words = name_number(name)
    if PERSON.fullmatch(words) is None:
        return False
    return distinct >= many or (distinct > 2 and re.fullmatch(WHOM, words) is None)


def names_number(name: str) -> bool:
    """Whether a name is that of a number or a code that stands for something: order number, hospitalid, hash.

    >>> names_number("wardid"), names_number("NumOfProducts"), names_number("paid")
    (True, False, False)
    """
    words = name_number(name)
    pieces = [piece for word in re.findall("[a-z]+", words) for piece in split_compound(word)]
    return (len(pieces) > 1 or words.endswith("uid")) and _NUMBERS.fullmatch(pieces[-1]) is not None


def names_somebody(name: str) -> bool:
    """Whether a name is that of a person's number, not of a case, a visit or a household.

    >>> names_somebody("patient_id"), names_somebody("Fallnummer"), names_somebody("hhid")
    (True, False, False)
    """
    pieces = " ".join(piece for word in re.findall("[a-z]+", split_words(name)) for piece in split_compound(word))
    return _SOMEBODY.fullmatch(name_number(name)) is not None or _SOMEBODY.fullmatch(pieces) is not None


def names_group(name: str) -> bool:
    """Whether a name is that of a household's number, or a family's."""
    return _GROUP.fullmatch(name_number(name)) is not None


def names_weight(name: str) -> bool:
    """Whether a name may be that of a survey weight or of a person's; a weight in kilograms is of a person.

    >>> names_weight("Weight"), names_weight("weight_kg"), names_weight("height")
    (True, False, False)
    """
    words = re.findall("[a-z]+", split_words(name))
    return any(map(_WEIGHT.fullmatch, words)) and not any(map(_UNIT.fullmatch, words))


def names_height(name: str) -> bool:
    """Whether a name is that of a person's height."""
    return any(map(_HEIGHT.fullmatch, re.findall("[a-z]+", split_words(name))))


def names_area(name: str) -> bool:
    """Whether a name is that of a part of the world, whatever happened there: birth city, country of death, ZIP code.

    >>> names_area("deathCity"), names_area("zip_code"), names_area("city_manager")
    (True, True, False)
    """
    return _AREA.fullmatch(name_number(name)) is not None


def names_thing(name: str) -> bool:
    """Whether a name is that of something else than a person: ward name, product name."""
    words = split_words(name)
    pieces = [piece for word in re.findall("[a-z]+", words) for piece in split_compound(word)]
    return _THINGS.search(" ".join([words, *pieces])) is not None
