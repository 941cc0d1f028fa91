"""Words and signs of written times: month names, zone names, other digits, the Persian calendar."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from tidegraph.domain.interval import days_from_civil

# One line a language: twelve months; a name also stands for its first three letters where these are
# unique in the language.
_MONTHS: Final = (
    "january february march april may june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "jänner feber maerz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "جانفي فيفري مارس افريل ماي جوان جويلية اوت سبتمبر اكتوبر نوفمبر ديسمبر",
    "ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر",
)
_PERSIAN_MONTHS: Final = (
    "فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن", "اسفند",
)  # fmt: skip
_ZONES: Final = {
    "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "WET": 0, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300,
    "MST": -420, "MDT": -360, "PST": -480, "PDT": -420, "AKST": -540, "AKDT": -480, "HST": -600,
    "CET": 60, "MET": 60, "MEZ": 60, "CEST": 120, "MEST": 120, "MESZ": 120, "WEST": 60, "EET": 120,
    "EEST": 180, "MSK": 180, "JST": 540, "KST": 540, "AEST": 600, "AEDT": 660, "ACST": 570, "ACDT": 630,
    "AWST": 480, "NZST": 720, "NZDT": 780, "SGT": 480, "HKT": 480, "SAST": 120, "BRT": -180,
}  # fmt: skip
"""Minutes east of Greenwich. Names with several common meanings (IST, BST, AST) are left out on purpose."""
_OFFSET: Final = re.compile(
    r"(?:UTC|GMT)?(?P<sign>[+-])(?P<hours>\d{1,2}?):?(?P<minutes>\d{2})?", re.IGNORECASE
)
_PERSIAN_NUMERIC: Final = re.compile(
    r"(?P<y>1[34]\d\d)[/\-](?P<m>\d{1,2})[/\-](?P<d>\d{1,2})(?:\D+(?P<rest>\d.*))?"
)
_PERSIAN_WORDED: Final = re.compile(
    r"(?:[^\d]*\s)?(?P<d>\d{1,2})\s+(?P<m>\w+)(?:\s+ماه)?،?\s+(?P<y>1[34]\d\d)(?:\D+(?P<rest>\d.*))?"
)
# Years of the Persian calendar at which the 33-year rhythm of leap years breaks.
_BREAKS: Final = (
    -61, 9, 38, 199, 426, 686, 756, 818, 1111, 1181, 1210, 1635, 2060, 2097, 2192, 2262, 2324, 2394, 2456,
    3178,
)  # fmt: skip


def western_digits(text: str) -> str:
    """The text with digits of every script as 0 to 9, without marks of direction."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.digit(char)) if char.isdigit() and char not in "²³¹" else char
        for char in unicodedata.normalize("NFC", text)
        if unicodedata.category(char) != "Cf"
    )


def has_persian_digits(text: str) -> bool:
    """True when the text writes digits as Persian does, which is where its calendar is used."""
    return any("\u06f0" <= char <= "\u06f9" for char in text)


def has_arabic_digits(text: str) -> bool:
    """True when the text writes digits as Arabic or Persian does."""
    return any("\u0660" <= char <= "\u0669" or "\u06f0" <= char <= "\u06f9" for char in text)


def _table() -> dict[str, int]:
    table: dict[str, int] = {}
    for line in _MONTHS:
        names = line.split()
        for number, name in enumerate(names, 1):
            short = name[:3]
            if name.isascii() or short[0] < "\u0500":
                for form in (short, name[:4]):
                    if sum(other.startswith(form) for other in names) == 1:
                        table.setdefault(form, number)
            table[name] = number
    return table | {"sept": 9, "mrz": 3, "juin": 6, "juil": 7}


_MONTH_NUMBERS: Final = _table()


def month_number(name: str) -> int:
    """1 to 12, or 0 when the word is no month in a language that is known."""
    return _MONTH_NUMBERS.get(name.casefold(), 0)


def offset_minutes(zone: str) -> int | None:
    """Minutes east of Greenwich of a zone name or an offset; ``None`` when not known or out of range."""
    zone = zone.replace("\u2212", "-")
    match = _OFFSET.fullmatch(zone)
    if match is None:
        return _ZONES.get(zone.upper())
    minutes = int(match["hours"]) * 60 + int(match["minutes"] or 0)
    if int(match["minutes"] or 0) > 59 or minutes > 24 * 60:
        return None
    return -minutes if match["sign"] == "-" else minutes


def persian_date(text: str) -> tuple[int, str] | None:
    """Day number since 1970 of a date in the Persian (solar Hijri) calendar, and what follows it."""
    match = _PERSIAN_NUMERIC.fullmatch(text)
    if match:
        month = int(match["m"])
    else:
        match = _PERSIAN_WORDED.fullmatch(text)
        if match is None or match["m"] not in _PERSIAN_MONTHS:
            return None
        month = _PERSIAN_MONTHS.index(match["m"]) + 1
    year, day = int(match["y"]), int(match["d"])
    if not 1 <= month <= 12 or not 1 <= day <= (31 if month <= 6 else 30):
        return None
    return _persian_new_year(year) + (month - 1) * 31 - max(0, month - 7) + day - 1, match["rest"] or ""


def _persian_new_year(year: int) -> int:
    """Day number of 1 Farvardin by the break-table method of Borkowski (1996), valid for -61 to 3177."""
    leap, previous, jump = -14, _BREAKS[0], 0
    for following in _BREAKS[1:]:
        jump = following - previous
        if year < following:
            break
        leap += jump // 33 * 8 + jump % 33 // 4
        previous = following
    n = year - previous
    leap += n // 33 * 8 + (n % 33 + 3) // 4
    if jump % 33 == 4 and jump - n == 4:
        leap += 1
    gregorian = year + 621
    leap_gregorian = gregorian // 4 - (gregorian // 100 + 1) * 3 // 4 - 150
    return days_from_civil(gregorian, 3, 20 + leap - leap_gregorian)
