"""From bytes to text: byte order marks, declared and undeclared encodings, never mojibake silently.

The order: a byte order mark; a declared charset that fits; UTF-8; UTF-16, UTF-32 and EBCDIC by the
places of their common bytes; legacy encodings by what their letters say. What fits nothing is rejected.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from typing import Final

import charset_normalizer

from tidegraph.domain.errors import Rejected
from tidegraph.inputs import charset_score

SAMPLE_BYTES: Final = 64 * 1024
_BOMS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What the web and mail mean by these names (WHATWG Encoding): the superset that is really used.
_SUPERSETS: Final = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
}
_ALIASES: Final = {
    "unicode-1-1-utf-8": "utf-8",
    "utf8mb4": "utf-8",
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "x-windows-949": "cp949",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-6-i": "iso8859-6",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
    "cp-850": "cp850",
    "ansi_x3.110-1983": "cp1252",
    "x-user-defined": "cp1252",
    "cp-1252": "cp1252",
    "windows-31j": "cp932",
    "x-euc-jp": "euc_jp",
    "x-x-big5": "big5hkscs",
    "x-cp1252": "cp1252",
    "iso-10646-ucs-2": "utf-16",
    "dos-874": "cp874",
}
_UNSET: Final = frozenset(
    {"", "unknown", "unknown-8bit", "x-unknown", "default", "none", "binary", "8bit", "auto", "utf"}
)
_NO_CHARSETS: Final = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"})
"""Codecs of Python that no document is written in."""
_LONE: Final = re.compile("[\ud800-\udfff]")
_BAD_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_DOUBLE_BYTE: Final = ("gb18030", "big5", "cp949", "cp932", "euc_jp", "johab")
_ODD_LINE: Final = re.compile(rb"[\x80-\xff][^\n]*")
_ODD_BYTES: Final = 16 * 1024
_FEW_ZEROS: Final = 0.15
"""A share of zero bytes that is too small for UTF-16 of any script with spaces, and too large for text."""


def decode(data: bytes, declared: str = "") -> tuple[str, str]:
    """(clean text, name of the encoding) of ``data``.

    Raises:
        Rejected: binary data, or an encoding that cannot be told.
    """
    for mark, name in _BOMS:
        if data.startswith(mark) and not _is_utf16_not_utf32(data, name):
            return _strict(data[len(mark) :], name, "says its byte order mark"), name
    name = lookup(declared)
    if name:
        text = _declared(data, name)
        if text is not None:
            return text
    return _detect(data)


def lookup(declared: str) -> str:
    """The Python codec for a declared charset, widened to what is really used; "" when unknown."""
    label = declared.strip().strip("\"'").strip().lower().replace(" ", "")
    if label in _UNSET:
        return ""
    try:
        name = codecs.lookup(_ALIASES.get(label, label)).name
        b"".decode(name)
    except (LookupError, UnicodeError, ValueError):
        return ""
    return "" if name in _NO_CHARSETS else _SUPERSETS.get(name, name)


def clean(text: str) -> str:
    """The text with ``\\n`` line ends and without NUL bytes and lone surrogates."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x00" in text:
        text = text.replace("\x00", "")
    return _LONE.sub("\ufffd", text.removeprefix("\ufeff"))


def _is_utf16_not_utf32(data: bytes, name: str) -> bool:
    """FF FE 00 00 may also be UTF-16 that starts with NUL; the length and the rest tell."""
    if name != "utf-32-le":
        return False
    try:
        data.decode("utf-32")
    except UnicodeDecodeError:
        return True
    return False


def _strict(data: bytes, name: str, why: str) -> str:
    try:
        return clean(data.decode(name, "strict"))
    except UnicodeDecodeError as error:
        if error.start >= len(data) - 4 and error.start > 0:
            return clean(data[: error.start].decode(name, "strict"))
        raise Rejected(
            "INVALID_ENCODING",
            f"the text is {name.upper()} ({why}) but byte {error.start} does not fit: save it as UTF-8",
        ) from None


def _declared(data: bytes, name: str) -> tuple[str, str] | None:
    """The text if the declared charset holds; a single-byte claim over valid UTF-8 does not hold."""
    if name == "utf-16":
        name = _utf16_order(data) or "utf-16-le"
    wide = name.startswith(("utf-16", "utf-32"))
    if not wide and not data.isascii() and not name.startswith("utf-8") and _is_utf8(data):
        return clean(data.decode()), "utf-8"
    try:
        text = data.decode(name, "strict")
    except (UnicodeDecodeError, UnicodeError, ValueError):
        return None
    if _looks_binary(text) or (wide and not _plausible_wide(text)):
        return None
    return clean(text), name


def _detect(data: bytes) -> tuple[str, str]:
    if b"\x1b$" in data and data.isascii():
        return _strict(data, "iso2022_jp", "by its escape sequences"), "iso2022_jp"
    sample = data[:SAMPLE_BYTES]
    zeros = sample.count(0) / max(1, len(sample))
    if zeros < _FEW_ZEROS and _is_utf8(data) and not _looks_binary(text := data.decode()):
        return clean(text), "utf-8"
    wide = _wide(data)
    if wide:
        return _strict(data, wide, "by the places of its zero bytes"), wide
    if not sample.strip(b"\x00 \t\r\n"):
        return "", "utf-8"
    if zeros > _FEW_ZEROS:
        raise Rejected("BINARY_DATA", "this is binary data (NUL bytes), not text")
    for name in (_ebcdic(data), _by_script(data)):
        if name:
            return clean(data.decode(name).replace("\x85", "\n")), name
    return _by_letters(data)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _looks_binary(text: str) -> bool:
    """More than one control character in fifty, NUL apart: no text has them."""
    sample = text[:SAMPLE_BYTES].replace("\x00", "")
    return len(_BAD_CONTROLS.findall(sample)) * 50 > len(sample)


