"""PDF files made here, byte by byte, with the faults that real ones have."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable

import pytest

from tidegraph.inputs.document import iso_text
from tidegraph.inputs.files.pdf import parse_pdf_date
from tidegraph.inputs.times import YEAR_ONE_END, TimeRules

PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def text_stream(text: str) -> bytes:
    return f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode("latin-1")


def build(
    pages: Iterable[bytes] = (text_stream("The depot in Lund opens."),),
    *,
    info: str = "",
    xmp: bytes = b"",
    kids: str | None = None,
    resources: str = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>",
    extra: Iterable[bytes] = (),
    password: bytes | None = None,
    flate_xmp: bool = False,
) -> bytes:
    """A PDF of the given content streams; object 1 is the catalog, 2 the page tree."""
    pages = list(pages)
    objects: dict[int, bytes] = {}
    first = 3
    objects[1] = b"<< /Type /Catalog /Pages 2 0 R" + (b" /Metadata 900 0 R" if xmp else b"") + b" >>"
    refs = " ".join(f"{first + 2 * i} 0 R" for i in range(len(pages)))
    objects[2] = f"<< /Type /Pages /Kids [{refs if kids is None else kids}] /Count {len(pages)} >>".encode()
    for index, stream in enumerate(pages):
        number = first + 2 * index
        objects[number] = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << {resources} >> /Contents {number + 1} 0 R >>"
        ).encode()
        objects[number + 1] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)
    if xmp:
        data = zlib.compress(xmp) if flate_xmp else xmp
        head = b"<< /Type /Metadata /Subtype /XML /Length %d%s >>" % (
            len(data),
            b" /Filter /FlateDecode" if flate_xmp else b"",
        )
        objects[900] = head + b"\nstream\n" + data + b"\nendstream"
    if info:
        objects[901] = f"<< {info} >>".encode("latin-1")
    objects |= dict(enumerate(extra, 800))
    return assemble(objects, info=bool(info), password=password)


def assemble(objects: dict[int, bytes], *, info: bool, password: bytes | None) -> bytes:
    trailer = b""
    if password is not None:
        objects, trailer = encrypt(objects, password)
    out = bytearray(b"%PDF-1.4\n")
    offsets = {}
    for number, body in sorted(objects.items()):
        offsets[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 1\n0000000000 65535 f \n"
    for number, offset in sorted(offsets.items()):
        out += b"%d 1\n%010d 00000 n \n" % (number, offset)
    out += b"trailer\n<< /Size 1000 /Root 1 0 R%s%s >>\nstartxref\n%d\n%%%%EOF\n" % (
        b" /Info 901 0 R" if info else b"",
        trailer,
        start,
    )
    return bytes(out)


def rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def encrypt(objects: dict[int, bytes], password: bytes) -> tuple[dict[int, bytes], bytes]:
    """Standard security handler, revision 2, 40 bits (ISO 32000, 7.6.3); only streams are encrypted here."""
    user = (password + PAD)[:32]
    owner = rc4(hashlib.md5(b"owner".ljust(32, b"x")[:32]).digest()[:5], user)
    permissions = (-44 & 0xFFFFFFFF).to_bytes(4, "little")
    key = hashlib.md5(user + owner + permissions + b"id" * 8).digest()[:5]
    result = {}
    for number, body in objects.items():
        head, mark, rest = body.partition(b"\nstream\n")
        if mark:
            data = rest.removesuffix(b"\nendstream")
            own = hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]
            result[number] = head + mark + rc4(own, data) + b"\nendstream"
        else:
            result[number] = body
    handler = b"<< /Filter /Standard /V 1 /R 2 /P -44 /O <%s> /U <%s> >>" % (
        owner.hex().encode(),
        rc4(key, PAD).hex().encode(),
    )
    return result, b" /Encrypt %s /ID [<%s> <%s>]" % (
        handler,
        (b"id" * 8).hex().encode(),
        (b"id" * 8).hex().encode(),
    )


def xmp_packet(**times: str) -> bytes:
    fields = "".join(f"<xmp:{name}>{value}</xmp:{name}>" for name, value in times.items())
    return (
        '<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description>'
        f'{fields}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
    ).encode()


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("D:20240205100000+01'00'", "2024-02-05T09:00:00Z"),
        ("D:20240205100000+01'00", "2024-02-05T09:00:00Z"),
        ("D:20240205100000Z00'00'", "2024-02-05T10:00:00Z"),
        ("D:20240205100000Z", "2024-02-05T10:00:00Z"),
        ("D:20240205100000-0530", "2024-02-05T15:30:00Z"),
        ("D:20240205100000+1'0'", "2024-02-05T09:00:00Z"),
        ("20240205100000", "2024-02-05T10:00:00Z"),
        ("D:20240205", "2024-02-05"),
        ("D:202402", "2024-02"),
        ("D:2024", "2024"),
        ("D:202402051000", "2024-02-05T10:00:00Z"),
        ("Mon Feb  5 10:00:00 2024", "2024-02-05T10:00:00Z"),
        ("2024-02-05T10:00:00+01:00", "2024-02-05T09:00:00Z"),
        ("D:00000101000000Z", None),
        ("D:00010101000000Z", None),
        ("D:20241305", None),
        ("D:", None),
        ("", None),
    ],
)
def test_creation_date(date, expected):
    time = parse_pdf_date(date, "pdf: Info CreationDate", TimeRules())
    found = iso_text(time) if time and time.instant >= YEAR_ONE_END else None
    assert found == expected


@pytest.mark.parametrize(
    ("date", "expected"), [("D:20240205100000+01'00'", "2024-02-05T09:00:00Z"), ("D:00010101000000Z", None)]
)
def test_title_text_and_time(one, when, date, expected):
    document = one("a.pdf", build(info=f"/CreationDate ({date}) /Title (A title)"))
    assert when(document) == expected
    assert document.title == "A title"
    assert "The depot in Lund opens." in document.text


def test_odd_zone_is_local_and_says_so(one, when):
    document = one("a.pdf", build(info="/CreationDate (D:20240205100000+99'00')"), zone="Europe/Berlin")
    assert when(document) == "2024-02-05T09:00:00Z"
    assert "Europe/Berlin" in document.document_time.provenance


@pytest.mark.parametrize("flate", [False, True])
def test_xmp_only(one, when, flate):
    document = one("a.pdf", build(xmp=xmp_packet(CreateDate="2024-02-05T10:00:00+01:00"), flate_xmp=flate))
    assert when(document) == "2024-02-05T09:00:00Z"
    assert "XMP" in document.document_time.provenance


def test_xmp_of_a_picture_is_not_the_documents(one, when):
    packet = xmp_packet(CreateDate="2001-01-01T10:00:00Z")
    picture = b"<< /Type /Metadata /Subtype /XML /Length %d >>\nstream\n%s\nendstream" % (len(packet), packet)
    document = one("a.pdf", build(xmp=xmp_packet(CreateDate="2024-02-05T10:00:00Z"), extra=[picture]))
    assert when(document) == "2024-02-05T10:00:00Z"


def test_info_and_xmp_disagree(one, when):
    xmp = xmp_packet(CreateDate="2023-01-01T00:00:00Z", MetadataDate="2024-01-01T00:00:00Z")
    older = build(info="/CreationDate (D:20220101000000Z) /ModDate (D:20230601000000Z)", xmp=xmp)
    newer = build(info="/CreationDate (D:20220101000000Z) /ModDate (D:20240601000000Z)", xmp=xmp)
    assert when(one("a.pdf", older)) == "2023-01-01T00:00:00Z"
    assert when(one("a.pdf", newer)) == "2022-01-01T00:00:00Z"


def test_modification_when_there_is_no_creation(one, when):
    assert when(one("a.pdf", build(info="/ModDate (D:20240205100000Z)"))) == "2024-02-05T10:00:00Z"


def test_empty_password_opens(one):
    assert "The depot in Lund opens." in one("a.pdf", build(password=b"")).text


def test_user_password_is_refused(refused):
    rejection = refused("a.pdf", build(password=b"secret"))
    assert rejection.reason == "ENCRYPTED"
    assert "password" in rejection.cause


IMAGE = b"q 100 0 0 100 72 600 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q"


def test_scan_without_text_says_so(refused):
    rejection = refused("a.pdf", build([IMAGE, IMAGE]))
    assert "scan" in rejection.cause
    assert "OCR" in rejection.cause


def test_scanned_page_among_others_is_accepted(one):
    assert "opens" in one("a.pdf", build([IMAGE, text_stream("The depot opens.")])).text


def test_empty_page(refused):
    assert "empty" in refused("a.pdf", build([b""])).cause


@pytest.mark.parametrize("kids", ["2 0 R", "3 0 R 2 0 R 3 0 R", "1 0 R", "999 0 R"])
def test_page_tree_cycles_end(read, kids):
    assert len(read("a.pdf", build(kids=kids))) == 1


def test_object_cycle_ends(read):
    assert (
        len(read("a.pdf", build(resources="/XObject << /X 800 0 R >>", pages=[b"/X Do"], extra=[b"800 0 R"])))
        == 1
    )


def test_hundreds_of_pages(one):
    text = one("a.pdf", build([text_stream(f"Page number {i}.") for i in range(400)])).text
    assert text.startswith("Page number 0.")
    assert text.endswith("Page number 399.")


@pytest.mark.parametrize("keep", [0.02, 0.3, 0.6, 0.9])
def test_cut_off(read, keep):
    data = build([text_stream("The depot in Lund opens.")] * 5)
    results = read("a.pdf", data[: int(len(data) * keep)])
    assert len(results) == 1


@pytest.mark.parametrize("data", [b"%PDF-1.4\n", b"%PDF-1.4\n" + b"\0" * 500, b"no pdf"])
def test_damaged(refused, data):
    assert "damaged" in refused("a.pdf", data).cause or "not a PDF" in refused("a.pdf", data).cause


def test_glyphs_without_unicode(read):
    font = (
        "/Font << /F1 << /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] "
        "/FirstChar 1 /LastChar 3 /Widths [1 1 1] /CharProcs << /g1 801 0 R >"
        "> /Encoding << /Type /Encoding /Differences [1 /g1 /g1 /g1] >> >> >>"
    )
    glyph = b"<< /Length 12 >>\nstream\n1 0 d0 0 0 m\nendstream"
    results = read(
        "a.pdf",
        build([b"BT /F1 12 Tf 72 720 Td <010203010203> Tj ET"], resources=font, extra=[b"null", glyph]),
    )
    assert len(results) == 1
    assert getattr(results[0], "reason", "") in ("NO_TEXT", "EMPTY_DOCUMENT")


def test_text_over_the_limit(refused):
    content = zlib.compress(text_stream("word " * 400))
    page = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content)
    data = build([b""] * 30, extra=[page]).replace(b"/Contents", b"/Contents 800 0 R /Unused")
    assert refused("a.pdf", data, max_bytes=20_000).reason == "DOCUMENT_TOO_LARGE"
