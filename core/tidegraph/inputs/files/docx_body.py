"""The running text of a Word document: insertions kept, deletions left out, each text box once."""

from __future__ import annotations

from typing import Any, Final, Protocol

from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.inputs import charsets, times
from tidegraph.inputs.files.html import read_html

MAX_CHUNK_DEPTH: Final = 3
_DROPPED: Final = frozenset(
    {"del", "moveFrom", "delText", "delInstrText", "instrText", "rPr", "pPr", "sectPr", "tblPr", "tblGrid",
     "trPr", "tcPr", "sdtPr", "sdtEndPr", "commentReference", "annotationRef", "fldData",  "docPr",
     "rt"}
)  # fmt: skip
_BREAKS: Final = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_NOTES: Final = (("footnotes", "footnote"), ("endnotes", "endnote"))


class Parts(Protocol):
    """What the reader needs of a package."""

    def read(self, name: str) -> bytes: ...

    def xml(self, name: str) -> Any: ...

    def has(self, name: str) -> bool: ...

    def relations(self, part: str) -> Any: ...


class BodyReader:
    """Text of one main part with its notes and imported chunks."""

    def __init__(self, package: Parts, main: str, rules: times.TimeRules, depth: int = 0) -> None:
        self._package = package
        self._main = main
        self._rules = rules
        self._depth = depth
        self._relations = package.relations(main)

    def text(self) -> str:
        """Blocks in reading order, divided by empty lines; notes at the end.

        Raises:
            Rejected: the part is not a document.
        """
        root = self._package.xml(self._main)
        body = next((child for child in root if _name(child) == "body"), None)
        if body is None:
            raise Rejected("INVALID_DOCX", "the Word file's main part has no body")
        blocks = self._blocks(body) + self._notes()
        return charsets.clean("\n\n".join(block for block in blocks if block.strip()))

    def _blocks(self, container: Any) -> list[str]:
        """Paragraphs, tables, content controls and imported chunks of a container."""
        blocks: list[str] = []
        carried = ""
        for child in container:
            name = _name(child)
            if name == "p":
                text = carried + self._paragraph(child)
                carried = text if _mark_deleted(child) else ""
                if not carried:
                    blocks += [text, *self._boxes(child)]
            elif name == "tbl":
                blocks.append(self._table(child))
            elif name == "altChunk":
                blocks.append(self._chunk(child))
            elif name == "AlternateContent":
                blocks += self._blocks(_choice(child))
            elif name not in _DROPPED:
                # sdt, sdtContent, ins, moveTo, customXml and whatever else wraps blocks
                blocks += self._blocks(child)
        return [*blocks, carried]

    def _paragraph(self, paragraph: Any) -> str:
        text = self._inline(paragraph).strip("\n")
        level = _heading_level(paragraph)
        if level and text.strip():
            return "#" * level + " " + " ".join(text.split())
        return f"- {text}" if _is_list_item(paragraph) and text.strip() else text

    def _inline(self, element: Any) -> str:
        pieces: list[str] = []
        for child in element:
            name = _name(child)
            if name == "t":
                pieces.append(child.text or "")
            elif name in _BREAKS:
                pieces.append(_BREAKS[name])
            elif name == "AlternateContent":
                pieces.append(self._inline(_choice(child)))
            elif name not in _DROPPED and name != "txbxContent" and not _is_hidden(child):
                pieces.append(self._inline(child))
        return "".join(pieces)

    def _boxes(self, paragraph: Any) -> list[str]:
        """Text boxes anchored in a paragraph: of the two forms that Word writes, the first."""
        found: list[str] = []
        for child in paragraph:
            name = _name(child)
            if name == "txbxContent":
                found += self._blocks(child)
            elif name == "AlternateContent":
                found += self._boxes(_choice(child))
            elif name not in _DROPPED and name != "t":
                found += self._boxes(child)
        return found

    def _table(self, table: Any) -> str:
        """Rows as in markdown; a cell that goes on from the row above repeats its text."""
        lines: list[str] = []
        above: list[str] = []
        for row in self._rows(table):
            cells: list[str] = []
            for cell in _cells(row):
                column = len(cells)
                continued = _is_continued(cell) and column < len(above)
                cells.append(above[column] if continued else self._cell(cell))
                cells += [""] * (_span(cell) - 1)
            above = cells
            if any(cell.strip() for cell in cells):
                lines.append("| " + " | ".join(cells) + " |")
            if len(lines) == 1 and len(cells) > 1:
                lines.append("|" + "---|" * len(cells))
        return "\n".join(lines)

    def _rows(self, table: Any) -> list[Any]:
        return [row for row in _flatten(table, "tr") if not _has(row, "trPr", "del")]

    def _cell(self, cell: Any) -> str:
        """The text of a cell in one line; a table inside it is read as its words."""
        pieces: list[str] = []
        for child in cell:
            if _name(child) == "tbl":
                pieces += [self._cell(inner) for row in self._rows(child) for inner in _cells(row)]
            else:
                pieces += [block.replace("|", "\\|") for block in self._blocks([child])]
        return " ".join(" ".join(pieces).split())

    def _chunk(self, element: Any) -> str:
        """The text of an imported part (HTML, text or another Word file)."""
        reference = next((value for key, value in element.attrib.items() if key.endswith("}id")), "")
        relation = self._relations.get(reference)
        if relation is None or not self._package.has(relation.target):
            raise Rejected("INVALID_DOCX", "the Word file imports a part (altChunk) that is not in it")
        if self._depth >= MAX_CHUNK_DEPTH:
            raise LimitExceeded(
                "DOCX_TOO_NESTED", f"the Word file imports itself over {MAX_CHUNK_DEPTH} times"
            )
        data = self._package.read(relation.target)
        return self._imported(data, relation.target.lower())

    def _imported(self, data: bytes, name: str) -> str:
        if data.startswith(b"PK\x03\x04"):
            from tidegraph.inputs.files.docx import Package  # noqa: PLC0415

            package = Package(data)
            return BodyReader(package, package.main_part(), self._rules, self._depth + 1).text()
        if name.endswith((".mht", ".mhtml", ".eml")):
            from tidegraph.inputs.files.mail import read_mail  # noqa: PLC0415

            return read_mail(data, self._rules).text
        if name.endswith((".htm", ".html", ".xhtml")) or b"<html" in data[:2048].lower():
            return read_html(data, self._rules).text
        if data.lstrip().startswith(b"{\\rtf"):
            raise Rejected("UNSUPPORTED_FORMAT", "the Word file imports a part in RTF: save it anew in Word")
        return charsets.decode(data)[0]

    def _notes(self) -> list[str]:
        blocks: list[str] = []
        for kind, tag in _NOTES:
            for relation in self._relations.values():
                if relation.kind != kind or not self._package.has(relation.target):
                    continue
                for note in self._package.xml(relation.target):
                    if _name(note) == tag and not _attribute(note, "type"):
                        blocks += self._blocks(note)
        return blocks


