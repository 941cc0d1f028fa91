"""Change events of databases (Debezium), with and without the schema wrapper of Kafka Connect.

Columns are brought into readable form by the types of the schema or of the mapping: days, milli-, micro-
and nanoseconds since 1970 become ISO text, decimals in bytes become digits. Without types nothing is
guessed: such a row needs a mapping.
"""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from tidegraph.domain.documents import DocumentKind, DocumentTime
from tidegraph.domain.errors import Rejected
from tidegraph.inputs import mapping as mappings
from tidegraph.inputs import mongo, times
from tidegraph.inputs.columns import DECIMAL, LOGICAL, SINCE_1970, convert
from tidegraph.inputs.document import Content
from tidegraph.inputs.jsontext import dump
from tidegraph.inputs.mapping import Mapping, scalar
from tidegraph.inputs.times import TimeRules

UNAVAILABLE: Final = "__debezium_unavailable_value"


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A value and the schema that Kafka Connect sent with it, if it did.

    An empty schema says that the values are readable already, as those of a registry are.
    """

    payload: Any
    schema: MappingOf[str, Any] | None


def unwrap(value: dict[str, Any]) -> Wrapped:
    """Take off the wrapper ``{"schema": ..., "payload": ...}`` where there is one."""
    if set(value) == {"schema", "payload"}:
        schema = value["schema"]
        return Wrapped(value["payload"], schema if isinstance(schema, dict) else None)
    return Wrapped(value, None)


def is_change(value: Any) -> bool:
    """True for a change event, as opposed to a row or a document."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("op"), str)
        and ("after" in value or "before" in value or isinstance(value.get("source"), dict))
    )


def read_change(
    wrapped: Wrapped, key: MappingOf[str, Any], rules: TimeRules, mapping: Mapping | None
) -> Content:
    """The row of a change event as a document; a deletion is a retraction.

    Raises:
        Rejected: an operation that no document follows from, no after image, no key, types unknown.
    """
    event = wrapped.payload
    operation = event["op"]
    if operation == "t":
        raise Rejected(
            "UNSUPPORTED_OPERATION", "the operation 't' (truncate) names no document: retract them by key"
        )
    if operation not in ("c", "r", "u", "d"):
        raise Rejected(
            "UNSUPPORTED_OPERATION",
            f"the change event has the operation op={operation[:20]!r}, not c, r, u or d",
        )
    table = _table(event)
    time = _source_time(event, operation)
    image = event.get("before") if operation == "d" else event.get("after")
    if isinstance(image, str):
        image = mongo.read_image(image)
    row = image if isinstance(image, dict) else {}
    document_id = _identity(table, key, row, _view(event, key, row), mapping)
    if operation == "d":
        return Content(
            document_id=document_id, source=table, kind=DocumentKind.RETRACTION, document_time=time
        )
    if not isinstance(image, dict):
        raise Rejected("INVALID_ENVELOPE", f"the change event op={operation!r} has no after image")
    side = _field(wrapped.schema, "after")
    if side is None and wrapped.schema is not None:
        side = {}
    content = read_row(row, side, key, rules, mapping, event)
    return replace(
        content,
        document_id=document_id,
        source=content.source or table,
        title=content.title or f"{table} {_key_text(key, row)}".strip(),
        document_time=content.document_time or time,
    )


def _view(event: MappingOf[str, Any], key: MappingOf[str, Any], row: MappingOf[str, Any]) -> dict[str, Any]:
    """What pointers of a mapping see: columns at the top, the event by its own names below.

    So ``/title``, ``/after/title`` and ``/payload/after/title`` lead to the same column, also in a deletion.
    """
    names = {"after": dict(row), "before": event.get("before"), "source": event.get("source")}
    return {"payload": names, **names, **key, **row}


def read_row(
    row: dict[str, Any],
    schema: MappingOf[str, Any] | None,
    key: MappingOf[str, Any],
    rules: TimeRules,
    mapping: Mapping | None,
    event: MappingOf[str, Any] = MappingProxyType({}),
) -> Content:
    """One row in readable form: by its mapping, else as lines ``column: value``."""
    readable = _by_mapping_types(_by_schema(row, schema), mapping)
    view = _view(event, key, readable)
    if mapping is not None and (mapping.document.get("text") or mapping.has_assertions):
        content = mappings.apply(mapping, readable, rules, view=view)
        if UNAVAILABLE in content.text:
            raise Rejected(
                "UNAVAILABLE_VALUE", "the database left the unchanged text out of the update: send full rows"
            )
        return content
    if schema is None:
        _refuse_untyped(row, key, mapping)
    text = "\n".join(
        f"{name}: {_shown(value)}" for name, value in readable.items() if value not in (None, "", UNAVAILABLE)
    )
    return Content(text=text) if mapping is None else mappings.apply(mapping, readable, rules, text, view)


