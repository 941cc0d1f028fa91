"""Which claims a decided conflict stands for: the chosen one, and what its document says in its place.

A decision names one claim. Where that is withdrawn because its document was read again, sent again or
replaced by a revision, the choice follows the same statement of the document: the same value from the same
start, under the same key. Where the document says it no more, the choice stands for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from tidegraph.domain.evidence import value_of
from tidegraph.domain.facts import Assertion
from tidegraph.domain.policies import KeyPolicy


def stand_ins(
    assertions: Sequence[Assertion], choices: Sequence[str], policy: KeyPolicy, known_at: int
) -> dict[str, str]:
    """By the id of each claim that counts and is chosen the choice that it stands for, in their order.

    Args:
        assertions: all evidence under one key, withdrawn or not.
        choices: ids of assertions in the order of the decisions.
    """
    if not choices:
        return {}
    known = sorted(
        (claim for claim in assertions if claim.recorded_at <= known_at), key=lambda claim: claim.assertion_id
    )
    named = {claim.assertion_id: claim for claim in known}
    counting = [claim for claim in known if known_at < claim.withdrawn_at]
    found: dict[str, str] = {}
    for choice in choices:
        chosen = named.get(choice)
        if chosen is None:
            continue
        for claim in [chosen] if known_at < chosen.withdrawn_at else counting:
            if _states_the_same(claim, chosen, policy):
                found.pop(claim.assertion_id, None)  # the latest decision counts
                found[claim.assertion_id] = choice
    return found


def _states_the_same(one: Assertion, other: Assertion, policy: KeyPolicy) -> bool:
    return (
        one.document_id == other.document_id
        and one.valid.start == other.valid.start
        and value_of(one, policy) == value_of(other, policy)
    )
