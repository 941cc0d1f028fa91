"""What a batch changed in what is believed now, as lines of the public feed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tidegraph.domain.canonical import content_of
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.identity import IdentityWrites, SameAs, Tie, Tied, is_open
from tidegraph.domain.ids import make_id
from tidegraph.domain.interval import OPEN_END, OPEN_START, format_by_granularity
from tidegraph.domain.predicates import Registry
from tidegraph.ports import ChangeRow

MAX_TEXT_CHARS: Final = 600


def changed(
    before: Iterable[FactVersion], after: Iterable[FactVersion]
) -> list[tuple[str, FactVersion, int]]:
    """(action, version, instant) for one conflict key, from its versions before and after the batch.

    Only what is believed now counts: a change of what was once believed is no news. A version that takes
    the place of one with the same subject, object and qualifiers is *bounded* when it ends earlier,
    *reopened* when it ends later, *split* when it is what remains after something that came inside it, else
    *asserted* anew; one that takes no other's place is *asserted*, or *announced* while it rests on plans.
    What is no longer believed in any form was *superseded* when a value that was not believed before holds
    at some of its time, else *retracted*.
    """
    old = {content_of(version): version for version in before if version.invalidated_at == OPEN_END}
    new = {content_of(version): version for version in after if version.invalidated_at == OPEN_END}
    gone = [version for content, version in old.items() if content not in new]
    come = [version for content, version in new.items() if content not in old]
    found = [(_action(version, gone, come), version, version.recorded_at) for version in come]
    arisen = [version for action, version, _ in found if action in ("asserted", "announced")]
    claims = {_claim(version) for version in come}
    closed = {version.version_id: version.invalidated_at for version in after}
    for version in gone:
        if _claim(version) not in claims:
            action = "superseded" if any(_replaces(other, version) for other in arisen) else "retracted"
            found.append((action, version, closed.get(version.version_id, version.recorded_at)))
    return sorted(found, key=lambda item: (item[2], item[1].valid.start, item[1].version_id))


def _replaces(other: FactVersion, version: FactVersion) -> bool:
    return _claim(other) != _claim(version) and other.valid.overlaps(version.valid)


def _claim(version: FactVersion) -> tuple[object, ...]:
    return version.subject, version.object, version.object_is_entity, version.qualifiers


def _action(version: FactVersion, gone: Sequence[FactVersion], come: Sequence[FactVersion]) -> str:
    former = [other for other in gone if _claim(other) == _claim(version)]
    if not former:
        return "announced" if version.announced else "asserted"
    end = max(other.valid.end for other in former)
    if version.valid.end != end:
        return "bounded" if version.valid.end < end else "reopened"
    was_inside = any(other.valid.start < version.valid.start < other.valid.end for other in former)
    pieces = (other for other in come if _claim(other) == _claim(version))
    if was_inside and any(piece.valid.end < version.valid.start for piece in pieces):
        return "split"
    return "asserted"


def change_row(
    graph: str,
    action: str,
    version: FactVersion,
    instant: int,
    registry: Registry,
    names: Mapping[str, str],
) -> ChangeRow:
    """A line of the feed; its id is a function of what changed, so a replay repeats it."""
    return ChangeRow(
        change_id=make_id("change", graph, action, version.version_id, instant),
        sequence=0,
        action=action,
        entity_id=version.subject,
        version_id=version.version_id,
        recorded_at=instant,
        text=sentence(version, registry, names),
    )


def identity_rows(
    graph: str, writes: IdentityWrites, closed: Iterable[SameAs], names: Mapping[str, str]
) -> tuple[ChangeRow, ...]:
    """Lines about ids that became one (*merged*), or are no longer taken for one (*unmerged*)."""
    told = [("merged", one, one.recorded_at) for one in writes.insert if is_open(one)]
    ends = dict(writes.close)
    told += [("unmerged", one, ends[one.row_id]) for one in closed if is_open(one)]
    return tuple(
        ChangeRow(
            change_id=make_id("change", graph, action, one.row_id, instant),
            sequence=0,
            action=action,
            entity_id=one.tied.left,
            version_id="",
            recorded_at=instant,
            text=_pair(action, one.tied, names),
        )
        for action, one, instant in told
        if one.tied.tie is Tie.SAME
    )


def _pair(action: str, tied: Tied, names: Mapping[str, str]) -> str:
    verb = "is the same as" if action == "merged" else "is no longer taken for"
    by = f"{tied.actor}: {tied.reason}" if tied.actor else tied.reason
    text = f"{names.get(tied.left, tied.left)} {verb} {names.get(tied.right, tied.right)} ({by})"
    return text if len(text) <= MAX_TEXT_CHARS else text[: MAX_TEXT_CHARS - 1] + "\u2026"


def sentence(version: FactVersion, registry: Registry, names: Mapping[str, str]) -> str:
    """A version in words: "Ann Smith is CTO of Acme [2021-05, ..)"."""
    label = registry.label(version.predicate, version.qualifiers)
    object_ = names.get(version.object, version.object) if version.object_is_entity else version.object
    start = (
        ".."
        if version.valid.start == OPEN_START
        else format_by_granularity(version.valid.start, version.start_granularity)
    )
    end = format_by_granularity(version.valid.end, version.end_granularity)
    text = f"{names.get(version.subject, version.subject)} {label} {object_} [{start}, {end})"
    return text if len(text) <= MAX_TEXT_CHARS else text[: MAX_TEXT_CHARS - 1] + "\u2026"
