"""What the tests of a run really saw of the API: calls that ended, errors on the wire, errors raised.

Patched into the product for the length of a run, by ``tests/conftest.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2

from tidegraph.domain import errors
from tidegraph.domain.errors import TidegraphError
from tidegraph.services import interceptor

WHOLE = "not slow and not kafka and not vllm and not st"
"""What `make test` chooses."""
RECORDING = pytest.StashKey["Recording"]()
ROOTS = tuple(str(Path(__file__).parent.parent / name) for name in ("core", "services", "streams"))


@dataclass
class Recording:
    """``ended``: methods with the codes of their calls. ``told``: reasons on the wire with their codes.

    ``raised``: reasons of errors that the product's own code made.
    """

    ended: dict[str, set[str]] = field(default_factory=dict)
    told: dict[str, set[str]] = field(default_factory=dict)
    raised: set[str] = field(default_factory=set)

    def start(self, patch: pytest.MonkeyPatch) -> None:
        """Note from now on what happens in this process."""
        make, end = TidegraphError.__init__, interceptor._Call.end

        def made(error: TidegraphError, reason: str, message: str, **metadata: str) -> None:
            make(error, reason, message, **metadata)
            if _by_the_product():
                self.raised.add(reason)

        def ended(call: Any) -> None:
            end(call)
            self.ended.setdefault(call._method, set()).add(call._code.name)

        patch.setattr(TidegraphError, "__init__", made)
        patch.setattr(interceptor._Call, "end", ended)
        for name in ("status_of", "deadline_status"):
            patch.setattr(interceptor, name, self._noting(getattr(interceptor, name)))

    def _noting(self, make: Callable[..., Any]) -> Callable[..., Any]:
        def status(*args: Any) -> Any:
            found = make(*args)
            info = _first(found.details, error_details_pb2.ErrorInfo())
            self.told.setdefault(info.reason, set()).add(code_pb2.Code.Name(found.code))
            return found

        return status


def _by_the_product() -> bool:
    """Whether an error that is being made is not one of a test's own making."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == errors.__file__:  # a class of errors of its own
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(ROOTS)


def _first(details: Iterable[Any], message: Message) -> Any:
    for packed in details:
        if packed.Unpack(message):
            return message
    raise AssertionError("an error without its ErrorInfo")


def is_whole(config: pytest.Config) -> bool:
    """Whether a run takes in every test that ``make test`` does."""
    option = config.option
    narrowed = option.file_or_dir or option.keyword or option.deselect or getattr(option, "lf", False)
    return not narrowed and option.markexpr in ("", WHOLE)
