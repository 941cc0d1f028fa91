"""How results look: on a terminal by rich, for programs as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import click
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tidegraph.api.v1 import types_pb2
from tidegraph.client import Citation, Fact

console: Final = Console(highlight=False, soft_wrap=True)
_ID_WIDTH: Final = 36
"""An id that is broken over lines cannot be copied."""


def print_json(value: Any) -> None:
    """One JSON document; Unicode as it is."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def message_dict(message: Message) -> dict[str, Any]:
    """A message as JSON-able data with the field names of the API; what is not set is there, empty."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def basis_line(basis: types_pb2.Basis) -> Text:
    """As of when, in one dim line."""
    valid, known = basis.valid, _day(basis.known_at)
    when = "now" if basis.valid_defaulted else span_text(valid)
    final = "" if basis.final else " (what is under way may still change it)"
    return Text(
        f"as of {when}, known {known}{final}; answered by {basis.reasoner or 'the graph'}", style="dim"
    )


def citation_rows(citations: Sequence[Citation]) -> None:
    """Print the evidence of an answer."""
    for line in citation_lines(citations):
        console.print(line)


def citation_lines(citations: Sequence[Citation]) -> Iterator[Text]:
    """The evidence of an answer: label, sentence, document and both times."""
    for cited in citations:
        line = Text(f"  [{cited.label}] ", style="cyan")
        line.append(cited.sentence, style="default")
        yield line
        valid = f"valid {cited.valid}, " if cited.valid and str(cited.valid) != "always" else ""
        title = f"{cited.title}, " if cited.title and cited.title != cited.document_id else ""
        known = cited.recorded.start_text.partition("T")[0]
        yield Text(f"      {title}{cited.document_id}; {valid}known since {known}", style="dim")


def id_table(title: str, columns: Sequence[str], ids: str) -> Table:
    """An empty table whose column ``ids`` keeps ids whole on 80 columns."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold", min_width=_ID_WIDTH if column == ids else None)
    return table


def fact_table(facts: Iterable[Fact], title: str) -> Table:
    """Facts with their periods and ids."""
    table = id_table(title, ("valid", "fact", "id"), "id")
    for fact in facts:
        note = " (disputed)" if fact.conflicted else ""
        table.add_row(str(fact.valid), f"{fact.text}{note}", Text(fact.fact_id, style="dim"))
    return table


def fact_dict(fact: Fact) -> dict[str, Any]:
    """A fact for programs."""
    return {
        "fact_id": fact.fact_id,
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "qualifiers": dict(fact.qualifiers),
        "valid": {"from": fact.valid.start_text, "to": fact.valid.end_text},
        "recorded": {"from": fact.recorded.start_text, "to": fact.recorded.end_text},
        "announced": fact.announced,
        "conflicted": fact.conflicted,
        "text": fact.text,
    }


def citation_dict(cited: Citation) -> dict[str, Any]:
    """A citation for programs."""
    valid = {"from": cited.valid.start_text, "to": cited.valid.end_text} if cited.valid else None
    return {
        "label": cited.label,
        "document_id": cited.document_id,
        "revision": cited.revision,
        "title": cited.title,
        "sentence": cited.sentence,
        "valid": valid,
        "recorded": {"from": cited.recorded.start_text, "to": cited.recorded.end_text},
        "fact_id": cited.fact_id,
        "event_id": cited.event_id,
    }


def span_text(period: types_pb2.Period) -> str:
    """A period as short as its granularity allows."""
    if period.start_granularity in (0, types_pb2.GRANULARITY_MICROSECOND, types_pb2.GRANULARITY_RANGE):
        return period.start_text if period.end_text == ".." else f"{period.start_text} .. {period.end_text}"
    return period.start_text


def _day(stamp: Any) -> str:
    return str(stamp.ToJsonString())[:10]
