"""By what rankings and answers are made beside encoder and reasoner: package, weights, prompts."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata, resources
from typing import Final

WEIGHTS: Final = ("rerank.toml",)
READER: Final = ("answer_model.json", "answer_words.toml")


@cache
def package() -> str:
    """The version of the package."""
    try:
        return metadata.version("tidegraph")
    except metadata.PackageNotFoundError:
        return "unknown"


@cache
def digest(*names: str) -> str:
    """What tells data files of the service from other versions of them."""
    folder = resources.files("tidegraph.services").joinpath("data")
    content = b"\0".join(folder.joinpath(name).read_bytes() for name in names)
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def of_ranking() -> dict[str, str]:
    """What a ranking of evidence rests on."""
    return {"tidegraph": package(), "weights": digest(*WEIGHTS)}


def of_answer(prompts: tuple[str, ...]) -> dict[str, str]:
    """What an answer rests on. ``prompts``: of the language model, where one was asked."""
    found = {**of_ranking(), "reader": digest(*READER)}
    return {**found, "prompts": ", ".join(prompts)} if prompts else found
