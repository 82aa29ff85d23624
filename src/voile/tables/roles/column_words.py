"""Words in the names of columns, in several languages, and what they say about a column.

A word that ends in * is the beginning of one. Words are compared without case and accents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from voile.tables.roles.name_lexicon import fold_word

_MEANINGS: Mapping[str, str] = {
    # identifies people
    "name": (
        "name names surname surnames firstname lastname forename fullname familyname givenname vorname nachname zuname "
        "rufname familienname nom prenom nombre nombres apellido apellidos cognome sobrenome naam voornaam achternaam "
        "fornamn efternamn fornavn etternavn etunimi sukunimi imie nazwisko jmeno prijmeni prenume nume soyad "
        "maiden geburtsname initials username login nickname"
    ),
    "contact": (
        "email mail phone telephone telefon telefono telefone mobile handy fax address adresse direccion endereco "
        "indirizzo adres street strasse rue calle straat hausnummer url website ip iban bic account konto "
        "licence license plate kennzeichen"
    ),
    "number of a person": "ssn nhs nino passport mrn uuid uid guid bsn dni nie nir pesel personnummer cpr steuerid svnr",
    # what others may know
    "birth": "birth *born *brth birthday birthdate birthyear dob born geburt* geb gebdat naissance nascita nacimiento nascimento "
    "syntyma* fodsel* fodelse* urodzenia narozeni",
    "age": "age ages alter edad eta idade leeftijd alder ika wiek vek husage agegroup altersgruppe",
    "sex": "sex gender male female geschlecht sexe sesso sexo geslacht kon kjonn sukupuoli plec pohlavi menostat "
    "menopaus* anrede salutation",
    "origin": "race ethnic* ethnicity black white hisp* latino asian native country nation* land pays "
    "pais paese citizenship migration immigr* language sprache staatsangehorigkeit herkunft foreign* origin",
    "place": "zip plz cp postleitzahl city town ort reg postal* postcode* wohnort stadt region state province provinz county "
    "district bezirk kreis canton bundesland area municipality village south* north* west east "
    "smsa* msa* urban rural metro territory location residence inst institution hospital "
    "krankenhaus klinik ward station abteilung department school site farm country",
    "family": "marital mar married marry marriage marr* marry widow* divorced familienstand children child baby babies teens preteen sibs evermarr kids kid* depend* "
    "household haushalt family parity step spouse husband* husage huseduc mother father moth* fath* wife "
    "relationship members siblings filer filing veteran veterans",
    "education": "educ* *educ schul* bildung ausbildung degree nodegree grad* college *coll campus soph junior senior enroll* school diploma "
    "abschluss studium",
    "work": "occup* job jobs work* beruf profession employ* unempl* unem* prestige emp industry industr* engineer business ind branche sector "
    "tenure* exper* wexp union office hours *hours hrs *hrs weeks clerical construc* services service "
    "trade selfe self sleep* leis* leisure "
    "business firm size",
    "date": "date datum fecha dato datum day tag month monat year jahr admission aufnahme* discharge entlass* "
    "visit besuch term start* end* stop seen",
    "body": "height groesse grosse size looks eye hair handed* bigger weight gewicht bmi bwght* wtkg kg",
    "housing": "rent ownrent tenant housing wohnung live lived migr* move moved sunbelt",
    # what should stay secret
    "diagnosis": (
        "disease diagnos* illness condition* symptom* hiv aids cancer tumor tumour icd krankheit maladie malattia "
        "enfermedad doenca ziekte sygdom sjukdom choroba nemoc comorbid* allerg* infection stage *grade *nodes nodes "
        "chronic disability disab* hlth* health* karno* ecog transplant surgery"
    ),
    "treatment": "treat* trt *trt therap* drug* medic* medikament dosis dose arm arms operation procedure ops "
    "train* hospitali*",
    "lab value": "cd cd4 cd8 glucose cholesterol creatinin* hba* hemoglobin haemoglobin bilirubin albumin crp lab labor* "
    "blood blut bp systol* diastol* pulse viral leuk* thromb* psa serum befund "
    "cal meal",
    "outcome": "outcome death died dead mort* surviv* cens* arrest* recid* complication* relapse vital",
    "money": (
        "*income* inc *inc *wage* *earn* *exp *amt einkommen salary gehalt lohn pay earn* reddito salaire revenu renta "
        "sueldo cost* kosten betrag amount charge* price preis debt credit* kredit balance dividends capital gains "
        "losses expens* spend* benefit* benefits "
        "insur* pension* rechnung rechnungsbetrag poverty "
        "private wealth net* tuit* tuition loan* worth"
    ),
    "belief": "relig* belief konfession politic* party partei vote* voting election catholic protest* muslim jewish orientation "
    "pid affiliation trust",
    "conduct": "*affair* crime* homosex* homo gay offence* offense* convict* felon prison paro* prior priors prio *prior "
    "alcohol alkohol smok* cig* packs rauch* addict* drugs sexual "
    "happ* hap* property felony punish*",
    "score": "score note gpa iq test* exam exams punkte rating satisf*",
    # words that say something only where no other word does
    "course": "status time days event reason diff observed duration durat* follow* value wert level result* loss rate",
    # how a table is made
    "weight": "fnlwgt wgt pweight fweight aweight sampling weighting hochrechnung* gewichtung ponderation factor",
}
ROLE_OF = {
    **dict.fromkeys(("birth", "age", "sex", "origin", "place", "family", "education", "work", "date", "housing"), "quasi"),
    "body": "quasi",
    **dict.fromkeys(
        ("diagnosis", "treatment", "lab value", "outcome", "money", "belief", "conduct", "score", "course"), "sensitive"
    ),
}
# a name of something that is no person: ward name, drug name
THINGS = set(
    "ward hospital product drug item file city country department school company firm brand street state test group "
    "category type class diagnosis disease variable column event region station klinik medikament produkt".split()
)
WHOM = (
    "patient|pat|person|subject|participant|respondent|proband|customer|client|consumer|member|user|household|"
    "hh|family|employee|worker|student|pupil|insured|policyholder|taxpayer|voter|kunde|kunden|patienten|haushalt|"
    "versicherten|cliente|paciente|paziente|malade|menage|assure|individual|case|fall"
)
_NUMBER = "id|ids|identifier|nr|no|num|number|nummer|numero|key|code|index|idx"
PERSON = re.compile(
    rf"(?:id[^a-z]*)?(?:{WHOM})(?:[^a-z]*(?:{_NUMBER}))?|id|nr|uid|uuid|identifier|pid(?:num)?|mrn|ssn|nhs(?:[^a-z]*"
    rf"(?:{_NUMBER}))?|nino|passport|e[^a-z]?mail|seqn|enrolid|bene[^a-z]*id|caseid|(?:fall|case|record|row)[^a-z]*"
    rf"(?:{_NUMBER})"
)
_TRAIT = re.compile(
    r"(?:^|[^a-z])(?:birth|birthday|birthdate|dob|born|sex|gender|geburt|geburtsdatum|geschlecht|sexe|naissance|sesso|"
    r"nascita|sexo|nacimiento|race|ethnicity)(?:[^a-z]|$)"
)


def split_words(name: str) -> str:
    """Return the name of a column as words without case and accents: `patientId` is `patient id`."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return fold_word(spaced)