def _wide(data: bytes) -> str:
    """UTF-16 or UTF-32 without a mark, by where the zero bytes are; "" when it is neither."""
    sample = data[: SAMPLE_BYTES - SAMPLE_BYTES % 4]
    if len(sample) < 4 or b"\x00" not in sample:
        return ""
    quarters = [sample[i::4].count(0) / max(1, len(sample[i::4])) for i in range(4)]
    if len(data) % 4 == 0:
        for name, zero, used in (("utf-32-le", (2, 3), 0), ("utf-32-be", (0, 1), 3)):
            if all(quarters[i] > 0.95 for i in zero) and quarters[used] < 0.5:
                return name
    order = _utf16_order(sample)
    if order:
        try:
            text = data[: len(data) // 2 * 2].decode(order)
        except UnicodeDecodeError:
            return ""
        return order if _plausible_wide(text) else ""
    return ""


def _utf16_order(data: bytes) -> str:
    """The byte order, by zero bytes and by the place of spaces and line ends."""
    sample = data[: SAMPLE_BYTES // 2 * 2]
    little = sum(1 for i in range(0, len(sample) - 1, 2) if sample[i + 1] == 0 and sample[i] in b" \n\r\t,.")
    big = sum(1 for i in range(0, len(sample) - 1, 2) if sample[i] == 0 and sample[i + 1] in b" \n\r\t,.")
    if little == big:
        return ""
    return "utf-16-le" if little > big else "utf-16-be"


def _plausible_wide(text: str) -> bool:
    """True when nearly all characters are assigned and of few scripts, as in real text."""
    sample = text[:4_096]
    if not sample or "\x00" in sample:
        return False
    odd = sum(1 for char in sample if unicodedata.category(char) in ("Cn", "Co", "Cs"))
    blocks = Counter(ord(char) >> 8 for char in sample if not char.isspace())
    many = len(blocks) > max(8, len(sample) // 4) and not any("\u4e00" <= c <= "\ud7ff" for c in sample)
    return odd * 20 < len(sample) and not many and not _looks_binary(sample)


def _ebcdic(data: bytes) -> str:
    """An EBCDIC code page when the bytes fall where EBCDIC has spaces and small letters."""
    sample = data[:SAMPLE_BYTES]
    if len(sample) < 16:
        return ""
    letters = sum(
        1 for byte in sample if 0x81 <= byte <= 0x89 or 0x91 <= byte <= 0x99 or 0xA2 <= byte <= 0xA9
    )
    spaces = sample.count(0x40)
    if (
        letters < len(sample) * 0.4
        or not len(sample) * 0.05 < spaces < len(sample) * 0.4
        or sample.count(0x20) > spaces // 20
    ):
        return ""
    return max(charset_score.EBCDIC, key=lambda name: charset_score.ebcdic_score(sample.decode(name)))


def _by_script(data: bytes) -> str:
    """A double-byte encoding whose characters fall nearly all into the scripts it is made for."""
    best, best_score = "", 0.9
    for name, ranges in (
        ("cp949", (("\uac00", "\ud7a3"),)),
        ("cp932", (("\u3040", "\u30ff"),)),
        ("euc_jp", (("\u3040", "\u30ff"),)),
    ):
        try:
            text = data.decode(name, "strict")
        except UnicodeDecodeError:
            continue
        wide = [char for char in text[:SAMPLE_BYTES] if ord(char) > 127 and not "\u3000" <= char <= "\u303f"]
        common = name != "cp949"
        hits = sum(
            1
            for c in wide
            if any(low <= c <= high for low, high in ranges) or (common and "\u4e00" <= c <= "\u9fff")
        )
        kana = sum(1 for c in wide if "\u3040" <= c <= "\u30ff")
        score = hits / len(wide) if len(wide) >= 4 else 0.0
        if common and kana * 5 < len(wide):
            score = 0.0
        if score > best_score:
            best, best_score = name, score
    return best


def _odd_lines(data: bytes) -> bytes:
    """The first lines that hold anything outside ASCII: only they tell encodings apart."""
    found = b""
    for match in _ODD_LINE.finditer(data):
        begin = max(data.rfind(b"\n", 0, match.start()) + 1, match.start() - 200)
        found += data[begin : match.end()][:_ODD_BYTES] + b"\n"
        if len(found) >= _ODD_BYTES:
            break
    return found


def _by_letters(data: bytes) -> tuple[str, str]:
    """The single-byte encoding whose letters read best, else a double-byte one by statistics."""
    sample = _odd_lines(data)
    best, best_score = "", charset_score.PLAUSIBLE
    for name in charset_score.SINGLE_BYTE:
        try:
            text = sample.decode(name)
        except UnicodeDecodeError:
            continue
        found = charset_score.score(text)
        if found > best_score and not _looks_binary(text):
            best, best_score = name, found
    candidates = [best] if best else []
    candidates += [
        match.encoding for match in charset_normalizer.from_bytes(sample, cp_isolation=list(_DOUBLE_BYTE))
    ]
    for name in candidates:
        try:
            text = data.decode(name, "strict")
        except UnicodeDecodeError:
            continue
        if not _looks_binary(text):
            return clean(text), name
    raise Rejected(
        "UNKNOWN_ENCODING", "the encoding of the text cannot be told and it is not UTF-8: save it as UTF-8"
    )
