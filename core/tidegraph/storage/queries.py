"""All Cypher. Constant text with parameters; no value is ever put into a query.

A query may be assembled from the fragments below, never from input. Rules that a test holds: nothing
SETs a property of a label that carries a vector index outside ``ON CREATE``; nothing returns a vector.
"""

from __future__ import annotations

from typing import Final

from tidegraph.storage import queries_identity

# --- visibility -----------------------------------------------------------------------------------


def visible(name: str) -> str:
    """Condition: the row was known at $known, not withdrawn by then, and the caller may see it."""
    return f"{name}.recorded_at <= $known AND $known < {name}.withdrawn_at AND {permitted(name)}"


def shown(name: str) -> str:
    """Condition: the same of an event, and $statuses, where it is a list, has its status."""
    return f"($statuses IS NULL OR {name}.status IN $statuses) AND {visible(name)}"


def permitted(name: str) -> str:
    """Condition: the caller holds one of the row's labels, the row has none, or $all."""
    return f"($all OR {name}.labels IS NULL OR any(l IN {name}.labels WHERE l IN $labels))"


# --- the writer -----------------------------------------------------------------------------------

INIT_GRAPH: Final = """
MERGE (g:Graph {id: 'graph'})
ON CREATE SET g.sequence = 0, g.schema_version = $version, g.model = $model, g.dimensions = $dimensions
RETURN g.schema_version, g.model, g.dimensions
"""
GRAPH_INFO: Final = """
MATCH (g:Graph {id: 'graph'})
CALL { OPTIONAL MATCH (d:Decision) WHERE d.kind = $policies WITH d LIMIT 1 RETURN count(d) AS policies }
RETURN g.model, g.dimensions, g.sequence, policies
"""
WRITERS: Final = "MATCH (w:Writer) RETURN w.id, w.offset ORDER BY w.id"
INHERIT: Final = """
MATCH (g:Graph {id: 'graph'}) SET g.sequence = $sequence
WITH g OPTIONAL MATCH (w:Writer) DELETE w
WITH DISTINCT g UNWIND $writers AS r CREATE (:Writer {id: r.id, offset: r.offset})
"""
DROP_CHANGES: Final = "MATCH (c:Change) WITH c LIMIT $limit DELETE c RETURN count(c)"
KEEP_CHANGES: Final = "UNWIND $changes AS r CREATE (c:Change) SET c = r.row, c.seq = r.seq"
WRITER_STATE: Final = """
MATCH (g:Graph {id: 'graph'}) OPTIONAL MATCH (w:Writer {id: $partition})
RETURN w.offset, g.sequence
"""

_FENCE: Final = """
MATCH (g:Graph {id: 'graph'})
MERGE (w:Writer {id: $partition}) ON CREATE SET w.offset = -1
WITH g, w WHERE w.offset = $expected
SET w.offset = $offset, g.sequence = g.sequence + 1
WITH g.sequence AS seq
"""


def _each(parameter: str, body: str) -> str:
    """A sub-query over a list. It ends in an aggregate, so that an empty list does not swallow the row."""
    return f"CALL {{ WITH seq UNWIND ${parameter} AS r {body} RETURN count(*) AS n_{parameter} }} WITH seq\n"


def _create(label: str) -> str:
    return f"MERGE (n:{label} {{id: r.id}}) ON CREATE SET n += r, n.seq = seq"


def _create_vector(label: str, owner: str) -> str:
    return (
        f"MATCH (o:{owner} {{id: r.id}}) "
        f"MERGE (n:{label} {{id: r.id}}) ON CREATE SET n.v = vecf32(r.v), n.seq = seq, "
        "n.begins = coalesce(o.start, o.document_time), n.ends = o.end MERGE (n)-[:OF]->(o)"
    )


def _lower(label: str, match: str, name: str) -> str:
    """Move a time of all rows of an origin earlier, never later."""
    return f"MATCH (n:{label} {{{match}}}) WHERE n.{name} > r.at SET n.{name} = r.at"


