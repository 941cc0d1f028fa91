"""The predicate registry: files, names, directions, qualifiers, keys."""

from __future__ import annotations

import pytest

from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.domain.policies import Cardinality, OnState
from tidegraph.domain.predicates import Registry
from tidegraph.language.registry import default_registry_text, load_registry

DEFAULT = Registry.parse(default_registry_text())


def key(subject: str, predicate: str, object: str, *, entity: bool = True, **qualifiers: str) -> str:
    claim = DEFAULT.canonical(subject, predicate, object, tuple(qualifiers.items()), object_is_entity=entity)
    return DEFAULT.conflict_key("g", claim)


def test_both_directions_and_all_wordings_are_one_family() -> None:
    base = key("ann", "holds_role", "acme", role="chief technology officer")
    assert key("ann", "holds_role", "acme", role="CTO") == base
    assert key("acme", "chief_technology_officer", "ann") == base
    assert key("acme", "has_role_holder", "ann", role="the Chief Technical Officer") == base
    assert key("ann", "CTO of", "acme") == base
    assert key("bob", "holds_role", "acme", role="interim CTO") == base
    assert key("bob", "holds_role", "acme", role="CTO (acting)") == base
    assert key("", "holds_role", "acme", role="CTO") == base


def test_one_holder_for_each_organisation_and_role() -> None:
    base = key("ann", "holds_role", "acme", role="cto")
    assert key("ann", "holds_role", "other", role="cto") != base
    assert key("ann", "holds_role", "acme", role="ceo") != base
    assert key("ann", "holds_role", "acme", role="cto", region="EMEA") != base


def test_a_role_that_many_hold_is_not_exclusive() -> None:
    for role in ("vice president", "engineer", "deputy head of sales", "curator", "team lead"):
        claim = DEFAULT.canonical("ann", "holds_role", "acme", (("role", role),))
        assert not DEFAULT.key_policy(claim.predicate, claim.qualifiers).exclusive
        assert key("ann", "holds_role", "acme", role=role) != key("bob", "holds_role", "acme", role=role)
    for role in ("CEO", "head of procurement", "chief happiness officer", "joint managing director"):
        claim = DEFAULT.canonical("ann", "holds_role", "acme", (("role", role),))
        assert DEFAULT.key_policy(claim.predicate, claim.qualifiers).exclusive


def test_joint_holders_carry_the_mark() -> None:
    for role in ("joint managing director", "co-managing director", "Co-Managing Director"):
        claim = DEFAULT.canonical("ann", "holds_role", "acme", (("role", role),))
        assert dict(claim.qualifiers) == {"role": "managing director", "shared": "yes"}


def test_unknown_predicates_hold_many() -> None:
    claim = DEFAULT.canonical("a", "wroteTo", "b")
    assert claim.predicate == "wrote_to"
    assert DEFAULT.policy("wroteTo").cardinality is Cardinality.MANY
    assert key("a", "wrote_to", "b") != key("a", "wrote_to", "c")


def test_symmetric_predicates_have_one_direction() -> None:
    assert key("b", "spouse", "a") == key("a", "married to", "b")


def test_a_value_is_exclusive_for_each_region() -> None:
    eu = key("policy", "retention_period", "30 days", entity=False, region="EU")
    assert (
        key("policy", "has_value", "60 days", entity=False, attribute="Retention period", region="eu") == eu
    )
    assert key("policy", "retention_period", "30 days", entity=False, region="US") != eu
    assert key("policy", "retention_period", "30 days", entity=False) != eu


def test_a_literal_cannot_be_turned_round() -> None:
    claim = DEFAULT.canonical("acme", "has_role_holder", "somebody", object_is_entity=False)
    assert (claim.subject, claim.predicate, claim.object) == ("acme", "has_role_holder", "somebody")


def test_keys_differ_between_graphs_and_are_stable() -> None:
    claim = DEFAULT.canonical("a", "employer", "b")
    assert DEFAULT.conflict_key("g", claim) != DEFAULT.conflict_key("h", claim)
    assert DEFAULT.conflict_key("g", claim) == Registry.parse(default_registry_text()).conflict_key(
        "g", claim
    )


