"""Events of sentences that do not stand alone, with title, section and what was said before.

What was said before is given in the words of the text: a wrong referent in it would make a true event false.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidegraph.domain.documents import EntityType, Event, GroundedDocument, TimeState
from tidegraph.language.admission import has_hole
from tidegraph.language.blocks import BlockKind
from tidegraph.language.coreference import Resolution
from tidegraph.language.event_times import ASIDE
from tidegraph.language.leaning import (
    after,
    is_left_open,
    is_loose_subject,
    is_torn,
    is_vague,
    is_verbless,
    leans,
    merged,
    names_nothing,
    points_back,
    statement,
    tells_little,
    tells_occasion,
)
from tidegraph.language.loose_times import COUNTED
from tidegraph.language.narrative import NARRATIVE
from tidegraph.language.passages import Passage
from tidegraph.language.selfcontained import (
    goes_on,
    is_compared,
    is_counted_on,
    is_elliptic,
    lacks_year,
    misses_contest,
    names_contest,
    points_outside,
)
from tidegraph.language.strangers import (
    follows,
    is_named_in,
    is_of_an_hour,
    is_of_unnamed,
    is_told_by_itself,
    is_told_later,
    strangers,
)
from tidegraph.language.times import CARRIED
from tidegraph.language.topics import HE, SHE
from tidegraph.language.tree import Sentence
from tidegraph.language.words import words

_KINDS: Final = words("standing", "kinds_of_topics")
_NEAR_CHARS: Final = 3
_MOST_SAID: Final = 2
_MIN_CLAUSE: Final = 3
_NAMED_TYPES: Final = frozenset({EntityType.ORGANISATION, EntityType.PLACE, EntityType.PERSON})
_MIN_TITLE_WORD: Final = 4


@dataclass(slots=True)
class Story:
    """The events of a document so far. ``section``: the first of the section that is read, ``last``: how many
    the last sentence made, ``told``: the last sentences of the section with their words."""

    document: GroundedDocument
    base: int
    resolution: Resolution
    events: list[Event]
    section: int = 0
    last: int = 0
    told: list[tuple[Sentence, str]] = field(default_factory=list)

    def words_of(self, sentence: Sentence) -> str:
        """A sentence in the words of the text."""
        return " ".join(self.document.text[sentence.start - self.base : sentence.end - self.base].split())


def standing(own: list[Event], sentence: Sentence, passage: Passage, story: Story) -> list[Event]:
    """The events of a sentence that can be understood; the sentence is remembered for those that follow."""
    found = _standing(own, sentence, passage, story)
    story.told = [*story.told[1 - _MOST_SAID :], (sentence, story.words_of(sentence))]
    return found


def _standing(own: list[Event], sentence: Sentence, passage: Passage, story: Story) -> list[Event]:
    """The events of a sentence as they are, joined with the one before, or with title, section and what was
    said before, where they lean on them. A joined event replaces the last of the story."""
    later = passage.block.kind is BlockKind.ITEM and sentence is not passage.sentences[0]
    if later and is_verbless(sentence):
        return []
    if not own or not (later or passage.block.kind is BlockKind.PARAGRAPH):
        return [] if _is_bare_line(sentence, passage, story.resolution) else own
    found = []
    for event in own:
        told = _words_of(event, sentence)
        needs = _Needs.of(told, story.resolution, passage.title, torn=is_torn(sentence))
        if not names_contest(told, story.resolution) or is_told_by_itself(told, story.resolution):
            continue
        timeless = event.time_state is not TimeState.DATED or event.time_rule_id.startswith(NARRATIVE)
        if timeless and not _is_whole(event, sentence, needs, story.resolution):
            continue
        joint = _joint(event, sentence, story) if needs.leaning and len(own) == 1 else None
        if joint is not None:
            story.events.pop()
            return [joint]
        stood = _stood(event, sentence, needs, passage, story)
        if stood is not None:
            found.append(stood)
    return found


def _is_bare_line(sentence: Sentence, passage: Passage, resolution: Resolution) -> bool:
    """ "Cup : 1996" under "Harrow": names under a name, and no word for what the one is to the other."""
    heading = passage.headings[-1].casefold() if passage.headings else ""
    if (
        passage.lead
        or not heading
        or not any(t.name.casefold() == heading and t.type in _NAMED_TYPES for t in resolution.things)
    ):
        return False
    return is_verbless(sentence) and not any(
        t.tag in {"NN", "NNS"} and t.text[:1].islower() and t.time is None for t in sentence.tokens
    )


@dataclass(frozen=True, slots=True)
class _Needs:
    """What the words of an event ask of the text before them."""

    leaning: bool
    vague: bool
    occasion: bool
    strangers: tuple[str, ...] = ()

    @classmethod
    def of(cls, told: Sentence, resolution: Resolution, title: str, *, torn: bool) -> _Needs:
        bare = names_nothing(told, resolution) or tells_little(told)
        vague = is_vague(told, resolution) or is_elliptic(told) or bare
        unknown = tuple(strangers(told, resolution, title))
        leaning = leans(told, resolution) or torn or follows(told)
        return cls(leaning, vague or bool(unknown), tells_occasion(told), unknown)


def _words_of(event: Event, sentence: Sentence) -> Sentence:
    """The words of a sentence that an event tells, with the subject that they share with others."""
    own = [t for t in sentence.tokens if event.start_char <= t.start and t.end <= event.end_char]
    if not own or len(own) == len(sentence.tokens):
        return sentence
    subject = sentence.root.child("nsubj", "nsubjpass")
    if subject is not None and not any(t.dep in {"nsubj", "nsubjpass"} for t in own):
        inside = {id(t) for t in own}
        own = [*(t for t in subject.subtree() if id(t) not in inside), *own]
    return Sentence(own)


def _is_whole(event: Event, sentence: Sentence, needs: _Needs, resolution: Resolution) -> bool:
    """Whether an event without a time says by itself of what it tells."""
    told = _words_of(event, sentence)
    if needs.leaning or needs.vague or needs.occasion or goes_on(told):
        return False
    if misses_contest(told) or points_outside(told, resolution):
        return False
    if is_compared(told) or is_counted_on(told) or is_of_an_hour(told) or is_of_unnamed(told, resolution):
        return False
    if told is not sentence and is_told_later(told):
        return False
    unknown = event.time_state is TimeState.UNRESOLVED and event.time_rule_id != ASIDE
    return not unknown or not lacks_year(t.time for t in told.tokens if t.time is not None)


def _joint(event: Event, sentence: Sentence, story: Story) -> Event | None:
    previous = _near(sentence, story) if story.last == 1 else None
    return merged(previous, [event], story.document.chunks) if previous is not None else None


def _stood(event: Event, sentence: Sentence, needs: _Needs, passage: Passage, story: Story) -> Event | None:
    """An event with what it needs; None where the text does not give it."""
    title = passage.title
    counted = event.time_rule_id.startswith(COUNTED)
    said: list[str] = []
    if needs.leaning or needs.vague or needs.occasion or counted:
        said = _said(event, sentence, story, strict=not (needs.leaning or counted))
    section = passage.headings[-1] if passage.headings and (needs.occasion or not _is_dated(event)) else ""
    if (counted and not said) or not is_named_in(needs.strangers, said):
        return None
    if said:
        told = after(event, said)
        lost = "context_before" not in told.reasons and (needs.leaning or needs.vague)
        return None if lost else _headed(told, (section, title))
    if (needs.leaning or needs.vague) and not _is_of_topic(sentence, needs, story):
        return None
    return _entitled(event, (section, title), story.resolution)


def _is_of_topic(sentence: Sentence, needs: _Needs, story: Story) -> bool:
    """ "She stayed in Leeds", after a sentence of what the title names: the title says who is meant."""
    resolution = story.resolution
    if not story.told and not story.document.header.title:
        # Nothing tells more of it; the event says that it is unclear.
        return True
    if needs.vague:
        # "Harrow Line: The last section opened in 2011"
        return (
            not needs.leaning and not is_elliptic(sentence) and _holds(sentence, (), resolution, strict=False)
        )
    if resolution.topic is None:
        return False
    pronouns = [t for t in sentence.tokens if is_left_open(t, sentence, resolution)]
    if (
        not pronouns
        or points_back(sentence, resolution)
        or any(resolution.of(t) is not resolution.topic for t in pronouns)
    ):
        return False
    before = story.told[-1][0].root.child("nsubj", "nsubjpass") if story.told else None
    return not story.told or (before is not None and resolution.of(before) is resolution.topic)


def _entitled(event: Event, titles: Sequence[str], resolution: Resolution) -> Event:
    """An event under the title that it does not say, and, without a time, under its section."""
    title = titles[-1]
    named = _names(event, title, resolution)
    if _is_dated(event):
        return event if named else _headed(event, ("", title))
    return _headed(event, titles)


def _names(event: Event, title: str, resolution: Resolution) -> bool:
    """Whether an event says in full what its document is about, not only by a surname or a short form."""
    told = statement(event.sentence).casefold()
    topic = resolution.topic
    if topic is None:
        long = [w for w in title.casefold().split() if len(w) >= _MIN_TITLE_WORD]
        return 2 * sum(w in told for w in long) > len(long) or not long
    return topic.name.casefold() in told or title.casefold() in told


def _headed(event: Event, titles: Sequence[str]) -> Event:
    """An event under its section and the document's title, where it does not say them; innermost first."""
    told = event.sentence
    for title in (t.rstrip(" :") for t in titles):
        if title and title.casefold() not in statement(told).casefold():
            told = f"{title}: {told}"
    return replace(event, sentence=told)


