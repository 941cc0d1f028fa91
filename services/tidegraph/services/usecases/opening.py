"""From a question to the work of answering it: read, its moment settled, its scope known."""

from __future__ import annotations

from tidegraph.domain.errors import Rejected
from tidegraph.ports import GraphMade
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.completing import completed
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.decisions import under_policies
from tidegraph.services.usecases.moment import AskedTime, resolve, seen_by
from tidegraph.services.usecases.overriding import NOTHING, Override
from tidegraph.services.usecases.parts_used import ALL_USED, Part
from tidegraph.services.usecases.reading import read_text
from tidegraph.services.usecases.scope import Scope, scope_of
from tidegraph.services.usecases.work import Work


async def opened(
    ports: Ports,
    caller: Caller,
    text: str,
    asked: AskedTime,
    override: Override = NOTHING,
    *,
    read_time: bool = True,
    without: frozenset[Part] = ALL_USED,
) -> tuple[Work, Scope]:
    """The work of a question and its asked time. ``read_time`` False: a time in its text does not count.

    Raises:
        Rejected: TWO_TIMES, a valid time by ``asked`` and by ``override``; else as ``read_text`` and
            ``resolve`` and ``check_encoder`` say.
    """
    if asked.valid is not None and override.time is not None:
        message = "give the valid time in as_of or in reading, not in both"
        raise Rejected("TWO_TIMES", message, field="reading.time")
    reading = await read_text(ports, caller.graph, text, ports.clock.now(), seen_by(caller, asked), override)
    if override == NOTHING:
        now = ports.clock.now()
        override = await completed(ports, caller.graph, reading.question, now, seen_by(caller, asked))
        if override != NOTHING:
            reading = await read_text(ports, caller.graph, text, now, seen_by(caller, asked), override)
    question = reading.question
    counts = read_time or override.time is not None
    moment = await resolve(ports, caller, asked, question.time.interval if counts else None)
    check_encoder(ports, moment.made)
    work = Work(await under_policies(ports, moment), moment, question, reading.offset, without=without)
    for link in question.entities:
        work.names.update({record.entity_id: record for record in link.candidates})
    return work, scope_of(question, moment, given=asked.valid is not None)


def check_encoder(ports: Ports, made: GraphMade) -> None:
    """Vectors of two models cannot be compared, whatever their length.

    Raises:
        Rejected: ENCODER_CHANGED, the graph holds vectors of another encoder than the service uses.
    """
    encoder = ports.encoder
    if made.model_id and (made.model_id, made.dimensions) != (encoder.model_id, encoder.dimensions):
        message = (
            f"the graph holds vectors of {made.model_id} ({made.dimensions} dimensions), not of "
            f"{encoder.model_id} ({encoder.dimensions}), the encoder in use; run `tidegraph rebuild`, or "
            "configure the former encoder"
        )
        raise Rejected("ENCODER_CHANGED", message, model=made.model_id)
