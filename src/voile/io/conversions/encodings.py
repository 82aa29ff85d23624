"""The encoding of a text file: UTF-8 or UTF-16 as their bytes prove, or Windows' Western European where it makes sense.

Any bytes are some text in an encoding of one byte per letter, so a guess must be doubted: letters of a Western language
stand in words, in the case of their neighbours. Whatever looks otherwise is refused, and the user names the encoding.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from voile.io.conversions.language_letters import (
    BALTIC,
    CENTRAL,
    TURKISH,
    WESTERN_LANGUAGES,
    Languages,
    judge_words,
)

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
OTHERS: dict[str, Languages] = {"cp1250": CENTRAL, "iso8859-2": CENTRAL, "cp1257": BALTIC, "cp1254": TURKISH}
_PRIOR = 2.5  # logarithm of how much likelier a file is Western than any other, before its words are seen
_CONTROLS = {chr(number) for number in range(0x80, 0xA0)}
_SIGNS = "€‚„…‘’“”•–—\u00a0¡£¥§«»°±²³µ·¹º¼½¾¿ª´®©×÷\u00ad™"
_RUN = re.compile(f"[{_WESTERN_LETTERS}]{{3,}}")  # no Western word has three such letters in a row
_SIGN_IN_WORD = re.compile(
    f"[a-zA-Z{_WESTERN_LETTERS}][€‚„…“”•¡£¥§«»±²³µ¹º¼½¾¿ª´®©×÷™][a-z{_WESTERN_LETTERS}]|(?<![a-zA-Z])[©®][a-zA-Z]"
)
# two bytes of an East Asian character are such a pair, but for those that stand in Western words: Größe, ação, cañón
_PAIR = re.compile(
    f"(?!ç[ãõâáàéóôûú]|[íéáóú][çñ]|ñ[áéíóú]|óó|éâ|[öüäåæø][öäåæøß]|ß[öüä]|éé)[{_WESTERN_LETTERS}][{_WESTERN_LETTERS}]",
    re.IGNORECASE,
)
_PAIRS = 0.2  # share of words with such a pair that is not Western
# what letters of other encodings look like: £ód¼, Micha³, »esť; never so in cp1252, unlike m³, 5 £ and 1º
_STRAY_SIGN = re.compile(
    f"(?i:[a-z{_WESTERN_LETTERS}][£¥±¹¼½¾¿¡¶µ÷]|[£¥±¹³¾][a-z{_WESTERN_LETTERS}]|(?<![cdkm]m)(?<![^a-z][m])(?<=[a-z])³"
    f"|[a-z]{{4}}[ºª]|[±²³µ¹¼½¾®©×÷¥£ºª][^\x00-\x7f\xa0€‚„…‘’“”•–—«»\xad™])"
)
_CAPITAL_IN_WORD = re.compile("[a-zß-öø-ü][À-ÖØ-ÜŒ](?![A-ZÀ-Ü])")
# both begin where nothing of theirs stands before, so that long texts of ASCII are walked through once
_TOKEN = re.compile(rb"(?<![^\s,;|])[^\s,;|\x80-\xff]*+[\x80-\xff][^\s,;|]*+")
_LETTER = rb"A-Za-z\x83\x8a-\x90\x9a\x9c-\x9f\xa1-\xff"
_BYTE_WORD = re.compile(b"(?<![%b])[A-Za-z]*+[\x80-\xff][%b]*+" % (_LETTER, _LETTER))
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
    tokens = b"\n".join(set(_TOKEN.findall(content)))
    try:
        text = tokens.decode(WESTERN)
    except UnicodeDecodeError:
        return False
    if {letter for letter in set(text) if not letter.isascii()} - set(_WESTERN_LETTERS + _SIGNS):
        return False
    if any(pattern.search(text) for pattern in (_RUN, _SIGN_IN_WORD, _STRAY_SIGN, _CAPITAL_IN_WORD)):
        return False
    if "¿" in text and b"?" not in content:
        return False
    words = find_words(tokens)
    western = [word.decode(WESTERN) for word in words]
    if sum(bool(_PAIR.search(word)) for word in western) > _PAIRS * len(words):
        return False
    least = judge_words(western, WESTERN_LANGUAGES) + _PRIOR
    return not any(judge_words(other, languages) > least for other, languages in _decode_otherwise(words, western))


def _decode_otherwise(words: Collection[bytes], western: Sequence[str]) -> Iterator[tuple[list[str], Languages]]:
    """Yield the words in every other encoding in which they are letters, and others than in cp1252."""
    for encoding, languages in OTHERS.items():
        with suppress(UnicodeDecodeError):
            decoded = [word.decode(encoding) for word in words]
            if decoded != western and not any(letter in _CONTROLS for word in decoded for letter in word):
                yield decoded, (*languages, *WESTERN_LANGUAGES)


def find_words(content: bytes) -> set[bytes]:
    """Return the different words that have some byte beyond ASCII."""
    return set(_BYTE_WORD.findall(content))
