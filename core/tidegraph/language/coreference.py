"""Who is meant: names, short forms, pronouns and definite nouns of one document, in reading order.

Cautious: where two referents are possible the word stays unresolved, and the event says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from tidegraph.domain.documents import EntityType
from tidegraph.language.doubt import Surroundings, agrees, is_doubtful
from tidegraph.language.phrases import Ref, is_group, reference
from tidegraph.language.topics import (
    HE,
    IT,
    SHE,
    bracketed_kind,
    gender_of,
    is_called_by_given,
    is_expletive,
    is_generic,
    key_of,
    may_be_person,
    same_kind,
    told_gender,
)
from tidegraph.language.tree import Sentence, Token, subject_before
from tidegraph.language.words import words

_ORG_NOUNS: Final = words("roles", "definite_organisation")
_PERSON_NOUNS: Final = words("roles", "definite_person")
_PLACE_NOUNS: Final = words("roles", "definite_place")
_THEY: Final = frozenset({"they", "them", "their", "theirs"})
_JUNIOR: Final = re.compile(r",?\s+(?:jr|sr|ii|iii|iv)\.?$")
_OPENING: Final = 3
_BRACKETED: Final = re.compile(r"\s*\([^()]*\)$")
_DEFINITE_NOUNS: Final = _ORG_NOUNS | _PERSON_NOUNS | _PLACE_NOUNS
_MAX_TITLE_WORDS: Final = 10
PRONOUNS: Final = HE | SHE | IT | _THEY
_DEFINITE: Final = frozenset({"the", "this", "that", "its", "their", "his", "her"})
_MEMORY: Final = 40
_NAMED_GROUPS: Final = frozenset({"group", "party", "club"})
_PARTS: Final = frozenset({"board", "team", "department", "council", "committee", "project"})
_SUBJECTS_KEPT: Final = 6
_PERSON_LIKE: Final = frozenset({EntityType.PERSON, EntityType.UNSPECIFIED})
_MAX_PERSON_WORDS: Final = 6


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
    """Referents by token; ``unclear`` are pronouns and definite nouns without one, ``doubtful`` words with a
    likely one beside which the text names another that fits: what is shown to a reader keeps the word.
    ``topic`` is what the title names, if the text names it too."""

    things: list[Thing] = field(default_factory=list)
    referents: dict[int, Thing] = field(default_factory=dict)
    unclear: set[int] = field(default_factory=set)
    doubtful: set[int] = field(default_factory=set)
    topic: Thing | None = None
    about_person: bool = False

    def of(self, token: Token) -> Thing | None:
        """What the token refers to."""
        return self.referents.get(id(token))


class Coreferencer(Protocol):
    """Finds the referents of a document's names, pronouns and definite nouns."""

    def resolve(self, sentences: Sequence[Sentence], title: str) -> Resolution:
        """One pass over the sentences of a document part, in reading order."""


class RuleCoreferencer:
    """Nearest agreeing referent, subjects first."""

    def resolve(self, sentences: Sequence[Sentence], title: str) -> Resolution:
        """See :class:`Coreferencer`. Linear: a bounded number of candidates is looked at."""
        state = _State(title, told_gender(sentences, title), by_given=is_called_by_given(sentences, title))
        for number, sentence in enumerate(sentences):
            for token in sentence.tokens:
                state.read(token, number)
        state.resolution.topic = state.topic()
        state.resolution.about_person = state.person
        return state.resolution


