"""The Cypher of the text leg, and of exact ranking: distances to the events that one driver reaches."""

from __future__ import annotations

from typing import Final

from tidegraph.storage.queries import LABELS, visible

IN_FORCE: Final = f"""
MATCH (d:Document) WHERE d.document_id IN $documents AND d.kind < 3 AND {visible("d")}
RETURN d.document_id, d.revision, d.document_time, d.recorded_at, d.id
"""
POOL: Final = f"""
MATCH (n:Event) WHERE n.id IN $ids AND {visible("n")}
RETURN n.id, n.sentence, n.title, n.document_id, n.document_time, n.start, n.end, n.start_char, n.end_char,
n.status, n.entity_ids
"""
TERM_COUNTS: Final = "MATCH (t:Term) WHERE t.id IN $ids RETURN t.id, t.rows"


def search_text(what: str, condition: str) -> str:
    """Rows that hold any of the words, those first that hold the most telling ones.

    Straight from the yielded node: matching it again would be quadratic. The score is made of the words
    that come back with the row.
    """
    return (
        f"UNWIND $terms AS t CALL db.idx.fulltext.queryNodes('{LABELS[what]}', t.word) YIELD node AS n "
        f"WITH n, t WHERE {condition} AND {visible('n')} "
        "WITH n, sum(t.idf) AS reach, collect(t.word) AS held ORDER BY reach DESC, n.id LIMIT $limit "
        "RETURN n.id, n.document_id, n.revision, n.start IS NULL, n.words, held"
    )


def search_classes(what: str, condition: str) -> str:
    """Rows by which of the words they hold: one class after the other, in the order of ids, until enough.

    A class is a query for rows that hold some words and none of the others. The classes of several words
    are small, so most rows that hold a single one are never looked at; what is found is what
    :func:`search_text` finds.
    """
    return (
        f"UNWIND $classes AS c CALL {{ WITH c CALL db.idx.fulltext.queryNodes('{LABELS[what]}', c.query) "
        f"YIELD node AS n WITH n WHERE {condition} AND {visible('n')} RETURN n ORDER BY n.id LIMIT $limit }} "
        "RETURN n.id, n.document_id, n.revision, n.start IS NULL, n.words, c.place LIMIT $limit"
    )


_RANK_DRIVERS: Final = {
    # An entity that is in everything says nothing about any of it, and would cost as much as it is in. The
    # edges are found by their index: from the entity alone the planner scans all events.
    "entity": (
        "UNWIND $ids AS k MATCH (e:Entity {id: k}) WHERE indegree(e, 'MENTIONS') <= $cap WITH e.id AS k "
        "MATCH ()-[m:MENTIONS]->() WHERE m.entity = k WITH startNode(m) AS n"
    ),
    "document": "UNWIND $ids AS k MATCH (n:Event {document_id: k})",
    "event": "UNWIND $ids AS k MATCH (n:Event {id: k})",
}
RANKED_BY: Final = tuple(_RANK_DRIVERS)


def rank_events(by: str, condition: str) -> str:
    """Events that mention the entities, stand in the documents or have the ids, nearest vectors first."""
    return (
        f"{_RANK_DRIVERS[by]} WHERE {condition} AND {visible('n')} WITH DISTINCT n "
        "MATCH (x:EventVector)-[:OF]->(n) "
        "RETURN n.id, n.document_id, n.revision, n.start IS NULL, "
        "1 - vec.cosineDistance(x.v, vecf32($vector)) AS score ORDER BY score DESC, n.id LIMIT $limit"
    )
