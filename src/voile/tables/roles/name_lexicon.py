"""Names of people: a lexicon of common names, and endings that names of many languages share."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

_STRONG_ENDINGS = re.compile(
    r"(?:sson|sdotter|owski|ewski|owska|ewska|inski|inska|ovic|evic|enko|chuk|escu|opoulos|idis|shvili|adze|oglu|mann|"
    r"hauser|meier|meyer|maier|(?:ов|ев|ин|ск)(?:а|ии|ая)?|енко|вич|вна|οπουλος|ιδης|ακης)$"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
MOST_WORDS = 5  # a name has no more


def fold_word(word: str) -> str:
    """Return a word without case and accents: `Müller` is `muller`, `Łukasz` is `lukasz`."""
    plain = word.casefold().translate(_PLAIN)
    return "".join(letter for letter in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(letter))


_PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "’": "'"})


@cache
def load_names() -> frozenset[str]:
    """Return all names of the lexicon, folded; also as they are written without umlauts (`mueller`)."""
    words: set[str] = set()
    for line in files("voile.tables.roles").joinpath("names.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            for word in line.partition(":")[2].split():
                spelled = word.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
                words |= {fold_word(word), fold_word(spelled)}
    return frozenset(words)


def looks_like_name(text: str) -> bool:
    """Whether a text may be the name of a person: few words, one of them a common name or with the ending of one.

    >>> [looks_like_name(text) for text in ("Müller, Hans", "Svetlana", "acute appendicitis", "Ward 3")]
    [True, True, False, False]
    """
    words = [word for word in _WORD.findall(text) if len(word) > 1]
    if not 1 <= len(words) <= MOST_WORDS or any(letter.isdigit() for letter in text):
        return False
    folded, names = [fold_word(word) for word in words], load_names()
    known = sum(
        plain in names or (word[:1].isupper() and _STRONG_ENDINGS.search(plain) is not None)
        for word, plain in zip(words, folded, strict=True)
    )
    if len(words) == 1:
        return bool(known)
    return 2 * known >= len(words) or (known > 0 and all(word[:1].isupper() for word in words))
