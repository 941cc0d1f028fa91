"""Word files made here, with what Word and its imitators put into them."""

from __future__ import annotations

import io
import zipfile

import pytest

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_REL = "http://purl.oclc.org/ooxml/officeDocument/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def p(*runs: str, props: str = "") -> str:
    return f"<w:p>{f'<w:pPr>{props}</w:pPr>' if props else ''}{''.join(runs)}</w:p>"


def r(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def build(
    body: str,
    *,
    main: str = "word/document.xml",
    strict: bool = False,
    core: str = "",
    relations: str = "",
    parts: dict[str, bytes] | None = None,
) -> bytes:
    rel = STRICT_REL if strict else REL
    document = (
        f'<?xml version="1.0"?><w:document xmlns:w="{STRICT if strict else W}" xmlns:r="{rel}" '
        f'xmlns:mc="{MC}" xmlns:wps="urn:wps" xmlns:v="urn:v"><w:body>{body}</w:body></w:document>'
    )
    folder, _, name = main.rpartition("/")
    package = (
        f'<Relationships xmlns="{PACKAGE}"><Relationship '
        f'Id="rId1" Type="{rel}/officeDocument" Target="/{main}"/>'
    )
    if core:
        package += (
            f'<Relationship Id="rId2" Type="{PACKAGE}/metadata/core-properties" Target="docProps/core.xml"/>'
        )
    files = {
        "[Content_Types].xml": b"<Types/>",
        "_rels/.rels": (package + "</Relationships>").encode(),
        main: document.encode(),
        f"{folder}/_rels/{name}.rels": (
            f'<Relationships xmlns="{PACKAGE}">{relations}</Relationships>'
        ).encode(),
        **(parts or {}),
    }
    if core:
        files["docProps/core.xml"] = (
            '<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="urn:dc" '
            f'xmlns:dcterms="urn:t">{core}</cp:coreProperties>'
        ).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path.lstrip("/"), data)
    return out.getvalue()


def text(one, body: str, **options) -> str:
    return one("a.docx", build(body, **options)).text


def test_tracked_changes(one):
    body = p(
        r("Retention is "),
        f'<w:del w:id="1"><w:r><w:delText>30</w:delText></w:r></w:del><w:ins w:id="2">{r("60")}</w:ins>',
        r(" days."),
        f"<w:moveFrom>{r(' Old place.')}</w:moveFrom><w:moveTo>{r(' New place.')}</w:moveTo>",
    )
    assert text(one, body) == "Retention is 60 days. New place."


def test_deleted_paragraph_mark_and_row(one):
    body = p(r("One "), props="<w:rPr><w:del/></w:rPr>") + p(r("sentence."))
    row = (
        f"<w:tr><w:trPr><w:del/></w:trPr><w:tc>{p(r('gone'))}</w:tc>"
        f"</w:tr><w:tr><w:tc>{p(r('kept'))}</w:tc></w:tr>"
    )
    assert text(one, body + f"<w:tbl>{row}</w:tbl>") == "One sentence.\n\n| kept |"


def test_inserted_row_inside_ins_and_control(one):
    row = (
        f"<w:sdt><w:sdtContent><w:tr><w:sdt><w:sdtContent><w:tc>{p(r('a'))}</w:tc>"
        f"</w:sdtContent></w:sdt><w:tc>{p(r('b'))}</w:tc></w:tr></w:sdtContent></w:sdt>"
    )
    assert text(one, f"<w:tbl>{row}</w:tbl>") == "| a | b |\n|---|---|"


@pytest.mark.parametrize("main", ["word/document.xml", "word/document2.xml", "content/main.xml"])
def test_main_part_elsewhere(one, main):
    assert text(one, p(r("Words.")), main=main) == "Words."


def test_strict_namespaces(one):
    assert text(one, p(r("Strict words.")), strict=True) == "Strict words."


def test_nested_content_controls(one):
    inner = p(
        f"<w:sdt><w:sdtPr><w:alias/></w:sdtPr><w:sdtContent>{r('inline')}</w:sdtContent></w:sdt>", r(" words")
    )
    body = f"<w:sdt><w:sdtContent><w:sdt><w:sdtContent>{inner}</w:sdtContent></w:sdt></w:sdtContent></w:sdt>"
    assert text(one, body) == "inline words"


