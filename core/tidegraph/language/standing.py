"""Events of sentences that do not stand alone, with title, section and what was said before.

What was said before is given in the words of the text: a wrong referent in it would make a true event false.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.documents import Event, GroundedDocument, TimeState
from tidegraph.language.blocks import BlockKind
from tidegraph.language.coreference import Resolution
from tidegraph.language.event_times import COUNTED
from tidegraph.language.leaning import (
    after,
    is_off_topic,
    is_placed,
    is_torn,
    is_vague,
    is_verbless,
    leans,
    merged,
    names_nothing,
    statement,
    tells_little,
    tells_occasion,
)
from tidegraph.language.narrative import NARRATIVE, tells_past
from tidegraph.language.passages import Passage
from tidegraph.language.times import CARRIED
from tidegraph.language.tree import Sentence

_NEAR_CHARS: Final = 3
_YEAR: Final = re.compile(r"\b(?:1\d|20)\d\d\b")
_MIN_TITLE_WORD: Final = 4
_LOOK_BACK: Final = 14
"""How many events back the last date of a story is told again."""


@dataclass(slots=True)
class Story:
    """The events of a document so far. ``section``: the first of the section that is read, ``last``: how many
    the last sentence made."""

    document: GroundedDocument
    base: int
    resolution: Resolution
    events: list[Event]
    section: int = 0
    last: int = 0


def standing(own: list[Event], sentence: Sentence, passage: Passage, story: Story) -> list[Event]:
    """The events of a sentence, joined with the one before or with title, section and what was said before
    where the sentence leans on them. A joined event replaces the last one of the story."""
    later = passage.block.kind is BlockKind.ITEM and sentence is not passage.sentences[0]
    if not own or not (later or passage.block.kind is BlockKind.PARAGRAPH):
        return own
    resolution = story.resolution
    before = _near(sentence, story)
    leaning = leans(sentence, resolution) or is_torn(sentence)
    if leaning and before is not None and story.last == 1:
        joint = merged(before, own, story.document.chunks)
        if joint is not None:
            story.events.pop()
            return [joint]
    bare = is_verbless(sentence)
    vague = (
        is_vague(sentence, resolution) or names_nothing(sentence, resolution) or tells_little(sentence)
    ) and not bare
    occasion = tells_occasion(sentence) or any(e.time_rule_id.startswith(COUNTED) for e in own)
    undated = not any(_is_dated(e) for e in own)
    step = (
        undated
        and (tells_past(sentence) or _had(sentence))
        and (sentence.root.lemma != "be" or is_placed(sentence))
    )
    if not (leaning or vague or bare or occasion or step or is_off_topic(sentence, resolution)):
        return [e if _names(e, passage.title, resolution) else _headed(e, ("", passage.title)) for e in own]
    said = []
    if leaning or vague or occasion or step:
        said = _said(before, story, far=occasion or step) or _text_before(sentence, passage)
    section = passage.headings[-1] if passage.headings and (undated or occasion) else ""
    return [_headed(after(event, said) if said else event, (section, passage.title)) for event in own]


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


def _said(before: Event | None, story: Story, *, far: bool) -> list[str]:
    """The sentence before; where ``far``, before it the last one of the section with a date of its own."""
    found = [before] if before is not None else []
    if (
        before is not None
        and {"context_before", "unclear_reference"} <= set(before.reasons)
        and len(story.events) - story.section > 1
    ):
        # It leans itself.
        found.insert(0, story.events[-2])
    if far and not (found and _is_dated(found[0])):
        earlier = story.events[max(story.section, len(story.events) - _LOOK_BACK) :]
        dates = [e for e in reversed(earlier) if _is_dated(e)]
        # "In the first race of the year" is dated and does not say so.
        dated = next((e for e in dates if _YEAR.search(statement(e.sentence))), dates[0] if dates else None)
        found = [*([dated] if dated is not None else []), *found]
    text = story.document.text
    told = (" ".join(text[e.start_char - story.base : e.end_char - story.base].split()) for e in found)
    return list(dict.fromkeys(told))


def _had(sentence: Sentence) -> bool:
    return any(c.lower == "had" and c.dep == "aux" for c in sentence.root.children)


def _text_before(sentence: Sentence, passage: Passage) -> list[str]:
    """The sentence before, where it made no event."""
    place = next(k for k, s in enumerate(passage.sentences) if s is sentence)
    if not place:
        return []
    before, base = passage.sentences[place - 1], passage.unit.start
    return [" ".join(passage.unit.text[before.start - base : before.end - base].split())]


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
