"""What holds for every query: rules whose breach no result would show at once."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import pytest

from tidegraph.storage import queries, queries_facts, queries_search, schema


def all_queries() -> Iterator[tuple[str, str]]:
    """Every query that can be made, by name."""
    for name, value in vars(queries).items():
        if name.startswith("__"):
            continue
        if isinstance(value, str) and re.search(r"\b(MATCH|MERGE|CALL)\b", value):
            yield name, value
        if isinstance(value, dict):
            yield from ((f"{name}[{key}]", text) for key, text in value.items() if "RETURN" in text)
    conditions = tuple(queries_facts.CONDITIONS)
    for driver, history in itertools.product(queries_facts.DRIVERS, (False, True)):
        yield f"facts({driver})", queries_facts.facts((driver,), conditions, history, True)
        yield f"latest({history})", queries_facts.latest(conditions, history)
    for driver in queries_facts._HIDDEN_DRIVERS:
        yield f"hidden_keys({driver})", queries_facts.hidden_keys(driver)
    yield "KEYS", queries_facts.KEYS
    yield "COUNTS", queries_facts.COUNTS
    for what in queries.LABELS:
        yield f"by_id({what})", queries.by_id(what)
        texts = (queries_search.search_text, queries_search.search_classes)
        for within in (False, True):
            yield f"search_vector({what})", queries.search_vector(what, queries.STATIC, within)
        for make in (*texts, queries.exact_vector):
            for condition in ("true", f"({queries.DURING})", queries.STATIC):
                yield f"{make.__name__}({what})", make(what, condition)
    for by in queries_search.RANKED_BY:
        yield f"rank_events({by})", queries_search.rank_events(by, queries.STATIC)
    yield "TERM_COUNTS", queries_search.TERM_COUNTS


QUERIES = sorted(set(all_queries()))
WRITES = ("COMMIT", "INIT_GRAPH", "_FENCE", "DROP_CHANGES", "INHERIT")
READS = [(name, text) for name, text in QUERIES if name not in WRITES]
DELETED = ("RELATED", "Change", "Writer")


def sets_outside_create(text: str) -> list[str]:
    """Labels of nodes of which a property is SET other than on creation."""
    found = []
    for part in re.split(r"(?=\bCALL \{)", text):
        bare = re.sub(
            r"ON CREATE SET .*?(?=\bMERGE\b|\bRETURN\b|\bWITH\b|\bMATCH\b|$)", "", part, flags=re.DOTALL
        )
        for variable in re.findall(r"\bSET (\w+)\.", bare):
            found += re.findall(rf"\({variable}:(\w+)", bare) or [variable]
    return found


def test_nodes_with_an_indexed_vector_are_never_touched_again() -> None:
    """Any SET or DELETE leaves a dead entry in the vector index that takes result slots for good."""
    vectors = set(schema.VECTOR_LABELS.values())
    for name, text in QUERIES:
        assert vectors.isdisjoint(sets_outside_create(text)), name
        for variable in re.findall(r"\bDELETE (\w+)", text):
            label = re.search(rf"[\[(]{variable}:(\w+)", text)
            assert label, f"{name}: what is deleted has no label"
            assert label[1] in DELETED, f"{name} deletes more than entries of lists, changes and fences"
    assert "Assertion" in sets_outside_create(queries.COMMIT), "the rule sees what it is to see"


def test_the_rule_sees_a_breach() -> None:
    assert sets_outside_create("MATCH (n:EventVector {id: 1}) SET n.v = 2 RETURN 1") == ["EventVector"]
    assert sets_outside_create("MERGE (n:EventVector {id: 1}) ON CREATE SET n.v = 2 RETURN 1") == []


@pytest.mark.parametrize(("name", "text"), READS)
def test_reads_only_read_and_return_no_vector(name: str, text: str) -> None:
    assert not re.search(r"\b(CREATE|MERGE|SET|DELETE|REMOVE)\b", text), name
    returned = text[text.rindex("RETURN") :]
    assert not re.search(r"\.v\b(?!,)", returned) or "cosineDistance(x.v" in returned, name


@pytest.mark.parametrize(("name", "text"), QUERIES)
def test_every_time_bound_is_a_parameter(name: str, text: str) -> None:
    """Texts of times compare wrongly under a range index; only integers, only by parameter."""
    assert not re.search(r"(recorded_at|withdrawn_at|invalidated_at|start|end)\s*[<>]=?\s*['\"]", text), name


@pytest.mark.parametrize(
    ("name", "text"), [(n, t) for n, t in QUERIES if "-[m:MENTIONS]-" in t or "-[f:FACT]-" in t]
)
def test_edges_found_by_their_index_have_bare_ends(name: str, text: str) -> None:
    """A label or a look at an end makes the planner scan all nodes first."""
    for pattern, condition in re.findall(
        r"MATCH (\S*\(\S*\)-\[\w:\w+\]->\S*) WHERE (\w\.\w+ (?:=|IN))", text
    ):
        bare = [f"()-[{edge}]->()" for edge in ("m:MENTIONS", "f:FACT", "s:SAME_AS", "s:REVIEW")]
        assert pattern in bare, (name, pattern, condition)


def test_every_merge_by_id_has_a_unique_index() -> None:
    merged = set(re.findall(r"MERGE \(\w:(\w+) \{id:", queries.COMMIT + queries.INIT_GRAPH))
    assert merged <= set(schema.UNIQUE)
    assert all("id" in schema.NODE_INDEXES[label] for label in schema.UNIQUE)


def test_every_list_of_a_commit_is_a_parameter_of_it() -> None:
    from tests.contracts.samples import commit

    from tidegraph.storage.writes import commit_parameters

    wanted = set(re.findall(r"\$(\w+)", queries.COMMIT))
    assert wanted == set(commit_parameters(commit("g")))