COMMIT: Final = (
    _FENCE
    + _each("entities", _create("Entity"))
    + _each("entities_seen", _lower("Entity", "id: r.id", "recorded_at"))
    + _each(
        "aliases",
        "MATCH (e:Entity {id: r.entity_id}) " + _create("Alias") + " MERGE (n)-[:NAMES]->(e)",
    )
    + _each("aliases_seen", _lower("Alias", "id: r.id", "recorded_at"))
    + _each("documents", _create("Document"))
    + _each("chunks", _create("Chunk"))
    + _each("events", _create("Event"))
    + _each(
        "mentions",
        "MATCH (e:Event {id: r.event}) MATCH (n:Entity {id: r.entity}) "
        "MERGE (e)-[m:MENTIONS]->(n) ON CREATE SET m += r, m.seq = seq",
    )
    + _each("event_vectors", _create_vector("EventVector", "Event"))
    + _each("chunk_vectors", _create_vector("ChunkVector", "Chunk"))
    + _each("assertions", _create("Assertion"))
    + _each(
        "filed_until",
        "MATCH (n:Assertion {id: r.id}) WHERE n.filed_until IS NULL OR n.filed_until > r.at "
        "SET n.filed_until = r.at",
    )
    + _each("withdrawn", _lower("Document", "origin: r.id", "withdrawn_at"))
    + _each("withdrawn_chunks", _lower("Chunk", "origin: r.id", "withdrawn_at"))
    + _each("withdrawn_events", _lower("Event", "origin: r.id", "withdrawn_at"))
    + _each("withdrawn_assertions", _lower("Assertion", "origin: r.id", "withdrawn_at"))
    + _each("earlier", _lower("Document", "origin: r.id", "recorded_at"))
    + _each("earlier_chunks", _lower("Chunk", "origin: r.id", "recorded_at"))
    + _each("earlier_events", _lower("Event", "origin: r.id", "recorded_at"))
    + _each("earlier_assertions", _lower("Assertion", "origin: r.id", "recorded_at"))
    + _each(
        "entity_versions",
        "MATCH (s:Entity {id: r.subject}) MATCH (o:Entity {id: r.object}) "
        "MERGE (s)-[f:FACT {id: r.id}]->(o) ON CREATE SET f += r, f.seq = seq",
    )
    + _each(
        "literal_versions",
        "MATCH (s:Entity {id: r.row.subject}) "
        "MERGE (o:Value {id: r.value}) ON CREATE SET o.text = r.row.object, o.seq = seq "
        "MERGE (s)-[f:FACT {id: r.row.id}]->(o) ON CREATE SET f += r.row, f.seq = seq",
    )
    + _each(
        "closings",
        "MATCH ()-[f:FACT {id: r.id}]->() WHERE f.invalidated_at > r.at SET f.invalidated_at = r.at",
    )
    + _each("unlinked", "MATCH (:Event {id: r.event})-[x:RELATED]->(:Event {id: r.neighbour}) DELETE x")
    + _each(
        "linked",
        "MATCH (e:Event {id: r.event}) MATCH (o:Event {id: r.neighbour}) "
        # A reply carries 15 digits of a float: the bits carry all of them.
        "CREATE (e)-[:RELATED {weight: r.weight, bits: r.bits, seq: seq}]->(o)",
    )
    + _each("changes", _create("Change"))
    + _each(
        "terms",
        "MERGE (t:Term {id: r.id}) ON CREATE SET t.rows = r.rows, t.seq = seq "
        "ON MATCH SET t.rows = t.rows + r.rows",
    )
    + _each("decisions", _create("Decision"))
    + _each("decisions_seen", _lower("Decision", "id: r.id", "recorded_at"))
    + "".join(_each(parameter, body) for parameter, body in queries_identity.WRITES)
    + "RETURN seq"
)

# --- facts and evidence ---------------------------------------------------------------------------

STORED_VERSIONS: Final = """
UNWIND $keys AS k MATCH ()-[f:FACT]->() WHERE f.key = k RETURN properties(f)
"""
ALL_VERSIONS: Final = "MATCH ()-[f:FACT]->() RETURN properties(f)"
ALL_ENTITIES: Final = """
MATCH (e:Entity) OPTIONAL MATCH (a:Alias)-[:NAMES]->(e)
RETURN e.id, e.key, e.recorded_at, a.norm, a.text, a.type, a.recorded_at
"""

ASSERTIONS: Final = f"""
UNWIND $keys AS k MATCH (a:Assertion) WHERE a.key = k AND a.recorded_at <= $known AND {permitted("a")}
RETURN properties(a) ORDER BY a.key, a.recorded_at, a.id
"""
ASSERTIONS_OF: Final = """
UNWIND $origins AS k MATCH (a:Assertion) WHERE a.origin = k RETURN k, properties(a) ORDER BY a.id
"""
KEYS_OF: Final = """
UNWIND $documents AS k MATCH (a:Assertion) WHERE a.document_id = k RETURN DISTINCT a.document_id, a.key
ORDER BY a.document_id, a.key
"""

DOCUMENTS: Final = f"""
UNWIND $documents AS k MATCH (d:Document) WHERE d.document_id = k AND d.recorded_at <= $known
AND {permitted("d")} RETURN properties(d) ORDER BY d.document_id, d.recorded_at, d.revision, d.id
"""

# --- entities -------------------------------------------------------------------------------------

