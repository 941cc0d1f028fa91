"""Claims of a list: what the line above it says ("The following people joined the docs team on 3 May:") of
each of its items ("- Ada Poll")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tidegraph.language import nominals, rules
from tidegraph.language.blocks import BlockKind
from tidegraph.language.claims import Claim
from tidegraph.language.clauses import Clause, clauses, spell_out
from tidegraph.language.passages import Passage
from tidegraph.language.status import Stance, stance
from tidegraph.language.tree import Sentence, Token

_MAX_ITEM_WORDS: Final = 10
_BREAKS: Final = frozenset({":", ";", "-", "–", "—", "=", "|"})
_PAST: Final = frozenset({"former", "past", "previous", "formerly", "previously", "ex"})


def read(lead: Passage | None, item: Passage) -> list[tuple[Claim, Stance]]:
    """The claims of an item by the sentence that leads its list; none where item or lead say more."""
    if lead is None or not lead.trusted or not lead.sentences or len(item.sentences) != 1:
        return []
    sentence = lead.sentences[-1]
    heading = lead.block.kind is BlockKind.HEADING
    if not heading and not lead.unit.text.rstrip().endswith(":"):
        return []
    heads = _heads(item.sentences[0])
    if not heads:
        return []
    found = clauses(sentence)
    if not any(t.tag in {"VBZ", "VBD", "VBP", "MD"} and t.name is None for t in sentence.tokens):
        if _PAST & {t.lower for t in sentence.tokens}:
            # When they were it is not told.
            return []
        return nominals.headline([t for t in sentence.tokens if t.text != ":"], heads, sentence, found)
    return [] if heading else list(_of_clauses(found, heads))


def _of_clauses(found: list[Clause], heads: list[Token]) -> Iterator[tuple[Claim, Stance]]:
    for clause in found:
        slots = {
            slot: [h for t in tokens for h in (heads if rules.is_listing(t) else [t])]
            for slot, tokens in clause.slots.items()
        }
        if clause.lemma == "be" and not clause.passive and set(slots) == {"subj"}:
            slots["comp"] = heads
        if slots != clause.slots:
            attitude = stance(clause)
            whole = replace(clause, slots=slots)
            yield from ((claim, attitude) for claim in rules.of_clause(whole, attitude, []))


def _heads(item: Sentence) -> list[Token]:
    """What an item names, if it is nothing but one name or noun phrase, or a list of some."""
    tokens = [t for t in item.tokens if t.text not in {".", ",", "*"}]
    if not tokens or len(tokens) > _MAX_ITEM_WORDS:
        return []
    said = any(
        t.time is not None or t.text in _BREAKS or t.pos in {"VERB", "AUX"} for t in tokens if t.name is None
    )
    root = item.root
    if said or not (root.name is not None or root.tag[:2] == "NN"):
        return []
    return spell_out(root)