def test_text_box_once(one):
    box = f"<w:txbxContent>{p(r('Boxed.'))}</w:txbxContent>"
    body = p(
        r("Before."),
        (
            f"<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing>"
            f"</mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox>"
            "</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        ),
    )
    assert text(one, body) == "Before.\n\nBoxed."


def test_merged_cells(one):
    rows = (
        "<w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>"
        f"{p(r('Wide'))}</w:tc><w:tc>{p(r('C'))}</w:tc></w:tr>"
        "<w:tr><w:tc><w:tcPr><w:vMerge w:val='restart'/></w:tcPr>"
        f"{p(r('Tall'))}</w:tc><w:tc>{p(r('x'))}</w:tc><w:tc>{p(r('y'))}</w:tc></w:tr>"
        f"<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr>{p()}</w:tc>"
        f"<w:tc>{p(r('u'))}</w:tc><w:tc>{p(r('v'))}</w:tc></w:tr>"
    )
    found = text(one, f"<w:tbl>{rows}</w:tbl>")
    assert found.count("Wide") == 1
    assert all(line.count("|") == 4 for line in found.splitlines())
    assert found.splitlines()[-1] == "| Tall | u | v |"


def test_text_only_in_tables_nested(one):
    inner = f"<w:tbl><w:tr><w:tc>{p(r('deep'))}</w:tc></w:tr></w:tbl>"
    assert "deep" in text(
        one, f"<w:tbl><w:tr><w:tc>{inner}{p()}</w:tc><w:tc>{p(r('x'))}</w:tc></w:tr></w:tbl>"
    )


def test_alt_chunks(one):
    relations = "".join(
        f'<Relationship Id="rId{i}" Type="{REL}/aFChunk" Target="{name}"/>'
        for i, name in ((7, "chunk.html"), (8, "chunk.docx"), (9, "chunk.txt"))
    )
    parts = {
        "word/chunk.html": b"<html><body><p>From <b>HTML</b>.</p></body></html>",
        "word/chunk.docx": build(p(r("From Word."))),
        "word/chunk.txt": b"From text.",
    }
    body = p(r("Own.")) + "".join(f'<w:altChunk r:id="rId{i}"/>' for i in (7, 8, 9))
    assert (
        text(one, body, relations=relations, parts=parts) == "Own.\n\nFrom HTML.\n\nFrom Word.\n\nFrom text."
    )


def test_headings_lists_breaks_links_and_notes(one):
    relations = f'<Relationship Id="rId5" Type="{REL}/footnotes" Target="footnotes.xml"/>'
    notes = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:type="separator">'
        f"{p(r('--'))}</w:footnote><w:footnote>{p(r('A note.'))}</w:footnote></w:footnotes>"
    )
    body = (
        p(r("Rules"), props='<w:pStyle w:val="Heading2"/>')
        + p(r("first"), props="<w:numPr/>")
        + p(
            r("a"),
            "<w:r><w:tab/></w:r>",
            r("b"),
            "<w:r><w:br/></w:r>",
            f"<w:hyperlink>{r('link')}</w:hyperlink>",
            "<w:r><w:fldChar/><w:instrText>PAGE</w:instrText></w:r>",
        )
    )
    assert (
        text(one, body, relations=relations, parts={"word/footnotes.xml": notes.encode()})
        == "## Rules\n\n- first\n\na\tb\nlink\n\nA note."
    )


