"""Decisions that change belief, and those about a whole graph: into the log, with who and why."""

from __future__ import annotations

import uuid
from typing import Any, Final

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import LimitExceeded
from tidegraph.events.v1 import records_pb2
from tidegraph.log.keys import graph_key
from tidegraph.log.topics import Topic
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.context import Ports

REASON_CHARS: Final = 2_000
OPERATOR: Final = "operator"
"""Who decides where the server takes no tokens: whoever may call it."""


async def decide(ports: Ports, caller: Caller, reason: str, **choice: Any) -> Position:
    """Write a decision into the log; durable when it returns. Its status has its position.

    Args:
        choice: the decision by its name in ControlRecord, one of them.

    Raises:
        LimitExceeded: REASON_TOO_LONG. Retryable: the log is away.
    """
    if len(reason) > REASON_CHARS:
        message = f"a reason has at most {REASON_CHARS} characters, not {len(reason)}"
        raise LimitExceeded("REASON_TOO_LONG", message, field="reason")
    record = records_pb2.ControlRecord(
        control_id=uuid.uuid4().hex, graph=caller.graph, actor=OPERATOR, reason=reason, **choice
    )
    value = record.SerializeToString(deterministic=True)
    return await ports.log.append(str(Topic.CONTROL), graph_key(caller.graph), value, (), None)
