"""Which parts of a text give instructions to whatever reads it: nothing that stands there is claimed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tidegraph.language.blocks import Block, BlockKind
from tidegraph.language.status import addresses_software

_JOINED: Final = frozenset({BlockKind.PARAGRAPH, BlockKind.HEADING})
_APART: Final = re.compile(r"\n[ \t]*\n")


def marked(text: str, blocks: Iterable[Block]) -> Iterator[tuple[Block, bool]]:
    """Each block of a text, with whether it gives instructions to software.

    A paragraph that was too long for one block is one paragraph all the same, and a line right above it is a
    part of it: what follows an instruction there belongs to the instruction.
    """
    before: Block | None = None
    for block in blocks:
        ordering = addresses_software(text[block.start : block.end])
        if before is not None and block.kind is BlockKind.PARAGRAPH and before.kind in _JOINED:
            ordering |= not _APART.search(text, before.end, block.start)
        before = block if ordering else None
        yield block, ordering
