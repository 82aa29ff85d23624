"""Which encodings a text may be in that is neither Unicode nor read as Western text by itself."""

from __future__ import annotations

import re
from collections.abc import Collection

from voile.io.conversions.encodings import find_words
from voile.io.conversions.language_letters import BALTIC, CENTRAL, TURKISH, WESTERN_LANGUAGES, Languages, judge_words

_LATIN: dict[str, Languages] = {
    "cp1252": WESTERN_LANGUAGES,
    "cp1250": CENTRAL,
    "iso8859-2": CENTRAL,
    "cp1257": BALTIC,
    "cp1254": TURKISH,
    "cp850": WESTERN_LANGUAGES,
    "mac_roman": WESTERN_LANGUAGES,
    "iso8859-15": WESTERN_LANGUAGES,
}
_SCRIPTS = {
    "cp1251": "[А-яЁёІіЇїЄєҐґ]",
    "koi8-r": "[А-яЁё]",
    "cp1253": "[Ά-ώ]",
    "cp1255": "[א-ת]",
    "cp1256": "[ء-ي]",
    "euc_kr": "[가-힣]",
    "gb18030": "[一-龠]",
    "big5": "[一-龠]",
    "shift_jis": "[ぁ-ヿ一-龠]",
    "euc_jp": "[ぁ-ヿ一-龠]",
}
# the leads of frequent characters: any pair of bytes is some character, but words are made of these
_FREQUENT = {"gb18030": b"[\xb0-\xd7]", "big5": b"[\xa4-\xc6]", "shift_jis": b"[\x82-\x97]", "euc_jp": b"[\xa4-\xd0]"}
_MOSTLY = 0.8  # share of letters, and of cells, that must be of the script
_CELL = re.compile(rb"[^\s,;|\"]*[\x80-\xff][^\s,;|\"]*")  # no separator is a part of a character in these encodings
_MOST = 3  # candidates that are named
_SAMPLE = 2_000  # words that tell enough
_SWAPPED = re.compile(r"[^\W\d_a-zA-Z]*[а-яёά-ώ][А-ЯЁΆ-Ώ]")


def list_candidates(content: bytes) -> list[str]:
    """Return the encodings in which bytes could be words, the likeliest first."""
    cells = sorted(set(_CELL.findall(content)))[:_SAMPLE]
    if 2 * sum(cell.decode(errors="replace").find("\ufffd") < 0 for cell in cells) > len(cells):
        return []  # UTF-8 with a few broken bytes
    scripts = {encoding: _count_frequent(cells, encoding, script) for encoding, script in _SCRIPTS.items()}
    if any(scripts.values()):
        fitting = [encoding for encoding, share in scripts.items() if share]
        return sorted(fitting, key=lambda encoding: -scripts[encoding])[:_MOST]
    words = sorted(find_words(content))[:_SAMPLE]
    scores = {encoding: _judge(words, encoding, languages) for encoding, languages in _LATIN.items()}
    likely = [encoding for encoding, score in scores.items() if score is not None]
    best = sorted(likely, key=lambda encoding: scores[encoding] or 0, reverse=True)[:_MOST]
    return [encoding for encoding in best if (scores[encoding] or 0) > (scores[best[0]] or 0) - 2 * len(words)]


def _count_frequent(cells: Collection[bytes], encoding: str, script: str) -> float:
    """Return the share of frequent letters among those of a script; 0 if most letters or cells are of another."""
    try:
        decoded = [cell.decode(encoding) for cell in cells]
    except UnicodeDecodeError:
        return 0
    pure = [cell for cell in decoded if not re.search("[a-zA-Z]", cell)]
    letters = [letter for cell in decoded for letter in cell if not letter.isascii()]
    fitting = [letter for letter in letters if re.match(script, letter)]
    least = min(len(fitting) / max(len(letters), 1), len(pure) / max(len(cells), 1))
    if least < _MOSTLY or any(map(_SWAPPED.search, decoded)):
        return 0
    lead = _FREQUENT.get(encoding)
    frequent = [letter for letter in fitting if lead is None or re.match(lead, letter.encode(encoding))]
    share = min(least, len(frequent) / len(fitting))
    return share if share >= _MOSTLY else 0


def _judge(words: Collection[bytes], encoding: str, languages: Languages) -> float | None:
    """Return how likely words are in an encoding; None if they are no words in it."""
    try:
        decoded = [word.decode(encoding) for word in words]
    except UnicodeDecodeError:
        return None
    if any(not letter.isprintable() for word in decoded for letter in word):
        return None
    strange = sum(not letter.isascii() and not letter.isalpha() for word in decoded for letter in word)
    return judge_words(decoded, (*languages, *WESTERN_LANGUAGES)) - 10 * strange
