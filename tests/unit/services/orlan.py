"""An invented company: ten years of what the reasoner's tests ask about."""

from __future__ import annotations

from typing import Any

from tests.unit.services.world import Doc, World

from tidegraph.domain.documents import Status

POLICY = "Orlan data policy"
COMPANY = "Orlan Freight"
PERSONS = ("Tessa Brandt", "Olaf Renner", "Nia Coates", "Piet Vos", "Marek Dunn", "Ines Lowell")
Row = tuple[str, str, str, str, str, Doc | None, dict[str, Any]]

ROLES: tuple[Row, ...] = (
    ("Tessa Brandt", "holds_role", COMPANY, "2015-04-01", "", Doc("d1", "2015-04-02"), {"role": "CEO"}),
    ("Olaf Renner", "holds_role", COMPANY, "2018-09-10", "", Doc("d2", "2018-09-11"), {"role": "ceo"}),
    (
        "Nia Coates",
        "holds_role",
        COMPANY,
        "2022-01",
        "",
        Doc("d3", "2022-01-20"),
        {"role": "chief executive"},
    ),
    ("Piet Vos", "holds_role", COMPANY, "2019-03", "2021-06-30", None, {"role": "finance director"}),
    ("Marek Dunn", "holds_role", COMPANY, "2016", "", None, {"role": "head of procurement"}),
    ("Ines Lowell", "holds_role", "Quill Museum", "2023-06-05", "", None, {"role": "curator", "seen": True}),
    (
        *("Nia Coates", "holds_role", "Harbour Trust", "2027-01-01", "", Doc("x1", "2025-05-01")),
        {"role": "chair", "status": Status.PLANNED},
    ),
)
LIVES: tuple[Row, ...] = (
    ("Olaf Renner", "employer", "Kestrel Bank", "2009-02-01", "2014-12-31", None, {}),
    ("Olaf Renner", "employer", "Lund Partners", "2015-01-15", "2018-08-31", None, {}),
    ("Olaf Renner", "educated_at", "Marl University", "2001", "2005", None, {}),
    (COMPANY, "headquarters", "Tilbury", "2010", "", Doc("h1"), {}),
    (COMPANY, "headquarters", "Rotterdam", "2020-10-01", "", Doc("h2", "2020-09-30"), {}),
    (COMPANY, "released", "Aspen", "2023-02-14", "", Doc("r1", "2023-02-14"), {}),
    (COMPANY, "released", "Beech", "2023-05-20", "", Doc("r2", "2023-05-20"), {}),
    (COMPANY, "released", "Cypress", "2023-06-30", "", Doc("r3", "2023-06-30"), {}),
    (COMPANY, "released", "Damson", "2023-09-01", "", Doc("r4", "2023-09-01"), {}),
)
RETENTION = {"literal": True, "attribute": "retention period"}
VALUES: tuple[Row, ...] = (
    (POLICY, "has_value", "30 days", "2019-01-01", "", Doc("p1", "2019-01-01"), RETENTION),
    (POLICY, "has_value", "45 days", "2021-07-01", "", Doc("p2", "2021-06-20"), RETENTION),
    ("gate-7", "status", "closed", "2024-03-04", "2024-03-09", Doc("g1", "2024-03-10"), {"literal": True}),
    ("gate-7", "status", "closed", "2024-11-20", "2024-11-22", Doc("g2", "2024-11-23"), {"literal": True}),
)
EVENTS = (
    ("Orlan Freight signed the charter of the Delta terminal on 4 May 2021.", "2021-05-04"),
    ("Inspectors visited the Delta terminal of Orlan Freight on 9 June 2021.", "2021-06-09"),
    ("The Delta terminal of Orlan Freight was finished on 1 August 2021.", "2021-08-01"),
    ("Orlan Freight sold two cranes on 5 October 2021.", "2021-10-05"),
    ("Orlan Freight will not close its Tilbury yard.", ""),
)
RULES = (
    ("1", "2018-01-01", "Visitors sign in at the gate. Lost badges are reported within one day."),
    ("2", "2022-01-01", "Visitors sign in at the gate. Lost badges are reported within two hours."),
)


def orlan() -> World:
    """The world, not yet written."""
    world = World()
    for name in PERSONS:
        world.person(name)
    for subject, predicate, object_, start, end, doc, more in (*ROLES, *LIVES, *VALUES):
        world.claim(subject, predicate, object_, start, end, doc=doc, **more)
    for sentence, day in EVENTS:
        world.event(sentence, day, COMPANY)
    for revision, day, text in RULES:
        world.chunk(text, Doc("site-rules", day, title="Site rules", revision=revision))
    return world