def _said(event: Event, sentence: Sentence, story: Story, *, strict: bool) -> list[str]:
    """What is told right before an event in the words of the text, and where that points on itself what
    stands before it; [] where that points on too."""
    earlier = story.told
    first = [t for t in sentence.tokens if t.end <= event.start_char]
    if not strict and len(first) > _MIN_CLAUSE:
        clause = Sentence(first)
        earlier = [*story.told, (clause, story.words_of(clause))]
    found: list[Sentence] = []
    words_: list[str] = []
    for told, text in earlier[::-1]:
        if has_hole(told) or is_torn(told) or is_verbless(told) or not _is_told(told):
            return []
        if is_told_by_itself(told, story.resolution):
            return []
        found.insert(0, told)
        words_.insert(0, text)
        if not (is_elliptic(told) or goes_on(told) or _leans_off_topic(told, story.resolution)):
            return words_ if _holds(sentence, found, story.resolution, strict=strict) else []
    return []


def _is_told(sentence: Sentence) -> bool:
    """Not "Playing career", a heading within prose."""
    return any(t.pos in {"VERB", "AUX"} and t.tag != "VBG" and t.name is None for t in sentence.tokens)


def _leans_off_topic(told: Sentence, resolution: Resolution) -> bool:
    """Whether a sentence speaks of something outside other than what the title names."""
    left = [t for t in told.tokens if is_left_open(t, told, resolution)]
    others = any(resolution.topic is None or resolution.of(t) is not resolution.topic for t in left)
    return others or points_back(told, resolution)