_ENTITY: Final = f"""
OPTIONAL MATCH (a:Alias)-[:NAMES]->(e)
RETURN e.id, e.key, e.recorded_at, a.norm, a.text, a.type, a.recorded_at, {queries_identity.ties("e")}
"""
"""A row for each alias, or one without, and how many rows say what else the entity is."""
ENTITIES: Final = "MATCH (e:Entity) WHERE e.id IN $ids " + _ENTITY
ENTITIES_BY_NAME: Final = (
    "MATCH (x:Alias) WHERE x.norm IN $names MATCH (x)-[:NAMES]->(e:Entity) WITH DISTINCT x.norm AS k, e "
    "OPTIONAL MATCH (a:Alias)-[:NAMES]->(e) "
    "RETURN k, e.id, e.key, e.recorded_at, a.norm, a.text, a.type, a.recorded_at, "
    + queries_identity.ties("e")
)
SEARCH_ENTITIES: Final = """
CALL db.idx.fulltext.queryNodes('Alias', $text) YIELD node, score
RETURN node.entity_id, max(score) AS best ORDER BY best DESC, node.entity_id LIMIT $limit
"""

# An edge index is used only while the nodes of the pattern are neither labelled nor looked at: else the
# planner scans the nodes first. So edges are found alone and their ends taken with startNode().

# --- events and chunks ----------------------------------------------------------------------------

LABELS: Final = {"event": "Event", "chunk": "Chunk"}


def by_id(what: str) -> str:
    """Visible events or chunks by their ids."""
    return f"MATCH (n:{LABELS[what]}) WHERE n.id IN $ids AND {visible('n')} RETURN n{{.*, words: null}}"


EVENTS_OF: Final = f"""
UNWIND $entities AS k MATCH ()-[m:MENTIONS]->() WHERE m.entity = k
WITH DISTINCT startNode(m) AS n WHERE {shown("n")}
RETURN n{{.*, words: null}}, n.start IS NULL, n.start, n.id
ORDER BY n.start IS NULL, n.start, n.id LIMIT $limit
"""
EVENTS_OF_DURING: Final = f"""
UNWIND $entities AS k MATCH ()-[m:MENTIONS]->()
WHERE m.entity = k AND m.start < $valid_to AND m.end > $valid_from
WITH DISTINCT startNode(m) AS n WHERE {shown("n")}
RETURN n{{.*, words: null}}, n.start, n.id ORDER BY n.start, n.id LIMIT $limit
"""
LAST_EVENTS_OF: Final = EVENTS_OF.replace("NULL, n.start, n.id LIMIT", "NULL, n.start DESC, n.id LIMIT")
LAST_EVENTS_OF_DURING: Final = EVENTS_OF_DURING.replace("BY n.start,", "BY n.start DESC,")
STATIC_EVENTS_OF: Final = f"""
UNWIND $entities AS k MATCH ()-[m:MENTIONS]->() WHERE m.entity = k
WITH DISTINCT startNode(m) AS n WHERE n.time_state = 3 AND {shown("n")}
RETURN n{{.*, words: null}} ORDER BY n.id LIMIT $limit
"""
NEIGHBOURS: Final = """
UNWIND $ids AS k MATCH (:Event {id: k})-[x:RELATED]-(:Event)
WITH DISTINCT x RETURN startNode(x).id, endNode(x).id, x.bits
"""
LISTS_OF: Final = """
UNWIND $ids AS k MATCH (:Event {id: k})-[x:RELATED]->(o:Event) RETURN k, o.id, x.bits
"""
EVENT_MENTIONS: Final = """
UNWIND $probes AS p
CALL {
  WITH p MATCH ()-[m:MENTIONS]->() WHERE m.entity = p.entity
  WITH p, m, startNode(m) AS n
  WHERE m.start < p.to AND m.end > p.from AND n.withdrawn_at = $open
  RETURN n ORDER BY CASE WHEN m.start >= p.end THEN m.start - p.end
    WHEN m.end <= p.start THEN p.start - m.end ELSE 0 END, n.id LIMIT $limit
}
WITH DISTINCT n
RETURN n.id, n.start, n.end, n.granularity, n.entity_ids, n.recorded_at, n.withdrawn_at
"""
"""The times are looked at after the index of the entity alone: its index of times is asked about the mentions
of all entities, which costs more the more there are. Who has many events is kept by the writer.
"""
_NODE: Final = "n.id, n.start, n.end, n.granularity, n.entity_ids, n.recorded_at, n.withdrawn_at"
EVENT_NODES: Final = f"UNWIND $ids AS k MATCH (n:Event {{id: k}}) WHERE n.start IS NOT NULL RETURN {_NODE}"
EVENT_NODES_OF: Final = (
    f"UNWIND $origins AS k MATCH (n:Event) WHERE n.origin = k AND n.start IS NOT NULL RETURN {_NODE}"
)
MENTION_COUNTS: Final = """
UNWIND $entities AS k MATCH (e:Entity {id: k})
CALL {
  WITH e MATCH (e)<-[m:MENTIONS]-(n:Event) WHERE m.start IS NOT NULL AND n.withdrawn_at = $open
  WITH n LIMIT $limit RETURN count(n) AS found
}
RETURN k, found
"""

