"""E-mail: one message as one document, its time the Date header of the outermost message."""

from __future__ import annotations

import binascii
import email
import email.policy
import re
from collections.abc import Iterator
from email.header import decode_header
from email.message import Message
from typing import Final

from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.inputs import charsets, times
from tidegraph.inputs.document import Content
from tidegraph.inputs.files.html import read_html
from tidegraph.inputs.files.maildate import mail_time

MAX_PARTS: Final = 1_000
MAX_DEPTH: Final = 30
MAX_HEADER_CHARS: Final = 8_192
"""What is read of a header that is decoded; the rest of a longer one says nothing more."""
_ENCRYPTED_TYPES: Final = frozenset({"multipart/encrypted", "application/pgp-encrypted"})
_PGP: Final = re.compile(r"^\s*-----BEGIN PGP MESSAGE-----.*-----END PGP MESSAGE-----\s*$", re.DOTALL)
_QUOTE: Final = re.compile(r">*")


def read_mail(data: bytes, rules: times.TimeRules) -> Content:
    """The content of one message in bytes.

    The id is that of the message (``Message-ID``), the title its subject. Of alternatives the plain text
    is taken, of attachments only texts, of forwarded messages subject and text.

    Raises:
        Rejected: empty, encrypted, or without any readable text.
    """
    if not data.strip(b"\x00 \t\r\n"):
        raise Rejected("EMPTY_DOCUMENT", "the message is empty")
    data, charset = _narrow(data)
    try:
        message = email.message_from_bytes(data, policy=email.policy.compat32)
        text = _Body(charset, rules).text_of(message)
        return Content(
            document_id=_message_id(message),
            title=header(message, "Subject"),
            text=text,
            document_time=mail_time(header(message, "Date"), rules),
            language=header(message, "Content-Language").split(",")[0].strip()[:35],
        )
    except (
        RecursionError,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        UnicodeError,
    ) as error:
        raise Rejected("INVALID_MAIL", f"the message cannot be read ({type(error).__name__})") from None


def header(message: Message, name: str) -> str:
    """The first header of that name, unfolded and decoded (RFC 2047, raw 8-bit); "" when missing."""
    raw = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    return decode_words(raw[:MAX_HEADER_CHARS])


def decode_words(raw: str) -> str:
    """A header value as text; bytes outside ASCII are told by their own encoding."""
    raw = re.sub(r"[\r\n]+[ \t]*", " ", raw)
    data = raw.encode("ascii", "surrogateescape") if _is_escaped(raw) else None
    if data is not None:
        raw = charsets.decode(data)[0]
    if "=?" not in raw:
        return " ".join(raw.split())
    words = []
    try:
        for chunk, charset in decode_header(raw):
            if isinstance(chunk, str):
                words.append(chunk)
            elif charset is None:
                words.append(chunk.decode("raw-unicode-escape"))
            else:
                words.append(charsets.decode(chunk, charset)[0])
    except (ValueError, LookupError, email.errors.MessageError, Rejected):
        return " ".join(raw.split())
    return " ".join("".join(words).split())


def _is_escaped(text: str) -> bool:
    return any("\udc80" <= char <= "\udcff" for char in text)


def _narrow(data: bytes) -> tuple[bytes, str]:
    """The message as ASCII-compatible bytes, and the charset of all of it when it had to be converted."""
    stripped = data.removeprefix(b"\xef\xbb\xbf")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data[:64].count(0) * 4 > len(data[:64]):
        return charsets.decode(data)[0].encode(), "utf-8"
    # A separator line of an mbox file may stand in front of a single message.
    return re.sub(rb"\A\s*(?:>?From [^\r\n]*\r?\n)?", b"", stripped, count=1), ""


def _message_id(message: Message) -> str:
    text = header(message, "Message-ID").strip().strip("<>").strip()
    return text if 0 < len(text) <= 500 and not re.search(r"\s", text) else ""


def _decoded_message(part: Message, inner: Message) -> Message:
    """The message inside, also where it was encoded against the rules (RFC 2046, 5.2.1)."""
    if str(part.get("content-transfer-encoding", "")).strip().lower() != "base64" or inner.keys():
        return inner
    body = inner.get_payload(decode=True)
    return email.message_from_bytes(_base64(body)) if isinstance(body, bytes) else inner


