"""How much a text looks like one that people wrote: what tells legacy single-byte encodings apart.

A wrong encoding betrays itself: capitals inside words, letters of two scripts side by side, signs between
letters, letters that no common language uses.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import Final

SINGLE_BYTE: Final = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1257", "iso8859-2", "iso8859-5", "iso8859-7",
    "koi8-r",
    "cp1255", "cp1256", "cp874", "cp866", "mac-cyrillic",
    "mac-roman", "cp850", "cp852", "cp437",
)  # fmt: skip
"""Candidates, the more common first: the first wins among equals."""
EBCDIC: Final = ("cp037", "cp273", "cp500", "cp1140", "cp1026", "cp424")
PLAUSIBLE: Final = 0.55
"""Below this mean the reading is not believed."""
_ALPHABETS: Final = tuple(
    frozenset(letters + letters.upper())
    for letters in (
        "éèêëàâùûüîïôœçæÿ",  # French
        "äöüßé",  # German
        "áéíóúüñ",  # Spanish
        "ãõáâàçéêíóôúü",  # Portuguese
        "àèéìíòóù",  # Italian
        "åäöé",  # Swedish, Finnish
        "æøåéóò",  # Danish, Norwegian
        "áéíóúýðþæö",  # Icelandic
        "éèëïöüóáê",  # Dutch
        "áčďéěíňóřšťúůýž",  # Czech
        "áäčďéíĺľňóôŕšťúýž",  # Slovak
        "ąćęłńóśźż",  # Polish
        "áéíóöőúüű",  # Hungarian
        "ăâîșțşţ",  # Romanian
        "çğıöşüâİ",  # Turkish
        "čćđšž",  # Croatian, Slovene
        "ąčęėįšųūž",  # Lithuanian
        "āčēģīķļņšūž",  # Latvian
        "äõöüšž",  # Estonian
    )
)
_CYRILLIC: Final = frozenset("оеаинтсрвлкмдпуяыьгзбчй")
_GREEK: Final = frozenset("αειοντσςρκλπμυηδγάέήίόύώ")
_MARKS: Final = frozenset("¿¡’‘“”„‚–—…«»‹›•°§€£·№\xa0©®™")
_ODD_ASCII: Final = frozenset("{}[]|\\~^`@#$!¦¬¢")


def score(text: str) -> float:
    """Mean plausibility of the characters outside ASCII, in about [-3, 1]; 0 when there are none."""
    odd = Counter(char for char in text if char >= "\x80")
    alphabet = max(
        _ALPHABETS, key=lambda letters: sum(count for char, count in odd.items() if char in letters)
    )
    total = 0.0
    for index, char in enumerate(text):
        if char >= "\x80":
            before, after = text[index - 1 : index] or " ", text[index + 1 : index + 2] or " "
            total += _of_char(char, before, after, alphabet)
    return total / odd.total() if odd else 0.0


def ebcdic_score(text: str) -> float:
    """Plausibility of a text in EBCDIC, where a wrong code page puts signs into words."""
    odd = sum(
        1
        for index, char in enumerate(text)
        if char in _ODD_ASCII and (text[index - 1 : index].isalpha() or text[index + 1 : index + 2].isalpha())
    )
    outside = sum(1 for char in text if char >= "\x80")
    return score(text) * outside - 2.0 * odd


def _of_char(char: str, before: str, after: str, alphabet: frozenset[str]) -> float:
    if not char.isalpha():
        return _of_sign(char, before, after)
    script = _script(char)
    if char.isupper() and before.islower():
        return -1.0
    if _script(before) not in ("", script) or _script(after) not in ("", script):
        return -2.0
    if script == "LATIN":
        # Words of accented letters alone are another script read as Latin.
        crowded = min(before, after) >= "\x80" and before.isalpha() and after.isalpha()
        return (1.0 if char in alphabet else 0.2) - (0.8 if crowded else 0.0)
    if script == "CYRILLIC":
        return 1.0 if char in _CYRILLIC else 0.6 if char.islower() or not before.isalpha() else 0.1
    if script == "GREEK":
        return 1.0 if char in _GREEK else 0.4
    return 1.0 if script in ("HEBREW", "ARABIC", "THAI") else 0.0


def _of_sign(char: str, before: str, after: str) -> float:
    if char in _MARKS:
        return 0.6
    category = unicodedata.category(char)
    if category in ("Cc", "Cn", "Co", "Cs"):
        return -3.0
    if category == "Mn":
        return 0.5 if _script(before) in ("HEBREW", "ARABIC", "THAI") else -1.0
    if before.isalpha() and after.isalpha():
        return -1.0
    return -0.5 if category in ("So", "Sk", "Sm") else 0.1


def _script(char: str) -> str:
    """The first word of a letter's name; "" for anything but a letter."""
    if not char.isalpha():
        return ""
    return "LATIN" if char < "\u0250" else unicodedata.name(char, "UNKNOWN").split(" ", 1)[0]
