"""Temporal grounding: find time expressions, resolve them, find a document's own time, read questions."""

from tidegraph.language.grounding.document_time import find_document_time
from tidegraph.language.grounding.engine import Grounded, ground, ground_with_operands
from tidegraph.language.grounding.question import EventSpan, Offset, QuestionTime, Relation, read_question
from tidegraph.language.grounding.tense import Tense, TenseCues

__all__ = [
    "EventSpan",
    "Grounded",
    "Offset",
    "QuestionTime",
    "Relation",
    "Tense",
    "TenseCues",
    "find_document_time",
    "ground",
    "ground_with_operands",
    "read_question",
]