class _Body:
    """Collects the text of a message and of what it holds."""

    def __init__(self, charset: str, rules: times.TimeRules) -> None:
        self._charset = charset
        self._rules = rules
        self._parts = 0
        self._skipped: list[str] = []

    def text_of(self, message: Message) -> str:
        pieces = [piece.strip("\n") for piece in self._pieces(message, 0) if piece.strip()]
        text = "\n\n".join(pieces)
        if not text:
            what = f"; not read: {', '.join(sorted(set(self._skipped))[:5])}" if self._skipped else ""
            raise Rejected("EMPTY_DOCUMENT", f"the message is empty: it has no readable text{what}")
        if _PGP.match(text):
            raise Rejected("ENCRYPTED", "the message is encrypted (PGP): decrypt it first")
        return text

    def _pieces(self, part: Message, depth: int) -> Iterator[str]:
        self._parts += 1
        if self._parts > MAX_PARTS or depth > MAX_DEPTH:
            raise LimitExceeded(
                "MAIL_TOO_NESTED", f"the message has more than {MAX_PARTS} parts or {MAX_DEPTH} levels"
            )
        kind = part.get_content_type()
        if kind in _ENCRYPTED_TYPES or (
            kind.endswith("pkcs7-mime") and part.get_param("smime-type") != "signed-data"
        ):
            raise Rejected("ENCRYPTED", f"the message is encrypted ({kind}): decrypt it first")
        if part.is_multipart():
            yield from self._many(part, kind, depth)
        elif kind.startswith("multipart/"):
            yield from self._unsplit(part, depth)
        elif kind == "message/rfc822":
            yield from self._pieces(email.message_from_bytes(self._payload(part)), depth + 1)
        else:
            yield self._single(part, kind)

    def _many(self, part: Message, kind: str, depth: int) -> Iterator[str]:
        children = [child for child in part.get_payload() if isinstance(child, Message)]
        if kind == "multipart/alternative":
            yield self._best(children, depth)
            return
        if kind == "multipart/related":
            children = children[:1] or children
        if kind == "message/rfc822" and children:
            children = [_decoded_message(part, children[0])]
            yield f"Subject: {header(children[0], 'Subject')}"
        for child in children:
            yield from self._pieces(child, depth + 1)
        if not children and part.preamble:
            yield part.preamble

    def _best(self, children: list[Message], depth: int) -> str:
        """The plain alternative if it says anything, else the last one that does."""
        plain = [child for child in children if child.get_content_type() == "text/plain"]
        for child in (*plain, *(child for child in reversed(children) if child not in plain)):
            text = "\n\n".join(piece for piece in self._pieces(child, depth + 1) if piece.strip())
            if text.strip():
                return text
        return ""

    def _unsplit(self, part: Message, depth: int) -> Iterator[str]:
        """A multipart whose boundary is missing or illegal: the lines themselves tell it."""
        data = part.get_payload(decode=True)
        raw = data.decode("ascii", "surrogateescape") if isinstance(data, bytes) else ""
        found = re.search(r"^--(\S[^\r\n]{0,200}?)\s*$\r?\n(?:[A-Za-z-]+:|\r?\n)", raw, re.MULTILINE)
        if found is None:
            yield self._decoded(raw.encode("ascii", "surrogateescape"), "")
            return
        for index, piece in enumerate(
            re.split(rf"^--{re.escape(found[1])}(?:--)?[ \t]*\r?$\n?", raw, flags=re.MULTILINE)
        ):
            if index and piece.strip():
                yield from self._pieces(
                    email.message_from_bytes(piece.encode("ascii", "surrogateescape")), depth + 1
                )

    def _single(self, part: Message, kind: str) -> str:
        named = part.get_filename() or ""
        if not kind.startswith("text/") or kind in (
            "text/calendar",
            "text/vcard",
            "text/x-vcard",
            "text/css",
        ):
            self._skipped.append(kind)
            return ""
        declared = self._charset or str(part.get_content_charset("") or "")
        data = self._payload(part)
        try:
            if kind == "text/html":
                return read_html(data, self._rules, declared).text
            text = self._decoded(data, declared)
        except Rejected:
            if named or self._parts > 1:
                self._skipped.append(f"{kind} that is not text")
                return ""
            raise
        if str(part.get_param("format", "")).lower() == "flowed":
            return unflow(text, delete_space=str(part.get_param("delsp", "")).lower() == "yes")
        return text

    def _decoded(self, data: bytes, declared: str) -> str:
        return charsets.decode(data, declared)[0] if data.strip() else ""

    def _payload(self, part: Message) -> bytes:
        encoding = str(part.get("content-transfer-encoding", "")).strip().lower()
        if encoding == "base64":
            del part["content-transfer-encoding"]
            raw = part.get_payload(decode=True)
            return _base64(raw if isinstance(raw, bytes) else b"")
        decoded = part.get_payload(decode=True)
        return decoded if isinstance(decoded, bytes) else b""


def unflow(text: str, *, delete_space: bool) -> str:
    """Join the soft line ends of ``format=flowed`` (RFC 3676): quotes stay apart, "-- " ends nothing."""
    out: list[str] = []
    open_depth = -1
    for line in text.split("\n"):
        marks = _QUOTE.match(line)
        depth = marks.end() if marks else 0
        body = line[depth:]
        body = body[1:] if body.startswith(" ") else body
        signature = body == "-- "
        soft = body.endswith(" ") and not signature
        shown = body[:-1] if soft and delete_space else body
        if open_depth == depth and not signature:
            out[-1] += shown
        else:
            out.append((">" * depth + " " if depth else "") + shown)
        open_depth = depth if soft else -1
    return "\n".join(out)


def _base64(raw: bytes) -> bytes:
    """Lenient base64: line ends and missing padding do not matter."""
    letters = re.sub(rb"[^A-Za-z0-9+/]", b"", raw)
    letters = letters[:-1] if len(letters) % 4 == 1 else letters
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))
