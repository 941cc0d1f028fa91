"""The embedded stack: broker, store, worker and server as supervised children of one process."""

from tidegraph.embedded.broker import FORGETS_NOTICE, EmbeddedBroker
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.embedded.lock import DataDirLock, RunningStack, read_note
from tidegraph.embedded.notify import notify
from tidegraph.embedded.process import Child, ChildSpec
from tidegraph.embedded.stack import Part, Stack, StackEvent

__all__ = [
    "FORGETS_NOTICE",
    "Child",
    "ChildSpec",
    "DataDirLock",
    "EmbeddedBroker",
    "EmbeddedFalkorDB",
    "Part",
    "RunningStack",
    "Stack",
    "StackEvent",
    "notify",
    "read_note",
]
