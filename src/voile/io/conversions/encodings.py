"""The encoding of a text file: UTF-8 or UTF-16 as their bytes prove, or Windows' Western European where it makes sense.

Any bytes are some text in an encoding of one byte per letter, so a guess must be doubted: letters of a Western language
stand in words, in the case of their neighbours. Whatever looks otherwise is refused, and the user names the encoding.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

AUTO = "auto"
WESTERN = "cp1252"
_BLOCK = 1 << 20
_ENOUGH = 8  # letters that tell whether every other byte is zero
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WESTERN_LETTERS = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜàáâãäåæçèéêëìíîïñòóôõöøùúûüßœŒ"
# German, French, Spanish, Portuguese, Italian, Nordic, Dutch; with letters of frequent names
_ALPHABETS = ("äöüßéèàç", "àâæçéèêëîïôœùûü", "áéíóúñüç", "àáâãçéêíóôõú", "àèéìíòóù", "æøåäöéü", "ëïéèöüóá")
_COVERED = 0.95  # share of such letters that one language must explain; the rest may be names from elsewhere
_MOSTLY, _COVERED_BY_TWO = 0.75, 0.98  # or shares of one and of two: a German table with many people called Zoë
_HUNGARIAN = "õû"  # what Hungarian letters look like in cp1252; beside them two languages prove nothing
_SIGNS = "€‚„…‘’“”•–—\u00a0¡£¥§«»°±²³µ·¹º¼½¾¿ª´®©×÷\u00ad™"
_RUN = re.compile(f"[{_WESTERN_LETTERS}]{{3,}}")  # no Western word has three such letters in a row
_SIGN_IN_WORD = re.compile("[a-zA-Z][€‚„…“”•¡£¥§«»±²³µ¹º¼½¾¿ª´®©×÷™][a-z]")
_CAPITAL_IN_WORD = re.compile("[a-zß-öø-ü][À-ÖØ-ÜŒ](?![A-ZÀ-Ü])")
_UTF8_PAIRS = re.compile(rb"[\xc2\xc3][\x80-\xbf]|\xe2\x80[\x80-\xbf]")


def detect_encoding(path: Path) -> str:
    """Return the encoding of a file: by its byte order mark, utf-8 if all bytes are UTF-8, utf-16 without a mark if
    every other byte is zero, cp1252 if it then reads as Western text, and otherwise utf-8, which will be refused."""
    with path.open("rb") as handle:
        start = handle.read(_BLOCK)
        for mark, encoding in _MARKS:
            if start.startswith(mark):
                return encoding
        for encoding, zeros, letters in (
            ("utf-16-le", start[1::2], start[::2]),
            ("utf-16-be", start[::2], start[1::2]),
        ):
            if len(zeros) >= _ENOUGH and 2 * zeros.count(0) > len(zeros) and not letters.count(0):
                return encoding
        decoder, block = codecs.getincrementaldecoder("utf-8")(), start
        try:
            while block:
                if not block.isascii() or decoder.getstate()[0]:
                    decoder.decode(block)
                block = handle.read(_BLOCK)
            decoder.decode(b"", final=True)
            return "utf-8"
        except UnicodeDecodeError:
            return WESTERN if is_western(path.read_bytes()) else "utf-8"


def is_western(content: bytes) -> bool:
    """Whether bytes read as text of a Western European language in cp1252.

    >>> is_western("Müller; 3,50 €".encode("cp1252")), is_western("Łódź".encode("cp1250"))
    (True, False)
    """
    if _UTF8_PAIRS.search(content):
        return False  # UTF-8 with a few broken bytes
    try:
        text = content.decode(WESTERN)
    except UnicodeDecodeError:
        return False
    if {letter for letter in set(text) if not letter.isascii()} - set(_WESTERN_LETTERS + _SIGNS):
        return False
    if any(pattern.search(text) for pattern in (_RUN, _SIGN_IN_WORD, _CAPITAL_IN_WORD)):
        return False
    letters = Counter(letter for letter in text.lower() if letter in _WESTERN_LETTERS)
    by_one = max(_explain(letters, alphabet) for alphabet in _ALPHABETS)
    if by_one >= _COVERED or by_one < _MOSTLY or letters.keys() & set(_HUNGARIAN):
        return by_one >= _COVERED
    return any(_explain(letters, one + other) >= _COVERED_BY_TWO for one, other in combinations(_ALPHABETS, 2))


def _explain(letters: Counter[str], alphabet: str) -> float:
    """Return the share of the letters that an alphabet has; all, where there are none."""
    return sum(letters[letter] for letter in set(alphabet)) / letters.total() if letters else 1.0
