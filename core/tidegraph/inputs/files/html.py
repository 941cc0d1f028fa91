"""Web pages: the text as it is read, title, language and time.

Scripts, styles, hidden parts and navigation are left out. Headings, list items and tables keep their
form as in markdown, so that what follows sees one kind of structure.
"""

from __future__ import annotations

import re
from typing import Any, Final

from lxml import etree  # type: ignore[import-untyped]
from lxml import html as lxml_html

from tidegraph.domain.errors import Rejected
from tidegraph.inputs import charsets, times
from tidegraph.inputs.document import Content
from tidegraph.inputs.files.html_time import page_time

_PRESCAN_BYTES: Final = 1024 * 1024
_META_CHARSET: Final = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{2,40})"
    rb"|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([^\"']{2,40})",
    re.IGNORECASE,
)
_XML_DECLARATION: Final = re.compile(r"^\s*<\?xml[^>]*\?>", re.IGNORECASE)
_SKIPPED: Final = frozenset(
    {"script", "style", "noscript", "template", "head", "svg", "math", "iframe", "object", "embed", "canvas",
     "audio", "video", "select", "option", "datalist", "textarea", "button", "nav"}
)  # fmt: skip
_BLOCKS: Final = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl",
     "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
     "hr", "html", "legend", "li", "main", "menu", "ol", "p", "pre", "section", "summary", "table", "ul"}
)  # fmt: skip
_HIDDEN_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACES: Final = re.compile(r"[ \t\n\f\r\u200b]+")
_BLANK_LINES: Final = re.compile(r"\n{3,}")


def read_html(data: bytes, rules: times.TimeRules, declared: str = "") -> Content:
    """The content of a page in bytes; ``declared`` is the charset that the transport gave.

    Raises:
        Rejected: no page, no text in it, or an encoding that cannot be told.
    """
    text, _ = charsets.decode(data, declared or _meta_charset(data))
    return read_html_text(text, rules)


def read_html_text(text: str, rules: times.TimeRules) -> Content:
    """The content of a page that is text already.

    Raises:
        Rejected: there is no text in it.
    """
    root = parse(text)
    body = render(root)
    if not body:
        raise Rejected("EMPTY_DOCUMENT", "the page is empty: there is no text outside scripts and markup")
    return Content(
        title=_title(root),
        text=body,
        document_time=page_time(root, rules),
        language=(root.get("lang") or "")[:35],
    )


def parse(text: str) -> Any:
    """The element tree of a page, however broken.

    Raises:
        Rejected: there is nothing to parse.
    """
    parser = lxml_html.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True, encoding="utf-8")
    try:
        source = _XML_DECLARATION.sub("", text, count=1).encode("utf-8")
        root = lxml_html.document_fromstring(source, parser=parser)
    except (etree.LxmlError, ValueError) as error:
        raise Rejected(
            "INVALID_HTML", f"the page cannot be parsed: {str(error)[:120] or 'it is empty'}"
        ) from None
    return root


def render(root: Any) -> str:
    """The text of an element in reading order."""
    writer = _Writer()
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        element, leaving = stack.pop()
        if leaving:
            writer.leave(element)
            continue
        if isinstance(element, str):
            writer.text(element)
            continue
        if _is_hidden(element):
            continue
        writer.enter(element)
        stack.append((element, True))
        for child in reversed(element):
            if child.tail:
                stack.append((child.tail, False))
            if isinstance(child.tag, str):
                stack.append((child, False))
        if element.text:
            stack.append((element.text, False))
    return writer.result()


def _is_hidden(element: Any) -> bool:
    return (
        element.tag in _SKIPPED
        or "hidden" in element.attrib
        or bool(_HIDDEN_STYLE.search(element.get("style") or ""))
    )


class _Writer:
    """Collects text; spaces collapse except inside ``pre``, blocks stand on lines of their own."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._pre = 0
        self._tables: list[bool] = []
        self._cells = 0

    def enter(self, element: Any) -> None:
        tag = element.tag
        if tag == "table":
            self._tables.append(_is_data_table(element))
        if tag == "pre":
            self._pre += 1
        if tag == "br":
            self._parts.append(" " if self._in_row() else "\n")
        elif tag == "tr":
            self._break("\n")
            self._cells = 0
        elif tag in ("td", "th"):
            if self._is_data():
                self._parts.append(" | " if self._cells else "| ")
            else:
                self._break("\n")
            self._cells += 1
        elif tag in _BLOCKS and not self._in_row():
            self._break("\n" if tag in ("li", "dt", "dd") else "\n\n")
            if tag == "li":
                self._parts.append("- ")
            elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
                self._parts.append("#" * int(tag[1]) + " ")
        elif tag in _BLOCKS and not self._parts[-1].endswith(" "):
            self._parts.append(" ")

    def leave(self, element: Any) -> None:
        tag = element.tag
        if tag == "pre":
            self._pre -= 1
        if tag == "tr" and self._in_row() and self._cells:
            self._parts.append(" |\n")
            if element.find("th") is not None and element.getprevious() is None:
                self._parts.append("|" + "---|" * self._cells + "\n")
            self._cells = 0
        elif tag == "table":
            self._tables.pop()
            self._break("\n\n")
        elif tag in _BLOCKS and not self._in_row():
            self._break("\n" if tag in ("li", "dt", "dd") else "\n\n")

    def text(self, text: str) -> None:
        if self._pre and not self._in_row():
            self._parts.append(text)
            return
        text = _SPACES.sub(" ", text)
        if not self._parts or self._parts[-1][-1:] in ("", " ", "\n"):
            text = text.lstrip(" ")
        if self._is_data() and not self._cells:
            text = text.strip()
        self._parts.append(text.replace("|", "\\|") if self._in_row() else text)

    def result(self) -> str:
        lines = [line.rstrip() for line in "".join(self._parts).split("\n")]
        return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()

    def _is_data(self) -> bool:
        return bool(self._tables) and self._tables[-1]

    def _in_row(self) -> bool:
        return self._is_data() and self._cells > 0

    def _break(self, lines: str) -> None:
        """End the line; of line ends that follow one another the most count, they do not add up."""
        while self._parts and self._parts[-1].strip(" ") == "":
            self._parts.pop()
        have = len(self._parts[-1]) - len(self._parts[-1].rstrip("\n")) if self._parts else 2
        self._parts.append("\n" * max(0, len(lines) - have))


def _is_data_table(table: Any) -> bool:
    """A table of values, as opposed to one that lays out the page."""
    if table.get("role") == "presentation" or table.find(".//table") is not None:
        return False
    rows = list(table.iter("tr"))
    widths = [sum(1 for cell in row if cell.tag in ("td", "th")) for row in rows]
    return len(rows) >= 1 and max(widths, default=0) >= 2


def _title(root: Any) -> str:
    for path in (".//head/title", ".//title"):
        title = root.findtext(path)
        if title and title.strip():
            return str(title)
    for element in root.iter("meta"):
        if (element.get("property") or element.get("name") or "").lower() in (
            "og:title",
            "twitter:title",
            "dc.title",
        ):
            return element.get("content") or ""
    heading = root.find(".//h1")
    return "" if heading is None else str(heading.text_content())


def _meta_charset(data: bytes) -> str:
    match = _META_CHARSET.search(data, 0, _PRESCAN_BYTES)
    return (match[1] or match[2]).decode("ascii", "ignore") if match else ""