class _State:
    def __init__(self, title: str, gender: str, *, by_given: bool) -> None:
        self.resolution = Resolution()
        self.by_key: dict[str, Thing] = {}
        self.recent: list[Thing] = []
        self.written = _BRACKETED.sub("", " ".join(title.split()))
        self.title = _JUNIOR.sub("", self.written.casefold())
        words_ = self.title.split()
        self.person = bool(gender) and may_be_person(self.written)
        self.title_words = set(words_ if len(words_) <= _MAX_TITLE_WORDS and not self.person else ())
        self.title_words |= set() if self.person else bracketed_kind(title)
        self.gender = gender if self.person else ""
        self.by_given = by_given and self.person
        self.boat = gender == "female" and not self.person
        self.subjects: list[tuple[int, Token]] = []

    def read(self, token: Token, number: int) -> None:
        thing: Thing | None = None
        if token.dep in {"nsubj", "nsubjpass"} and token.tag.startswith("NN") and token.time is None:
            self.subjects = [*self.subjects[-_SUBJECTS_KEPT:], (number, token)]
        if token.name is not None:
            if token.head is not token and token.dep in {"compound", "nmod", "amod"} and is_group(token.head):
                return
            thing = self._named(reference(token))
        elif is_group(token):
            ref = reference(token)
            thing = self._named(ref) if ref.named and not is_generic(token) else self._definite(token)
        elif token.lower in PRONOUNS and token.tag.startswith("PRP"):
            thing = self._pronoun(token, number)
            if thing is None and not is_expletive(token):
                self.resolution.unclear.add(id(token))
        elif token.tag == "NN" and (token.lemma in _DEFINITE_NOUNS or token.lower in self.title_words):
            thing = self._definite(token)
        if thing is None:
            if token.dep == "attr" and token.tag == "NN" and number < _OPENING and not self.person:
                self._learn_kind(token)
            return
        self.resolution.referents[id(token)] = thing
        if token.name is None and self._is_doubtful(token, thing, number):
            self.resolution.doubtful.add(id(token))
        thing.last_sentence = number
        if token.dep in {"nsubj", "nsubjpass"}:
            thing.last_subject = number
        if thing in self.recent:
            self.recent.remove(thing)
        self.recent.append(thing)
        del self.recent[:-_MEMORY]

    def _named(self, ref: Ref) -> Thing:
        key = key_of(ref.text)
        thing = self.by_key.get(key) or self._short_form(ref, key)
        if thing is None:
            thing = Thing(ref.text, ref.type, gender_of(ref), group=is_group(ref.token))
            self.resolution.things.append(thing)
            self._learn(thing, key)
            if self.gender and self._is_topic(thing, key):
                thing.type = EntityType.PERSON
                thing.gender = thing.gender or self.gender
            elif not self.person and key == self.title and thing.type is EntityType.PERSON:
                # A text that tells of its title by "it" is about no person.
                thing.type, thing.gender = EntityType.OTHER, ""
        thing.sharpen(ref.type)
        thing.certain |= ref.token.name is not None and ref.token.name.certain
        thing.spans.append((ref.start, ref.end, ref.text))
        return thing

    def _learn_kind(self, token: Token) -> None:
        """ "U-66 was a submarine": the text may call what its title names so from now on."""
        subject = token.head.child("nsubj")
        thing = self.resolution.of(subject) if subject is not None else None
        if thing is not None and (thing.name == self.written or key_of(thing.name) == self.title):
            self.title_words |= same_kind(token.lower) or {token.lower}

    def _is_topic(self, thing: Thing, key: str) -> bool:
        """Whether a thing that may be a person is what the title names: in full, or by surname."""
        if thing.certain or not self.title:
            return False
        same = key.rsplit(maxsplit=1)[-1] == self.title.rsplit(maxsplit=1)[-1]
        return key == self.title or (" " in key and same)

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
        if is_group(ref.token):
            return None
        if " " in key:
            return self._fuller(ref, key)
        if ref.text.isupper() and len(key) > 2 and (found := self.by_key.get(f"initials:{key}")):
            return found
        if self.by_given and self._names_topic(key):
            return None
        found = self.by_key.get(f"last:{key}")
        if found is not None and found.type is EntityType.PERSON and self.gender and self._names_topic(key):
            # "François" after "Curt von François", whatever the recogniser takes it for.
            return found
        maybe = found is not None and (
            found.type is EntityType.PERSON
            or (
                found.type is EntityType.UNSPECIFIED
                and ref.type in _PERSON_LIKE
                and found.name != self.written
            )
        )
        maybe = maybe and ref.type is not EntityType.PLACE
        if found is not None and maybe and len(found.name.split()) <= _MAX_PERSON_WORDS:
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

    def _names_topic(self, key: str) -> bool:
        return self.title.split()[-1:] == [key]

    def _fuller(self, ref: Ref, key: str) -> Thing | None:
        """ "Diane Roe" after "Ada Diane Roe": all words of the one in the other, in the same order."""
        found = self.by_key.get(f"last:{(parts := key.split())[-1]}")
        if found is None or found.type not in _PERSON_LIKE or ref.type not in _PERSON_LIKE:
            return None
        fuller = key_of(found.name).split()
        left = iter(fuller)
        inside = all(part in left for part in parts) and (parts[0] == fuller[0] or key == self.title)
        return found if inside and len(fuller) <= _MAX_PERSON_WORDS else None

    def _pronoun(self, token: Token, number: int) -> Thing | None:
        for forms, gender in ((HE, "male"), (SHE, "female")):
            if token.lower in forms:
                thing = self._owner(token, gender) or self._person(token, number, gender)
                if thing is not None:
                    thing.sharpen(EntityType.PERSON)
                    thing.gender = thing.gender or gender
                return thing
        if token.lower in IT or token.lower in _THEY:
            bound = self._bound(token)
            if bound is not None:
                return bound
        if is_expletive(token):
            return None
        kinds = (EntityType.ORGANISATION, EntityType.OTHER, EntityType.PLACE, EntityType.UNSPECIFIED)
        if token.lower in IT:
            return self._thing(number, kinds)
        found = self._thing(number, (EntityType.ORGANISATION,))
        return found if found is not None and (found.group or found.certain) else None

    def _is_doubtful(self, token: Token, thing: Thing, number: int) -> bool:
        near = [t for n, t in self.subjects if n >= number - 1]
        topic = self.by_key.get(self.title)
        about = (self.recent, self.written, topic, self.title_words, self.gender, self.boat)
        return is_doubtful(
            token,
            thing,
            Surroundings(number, self.resolution.doubtful, near, *about),
            self.resolution.referents,
        )

    def _owner(self, token: Token, gender: str) -> Thing | None:
        """ "Roe sold his share": the possessor is the person of whom the clause tells."""
        if token.tag != "PRP$":
            return None
        first = token.head.head
        joined = token.head.dep == "conj" and first.name is not None and token.head.i == token.i + 1
        # "Roe and his brother" under another subject
        subject = first if joined else subject_before(token)
        thing = self.resolution.of(subject) if subject is not None else None
        person = thing is not None and thing.type in _PERSON_LIKE and agrees(thing, gender)
        return thing if person else None

    def _person(self, token: Token, number: int, gender: str) -> Thing | None:
        """The nearest agreeing person who is not the subject of the same verb ("Poll asked him")."""
        other: Thing | None = None
        if token.dep in {"dobj", "dative", "iobj"}:
            subject = token.head.child("nsubj", "nsubjpass")
            other = self.resolution.of(subject) if subject is not None else None
        return self._best(number, (EntityType.PERSON, EntityType.UNSPECIFIED), gender, other)

    def _thing(self, number: int, kinds: Sequence[EntityType]) -> Thing | None:
        """What "it" means: the subject of this or the last sentence, else what the document is about."""
        near = [t for t in self.recent if t.type in kinds and agrees(t, "thing")]
        near = [t for t in near if t.last_subject >= number - 1 and t.last_subject >= 0]
        known = [t for t in near if t.type is not EntityType.UNSPECIFIED] or near
        if known:
            return max(known, key=lambda t: (t.last_subject, t.last_sentence))
        return self._of_title(kinds, "thing")

    def _bound(self, token: Token) -> Thing | None:
        """ "Acme replaced its chief executive": the possessor is the subject, unless that is a person."""
        if token.tag != "PRP$":
            return None
        subject = subject_before(token)
        thing = self.resolution.of(subject) if subject is not None else None
        if subject is None or thing is None:
            return None
        if token.head.dep in {"attr", "oprd"} and token.head.head is subject.head:
            # "Poll was appointed its head": somebody is not the head of themselves.
            return None
        if token.lower in _THEY and thing.certain and thing.type is EntityType.PERSON:
            return None
        if token.lower in IT and thing.gender and (thing.certain or self.gender):
            return None
        if token.lower in IT and thing.type is EntityType.PERSON:
            # "Carl Zeiss replaced its chief executive": no person.
            thing.type, thing.gender = EntityType.ORGANISATION, ""
        thing.sharpen(EntityType.ORGANISATION)
        return thing

    def _best(
        self, number: int, kinds: Sequence[EntityType], gender: str, other: Thing | None
    ) -> Thing | None:
        """The nearest agreeing person; subjects first, then whom the title names. ``other`` is barred."""
        fitting = [
            t
            for t in self.recent
            if t is not other and t.type in kinds and agrees(t, gender) and number - t.last_sentence <= 4
            if self.person or t.name != self.written
        ]
        topic = self._of_title(kinds, gender)
        if self.boat and gender == "female" and not any(t.gender == gender for t in fitting):
            return self.by_key.get(self.title)
        if not fitting:
            return topic if topic is not other else None
        if topic is not None and topic in fitting:
            # What the document is about is meant before whoever was named by the way.
            return topic
        known = [t for t in fitting if t.type is not EntityType.UNSPECIFIED] or fitting
        return max(known, key=lambda t: (t.gender == gender, t.last_subject >= number - 1, t.last_subject))

    def _of_title(self, kinds: Sequence[EntityType], gender: str) -> Thing | None:
        thing = self.by_key.get(self.title) or self.by_key.get(
            f"last:{self.title.split()[-1]}" if self.title else ""
        )
        return thing if thing is not None and thing.type in kinds and agrees(thing, gender) else None

    def _definite(self, token: Token) -> Thing | None:
        """ "the company", "this team": the last thing of that kind."""
        determiner = next((c for c in token.children if c.dep in {"det", "poss"}), None)
        if token.tag == "NNS" or determiner is None or determiner.lower not in _DEFINITE:
            return None
        # "the company that ...", "the board of Acme" tell what they are by themselves.
        if any(c.dep in {"relcl", "prep", "acl", "amod", "compound"} for c in token.children):
            return None
        if token.lower in self.title_words and determiner.lower in {"the", "this"}:
            return self._topic(token)
        if any(c.dep == "appos" for c in token.children):
            return None
        if is_group(token) and token.lemma in _NAMED_GROUPS | _PARTS:
            groups = [t for t in self.recent if t.type is EntityType.ORGANISATION]
            found = [t for t in groups if token.lemma in t.name.lower()]
            if not found and token.lemma in _PARTS:
                return None
            pool: Iterable[Thing] = found or groups
        elif token.lemma in _PERSON_NOUNS:
            pool = [t for t in self.recent if t.type is EntityType.PERSON]
        elif token.lemma in _PLACE_NOUNS:
            pool = [t for t in self.recent if t.type is EntityType.PLACE]
        else:
            pool = [t for t in self.recent if t.type is EntityType.ORGANISATION]
        if not (last := list(pool)[-1:]):
            self.resolution.unclear.add(id(token))
        return last[0] if last else None

    def topic(self) -> Thing | None:
        """What the title names, where the text names it, if by a longer name."""
        whom = self._of_title((EntityType.PERSON,), self.gender) if self.person else None
        return self.by_key.get(self.title) or whom

    def _topic(self, token: Token) -> Thing:
        """What the title names, meant by a noun of it ("the statue"), at this place if nowhere before."""
        thing = self.by_key.get(self.title)
        if thing is None:
            thing = Thing(self.written, EntityType.OTHER, "")
            self.resolution.things.append(thing)
            self.by_key[self.title] = thing
        if not thing.spans:
            thing.spans.append((token.start, token.end, token.text))
        return thing