def test_names_for_display() -> None:
    claim = DEFAULT.canonical("acme", "ceo of", "x", (("role", "acting CEO"),))
    assert DEFAULT.surface(claim.predicate, claim.qualifiers)[1] == "chief_executive_officer"
    label = DEFAULT.label(claim.predicate, (("capacity", "interim"), ("role", "chief executive officer")))
    assert label == "is interim chief executive officer of"
    assert DEFAULT.surface("spouse", ()) == ("spouse", "spouse")


def test_canonical_is_idempotent() -> None:
    for predicate, qualifiers in (
        ("ceo of", ()),
        ("holds_role", (("role", "Acting Chief Exec"),)),
        ("spouse", ()),
    ):
        once = DEFAULT.canonical("b", predicate, "a", qualifiers)
        assert DEFAULT.canonical(once.subject, once.predicate, once.object, once.qualifiers) == once


def test_an_operators_file_goes_on_top() -> None:
    mine = Registry.parse(
        """
        [[predicate]]
        name = "employer"
        cardinality = "one"
        on_state = "asserts"
        [[predicate]]
        name = "vendor"
        [[values]]
        qualifier = "role"
        forms = { "chief vibes officer" = ["cvo"] }
        """
    )
    merged = DEFAULT.merged(mine)
    assert merged.policy("employer").cardinality is Cardinality.ONE
    assert merged.policy("employer").on_state is OnState.ASSERTS
    assert merged.policy("vendor").name == "vendor"
    assert merged.policy("provider").name == "supplier"
    assert dict(merged.normal_qualifiers((("role", "CVO"),))) == {"role": "chief vibes officer"}
    assert dict(merged.normal_qualifiers((("role", "CEO"),))) == {"role": "chief executive officer"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[predicate]", "not TOML"),
        ("[[predicates]]\nname='a'", "unknown field 'predicates'"),
        ("[[predicate]]\nlabel='x'", "`name` must be text and may not be missing"),
        ("[[predicate]]\nname='Works For'", "snake_case"),
        ("[[predicate]]\nname='a'\ncolour='red'", "unknown field 'colour'"),
        ("[[predicate]]\nname='a'\ncardinality='two'", "`cardinality` must be one of many"),
        ("[[predicate]]\nname='a'\ncardinality='one_per_qualifier'", "needs the names of the qualifiers"),
        ("[[predicate]]\nname='a'\ncardinality='one'\nper=['b']", "takes no `per`"),
        ("[[predicate]]\nname='a'\nper=['b']", "neither `per` nor"),
        ("[[predicate]]\nname='a'\nobject='literal'\ninverse='b'", "literal object cannot become a subject"),
        ("[[predicate]]\nname='a'\nsymmetric=true\ninverse='b'", "its own inverse"),
        ("[[predicate]]\nname='a'\nsymmetric='yes'", "must be true or false"),
        ("[[predicate]]\nname='a'\naliases='b'", "array of non-empty texts"),
        ("[[predicate]]\nname='a'\n[[predicate]]\nname='b'\naliases=['a']", "already taken by 'a'"),
        (
            "[[predicate]]\nname='a'\ncardinality='one_per_object'\nper=['r']\nexclusive={s=['x']}",
            "stand in `per`",
        ),
        ("[[predicate]]\nname='a'\npattern={r='of'}", "one *"),
        ("[[values]]\nqualifier='r'\nforms={a=['x'], b=['x']}", "stands for both"),
    ],
)
def test_a_wrong_file_is_refused_with_its_entry_and_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(Rejected) as caught:
        Registry.parse(text)
    assert caught.value.reason == "INVALID_REGISTRY"
    assert says in str(caught.value)


def test_a_huge_file_is_refused() -> None:
    with pytest.raises(LimitExceeded):
        Registry.parse("#" * ((1 << 20) + 1))


def test_an_unreadable_file_is_refused(tmp_path) -> None:
    with pytest.raises(Rejected) as caught:
        load_registry(str(tmp_path / "none.toml"))
    assert caught.value.reason == "UNREADABLE_REGISTRY"


def test_every_name_of_the_default_registry_is_normal_and_reachable() -> None:
    for policy in DEFAULT:
        for name in (policy.name, *policy.aliases, policy.inverse, *policy.inverse_aliases):
            assert not name or DEFAULT.policy(name) is policy
