"""Who is meant: names, short forms, pronouns and definite nouns of one document, in reading order.

Rule-based and cautious: where two referents are possible the word stays unresolved, and the event
says so. Another resolver can be put in its place (:class:`Coreferencer`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from tidegraph.domain.documents import EntityType
from tidegraph.language.phrases import Ref, is_group, reference
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import words

_MALE: Final = words("names", "given_names_male")
_FEMALE: Final = words("names", "given_names_female")
_ORG_NOUNS: Final = words("roles", "definite_organisation")
_PERSON_NOUNS: Final = words("roles", "definite_person")
_PLACE_NOUNS: Final = words("roles", "definite_place")
_HE: Final = frozenset({"he", "him", "his", "himself"})
_SHE: Final = frozenset({"she", "her", "hers", "herself"})
_IT: Final = frozenset({"it", "its", "itself"})
_THEY: Final = frozenset({"they", "them", "their", "theirs"})
PRONOUNS: Final = _HE | _SHE | _IT | _THEY
_DEFINITE: Final = frozenset({"the", "this", "that", "its", "their", "his", "her"})
_MEMORY: Final = 40


@dataclass(slots=True, eq=False)
class Thing:
    """One thing that the document names: its fullest name, what it is, where it was named."""

    name: str
    type: EntityType
    gender: str
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    last_sentence: int = -1
    last_subject: int = -1
    group: bool = False
    certain: bool = False

    def sharpen(self, kind: EntityType) -> None:
        """Take a kind that the text shows; a kind that is known already stays."""
        if self.type in {EntityType.UNSPECIFIED, EntityType.OTHER}:
            self.type = kind


@dataclass(slots=True)
class Resolution:
    """Referents by token; ``unclear`` are pronouns and definite nouns without one."""

    things: list[Thing] = field(default_factory=list)
    referents: dict[int, Thing] = field(default_factory=dict)
    unclear: set[int] = field(default_factory=set)

    def of(self, token: Token) -> Thing | None:
        """What the token refers to."""
        return self.referents.get(id(token))


class Coreferencer(Protocol):
    """Finds the referents of a document's names, pronouns and definite nouns."""

    def resolve(self, sentences: Sequence[Sentence], title: str) -> Resolution:
        """One pass over the sentences of a document part, in reading order."""
        ...


class RuleCoreferencer:
    """Nearest agreeing referent, subjects first."""

    def resolve(self, sentences: Sequence[Sentence], title: str) -> Resolution:
        """See :class:`Coreferencer`. Linear: a bounded number of candidates is looked at."""
        state = _State(title)
        for number, sentence in enumerate(sentences):
            for token in sentence.tokens:
                state.read(token, number)
        return state.resolution


