"""How often languages use the letters that ASCII lacks, and what that says about some words.

The numbers are parts per thousand of such letters in running text, rounded: only their order of size matters.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

Languages = Sequence[dict[str, int]]
WESTERN_LANGUAGES: Languages = (
    {"ü": 430, "ä": 250, "ö": 190, "ß": 130},  # German
    {
        "é": 600,
        "è": 120,
        "à": 150,
        "ê": 50,
        "ç": 35,
        "ô": 20,
        "î": 30,
        "â": 20,
        "û": 8,
        "ë": 10,
        "ï": 6,
        "ù": 6,
        "œ": 6,
    },
    {"ó": 260, "í": 240, "á": 200, "é": 160, "ñ": 90, "ú": 45, "ü": 5},  # Spanish
    {
        "ã": 190,
        "ç": 170,
        "á": 130,
        "é": 120,
        "í": 90,
        "ó": 90,
        "ê": 60,
        "õ": 60,
        "ú": 40,
        "â": 30,
        "ô": 20,
    },  # Portuguese
    {"à": 380, "è": 260, "ù": 130, "ò": 120, "ì": 60, "é": 50},  # Italian
    {"ä": 390, "ö": 300, "å": 290, "é": 20},  # Swedish and Finnish
    {"å": 380, "ø": 350, "æ": 240, "é": 20},  # Danish and Norwegian
    {"ë": 500, "é": 250, "ï": 150, "è": 40, "ö": 30, "ü": 20, "ó": 10},  # Dutch
)
CENTRAL: Languages = (
    {"ł": 270, "ą": 150, "ę": 150, "ó": 140, "ż": 110, "ś": 90, "ć": 50, "ń": 40, "ź": 10},  # Polish
    {
        "í": 210,
        "á": 170,
        "ě": 130,
        "é": 100,
        "ý": 80,
        "ř": 90,
        "č": 80,
        "š": 70,
        "ž": 70,
        "ů": 40,
        "ň": 20,
        "ú": 15,
        "ď": 10,
    },
    {
        "á": 220,
        "í": 130,
        "é": 100,
        "č": 130,
        "š": 110,
        "ý": 90,
        "ž": 90,
        "ľ": 40,
        "ú": 60,
        "ť": 40,
        "ň": 30,
        "ô": 20,
        "ä": 10,
    },
    {"á": 310, "é": 290, "ö": 95, "ó": 95, "ő": 80, "ü": 50, "í": 50, "ú": 25, "ű": 20},  # Hungarian
    {"č": 330, "š": 300, "ž": 200, "ć": 130, "đ": 60},  # Slovene and Croatian
    {"ă": 360, "ş": 160, "ţ": 140, "î": 180, "â": 140},  # Romanian
)
BALTIC: Languages = (
    {"ā": 390, "ī": 190, "ē": 160, "š": 80, "ū": 60, "ņ": 50, "ļ": 40, "ž": 25, "č": 12, "ķ": 15, "ģ": 12},  # Latvian
    {"ė": 200, "š": 160, "ų": 170, "ž": 110, "ū": 70, "į": 80, "ą": 90, "č": 70, "ę": 40},  # Lithuanian
    {"õ": 330, "ä": 350, "ü": 210, "ö": 80, "š": 15, "ž": 10},  # Estonian
)
TURKISH: Languages = ({"ı": 400, "ş": 160, "ü": 150, "ğ": 100, "ç": 100, "ö": 80},)
_OTHER_NAMES, _UNKNOWN = 0.1, 0.001  # shares of letters from a second language, and from any
_ODD = math.log(0.03)  # what a letter costs that stands where its language never has it
_CONSONANTS = "çñčćšśžźżřňďťľłļņķģđşţğĺŕ"
_PLACES = (
    re.compile(  # where letters do not stand: consonants of the East between others, letters of the West elsewhere
        f"(?<=[bcdfghjklmnpqrstvwxz])[{_CONSONANTS}](?=[bcdfghjklmnpqrstvwxz])"
        "|(?<=[aeiouyáéíóú])[èøòæàœ](?=[aeiouyáéíóú])|(?<=[aeio])[øæ]|(?<=a)è|[ìòù](?=.)|à(?=[^s])|õ(?!e)|ã(?![eios]|$)"
        "|ñ(?![aeiouáéíóúü])|œ(?![uisdcmnt])|(?<![aeiouy])ï|(?<![aeiou])ë|ç(?=[bdfghjklmnpqrsvwxz])"
    )
)


def judge_words(words: Iterable[str], languages: Languages) -> float:
    """Return the logarithm of how likely the letters of some words are, in the best of some languages with names from a
    second one. O(words + languages^2)."""
    letters, odd = Counter[str](), 0
    for word in words:
        lower = word.lower()
        letters.update(letter for letter in lower if not letter.isascii() and letter.isalpha())
        odd += len(_PLACES.findall(lower))
    shares = [{letter: part / sum(one.values()) for letter, part in one.items()} for one in languages]
    rest = 1 - _OTHER_NAMES - _UNKNOWN

    def explain(main: dict[str, float], other: dict[str, float]) -> float:
        parts = {name: rest * main.get(name, 0) + _OTHER_NAMES * other.get(name, 0) + _UNKNOWN / 30 for name in letters}
        return sum(count * math.log(parts[name]) for name, count in letters.items())

    return odd * _ODD + max(explain(main, other) for main in shares for other in shares)
