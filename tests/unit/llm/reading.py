"""The LLM extractor over fake servers."""

from __future__ import annotations

from functools import cache
from typing import Any

from tests.unit.llm.fake_server import FakeServer

from tidegraph.domain.predicates import Registry
from tidegraph.language.extractor import LanguageExtractor
from tidegraph.language.llm.asking import Asker
from tidegraph.language.llm.extractor import LlmExtractor
from tidegraph.language.registry import load_registry
from tidegraph.models.prompts import load_prompt


class MemoryCache:
    """``ports.AnswerCache`` in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.owners: dict[str, tuple[str, str]] = {}
        self.brief: set[str] = set()

    def get(self, key: str) -> bytes | None:
        return self.kept.get(key)

    def put(self, key: str, value: bytes, owner: tuple[str, str], *, briefly: bool) -> None:
        self.kept[key], self.owners[key] = value, owner
        if briefly:
            self.brief.add(key)

    def forget(self, owner: tuple[str, str]) -> int:
        found = [key for key, of in self.owners.items() if of == owner]
        for key in found:
            del self.kept[key], self.owners[key]
        return len(found)


@cache
def registry() -> Registry:
    return load_registry()


@cache
def language(epoch: str) -> LanguageExtractor:
    return LanguageExtractor(epoch=epoch)


def llm(server: FakeServer, cache: MemoryCache | None = None, **options: Any) -> LlmExtractor:
    """The extractor against a fake server."""
    asker = Asker(
        server.model(**options), load_prompt("extract.v1"), registry(), max_tokens=2_000, cache=cache
    )
    return LlmExtractor(asker, language, 2)