class _State:
    def __init__(self, title: str) -> None:
        self.resolution = Resolution()
        self.by_key: dict[str, Thing] = {}
        self.recent: list[Thing] = []
        self.title = title.casefold().strip()

    def read(self, token: Token, number: int) -> None:
        thing: Thing | None = None
        if token.name is not None:
            if token.head is not token and token.dep in {"compound", "nmod", "amod"} and is_group(token.head):
                return
            thing = self._named(reference(token))
        elif is_group(token):
            ref = reference(token)
            thing = self._named(ref) if ref.named and not _is_generic(token) else self._definite(token)
        elif token.lower in PRONOUNS and token.tag.startswith("PRP"):
            thing = self._pronoun(token, number)
            if thing is None:
                self.resolution.unclear.add(id(token))
        elif token.lemma in _ORG_NOUNS | _PERSON_NOUNS | _PLACE_NOUNS and token.tag == "NN":
            thing = self._definite(token)
        if thing is None:
            return
        self.resolution.referents[id(token)] = thing
        thing.last_sentence = number
        if token.dep in {"nsubj", "nsubjpass"}:
            thing.last_subject = number
        if thing in self.recent:
            self.recent.remove(thing)
        self.recent.append(thing)
        del self.recent[:-_MEMORY]

    def _named(self, ref: Ref) -> Thing:
        key = _key(ref.text)
        thing = self.by_key.get(key) or self._short_form(ref, key)
        if thing is None:
            thing = Thing(ref.text, ref.type, _gender(ref), group=is_group(ref.token))
            self.resolution.things.append(thing)
            self._learn(thing, key)
        thing.sharpen(ref.type)
        thing.certain |= ref.token.name is not None and ref.token.name.certain
        thing.spans.append((ref.start, ref.end, ref.text))
        return thing

    def _learn(self, thing: Thing, key: str) -> None:
        self.by_key.setdefault(key, thing)
        parts = key.split()
        if len(parts) > 1 and not thing.group:
            self.by_key.setdefault(f"last:{parts[-1]}", thing)
            self.by_key.setdefault(f"first:{parts[0]}", thing)
            initials = "".join(p[0] for p in parts if p not in {"of", "the", "and", "for", "in"})
            if len(initials) > 2:
                self.by_key.setdefault(f"initials:{initials}", thing)

    def _short_form(self, ref: Ref, key: str) -> Thing | None:
        """A surname after the full name, an acronym after its expansion, a company without its form."""
        if " " in key or is_group(ref.token):
            return None
        if ref.text.isupper() and len(key) > 2 and (found := self.by_key.get(f"initials:{key}")):
            return found
        found = self.by_key.get(f"last:{key}")
        company = found is not None and found.type is EntityType.ORGANISATION and found.certain
        if found and not company and found.type is not EntityType.PLACE and ref.type is not EntityType.PLACE:
            return found
        found = self.by_key.get(f"first:{key}")
        if (
            found
            and found.type is EntityType.ORGANISATION
            and ref.type in {EntityType.ORGANISATION, EntityType.UNSPECIFIED}
        ):
            return found
        person = found is not None and found.type is EntityType.PERSON and found.gender != ""
        return found if person and ref.type in {EntityType.PERSON, EntityType.UNSPECIFIED} else None

    def _pronoun(self, token: Token, number: int) -> Thing | None:
        if token.lower in _HE:
            return self._best(number, (EntityType.PERSON, EntityType.UNSPECIFIED), "male")
        if token.lower in _SHE:
            return self._best(number, (EntityType.PERSON, EntityType.UNSPECIFIED), "female")
        if token.lower in _IT or token.lower in _THEY:
            bound = self._bound(token)
            if bound is not None:
                return bound
        if token.lower in _IT:
            return self._best(
                number,
                (EntityType.ORGANISATION, EntityType.OTHER, EntityType.PLACE, EntityType.UNSPECIFIED),
                "thing",
            )
        return self._best(number, (EntityType.ORGANISATION,), "thing")

    def _bound(self, token: Token) -> Thing | None:
        """ "Acme replaced its chief executive": the possessor is the subject, unless that is a person."""
        if token.tag != "PRP$":
            return None
        current = token
        while current.head is not current:
            current = current.head
            subject = current.child("nsubj", "nsubjpass")
            if subject is not None and subject.i < token.i:
                thing = self.resolution.of(subject)
                if thing is None or (
                    token.lower in _THEY and thing.certain and thing.type is EntityType.PERSON
                ):
                    return None
                if token.lower in _IT and thing.type is EntityType.PERSON:
                    # "Carl Zeiss replaced its chief executive": no person.
                    thing.type, thing.gender = EntityType.ORGANISATION, ""
                thing.sharpen(EntityType.ORGANISATION)
                return thing
        return None

    def _best(self, number: int, kinds: Sequence[EntityType], gender: str) -> Thing | None:
        """The nearest agreeing thing; subjects first, then the thing that the title names."""
        fitting = [
            t for t in self.recent if t.type in kinds and _agrees(t, gender) and number - t.last_sentence <= 4
        ]
        if not fitting:
            return self._of_title(kinds, gender)
        topic = self._of_title(kinds, gender)
        if topic is not None and topic in fitting and gender != "thing":
            # What the document is about is meant before whoever was named by the way.
            return topic
        known = [t for t in fitting if t.type is not EntityType.UNSPECIFIED] or fitting
        return max(known, key=lambda t: (t.last_subject >= number - 1, t.last_subject, t.last_sentence))

    def _of_title(self, kinds: Sequence[EntityType], gender: str) -> Thing | None:
        thing = self.by_key.get(self.title) or self.by_key.get(
            f"last:{self.title.split()[-1]}" if self.title else ""
        )
        return thing if thing is not None and thing.type in kinds and _agrees(thing, gender) else None

    def _definite(self, token: Token) -> Thing | None:
        """ "the company", "this team": the last thing of that kind."""
        determiner = next((c for c in token.children if c.dep in {"det", "poss"}), None)
        if determiner is None or determiner.lower not in _DEFINITE:
            return None
        # "the company that ...", "the board of Acme" tell what they are by themselves.
        if any(c.dep in {"relcl", "prep", "acl", "amod", "appos"} for c in token.children):
            return None
        if is_group(token) and token.lemma in {
            "team",
            "group",
            "committee",
            "board",
            "council",
            "party",
            "club",
            "project",
            "department",
        }:
            found = [
                t for t in self.recent if t.type is EntityType.ORGANISATION and token.lemma in t.name.lower()
            ]
            if not found and token.lemma in {
                "board",
                "team",
                "department",
                "council",
                "committee",
                "project",
            }:
                return None
            pool: Iterable[Thing] = found or [t for t in self.recent if t.type is EntityType.ORGANISATION]
        elif token.lemma in _PERSON_NOUNS:
            pool = [t for t in self.recent if t.type is EntityType.PERSON]
        elif token.lemma in _PLACE_NOUNS:
            pool = [t for t in self.recent if t.type is EntityType.PLACE]
        else:
            pool = [t for t in self.recent if t.type is EntityType.ORGANISATION]
        pool = list(pool)
        if not pool:
            self.resolution.unclear.add(id(token))
            return None
        return pool[-1]


def _key(text: str) -> str:
    lowered = text.casefold()
    return lowered.removeprefix("the ").strip()


def _is_generic(token: Token) -> bool:
    """ "a new team", "every department" name nothing."""
    return any(
        c.dep == "det" and c.lower in {"a", "an", "any", "every", "each", "no", "some"}
        for c in token.children
    )


def _gender(ref: Ref) -> str:
    first = ref.text.casefold().split()[:1]
    if not first or ref.type in {EntityType.ORGANISATION, EntityType.PLACE}:
        return ""
    male, female = first[0] in _MALE, first[0] in _FEMALE
    return "male" if male and not female else "female" if female and not male else ""


def _agrees(thing: Thing, gender: str) -> bool:
    if gender == "thing":
        return thing.type is not EntityType.UNSPECIFIED or not thing.gender
    return thing.gender in {"", gender}
