"""Facts, dates and durations in words. British dates, no finer than they were given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tidegraph.domain.facts import FactVersion
from tidegraph.domain.identity import NAME
from tidegraph.domain.interval import (
    MICROS_PER_DAY,
    MICROS_PER_SECOND,
    OPEN_END,
    OPEN_START,
    Granularity,
    Interval,
    civil_from_days,
    format_by_granularity,
    format_instant,
)
from tidegraph.domain.naming import normalise
from tidegraph.domain.policies import normal_value
from tidegraph.domain.predicates import Registry
from tidegraph.ports import EntityRecord

MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_FORMS: Final = {
    # first word of a label: (past, perfect)
    "is": ("was", "has been"),
    "has": ("had", "has had"),
    "works": ("worked", "has worked"),
    "leads": ("led", "has led"),
    "plays": ("played", "has played"),
    "lives": ("lived", "has lived"),
    "uses": ("used", "has used"),
    "runs": ("ran", "has run"),
    "reports": ("reported", "has reported"),
    "costs": ("cost", "has cost"),
}
_PLAIN: Final = {"is": "be", "has": "have"} | {
    present: present.removesuffix("s") for present in _FORMS if present not in ("is", "has")
}
FUTURE: Final = "will"
ATTRIBUTE_LABEL: Final = "has {attribute}"
_SILENT: Final = frozenset({"capacity", "shared", "attribute", "role"})
"""Qualifiers that the label or a mark says already."""
_UNIT_MICROS: Final = {
    "second": MICROS_PER_SECOND,
    "minute": 60 * MICROS_PER_SECOND,
    "hour": 3_600 * MICROS_PER_SECOND,
    "day": MICROS_PER_DAY,
    "week": 7 * MICROS_PER_DAY,
}


def date_in_words(value: int, granularity: Granularity) -> str:
    """ "4 March 2024", "March 2024", "Q1 2024", "2024"; before year 1 "44 BC"; ISO for clock times."""
    year, month, day = civil_from_days(value // MICROS_PER_DAY)
    year_text = str(year) if year > 0 else f"{1 - year} BC"
    match granularity:
        case Granularity.YEAR:
            return year_text
        case Granularity.DECADE:
            return f"the {year - year % 10}s"
        case Granularity.CENTURY:
            return format_by_granularity(value, granularity)
        case Granularity.QUARTER:
            return f"Q{(month + 2) // 3} {year_text}"
        case Granularity.HALF_YEAR:
            return f"H{(month + 5) // 6} {year_text}"
        case Granularity.MONTH:
            return f"{MONTHS[month - 1]} {year_text}"
    if granularity in (Granularity.DAY, Granularity.WEEK) or value % MICROS_PER_DAY == 0:
        return f"{day} {MONTHS[month - 1]} {year_text}"
    return format_instant(value)


def asked_in_words(interval: Interval) -> str:
    """An asked time: "4 March 2024", "March 2024", "2 January 2020 to 4 March 2021"."""
    if interval.granularity is Granularity.RANGE or interval.granularity is Granularity.UNKNOWN:
        day = Granularity.DAY
        if interval.is_empty:
            return date_in_words(interval.start, day)
        if interval.has_open_start and interval.has_open_end:
            return "any time"
        if interval.has_open_end:
            return f"{date_in_words(interval.start, day)} on"
        if interval.has_open_start:
            return f"before {date_in_words(interval.end, day)}"
        last = interval.end - 1 if interval.end % MICROS_PER_DAY == 0 else interval.end
        first, until = date_in_words(interval.start, day), date_in_words(last - last % MICROS_PER_DAY, day)
        return first if first == until else f"{first} to {until}"
    return date_in_words(interval.start, interval.granularity)


def period_in_words(version: FactVersion, now: int = OPEN_END) -> str:
    """ "from 4 March 2024 until 1 May 2025"; "since 2024", after ``now`` "from 2030"; "until 2024"; ""
    when neither end is known.
    """
    start = date_in_words(version.valid.start, version.start_granularity)
    end = date_in_words(version.valid.end, version.end_granularity)
    known = version.valid.start != OPEN_START
    if known and not version.start_known:
        start = f"at the latest {start}"
    if known and version.valid.end != OPEN_END:
        return f"from {start} until {end}"
    if known:
        return f"{'from' if version.valid.start > now else 'since'} {start}"
    return f"until {end}" if version.valid.end != OPEN_END else ""


def statement(version: FactVersion, registry: Registry, names: Mapping[str, EntityRecord], now: int) -> str:
    """The fact as a sentence without its full stop: past once it is over, perfect while it holds, and
    future before it does.
    """
    subject = _name(version.subject, names)
    value = _name(version.object, names) if version.object_is_entity else version.object
    if version.predicate == NAME and normalise(subject) == normalise(value):
        subject = _other_name(version.subject, names, value)
    template = registry.policy(version.predicate).label
    label = registry.label(version.predicate, version.qualifiers)
    values = dict(version.qualifiers)
    if template == ATTRIBUTE_LABEL:
        subject, label = _attribute(subject, values.get("attribute", "")), "is"
    text = " ".join(f"{subject} {_tensed(label, version.valid, now)} {value}".split())
    rest = [
        f"{name} {told}"
        for name, told in version.qualifiers
        if "{" + name + "}" not in template and name not in _SILENT
    ]
    text += " (jointly)" if values.get("shared") else ""
    text += f" ({', '.join(rest)})" if rest else ""
    return text + (" (announced)" if version.announced and version.valid.end > now else "")


def _other_name(entity_id: str, names: Mapping[str, EntityRecord], name: str) -> str:
    """What else a thing is called, for "Norvik has been called Aurora"; ``name`` where nothing is known."""
    record = names.get(entity_id)
    aliases = () if record is None else record.aliases
    return next((alias for alias in aliases if normalise(alias) != normalise(name)), name)


def _attribute(subject: str, attribute: str) -> str:
    """ "the retention period of Data Policy"; the attribute alone where it names its own subject."""
    if not attribute or normal_value(attribute) == normal_value(subject):
        return f"the {attribute or subject}"
    return f"the {attribute} of {subject}"


def _tensed(label: str, valid: Interval, now: int) -> str:
    first, _, rest = label.partition(" ")
    past, perfect = _FORMS.get(first, (first, first))
    if valid.end <= now:
        return f"{past} {rest}".strip()
    if valid.start > now and first in _PLAIN:
        return f"{FUTURE} {_PLAIN[first]} {rest}".strip()
    if valid.start > now:
        return label
    return f"{perfect} {rest}".strip() if valid.start > OPEN_START else label


def listed(values: Sequence[str]) -> str:
    """ "A", "A and B", "A, B and C"."""
    if len(values) <= 1:
        return "".join(values)
    return f"{', '.join(values[:-1])} and {values[-1]}"


def duration_in_words(spans: Sequence[Interval], unit: str, coarse: Granularity) -> str:
    """The length of disjoint spans: in ``unit`` when one is asked, else in years, months and days.

    ``coarse`` is the coarser of the granularities of the ends: of years, no months are told; of
    months, no days.
    """
    micros = sum(span.end - span.start for span in spans)
    if unit in _UNIT_MICROS:
        return _counted(_number(micros / _UNIT_MICROS[unit]), unit)
    if micros < 2 * MICROS_PER_DAY and coarse < Granularity.DAY:
        return _counted(_number(micros / _UNIT_MICROS["hour"]), "hour")
    years, months, days = _calendar(spans)
    if unit == "month":
        return _counted(str(12 * years + months), "month")
    if unit == "year":
        return _counted(_number(years + months / 12), "year")
    parts = [(years, "year")]
    if coarse < Granularity.HALF_YEAR:
        parts.append((months, "month"))
    if coarse < Granularity.MONTH:
        parts.append((days, "day"))
    told = [_counted(str(count), name) for count, name in parts if count]
    return listed(told) or f"less than a {parts[-1][1]}"


def _calendar(spans: Sequence[Interval]) -> tuple[int, int, int]:
    """(years, months, days) of the spans, each counted on the calendar."""
    months, days = 0, 0
    for span in spans:
        y1, m1, d1 = civil_from_days(span.start // MICROS_PER_DAY)
        y2, m2, d2 = civil_from_days(span.end // MICROS_PER_DAY)
        whole = (y2 - y1) * 12 + m2 - m1
        if d2 >= d1:
            days += d2 - d1
        else:
            whole -= 1
            days += d2 + _month_days(y2, m2 - 1) - d1
        months += whole
    months += days // 30 if days >= 31 else 0
    days = days % 30 if days >= 31 else days
    return months // 12, months % 12, days


def _month_days(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _number(value: float) -> str:
    return re.sub(r"\.?0+$", "", f"{value:.1f}")


def _counted(count: str, unit: str) -> str:
    return f"{count} {unit}" + ("" if count == "1" else "s")


def _name(entity_id: str, names: Mapping[str, EntityRecord]) -> str:
    record = names.get(entity_id)
    return record.name if record else entity_id