def mapped_id(row: dict[str, Any], mapping: Mapping | None) -> str:
    """The id of a row by the mapping's pointers; "" when it names none or they lead to nothing."""
    pointers = mapping.document.get("id", ()) if mapping is not None else ()
    values = [mappings.resolve_pointer(row, pointer) for pointer in pointers]
    if not values or any(value is None or value is mappings.MISSING for value in values):
        return ""
    return ":".join(scalar(value, pointer) for value, pointer in zip(values, pointers, strict=True))


def key_fields(key: dict[str, Any]) -> dict[str, Any]:
    """The columns of a record key that is a JSON object, wrapped or not."""
    inner = unwrap(key).payload
    if not isinstance(inner, dict):
        return {}
    return {name: mongo.plain_id(item) if isinstance(item, str) else item for name, item in inner.items()}


def key_table(key: Any) -> str:
    """The table that the schema of a wrapped key names (``server.schema.table.Key``), or ""."""
    if not isinstance(key, dict) or not isinstance(key.get("schema"), dict):
        return ""
    name = key["schema"].get("name")
    return name.removesuffix(".Key") if isinstance(name, str) and name.endswith(".Key") else ""


def _table(event: dict[str, Any]) -> str:
    source = event.get("source")
    if not isinstance(source, dict):
        return ""
    parts = [
        source.get("name"),
        source.get("schema") or source.get("db"),
        source.get("table") or source.get("collection"),
    ]
    return ".".join(part for part in parts if isinstance(part, str) and part)


def _source_time(event: dict[str, Any], operation: str) -> DocumentTime | None:
    """When the database changed the row; the connector's own clock (``ts_ms`` outside) is not used."""
    source = event.get("source")
    stamp = source.get("ts_ms") if isinstance(source, dict) else None
    if not isinstance(stamp, int) or isinstance(stamp, bool) or stamp <= 0:
        return None
    note = " (snapshot)" if operation == "r" else ""
    return times.from_number(stamp, "ms", f"debezium:source.ts_ms{note}")


def _identity(
    table: str,
    key: MappingOf[str, Any],
    row: MappingOf[str, Any],
    view: dict[str, Any],
    mapping: Mapping | None,
) -> str:
    mapped = mapped_id(view, mapping)
    if mapped:
        return mapped
    if mapping is not None and mapping.document.get("id"):
        raise Rejected(
            "MISSING_ID",
            f"neither the row nor the key of the change event has {' and '.join(mapping.document['id'])}, "
            "the id by the mapping: let the database send whole rows (replica identity full)",
        )
    text = _key_text(key, row)
    if not text:
        raise Rejected(
            "MISSING_KEY", "the change event has no key and the row no id: set the key of the table"
        )
    return f"{table}/{text}" if table else text


def _key_text(key: MappingOf[str, Any], row: MappingOf[str, Any]) -> str:
    own = next(({name: row[name]} for name in ("id", "_id") if row.get(name) is not None), {})
    fields = key or own
    return ":".join(
        scalar(value, f"key column {name}") for name, value in fields.items() if value is not None
    )


def _field(schema: MappingOf[str, Any] | None, name: str) -> MappingOf[str, Any] | None:
    fields = schema.get("fields") if schema else None
    for item in fields if isinstance(fields, list) else ():
        if isinstance(item, dict) and item.get("field") == name:
            return item
    return None


def _by_schema(row: dict[str, Any], schema: MappingOf[str, Any] | None) -> dict[str, Any]:
    if schema is None:
        return dict(row)
    return {name: _typed(value, _field(schema, name), name) for name, value in row.items()}


def _typed(value: Any, column: MappingOf[str, Any] | None, name: str) -> Any:
    if value is None or column is None or value == UNAVAILABLE:
        return value
    logical = column.get("name")
    if logical == DECIMAL:
        parameters = column.get("parameters")
        scale = parameters.get("scale", "0") if isinstance(parameters, dict) else "0"
        return convert(value, f"decimal({scale})", name)
    if isinstance(logical, str) and logical in LOGICAL:
        return convert(value, LOGICAL[logical], name)
    return None if column.get("type") == "bytes" else value


def _by_mapping_types(row: dict[str, Any], mapping: Mapping | None) -> dict[str, Any]:
    for pointer, kind in (mapping.types if mapping else {}).items():
        name = _column(pointer)
        if row.get(name) is not None and not (isinstance(row[name], str) and kind in SINCE_1970):
            row[name] = convert(row[name], kind, name)
    return row


def _column(pointer: str) -> str:
    """The column that a pointer into a row or into its event names."""
    return pointer.removeprefix("/payload").removeprefix("/after").removeprefix("/")


def _refuse_untyped(row: MappingOf[str, Any], key: MappingOf[str, Any], mapping: Mapping | None) -> None:
    typed = {_column(pointer) for pointer in (mapping.types if mapping else {})}
    for name, value in row.items():
        if (
            name not in key
            and name not in typed
            and isinstance(value, int | float)
            and not isinstance(value, bool)
        ):
            raise Rejected(
                "UNTYPED_ROW",
                f"the row has no schema, so the type of column {name} is not known: give its columns in a "
                "mapping file (document.text or document.types), or send change events with their schema",
            )


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else dump(value)
