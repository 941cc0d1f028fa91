"""From paths to documents: files, folders and standard input."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final

from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.inputs.document import Content, finish
from tidegraph.inputs.files import formats, jsonfiles
from tidegraph.inputs.files.model import CONTAINER_FACTOR, FileDocument, FileResult, ReadOptions, Rejection

STREAM_FROM_BYTES: Final = 32 * 1024 * 1024
MAX_FILES: Final = 1_000_000
STDIN_NAME: Final = "stdin"


def list_files(path: Path) -> Iterator[tuple[Path, str]]:
    """(file, its name relative to ``path``) in sorted order; a file itself goes by its own name.

    Hidden files and folders are left out, each folder is entered once whatever links lead to it.

    Raises:
        Rejected: there is no such path, or it holds no file.
    """
    if not path.exists():
        raise Rejected("NO_SUCH_FILE", f"{path} does not exist")
    if not path.is_dir():
        yield path, path.name
        return
    found = 0
    for file in _walk(path, set()):
        found += 1
        if found > MAX_FILES:
            raise LimitExceeded("TOO_MANY_FILES", f"{path} holds over {MAX_FILES:,} files")
        yield file, file.relative_to(path).as_posix()
    if not found:
        raise Rejected("EMPTY_FOLDER", f"{path} holds no file")


def read_file(path: Path, name: str, options: ReadOptions) -> Iterator[FileResult]:
    """The documents of one file and what was rejected of it, in order. Raises nothing for bad input."""
    try:
        if _is_long_jsonl(path, options):
            with path.open("rb") as stream:
                for position, found in jsonfiles.stream_jsonl(stream, options):
                    yield _result(name, position, found, options)
            return
        data = _bytes(path, options)
    except Rejected as error:
        yield Rejection(name, "", error.reason, str(error.args[0]))
        return
    except OSError as error:
        yield Rejection(name, "", "UNREADABLE_FILE", f"the file cannot be read: {error.strerror or error}")
        return
    yield from read_bytes(data, name, options)


def read_stream(stream: BinaryIO, options: ReadOptions) -> Iterator[FileResult]:
    """The documents of standard input, whose name is ``stdin``."""
    limit = options.defaults.max_bytes * CONTAINER_FACTOR
    yield from read_bytes(stream.read(limit + 1), STDIN_NAME, options)


def read_bytes(data: bytes, name: str, options: ReadOptions) -> Iterator[FileResult]:
    """The documents of a file that is in memory."""
    try:
        for position, found in formats.read(data, name, options):
            yield _result(name, position, found, options)
    except Rejected as error:
        yield Rejection(name, "", error.reason, str(error.args[0]))


def _is_long_jsonl(path: Path, options: ReadOptions) -> bool:
    """True for JSON Lines too long to hold in memory; another encoding than UTF-8 needs all of it."""
    status = path.stat()
    if status.st_size <= STREAM_FROM_BYTES or not stat.S_ISREG(status.st_mode):
        return False
    with path.open("rb") as stream:
        head = stream.read(4096)
    return (options.format or formats.detect(path.name, head)) == "jsonl" and b"\0" not in head


def _result(name: str, position: str, found: Content | Rejected, options: ReadOptions) -> FileResult:
    if isinstance(found, Rejected):
        return Rejection(name, position, found.reason, str(found.args[0]))
    content = replace(
        found,
        document_id=found.document_id or _place(name, position, found),
        document_time=options.date or found.document_time,
        graph=options.graph or found.graph,
    )
    try:
        return FileDocument(name, position, finish(content, options.defaults))
    except Rejected as error:
        return Rejection(name, position, error.reason, str(error.args[0]))


def _place(name: str, position: str, content: Content) -> str:
    """The id of a document that names none: where it lies, or its content when it lies nowhere."""
    if name == STDIN_NAME:
        return f"sha256:{hashlib.sha256(content.text.encode()).hexdigest()}"
    return f"{name}#{position.removeprefix('/').replace(' ', '-')}" if position else name


def _bytes(path: Path, options: ReadOptions) -> bytes:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise Rejected("NOT_A_FILE", "this is not a regular file")
    limit = options.defaults.max_bytes * CONTAINER_FACTOR
    with path.open("rb") as stream:
        kind = options.format or formats.detect(path.name, stream.read(4096))
        stream.seek(0)
        allowed = limit if kind in formats.CONTAINERS else options.defaults.max_bytes
        data = stream.read(allowed + 1)
    if len(data) > allowed:
        raise LimitExceeded(
            "FILE_TOO_LARGE",
            f"the file is too large: it has {status.st_size:,} bytes, the limit is {allowed:,} "
            "(TIDEGRAPH_MAX_DOCUMENT_BYTES)",
        )
    return data


def _walk(folder: Path, seen: set[tuple[int, int]]) -> Iterator[Path]:
    try:
        status = folder.stat()
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    identity = (status.st_dev, status.st_ino)
    if identity in seen:
        return
    seen.add(identity)
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _walk(Path(entry.path), seen)
        else:
            yield Path(entry.path)
