"""From a question to the work of answering it: read, its moment settled, its scope known."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from tidegraph.domain.errors import Bug, Rejected, Retryable
from tidegraph.ports import GraphMade
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.completing import completed
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.decisions import under_policies
from tidegraph.services.usecases.moment import AskedTime, resolve, seen_by, settled
from tidegraph.services.usecases.overriding import NOTHING, Override
from tidegraph.services.usecases.parts_used import ALL_USED, Part
from tidegraph.services.usecases.reading import read_text
from tidegraph.services.usecases.scope import Scope, scope_of
from tidegraph.services.usecases.statuses import NOT_CHOSEN, Chosen, shows_passages
from tidegraph.services.usecases.work import Work
from tidegraph.storage.merged import remembering


async def opened(
    ports: Ports,
    caller: Caller,
    text: str,
    asked: AskedTime,
    override: Override = NOTHING,
    *,
    read_time: bool = True,
    without: frozenset[Part] = ALL_USED,
    statuses: Chosen = NOT_CHOSEN,
) -> tuple[Work, Scope]:
    """The work of a question and its asked time. ``read_time`` False: a time in its text does not count.
    ``statuses``: how documents have to put what is shown.

    Raises:
        Rejected: TWO_TIMES, a valid time by ``asked`` and by ``override``; else as ``read_text`` and
            ``resolve`` and ``fitting`` say.
    """
    if asked.valid is not None and override.time is not None:
        message = "give the valid time in as_of or in reading, not in both"
        raise Rejected("TWO_TIMES", message, field="reading.time")
    asked = await settled(ports, caller, asked)
    ports = replace(ports, store=remembering(ports.store))  # what linking reads is not read again
    now = ports.clock.now() if asked.now is None else min(asked.now, ports.clock.now())
    reading = await read_text(ports, caller.graph, text, now, seen_by(caller, asked), override)
    if override == NOTHING:
        override = await completed(ports, caller.graph, reading.question, now, seen_by(caller, asked))
        if override != NOTHING:
            reading = await read_text(ports, caller.graph, text, now, seen_by(caller, asked), override)
    question = reading.question
    counts = read_time or override.time is not None
    moment = await resolve(ports, caller, asked, question.time.interval if counts else None)
    ports = fitting(ports, moment.made)
    work = Work(await under_policies(ports, moment), moment, question, reading.offset, without=without)
    work.chosen = statuses
    if not shows_passages(statuses):
        work.without |= {Part.CHUNKS}
    for link in question.entities:
        work.names.update({record.entity_id: record for record in link.candidates})
    return work, scope_of(question, moment, given=asked.valid is not None)


def fitting(ports: Ports, made: GraphMade) -> Ports:
    """The ports with the encoder whose vectors the graph holds: the one in use, or until a rebuild the former
    one.

    Vectors of two models cannot be compared, whatever their length.

    Raises:
        Rejected: ENCODER_CHANGED, the graph holds vectors of neither.
    """
    encoder, former = ports.encoder, ports.former_encoder
    if not made.model_id or (made.model_id, made.dimensions) == (encoder.model_id, encoder.dimensions):
        return ports
    if former is not None and (made.model_id, made.dimensions) == (former.model_id, former.dimensions):
        return replace(ports, encoder=former)
    message = (
        f"the graph holds vectors of {made.model_id} ({made.dimensions} dimensions), not of "
        f"{encoder.model_id} ({encoder.dimensions}), the encoder in use; run `tidegraph rebuild`, and name "
        "the former encoder in TIDEGRAPH_FORMER_ENCODER to have questions answered until that is done"
    )
    raise Rejected("ENCODER_CHANGED", message, model=made.model_id)


@asynccontextmanager
async def of_one_graph(work: Work) -> AsyncIterator[None]:
    """Around what is read by vectors: the question's and those of the graph are of one encoder throughout.

    A rebuild may take the graph's place in between. A query with a vector of another length fails then; one
    of the same length would tell nothing of the kind, so while a change is expected it is looked for.

    Raises:
        Retryable: GRAPH_REBUILT, ask again.
    """
    try:
        yield
    except Bug:
        await _check_still_made(work)
        raise
    if work.ports.former_encoder is not None:
        await _check_still_made(work)


async def _check_still_made(work: Work) -> None:
    made, now = work.moment.made, await work.ports.store.made(work.moment.graph)
    if (now.model_id, now.dimensions) != (made.model_id, made.dimensions):
        raise Retryable("GRAPH_REBUILT", f"the graph was rebuilt meanwhile, for {now.model_id}; ask again")