def is_trait(name: str) -> bool:
    """Whether a name suggests what does not change from one row of a person to the next, such as birth or sex."""
    return _TRAIT.search(split_words(name)) is not None


def _compile(words: str) -> re.Pattern[str]:
    parts = [
        re.escape(fold_word(word)).replace(r"\*", "[a-z]*") for word in words.split()
    ]
    return re.compile(rf"(?:^|[^a-z])(?:{'|'.join(parts)})(?:[^a-z]|$)")


_PATTERNS = {meaning: _compile(words) for meaning, words in _MEANINGS.items()}


def find_meanings(name: str) -> list[str]:
    """Return what the words of a column's name may mean, in the order of the list above.

    >>> find_meanings("Geburtsdatum"), find_meanings("annual_income"), find_meanings("x7")
    (['birth'], ['money'], [])
    """
    words = split_words(name)
    # analysts write logarithms as lwage and squares as agesq
    for form in dict.fromkeys((words, re.sub(r"^(?:ln|log|l)(?=[a-z]{3})", "", words), re.sub("sq(?:uared)?$", "", words))):
        found = [meaning for meaning, pattern in _PATTERNS.items() if pattern.search(form)]
        if found:
            return [meaning for meaning in found if meaning != "course"] or found
    return []


def names_people(name: str, distinct: int, many: int) -> bool:
    """Whether a name speaks of people alone. Without a number in its name (`member`, `household`), a column needs many
    values: it may as well say what kind of member or household it is."""
    words = split_words(name).strip()
    if PERSON.fullmatch(words) is None:
        return False
    return distinct >= many or (distinct > 2 and re.fullmatch(WHOM, words) is None)


def names_thing(name: str) -> bool:
    """Whether a name is that of something else than a person: ward name, product name."""
    return bool(THINGS & set(re.split(r"[^a-z]+", split_words(name))))
