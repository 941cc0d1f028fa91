"""What a server of the OpenAI-compatible API says when it does not answer, as typed errors.

The text of a server's error is never passed on beyond its first line.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

import httpx

from tidegraph.domain.errors import Rejected, Retryable, TidegraphError

MESSAGE_CHARACTERS_MAX: Final = 300
RETRY_AFTER_MAX_SECONDS: Final = 20.0
"""A longer wait is not sat out within a call; the caller is told."""
CHARACTERS_PER_TOKEN: Final = 4
"""By which tokens are estimated where the server has not counted them (yet)."""
BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


def base_url(url: str) -> str:
    """The address under which the API's paths lie; ``url`` may or may not end in ``/v1``."""
    base = url.rstrip("/")
    return (base if base.endswith("/v1") else f"{base}/v1") + "/"


def bearer(api_key: str) -> dict[str, str]:
    """The header of a key, if there is one."""
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


def status_error(status: int, text: str, headers: httpx.Headers) -> TidegraphError:
    """The typed error of an HTTP status; what vLLM says is in ``text``."""
    metadata = {"status": str(status)}
    said = short(message(text))
    if status in BUSY:
        after = retry_after(headers.get("retry-after", ""))
        said = f"the language model is busy (HTTP {status}): {said}"
        return Retryable("LLM_BUSY", said, retry_after_seconds=after, **metadata)
    if status in (401, 403):
        said = "the language model server refused the key; set TIDEGRAPH_LLM_API_KEY"
        return Rejected("LLM_UNAUTHORISED", said, **metadata)
    if status == 404:
        said = f"the language model is not served: {said}; set TIDEGRAPH_LLM_MODEL"
        return Rejected("LLM_MODEL_UNKNOWN", said, **metadata)
    return Rejected(
        "LLM_REJECTED", f"the language model refused the request (HTTP {status}): {said}", **metadata
    )


def transport_error(error: httpx.HTTPError) -> TidegraphError:
    """The typed error of a connection that failed, broke off or was too slow."""
    if isinstance(error, httpx.TimeoutException):
        return Retryable("LLM_TIMEOUT", "the language model did not answer in time")
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
        return Retryable("LLM_STREAM_CUT", "the language model's answer broke off")
    said = "the language model server cannot be reached; check TIDEGRAPH_LLM_URL"
    return Retryable("LLM_UNAVAILABLE", said)


def retry_after(value: str) -> float:
    """Seconds of a Retry-After header; 1 when it is absent, a date or nonsense."""
    try:
        seconds = float(value)
    except ValueError:
        return 1.0
    return 1.0 if math.isnan(seconds) else max(0.0, seconds)


def json_object(text: str) -> dict[str, Any]:
    """A JSON object, with control characters allowed inside strings as weak models send them."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise Retryable("LLM_STREAM_CUT", "the language model sent what is not JSON") from error
    return value if isinstance(value, dict) else {}


def served_model(text: str, wanted: str) -> str:
    """The model to ask for, out of the server's list of models.

    Raises:
        Rejected: LLM_NO_MODEL or LLM_MODEL_UNKNOWN.
    """
    served = [str(entry.get("id", "")) for entry in json_object(text).get("data", [])]
    if not served:
        raise Rejected("LLM_NO_MODEL", "the language model server serves no model")
    if wanted and wanted not in served:
        said = f"the language model server does not serve {wanted!r}"
        raise Rejected("LLM_MODEL_UNKNOWN", said, model=wanted)
    return wanted or served[0]


def message(text: str) -> str:
    """The message of an error body: ``{"error": {"message": ...}}`` or ``{"message": ...}``."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    inner = value.get("error", value) if isinstance(value, dict) else value
    return str(inner.get("message", "") if isinstance(inner, dict) else inner)


def short(text: str) -> str:
    """The first line of a text, cut."""
    lines = text.strip().splitlines()
    return lines[0][:MESSAGE_CHARACTERS_MAX] if lines else "no reason given"
