"""Whether the likely referent of a pronoun or a definite noun is certain enough to be put in its place.

What a claim is about is the likeliest referent. A reader of one sentence cannot see the others, so where
the text names something else that fits, the sentence keeps the word of the text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from tidegraph.domain.documents import EntityType
from tidegraph.language.topics import HE, IT, SHE, gender_of_name
from tidegraph.language.tree import Token, subject_before
from tidegraph.language.words import words

_ORG_NOUNS: Final = words("roles", "definite_organisation")
_PLACE_NOUNS: Final = words("roles", "definite_place")
_ANY: Final = words("standing", "any_organisation")
_THEY: Final = frozenset({"they", "them", "their", "theirs"})
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass"})
_PERSON_LIKE: Final = frozenset({EntityType.PERSON, EntityType.UNSPECIFIED})
_WINDOW: Final = 2
_FAR: Final = 1
"""Further back than this many sentences, "the club" may be another one."""


class Candidate(Protocol):
    """Something that the document names."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> EntityType: ...
    @property
    def gender(self) -> str: ...
    @property
    def last_sentence(self) -> int: ...
    @property
    def last_subject(self) -> int: ...
    @property
    def certain(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a word is read among.

    ``number`` is that of its sentence; ``doubtful`` the ids of words found doubtful; ``subjects`` are the
    nouns that were subjects of this sentence and the one before, in reading order; ``title`` is what the
    document is about, ``topic`` the same where the text names it, ``kinds`` the words by which it may be
    called, ``gender`` that of whom it tells, ``boat`` whether "she" is a ship there.
    """

    number: int
    doubtful: Collection[int]
    subjects: Sequence[Token]
    named: Sequence[Candidate]
    title: str
    topic: Candidate | None
    kinds: Collection[str]
    gender: str
    boat: bool


def agrees(thing: Candidate, gender: str) -> bool:
    """Whether something may be of a gender, or for ``thing`` be no person."""
    if gender == "thing":
        return thing.type is not EntityType.UNSPECIFIED or not thing.gender
    return thing.gender in {"", gender}


def is_doubtful(
    token: Token, thing: Candidate, around: Surroundings, referents: Mapping[int, Candidate]
) -> bool:
    """Whether somebody or something else than ``thing`` may be meant as well.

    ``referents``: what tokens refer to, by their ids.
    """
    if _is_told_beside(token, thing):
        return True
    if token.lower in HE | SHE:
        return _may_be_another_person(token, thing, around, referents)
    plural = token.lower in _THEY
    if token.lower in IT and (_is_of_new(token, thing, referents) or _may_be_club(thing, around)):
        return True
    if around.title and thing.name != around.title and thing.name.split()[-1].islower():
        # "Albanian club", "main football club" may be what the title names, and are no names of it.
        return True
    if not plural and token.lower not in IT:
        # "the club" is no person, and nothing that was named long ago.
        away = around.number - thing.last_sentence > _FAR and thing.name != around.title
        person = bool(thing.gender) and token.lemma in _ORG_NOUNS
        about = around.topic is not None and around.topic is not thing
        others = about and thing.name != around.title and thing.last_sentence < around.number
        if token.lower in around.kinds:
            return _is_other_near(token, thing, around)
        other = around.title and around.topic is not None and thing is not around.topic
        if other and thing.last_sentence < around.number:
            return True
        fits = token.lemma not in _ORG_NOUNS - _ANY or token.lemma in thing.name.casefold()
        return away or person or others or not fits
    if plural and token.dep in _SUBJECTS and thing.type is EntityType.PLACE:
        return True
    before = [t for t in around.subjects if t.start < token.start]
    if plural:
        # Several that the sentence before tells of may be meant as well.
        before = [t for t in before if _root(t) is _root(token)]
        return not before or referents.get(id(before[-1])) is not thing
    if not before:
        return thing.name != around.title
    last = before[-1]
    fits = last.tag == ("NNS" if plural else "NN")
    if fits and id(last) not in referents and last.name is None:
        return True
    return all(referents.get(id(t)) is not thing or id(t) in around.doubtful for t in before)


def _is_other_near(noun: Token, thing: Candidate, around: Surroundings) -> bool:
    """ "The town" right after another town has done something."""
    kind = EntityType.ORGANISATION if noun.lemma in _ORG_NOUNS else EntityType.PLACE
    return noun.lemma in _ORG_NOUNS | _PLACE_NOUNS and any(
        t is not thing and t.type is kind and t.last_subject >= around.number - 1 for t in around.named
    )


def _may_be_club(thing: Candidate, around: Surroundings) -> bool:
    """ "Leeds is home to Harrow United. It was founded ...": of a place or of what is there; or of
    something that may be a person."""
    if thing.type is EntityType.UNSPECIFIED and thing.name != around.title:
        return True
    return thing.type is EntityType.PLACE and any(
        t.type is EntityType.ORGANISATION and t.last_sentence == around.number - 1 for t in around.named
    )


def _root(token: Token) -> Token:
    while token.head is not token:
        token = token.head
    return token


def _is_of_new(token: Token, thing: Candidate, referents: Mapping[int, Candidate]) -> bool:
    """ "Roe was allowed to make a park, but its place is unknown": something that the sentence has just told
    of, where its own subject is not meant."""
    root = _root(token)
    before = [t for t in root.subtree() if t.start < token.start]
    if any(t.dep in _SUBJECTS and referents.get(id(t)) is thing for t in before):
        return False
    return any(
        t.tag == "NN"
        and t.dep in {"dobj", "nsubj", "nsubjpass", "pobj"}
        and t.time is None
        and referents.get(id(t)) is not thing
        for t in before
    )


def _is_told_beside(token: Token, thing: Candidate) -> bool:
    """ "He persuaded Roe to leave": one who is named as the object of the same verb is not "he"."""
    if token.dep not in _SUBJECTS:
        return False
    objects = [c for c in token.head.children if c.dep in {"dobj", "dative", "iobj"} and c.name is not None]
    return any(o.text.split()[-1] == thing.name.split()[-1] for o in objects)


def _is_unknown(subject: Token | None, referents: Mapping[int, Candidate]) -> bool:
    """Whether a subject looks like a name and is none that the text has told of."""
    return (
        subject is not None
        and id(subject) not in referents
        and subject.tag == "NN"
        and subject.text[:1].isupper()
        and not any(c.i < subject.i for c in subject.children)
    )


def _is_other(subject: Token, thing: Candidate, gender: str, referents: Mapping[int, Candidate]) -> bool:
    """Whether a subject is another person whose name is of the gender."""
    others = [referents.get(id(t)) for t in (subject, *(c for c in subject.children if c.dep == "appos"))]
    return any(
        o is not None
        and o is not thing
        and (gender_of_name(o.name) == gender or (o.type is EntityType.PERSON and not gender_of_name(o.name)))
        for o in others
    )


def _may_be_another_person(
    token: Token, thing: Candidate, around: Surroundings, referents: Mapping[int, Candidate]
) -> bool:
    gender = "male" if token.lower in HE else "female"
    if _is_unknown(subject_before(token), referents):
        return True
    if around.boat and gender == "female" and thing.name == around.title:
        return any(
            t is not thing and t.last_sentence >= around.number - 1 and t.type is not EntityType.PLACE
            for t in around.named
        )
    if around.gender and around.gender != gender and gender_of_name(thing.name) != gender:
        # In a text about a woman only a man's name tells who "he" is.
        return True
    beside = [t for t in around.subjects if t.start < token.start and _root(t) is _root(token)]
    free = token.dep in _SUBJECTS or token.tag == "PRP$"
    if free and any(t.name is not None and referents.get(id(t)) is not thing for t in beside):
        return True
    if thing is around.topic or thing.name == around.title:
        # "As a young man William was a clerk, until he ...", in a text about his brother.
        return any(_is_other(t, thing, gender, referents) for t in around.subjects if t.start < token.start)
    if around.gender == gender:
        # In a text about a man another man is "he" only in his own sentence.
        return thing.last_subject < around.number
    others = (t for t in around.named if t is not thing and t.last_sentence >= around.number - _WINDOW)
    if any(t.type in _PERSON_LIKE and gender_of_name(t.name) in {"", gender} and t.certain for t in others):
        return True
    nearer = any(
        t is not thing and t.last_sentence >= thing.last_sentence and gender_of_name(t.name) == gender
        for t in around.named
    )
    nearer = nearer or any(
        t is not thing
        and t.type in _PERSON_LIKE
        and not gender_of_name(t.name)
        and t.last_subject == around.number - 1
        for t in around.named
    )
    unsure = nearer or thing.last_sentence < around.number - 1
    return unsure or (not thing.certain and gender_of_name(thing.name) != gender)
