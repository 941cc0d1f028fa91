"""Merges and splits: decisions about which entity ids are one.

A merge says of every two of its ids that they are one, a split that they are not; of two decisions about
a pair the later holds. What follows for their sets is said in ``identities``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import orjson

from tidegraph.domain.identity import MAX_MERGED, Rule, merge_pairs, split_pairs
from tidegraph.events.v1 import records_pb2
from tidegraph.ports import DecisionRecord, GraphReader
from tidegraph.streams.writing.control import MAX_ID, Effects, invalid

JUDGE: Final = "judge:"
"""How the actor of a decision begins that a language model made."""


class Merges:
    """The ids are one entity from the decision on, until they are split."""

    name = "merge"

    def subject(self, control: records_pb2.ControlRecord) -> str:
        """The first of the ids."""
        return _checked(control.merge.entity_ids, 2)

    async def carry_out(
        self, graph: str, reader: GraphReader, news: Sequence[DecisionRecord], effects: Effects
    ) -> None:
        """Every two of the ids become a pair."""
        for one in news:
            ids = orjson.loads(one.content)["entity_ids"]
            effects.pairs += merge_pairs(
                ids, one.decision_id, _rule(one), one.actor, one.reason, one.recorded_at
            )


class Splits:
    """The ids are apart from ``from_ids`` (without any: from each other), until they are merged."""

    name = "split"

    def subject(self, control: records_pb2.ControlRecord) -> str:
        """The first of the ids."""
        least = 1 if control.split.from_ids else 2
        if control.split.from_ids:
            _checked(control.split.from_ids, 1)
        if set(control.split.from_ids) & set(control.split.entity_ids):
            raise invalid("an entity id cannot be split from itself")
        return _checked(control.split.entity_ids, least)

    async def carry_out(
        self, graph: str, reader: GraphReader, news: Sequence[DecisionRecord], effects: Effects
    ) -> None:
        """Every two ids of the two sides become a pair."""
        for one in news:
            content = orjson.loads(one.content)
            effects.pairs += split_pairs(
                content["entity_ids"],
                content.get("from_ids", ()),
                one.decision_id,
                _rule(one),
                one.actor,
                one.reason,
                one.recorded_at,
            )


def _rule(decision: DecisionRecord) -> Rule:
    return Rule.JUDGE if decision.actor.startswith(JUDGE) else Rule.OPERATOR


def _checked(entity_ids: Sequence[str], least: int) -> str:
    listed = sorted(set(entity_ids))
    if not least <= len(listed) <= MAX_MERGED:
        raise invalid(f"give {least} to {MAX_MERGED} different entity ids")
    if not all(0 < len(entity_id) <= MAX_ID for entity_id in listed):
        raise invalid(f"an entity id has 1 to {MAX_ID} characters")
    return listed[0]