# --- search ---------------------------------------------------------------------------------------

DURING: Final = "n.start < $valid_to AND n.end > $valid_from"
STATIC: Final = "n.time_state = 3"
_FOUND: Final = "n.id, n.document_id, n.revision, n.start IS NULL"


_WITHIN: Final = "(node.begins < $reach_to AND (node.ends IS NULL OR node.ends > $reach_from))"


def search_vector(what: str, condition: str, within: bool) -> str:
    """The first $look of the nearest $k vectors that pass the filter, the nearest first, each with how many
    of the $k there are, and how many of these could pass. No row when none passes.

    ``within``: only what may lie in [$reach_from, $reach_to) is looked up, by the times that the vectors
    carry: the look-up costs more than the search. A vector without times was written before they were.
    """
    near = f"node.begins IS NULL OR {_WITHIN}" if within else "true"
    return (
        f"CALL db.idx.vector.queryNodes('{LABELS[what]}Vector', 'v', $k, vecf32($vector)) YIELD node, score "
        f"WITH node, score ORDER BY score "
        f"WITH count(node) AS reached, collect(CASE WHEN {near} THEN [node, score] END) AS near "
        "UNWIND near AS one WITH reached, size(near) AS close, one[0] AS node, one[1] AS score "
        f"MATCH (node)-[:OF]->(n:{LABELS[what]}) WHERE {visible('n')} AND {condition} "
        f"RETURN {_FOUND}, 1 - score, reached, close LIMIT $look"
    )


def reached_vectors(what: str) -> str:
    """How many of the nearest $k vectors there are."""
    return (
        f"CALL db.idx.vector.queryNodes('{LABELS[what]}Vector', 'v', $k, vecf32($vector)) YIELD node "
        "RETURN count(node)"
    )


COUNT_DURING: Final = """
MATCH (n:Event) WHERE n.start < $valid_to AND n.end > $valid_from WITH n LIMIT $limit RETURN count(n)
"""
VECTOR_COUNTS: Final = {what: f"MATCH (x:{label}Vector) RETURN count(x)" for what, label in LABELS.items()}


def exact_vector(what: str, condition: str) -> str:
    """Distances to every row that passes: for when few do, or the index cannot reach them."""
    return (
        f"MATCH (n:{LABELS[what]}) WHERE {condition} AND {visible('n')} "
        f"MATCH (x:{LABELS[what]}Vector)-[:OF]->(n) "
        f"RETURN {_FOUND}, 1 - vec.cosineDistance(x.v, vecf32($vector)) AS score "
        "ORDER BY score DESC, n.id LIMIT $limit"
    )


# --- decisions ------------------------------------------------------------------------------------

DECISIONS: Final = """
UNWIND $kinds AS k MATCH (d:Decision) WHERE d.kind = k AND d.recorded_at <= $known
RETURN properties(d) ORDER BY d.recorded_at, d.id
"""
DECISIONS_ABOUT: Final = """
UNWIND $subjects AS s MATCH (d:Decision) WHERE d.subject = s AND d.kind IN $kinds AND d.recorded_at <= $known
RETURN properties(d) ORDER BY d.recorded_at, d.id
"""

# --- changes and counts ---------------------------------------------------------------------------

RESTRICTIONS: Final = """
UNWIND $versions AS k MATCH ()-[f:FACT]->() WHERE f.id = k
WITH DISTINCT f.id AS id, f.key AS key
MATCH (h:Assertion) WHERE h.key = key AND h.restricted = 1
RETURN DISTINCT id, h.labels
"""
CHANGES: Final = """
MATCH (c:Change) WHERE c.seq > $after RETURN properties(c) ORDER BY c.seq, c.id LIMIT $limit
"""
SCAN: Final = {
    what: f"MATCH (n:{label}) WHERE n.id > $after RETURN n.id, properties(n) ORDER BY n.id LIMIT $limit"
    for what, label in (*LABELS.items(), ("document", "Document"), ("assertion", "Assertion"))
}
SEQUENCE: Final = "MATCH (g:Graph {id: 'graph'}) RETURN g.sequence"
COUNTS: Final = {
    "documents": "MATCH (n:Document) WHERE n.kind < 3 RETURN count(DISTINCT n.document_id)",
    "chunks": "MATCH (n:Chunk) RETURN count(n)",
    "events": "MATCH (n:Event) RETURN count(n)",
    "entities": "MATCH (n:Entity) RETURN count(n)",
    "assertions": "MATCH (n:Assertion) RETURN count(n)",
    "facts": "MATCH ()-[f:FACT]->() RETURN count(f)",
}