def _holds(sentence: Sentence, told: Sequence[Sentence], resolution: Resolution, *, strict: bool) -> bool:
    """Whether the sentences before name what a sentence speaks of; unless ``strict``, the title may."""
    words_ = [t for s in told for t in s.tokens]
    lemmas = {t.lemma.casefold() for t in words_} | {w for t in words_ for w in t.text.casefold().split()}
    named = {id(thing) for t in words_ if t.name is not None and (thing := resolution.of(t)) is not None}
    for token in sentence.tokens:
        if is_left_open(token, sentence, resolution) and token.lower in HE | SHE:
            thing = resolution.of(token)
            if thing is not None and id(thing) not in named and thing is not resolution.topic:
                return False
        if is_loose_subject(token, resolution) and not {token.lemma, token.lower} & lemmas:
            bare = not any(c.dep in {"amod", "compound", "nummod"} for c in token.children)
            if strict or resolution.about_person or (bare and token.lemma not in _KINDS):
                return False
    return True


def _is_dated(event: Event) -> bool:
    """Whether an event has a date of its own, not of a heading or of the story."""
    outside = event.time_rule_id.startswith((NARRATIVE, CARRIED))
    return event.time_state is TimeState.DATED and not outside


def _near(sentence: Sentence, story: Story) -> Event | None:
    """The event of the text just before a sentence, if no heading parts them."""
    if len(story.events) <= story.section:
        return None
    last = story.events[-1]
    between = story.document.text[last.end_char - story.base : sentence.start - story.base]
    return last if len(between) <= _NEAR_CHARS and "#" not in between else None
