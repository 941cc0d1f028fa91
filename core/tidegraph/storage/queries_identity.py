"""All Cypher about identity: rows between entity ids, sightings, decisions about pairs.

A SAME_AS edge says that two ids are one, a REVIEW edge asks an operator; both carry a recorded interval.
"""

from __future__ import annotations

from typing import Final

_TIE: Final = (
    "MATCH (a:Entity {{id: r.left}}) MATCH (b:Entity {{id: r.right}}) "
    "MERGE (a)-[s:{label} {{id: r.id}}]->(b) ON CREATE SET s += r, s.seq = seq"
)
_CLOSE: Final = (
    "MATCH ()-[s:{label}]->() WHERE s.id = r.id AND s.invalidated_at > r.at SET s.invalidated_at = r.at"
)
_CREATE: Final = "MERGE (n:{label} {{id: r.id}}) ON CREATE SET n += r, n.seq = seq"
_EARLIER: Final = "MATCH (n:{label} {{id: r.id}}) WHERE n.recorded_at > r.at SET n.recorded_at = r.at"

WRITES: Final = (
    ("sightings", _CREATE.format(label="Sighting")),
    ("sightings_seen", _EARLIER.format(label="Sighting") + ", n.keys = r.keys"),
    ("sighting_gaps", "MATCH (n:Sighting {id: r.id}) SET n.gaps = r.gaps"),
    ("sightings_dropped", "MATCH (n:Sighting {id: r.id}) SET n.keys = NULL"),
    ("pairs", _CREATE.format(label="Pair")),
    ("pairs_seen", _EARLIER.format(label="Pair")),
    ("same", _TIE.format(label="SAME_AS")),
    ("reviews", _TIE.format(label="REVIEW")),
    ("same_closed", _CLOSE.format(label="SAME_AS")),
    ("reviews_closed", _CLOSE.format(label="REVIEW")),
)
"""The lists of a commit about identity and what is done with each row ``r``."""


def _believed(name: str) -> str:
    return (
        f"{name}.recorded_at <= $known AND $known < {name}.invalidated_at AND "
        f"($all OR {name}.labels IS NULL OR any(l IN {name}.labels WHERE l IN $labels))"
    )


def ties(node: str) -> str:
    """How many rows ever said that an entity is one with another: of most entities none."""
    return f"indegree({node}, 'SAME_AS') + outdegree({node}, 'SAME_AS')"


SAME_AS: Final = f"""
MATCH (e:Entity) WHERE e.id IN $ids AND {ties("e")} > 0
WITH e MATCH (e)-[s:SAME_AS]-(h:Entity) WHERE {_believed("s")}
WITH DISTINCT s, h
OPTIONAL MATCH (h)-[t:SAME_AS]-(:Entity) WHERE {_believed("t")}
RETURN properties(s), properties(t)
"""
"""Two steps at once: the rows of most sets lead to one id. Most ids have no row, which their degree says
sooner than a search for one."""
TIES: Final = """
UNWIND $ids AS k MATCH (:Entity {id: k})-[s:SAME_AS|REVIEW]-(:Entity) RETURN DISTINCT properties(s)
"""
ALL_TIES: Final = "MATCH ()-[s:SAME_AS|REVIEW]->() RETURN properties(s)"
REVIEWS: Final = f"""
MATCH ()-[s:REVIEW]->() WHERE s.id > $after AND {_believed("s")}
RETURN properties(s) ORDER BY s.id LIMIT $limit
"""
PAIRS: Final = tuple(
    f"UNWIND $ids AS k MATCH (p:Pair) WHERE p.{side} = k RETURN properties(p)" for side in ("left", "right")
)
SIGHTINGS: Final = """
UNWIND $ids AS k UNWIND [0, 1] AS called
CALL {
  WITH k, called MATCH (n:Sighting) WHERE n.entity_id = k AND n.called = called
  RETURN n ORDER BY n.recorded_at, n.id LIMIT $limit
}
RETURN [n.entity_id, n.recorded_at, n.id, n.document_id, n.names, n.slots, n.words, n.time, n.gaps]
"""
"""Lists, not maps: the writer reads so many that the names of their parts would be a third of the work."""
SIGHTINGS_OF: Final = """
UNWIND $documents AS k MATCH (n:Sighting) WHERE n.document_id = k
RETURN [n.entity_id, n.recorded_at, n.id, n.document_id, n.names, n.slots, n.words, n.time, n.gaps]
"""
# A key of more rows than $rows is one that finds nobody, whatever its first holders were.
HOLDERS: Final = """
UNWIND $keys AS k
CALL {
  WITH k MATCH (n:Sighting) WHERE k IN n.keys WITH n LIMIT $rows
  WITH n.entity_id AS holder, min(n.recorded_at) AS at
  RETURN holder, at ORDER BY at, holder LIMIT $limit
}
RETURN k, holder, at
"""
_HELD: Final = HOLDERS.replace("$limit", "$most").replace(
    "RETURN k, holder, at",
    "WITH k, collect(holder) AS held, collect(at) AS since, max(at) AS full "
    "WITH k, held, since, full, size(held) = $most AND full <= $since AS common "
    "RETURN k, CASE common WHEN true THEN [] ELSE held END AS held, "
    "CASE common WHEN true THEN [] ELSE since END AS since, full",
)
EVIDENCE: Final = f"""
CALL {{ {_HELD} }}
WITH collect([k, held, since, full]) AS keys
CALL {{
  WITH keys UNWIND keys AS one WITH one[1] AS held WHERE size(held) < $most UNWIND held AS h
  RETURN collect(DISTINCT h) AS found
}}
WITH keys, $ids + [id IN found WHERE NOT id IN $ids] AS ids
CALL {{
  WITH keys UNWIND keys AS one
  RETURN 'held' AS what, one AS row
  UNION ALL WITH ids
  {SIGHTINGS.replace("$ids", "ids").replace("RETURN [", "RETURN 'sighting' AS what, [").strip()} AS row
  UNION ALL WITH ids UNWIND ids AS k MATCH (p:Pair) WHERE p.left = k
  RETURN 'pair' AS what, properties(p) AS row
  UNION ALL WITH ids UNWIND ids AS k MATCH (p:Pair) WHERE p.right = k
  RETURN 'pair' AS what, properties(p) AS row
  UNION ALL WITH ids UNWIND ids AS k MATCH (:Entity {{id: k}})-[s:SAME_AS|REVIEW]-(:Entity)
  RETURN 'tie' AS what, properties(s) AS row
}}
RETURN what, row
"""
"""All that the writer asks about ids and keys, and about who holds the keys that not too many hold, in one
round trip."""
SIDES: Final = tuple(
    f"UNWIND $ids AS k MATCH (:Entity {{id: k}}){left}[f:FACT]{right}() "
    "WITH DISTINCT k, f.key AS key LIMIT $limit RETURN k, key"
    for left, right in (("-", "->"), ("<-", "-"))
)
"""Conflict keys of the facts of each id, as subject and as object."""
MENTION_COUNTS: Final = """
UNWIND $groups AS g
CALL {
  WITH g UNWIND g.ids AS k MATCH ()-[m:MENTIONS]->() WHERE m.entity = k
  WITH m, startNode(m) AS n
  WHERE m.start IS NOT NULL AND n.recorded_at <= $known_at AND n.withdrawn_at > $known_at
  WITH DISTINCT n LIMIT $limit RETURN count(n) AS found
}
RETURN g.name, found
"""