def _name(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else "rPr"


def _attribute(element: Any, name: str) -> str:
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _child(element: Any, name: str) -> Any:
    return next((child for child in element if _name(child) == name), None)


def _has(element: Any, *path: str) -> bool:
    for name in path:
        element = _child(element, name)
        if element is None:
            return False
    return True


def _choice(alternative: Any) -> Any:
    """The first form of an AlternateContent: both say the same."""
    choice = _child(alternative, "Choice")
    if choice is None:
        choice = _child(alternative, "Fallback")
    return choice if choice is not None else ()


def _mark_deleted(paragraph: Any) -> bool:
    """True when the paragraph's end is a tracked deletion: it runs on into the next one."""
    return _has(paragraph, "pPr", "rPr", "del")


def _style(paragraph: Any) -> str:
    """The id of a paragraph's style in lower case without spaces."""
    properties = _child(paragraph, "pPr")
    style = _child(properties, "pStyle") if properties is not None else None
    return _attribute(style, "val").lower().replace(" ", "") if style is not None else ""


def _heading_level(paragraph: Any) -> int:
    value = _style(paragraph)
    if value == "title":
        return 1
    for prefix in ("heading", "berschrift", "überschrift", "titre", "titolo", "titulo", "título"):
        if value.startswith(prefix) and value[len(prefix) :].isdigit():
            return min(max(int(value[len(prefix) :]), 1), 6)
    return 0


def _is_list_item(paragraph: Any) -> bool:
    return _has(paragraph, "pPr", "numPr") or _style(paragraph).startswith(("listbullet", "listnumber"))


def _is_continued(cell: Any) -> bool:
    """True for a cell that is merged with the one above it."""
    properties = _child(cell, "tcPr")
    merge = _child(properties, "vMerge") if properties is not None else None
    return merge is not None and _attribute(merge, "val") in ("", "continue")


def _span(cell: Any) -> int:
    properties = _child(cell, "tcPr")
    span = _child(properties, "gridSpan") if properties is not None else None
    value = _attribute(span, "val") if span is not None else ""
    return min(int(value), 63) if value.isdigit() and int(value) > 0 else 1


def _is_hidden(run: Any) -> bool:
    """True for a run that is formatted as hidden: no reader of the document sees it."""
    properties = _child(run, "rPr")
    mark = _child(properties, "vanish") if properties is not None else None
    return mark is not None and _attribute(mark, "val") not in ("0", "false", "off")


def _cells(row: Any) -> list[Any]:
    """The cells of a row without those whose deletion is tracked."""
    return [cell for cell in _flatten(row, "tc") if not _has(cell, "tcPr", "cellDel")]


def _flatten(element: Any, wanted: str) -> list[Any]:
    """Rows of a table or cells of a row, also inside content controls and tracked changes."""
    found: list[Any] = []
    for child in element:
        name = _name(child)
        if name == wanted:
            found.append(child)
        elif name == "AlternateContent":
            found += _flatten(_choice(child), wanted)
        elif name not in _DROPPED and name not in ("p", "tbl"):
            found += _flatten(child, wanted)
    return found
