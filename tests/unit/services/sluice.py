"""An invented mill: chairs, a treasurer, prices and works, for questions that compare and follow."""

from __future__ import annotations

from tests.unit.services.world import Doc, World

MILL = "Fenwick Mill"
WEIR = "Fenwick Mill opened a weir."
FLOOD = "A flood damaged the weir of Fenwick Mill."
REPAIR = "Fenwick Mill repaired the weir."
FEAST = "Fenwick Mill held a harvest feast."


def sluice() -> World:
    """The world, not yet written."""
    world = World()
    for name in ("Ada Quill", "Ben Marsh", "Cleo Frost", "Dan Holm"):
        world.person(name)
    for name, role, start, end in (
        ("Ada Quill", "chair", "2019-03-01", ""),
        ("Ben Marsh", "chair", "2022-06-01", ""),
        ("Cleo Frost", "chair", "2024-02-01", ""),
        ("Dan Holm", "treasurer", "2021-01-10", "2023-05-31"),
    ):
        said = f"{name} became {role} of {MILL} on {start}."
        world.claim(name, "holds_role", MILL, start, end, role=role, doc=Doc(f"{name}", start), sentence=said)
    for start, end in (("2018-01-01", "2020-06-30"), ("2021-01-01", "")):
        world.claim("Ben Marsh", "member_of", "Water Guild", start, end, doc=Doc(f"guild-{start}", start))
    for start, price in (
        ("2018-01-01", "10 crowns"),
        ("2020-01-01", "12 crowns"),
        ("2023-01-01", "15 crowns"),
    ):
        doc = Doc(f"price-{start}", start)
        world.claim("Mill flour", "price", price, start, literal=True, doc=doc)
    one = world.event(WEIR, "2020-05-01", MILL)
    two = world.event(FLOOD, "2020-07-10", MILL)
    three = world.event(REPAIR, "2020-08-01", MILL)
    world.event(FEAST, "2020-09-20", MILL)
    world.event("The harbour of Selby was dredged.", "2020-07-30", "Selby")
    world.event("The harbour of Selby froze.", "2020-12-30", "Selby")
    world.related(one, two, 0.4)
    world.related(two, three, 0.9)
    return world
