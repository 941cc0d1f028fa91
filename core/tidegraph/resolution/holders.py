"""Who else in a document bears a short name: the other Kronborgs when "Mrs. Kronborg" is met."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.resolution.folding import is_latin
from tidegraph.resolution.grades import CONFLICTS
from tidegraph.resolution.persons import person, person_match
from tidegraph.resolution.profiles import Profile

_APART: Final = CONFLICTS | {"none", "crossed", "alike"}


class Holders:
    """Full personal names of each document by the words that a short form may keep of them."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self._full: dict[tuple[str, str], set[str]] = defaultdict(set)
        for profile in profiles:
            if profile.type is not EntityType.PERSON:
                continue
            for name in profile.names:
                parts = person(name)
                if is_latin(name) and (len(parts.all_words) > 1 or parts.gender):
                    for document in profile.documents:
                        for word in parts.all_words:
                            self._full[document, word].add(name)

    def rivals(self, a: Profile, b: Profile) -> bool:
        """True when the short name of the two also fits somebody else in a document of both.

        Somebody else is a full (or titled) name that contradicts the longer name of the two.
        """
        short, long = sorted((a, b), key=lambda p: (max(_size(n) for n in p.names), p.entity_id))
        for name in short.names:
            for document in short.documents & long.documents:
                for word in person(name).all_words:
                    for other in self._full.get((document, word), ()):
                        if person_match(name, other).kind in _APART:
                            continue
                        if all(person_match(full, other).kind in _APART for full in long.names):
                            return True
        return False


def _size(name: str) -> int:
    return len(person(name).all_words)
