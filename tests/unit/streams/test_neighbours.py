"""Who finds whom by keys, and what is known of ids at instants."""

from __future__ import annotations

from dataclasses import replace

from tidegraph.domain.documents import EntityType
from tidegraph.domain.identity import Sighting
from tidegraph.domain.interval import OPEN_END, OPEN_START
from tidegraph.streams.writing.holders import MAX_HOLDERS, Holders
from tidegraph.streams.writing.neighbours import ALWAYS, Neighbours, Read
from tidegraph.streams.writing.profiles import Known, Nearness


def seen(entity_id: str, name: str, at: int, *keys: str, born: str = "1950") -> Sighting:
    kind = int(EntityType.PERSON)
    slots = (("born", born),)
    return Sighting(entity_id, f"d{at}", ((kind, name),), slots, keys, ("harbour",), OPEN_START, at)


def test_a_key_finds_those_that_have_it_until_too_many_do() -> None:
    holders = Holders()
    assert holders.crowded("t:mill") == OPEN_END  # asked before it is read
    holders.read("t:mill", [(f"e{number:02}", number) for number in range(MAX_HOLDERS)])
    assert "t:mill" in holders
    assert "t:mole" not in holders
    assert set(holders.found("t:mill", 4)) == {"e00", "e01", "e02", "e03", "e04"}
    assert holders.last("t:mill") == MAX_HOLDERS - 1
    assert len(holders.all_of("t:mill") or ()) == MAX_HOLDERS
    assert holders.all_of("t:mole") is None
    holders.add("t:mill", "late", 30)
    assert holders.crowded("t:mill") == holders.last("t:mill") == 30
    assert len(holders.found("t:mill", 29)) == MAX_HOLDERS
    assert not holders.found("t:mill", 30)
    assert holders.all_of("t:mill") is None
    assert "late" in holders.coming("t:mill", 29)
    assert not holders.coming("t:mill", 30)
    holders.add("t:mill", "late", 2)
    assert holders.crowded("t:mill") == MAX_HOLDERS - 1
    holders.fill("t:bank", 7)
    holders.add("t:bank", "late", 9)
    assert holders.crowded("t:bank") == holders.last("t:bank") == 7
    assert not holders.found("t:bank", 9)
    assert holders.all_of("t:bank") is None
    assert not holders.coming("t:bank", 8)


def test_more_that_is_read_makes_more_neighbours_of_what_was_not_read_whole() -> None:
    read = Read()
    neighbours = Neighbours(read, Nearness(), automatic=True)
    read.sightings["a"] = [seen("a", "Osric Fennell", 5, "n:x", "n:y")]
    read.statements["a"] = []
    read.holders.read("n:x", [("a", 5)])
    assert not neighbours.around("a", ALWAYS)
    assert not neighbours.is_explored("a", ALWAYS)
    read.sightings["b"] = [seen("b", "Osric Fennell", 7, "n:y")]
    read.statements["b"] = []
    read.holders.read("n:y", [("a", 5), ("b", 7)])
    neighbours.forget()
    assert neighbours.around("a", ALWAYS) == {"b"}
    # From the last thing told of either on nothing changes; before it, it did.
    assert neighbours.is_explored("a", 7)
    assert not neighbours.is_explored("a", 6)
    assert neighbours.around("a", 7) == {"b"}
    assert not neighbours.around("a", 6)


def test_whether_two_ids_come_near_is_kept_for_what_was_told_of_them() -> None:
    def known(*told: Sighting) -> Known:
        return Known((told[0].entity_id, len(told)), told)

    one, same, other = seen("a", "Osric Fennell", 1), seen("b", "Osric Fennell", 2), seen("b", "Ida Marsh", 3)
    nearness = Nearness()
    for _ in range(2):
        assert nearness.near(known(one), known(same))
        assert nearness.near(known(same), known(one))
        assert not nearness.near(known(one), known(other))
    later = replace(same, slots=(("born", "1871"),))
    assert known(same).digest == known(replace(same, recorded_at=9)).digest
    assert known(same).digest != known(later).digest
    assert known(same, other).digest != known(other, same).digest
