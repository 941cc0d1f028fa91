"""The child process that opens a PDF: bytes on standard input, one JSON object on standard output."""

from __future__ import annotations

import json
import resource
import sys
from typing import Any, Final

import pypdfium2 as pdfium  # type: ignore[import-untyped]

MAX_PAGES: Final = 5_000
CPU_SECONDS: Final = 50
MEMORY_BYTES: Final = 2 * 1024 * 1024 * 1024
_PASSWORD_ERROR: Final = 4
_INFO_NAMES: Final = ("Title", "CreationDate", "ModDate", "Producer")


def main() -> None:
    """Read, answer, end."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    data = sys.stdin.buffer.read()
    sys.stdout.write(json.dumps(extract(data, int(sys.argv[1]))))


def extract(data: bytes, max_chars: int) -> dict[str, Any]:
    """``{"text", "info"}`` or ``{"error"}``: password, damaged, scan, empty, glyphs, pages or text."""
    try:
        document = pdfium.PdfDocument(data)
        count = len(document)
    except pdfium.PdfiumError as error:
        return {"error": "password" if getattr(error, "err_code", 0) == _PASSWORD_ERROR else "damaged"}
    if count > MAX_PAGES:
        return {"error": "pages"}
    if count == 0:
        return {"error": "damaged"}
    return _pages(document, count, max_chars)


def _pages(document: pdfium.PdfDocument, count: int, max_chars: int) -> dict[str, Any]:
    texts: list[str] = []
    images = failed = total = 0
    for index in range(count):
        try:
            page = document[index]
            text = _page_text(page)
            if not text.strip():
                images += sum(
                    1 for _ in page.get_objects(filter=[pdfium.raw.FPDF_PAGEOBJ_IMAGE], max_depth=3)
                )
            page.close()
        except pdfium.PdfiumError:
            failed += 1
            continue
        total += len(text)
        if total > max_chars:
            return {"error": "text"}
        texts.append(text)
    text = _joined(texts)
    if not text.strip():
        return {"error": "damaged" if failed == count else "scan" if images else "empty"}
    if _unreadable_share(text) > 0.3:
        return {"error": "glyphs"}
    info = {name: document.get_metadata_value(name) for name in _INFO_NAMES}
    return {"text": _repaired(text), "info": {name: _repaired(value) for name, value in info.items()}}


def _page_text(page: pdfium.PdfPage) -> str:
    textpage = page.get_textpage()
    text: str = textpage.get_text_range()
    textpage.close()
    # U+FFFE (or U+0002) marks a word that was hyphenated at the end of a line.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for mark in ("\ufffe\n", "\x02\n", "\ufffe", "\x02"):
        text = text.replace(mark, "")
    return text


def _joined(texts: list[str]) -> str:
    """Pages in order; a sentence that runs over the page end is not cut by an empty line."""
    joined = ""
    for text in texts:
        page = text.strip()
        if not page:
            continue
        running = joined[-1:].islower() or joined[-1:] == ","
        joined += ("" if not joined else "\n" if running and page[:1].islower() else "\n\n") + page
    return joined


def _unreadable_share(text: str) -> float:
    letters = [char for char in text if not char.isspace()]
    odd = sum(1 for char in letters if char < " " or "\ue000" <= char <= "\uf8ff" or char in "\ufffd\uffff")
    return odd / max(1, len(letters))


def _repaired(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


if __name__ == "__main__":
    main()
