"""Errors, typed by what to do about them.

    TidegraphError
    ├── Rejected            the input cannot be used: dead letter, or INVALID_ARGUMENT; never retried
    │   ├── NotFound        the named tenant, document, entity or fact does not exist
    │   └── LimitExceeded   the input is larger than a documented limit
    ├── Retryable           an outside part is away or busy: back off, hold what depends on it
    ├── Conflicted          the state moved on (fence, precondition): read again and decide anew
    └── Bug                 ours: dead letter with trace, alert

``reason`` is a stable UPPER_SNAKE name for machines; the message tells a person what to do.
"""

from __future__ import annotations


class TidegraphError(Exception):
    """Base of all errors that Tidegraph raises on purpose."""

    def __init__(self, reason: str, message: str, **metadata: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.metadata = metadata

    def __str__(self) -> str:
        return f"{self.reason}: {self.args[0]}"


class Rejected(TidegraphError):
    """The input cannot be used as it is; trying again changes nothing."""


class NotFound(Rejected):
    """What the caller named does not exist."""


class LimitExceeded(Rejected):
    """The input is larger than a documented limit."""


class Retryable(TidegraphError):
    """An outside part did not answer; the same call may go through later."""

    def __init__(
        self, reason: str, message: str, *, retry_after_seconds: float = 1.0, **metadata: str
    ) -> None:
        super().__init__(reason, message, **metadata)
        self.retry_after_seconds = retry_after_seconds


class Conflicted(TidegraphError):
    """The state is no longer the one that the caller decided on; nothing was changed."""


class Bug(TidegraphError):
    """An impossible thing happened: ours to repair."""