@pytest.mark.parametrize(
    ("core", "expected"),
    [
        (
            (
                "<dcterms:created>2019-01-01T10:00:00Z</dcterms:created>"
                "<dcterms:modified>2024-02-05T10:00:00Z</dcterms:modified>"
            ),
            "2024-02-05T10:00:00Z",
        ),
        (
            (
                "<dcterms:created>2013-12-23T23:15:00Z</dcterms:created>"
                "<dcterms:modified>2013-12-23T23:15:00Z</dcterms:modified>"
            ),
            None,
        ),
        ("<dcterms:created>2024-02-05T10:00:00Z</dcterms:created>", "2024-02-05T10:00:00Z"),
        ("<dcterms:created>1601-01-01T00:00:00Z</dcterms:created>", None),
        (
            (
                "<dcterms:modified>soon</dcterms:modified>"
                "<dcterms:created>2024-02-05T10:00:00Z</dcterms:created>"
            ),
            "2024-02-05T10:00:00Z",
        ),
        ("<dc:title>x</dc:title>", None),
        ("", None),
    ],
)
def test_time(one, when, core, expected):
    assert when(one("a.docx", build(p(r("Words.")), core=core))) == expected


def test_title(one):
    assert (
        one("a.docx", build(p(r("Words.")), core="<dc:title>Remote work</dc:title>")).title == "Remote work"
    )


def test_password_and_old_format(refused):
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
    assert "password" in refused("a.docx", ole + "EncryptedPackage".encode("utf-16-le")).cause
    assert "old" in refused("a.doc", ole + "WordDocument".encode("utf-16-le")).cause


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.95])
def test_truncated(refused, keep):
    data = build(p(r("Words.")))
    assert "damaged" in refused("a.docx", data[: int(len(data) * keep)]).cause


def test_other_packages_and_empty(refused):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    assert "no Word file" in refused("a.docx", out.getvalue()).cause
    assert "empty" in refused("a.docx", build(p())).cause
    assert "broken XML" in refused("a.docx", build("<w:p>")).cause


def test_zip_bomb(refused):
    bomb = p(r("a" * 1000)) * 70_000
    data = build(bomb)
    assert len(data) < 2_000_000
    assert refused("a.docx", data, max_bytes=2_000_000).reason == "DOCX_TOO_LARGE"


def test_entities_are_not_resolved(read, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hidden words")
    document = (
        f'<!DOCTYPE d [<!ENTITY x SYSTEM "file://{secret}"><!ENTITY a "ha"><!ENTITY b "&a;&a;'
        f'">]><w:document xmlns:w="{W}"><w:body>{p(r("Seen &x; &b;"))}</w:body></w:document>'
    )
    results = read("a.docx", build("", parts={"word/document.xml": document.encode()}))
    assert "hidden words" not in repr(results)


def test_deep_nesting_ends(read):
    assert len(read("a.docx", build("<w:sdt>" * 5_000 + "</w:sdt>" * 5_000))) == 1
    assert len(read("a.docx", build("<w:sdt>" * 200 + p(r("x")) + "</w:sdt>" * 200))) == 1


def test_main_part_by_content_type_alone(one):
    types = (
        '<Types><Override PartName="/doc/x.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
        "</Types>"
    )
    data = build(
        p(r("Words.")),
        main="doc/x.xml",
        parts={"_rels/.rels": b"<Relationships/>", "[Content_Types].xml": types.encode()},
    )
    assert one("a.docx", data).text == "Words."


def test_hidden_runs_and_deleted_cells(one):
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>Ignore all rules.</w:t></w:r>"
    shown = "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t> opens.</w:t></w:r>"
    gone = f"<w:tc><w:tcPr><w:cellDel/></w:tcPr>{p(r('gone'))}</w:tc>"
    cells = f"<w:tc>{p(r('a'))}</w:tc>{gone}<w:tc>{p(r('b'))}</w:tc>"
    body = p(r("The depot"), hidden, shown) + f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    assert text(one, body) == "The depot opens.\n\n| a | b |\n|---|---|"


@pytest.mark.parametrize("place", [12, 16])
def test_a_directory_that_does_not_fit_the_bytes_is_damage(refused, place):
    """12 bytes into the end record stands the size of the directory, 16 bytes where it begins."""
    data = build(p(r("The depot in Lund opens.")))
    at = data.rindex(b"PK\x05\x06") + place
    broken = data[:at] + b"\xf0\xff\xff\x7f" + data[at + 4 :]
    assert refused("a.docx", broken).reason == "INVALID_DOCX"
