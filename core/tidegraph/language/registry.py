"""Where registry files are read: the domain takes text only."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from tidegraph.domain.errors import Rejected
from tidegraph.domain.predicates import Registry


def default_registry_text() -> str:
    """The registry file that ships with the package."""
    return (resources.files("tidegraph.domain") / "data" / "predicates.toml").read_text(encoding="utf-8")


def load_registry(path: str = "") -> Registry:
    """The default registry, with the operator's file on top when ``path`` names one.

    Raises:
        Rejected: the file cannot be read (UNREADABLE_REGISTRY) or is wrong (INVALID_REGISTRY).
    """
    registry = Registry.parse(default_registry_text())
    if not path:
        return registry
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Rejected(
            "UNREADABLE_REGISTRY", f"cannot read the registry file {path}: {error}", path=path
        ) from None
    return registry.merged(Registry.parse(text))
