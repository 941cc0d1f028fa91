"""E-mail as real mailers write it."""

from __future__ import annotations

import base64
from email.message import EmailMessage

import pytest

BODY = "The depot in Lund opens on 3 June 2024."


def plain(
    date: str | None = "Mon, 05 Feb 2024 10:00:00 +0100",
    *,
    subject: str = "Notice",
    extra: str = "",
    body: str = BODY,
) -> str:
    lines = [f"From: a@x.example\nTo: b@x.example\nSubject: {subject}\n"]
    if date is not None:
        lines.append(f"Date: {date}\n")
    return "".join(lines) + extra + "\n" + body + "\n"


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("Mon, 05 Feb 2024 10:00:00 +0100", "2024-02-05T09:00:00Z"),
        ("5 Feb 24 10:00:00 GMT", "2024-02-05T10:00:00Z"),
        ("Tue, 5 Feb 80 10:00 EST", "1980-02-05T15:00:00Z"),
        ("5 Feb 104 10:00:00 GMT", "2004-02-05T10:00:00Z"),
        ("Mon, 05 Feb 2024 10:00:00 PDT", "2024-02-05T17:00:00Z"),
        ("Mon, 05 Feb 2024 10:00:00 XYZT", "2024-02-05T10:00:00Z"),
        ("Mon, 05 Feb 2024 10:00:00 Z", "2024-02-05T10:00:00Z"),
        ("Mon, 05 Feb 2024 10:00:00 -0000", "2024-02-05T10:00:00Z"),
        ("Mon, 05 Feb 2024 10:00:00 +0100 (CET (winter \\) time))", "2024-02-05T09:00:00Z"),
        ("Mon, (a day) 05 Feb (month) 2024 10:00:00 +0100", "2024-02-05T09:00:00Z"),
        ("Mon,\n 05 Feb 2024\n\t10:00:00 +0100", "2024-02-05T09:00:00Z"),
        ("Mon, 05 Feb 1962 10:00:00 +0000", "1962-02-05T10:00:00Z"),
        ("Mon, 05 Feb 2238 10:00:00 +0000", "2238-02-05T10:00:00Z"),
        ("2024-02-05T10:00:00+01:00", "2024-02-05T09:00:00Z"),
        ("2024-02-05 10:00:00 +0100", "2024-02-05T09:00:00Z"),
        ("Mon Feb  5 10:00:00 2024", "2024-02-05T10:00:00Z"),
        ("Mon, 5 Februar 2024 10:00:00 +0100", "2024-02-05T09:00:00Z"),
        ("Monday, 05-Feb-24 10:00:00 GMT", "2024-02-05T10:00:00Z"),
        ("Mon, 05 Feb 2024 24:61:00 +0100", None),
        ("Mon, 31 Feb 2024 10:00:00 +0100", None),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_date_header(one, when, date, expected):
    document = one("a.eml", plain(date))
    assert when(document) == expected
    if expected:
        assert "Date" in document.document_time.provenance


def test_date_without_zone_is_local_and_says_so(one, when):
    document = one("a.eml", plain("Mon, 05 Feb 2024 10:00:00"), zone="Europe/Berlin")
    assert when(document) == "2024-02-05T09:00:00Z"
    assert "Europe/Berlin" in document.document_time.provenance


def test_unknown_zone_is_said(one):
    assert "XYZT" in one("a.eml", plain("Mon, 05 Feb 2024 10:00:00 XYZT")).document_time.provenance


@pytest.mark.parametrize(
    ("charset", "declared", "text"),
    [
        ("cp1252", "iso-8859-1", "Zoë übernimmt “Köln” am 1. Mai."),
        ("utf-8", "iso-8859-1", "Zoë übernimmt Köln am 1. Mai."),
        ("utf-8", "x-unknown", "Zoë übernimmt Köln am 1. Mai."),
        ("cp949", "ks_c_5601-1987", "새로운 공급업체는 북풍 화물입니다."),
        ("iso2022_jp", "ISO-2022-JP", "新しい供給業者はノースウィンドです。"),
        ("gb18030", "gb2312", "新的供应商是北风货运公司。"),
        ("koi8-r", "KOI8-R", "Новый директор назначен в мае."),
        ("utf-8", "utf8mb4", "Zoë übernimmt."),
    ],
)
def test_charsets_of_bodies(one, charset, declared, text):
    head = plain(
        extra=f"Content-Type: text/plain; charset={declared}\nContent-Transfer-Encoding: 8bit\n", body=""
    ).encode()
    assert text in one("a.eml", head + text.encode(charset)).text


@pytest.mark.parametrize("charset", ["utf-8", "cp1252"])
def test_raw_8_bit_subject(one, charset):
    data = plain(subject="@@").encode().replace(b"@@", "Übergabe an Zoë".encode(charset))
    assert one("a.eml", data).title == "Übergabe an Zoë"


def test_encoded_subject_in_pieces(one):
    subject = "=?utf-8?B?w5xiZXJn?=\n =?utf-8?Q?abe?= =?x-unknown?Q?_Lund?="
    assert one("a.eml", plain(subject=subject)).title == "Übergabe Lund"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_whole_mail_in_other_encodings(one, when, encoding):
    document = one(
        "a.eml",
        plain(extra="Content-Type: text/plain; charset=iso-8859-1\n", body="Zoë über Köln").encode(encoding),
    )
    assert document.title == "Notice"
    assert "Zoë über Köln" in document.text
    assert when(document) == "2024-02-05T09:00:00Z"


def test_nested_message_does_not_win(one, when):
    inner = EmailMessage()
    inner["Subject"], inner["Date"], inner["Message-ID"] = (
        "Inner",
        "Tue, 06 Feb 2018 10:00:00 +0000",
        "<in@x>",
    )
    inner.set_content("Inner words.")
    outer = EmailMessage()
    outer["Subject"], outer["Message-ID"] = "Outer", "<out@x>"
    outer.set_content("Outer words.")
    outer.add_attachment(inner)
    document = one("a.eml", outer.as_bytes())
    assert when(document) is None
    assert (document.title, document.document_id) == ("Outer", "out@x")
    assert "Outer words." in document.text
    assert "Inner words." in document.text


def test_digest_keeps_all_messages(one, when):
    data = """From: list@x.example
Subject: Digest
Date: Mon, 05 Feb 2024 10:00:00 +0000
Content-Type: multipart/digest; boundary="d"

--d

From: a@x
Date: Sun, 04 Feb 2024 10:00:00 +0000
Subject: First

Words of the first.
--d

From: b@x
Subject: Second

Words of the second.
--d--
"""
    document = one("a.eml", data)
    assert when(document) == "2024-02-05T10:00:00Z"
    assert all(
        word in document.text for word in ("First", "Words of the first.", "Second", "Words of the second.")
    )


@pytest.mark.parametrize(
    "content_type",
    [
        'multipart/mixed; boundary="b"',
        "multipart/mixed",
        'multipart/mixed; boundary=""',
        'multipart/mixed; boundary="other"',
    ],
)
@pytest.mark.parametrize("end", ["--b--\n", ""])
def test_boundaries_missing_wrong_or_endless(one, content_type, end):
    data = plain(
        extra=f"MIME-Version: 1.0\nContent-Type: {content_type}\n",
        body="--b\nContent-Type: text/plain\n\nOne part.\n--b\nContent-Type: text/plain\n\nAnother part.\n"
        + end,
    )
    text = one("a.eml", data).text
    assert "One part." in text
    assert "Another part." in text
    assert "Content-Type" not in text


def test_inner_and_outer_share_a_boundary(one):
    data = plain(
        extra='MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n',
        body=(
            '--b\nContent-Type: multipart/alternative; boundary="b"\n\n'
            "--b\nContent-Type: text/plain\n\nWords to keep.\n--b--\n--b--\n"
        ),
    )
    assert "Words to keep." in one("a.eml", data).text


def test_alternative_takes_the_plain_text_once(one):
    message = EmailMessage()
    message["Subject"] = "x"
    message.set_content("Plain words.")
    message.add_alternative("<p>Plain <b>words</b>.</p>", subtype="html")
    assert one("a.eml", message.as_bytes()).text == "Plain words."


def test_html_only(one):
    message = EmailMessage()
    message["Subject"] = "x"
    message.set_content("<style>p{}</style><p>Caf&eacute; <b>opens</b>.</p>", subtype="html")
    assert one("a.eml", message.as_bytes()).text == "Café opens."


def test_binary_labelled_text_is_left_out(one):
    message = EmailMessage()
    message["Subject"] = "x"
    message.set_content(BODY)
    message.add_attachment(bytes(range(256)) * 20, maintype="text", subtype="plain", filename="a.txt")
    assert one("a.eml", message.as_bytes()).text == BODY


@pytest.mark.parametrize(
    "data",
    [
        plain(
            extra='Content-Type: multipart/encrypted; boundary="b"\n',
            body="--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b--",
        ),
        plain(extra="Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n", body="MIAG"),
        plain(body="-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----"),
    ],
)
def test_encrypted_is_refused(refused, data):
    assert "encrypted" in refused("a.eml", data).cause


def test_flowed_text_with_delsp(one):
    head = "Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\n"
    body = "The depot in Lu \nnd opens. \n\n> quoted  \n> text\nNot quoted\n-- \nName"
    text = one("a.eml", plain(extra=head, body=body)).text
    assert "The depot in Lund opens." in text
    assert "> quoted text" in text
    assert "text\nNot quoted" in text


def test_flowed_text_without_delsp(one):
    head = "Content-Type: text/plain; format=flowed\n"
    assert (
        "The depot in Lund opens."
        in one("a.eml", plain(extra=head, body="The depot \nin Lund \nopens.\n")).text
    )


def test_quoted_printable_soft_breaks(one):
    head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n"
    assert (
        one("a.eml", plain(extra=head, body="Der Zust=C3=A4n=\ndige =C3=BCbernimmt=20=\nam 1. Mai.")).text
        == "Der Zuständige übernimmt am 1. Mai."
    )


def test_damaged_base64(one):
    head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n"
    data = base64.b64encode(BODY.encode()).decode().rstrip("=")
    assert BODY in one("a.eml", plain(extra=head, body=data[:10] + "\r\n" + data[10:])).text


def test_header_of_100_kilobytes(one, when):
    data = plain(extra="References: " + "\n ".join(f"<{i:030}@x>" for i in range(3_000)) + "\n")
    assert when(one("a.eml", data)) == "2024-02-05T09:00:00Z"


def test_nothing_to_read(refused):
    assert "empty" in refused("a.eml", plain(body="")).cause
    assert "empty" in refused("a.eml", b"\n\n").cause
    assert "application/zip" in refused("a.eml", plain(extra="Content-Type: application/zip\n")).cause


def test_deep_nesting_is_refused(refused):
    data = plain(extra="Content-Type: message/rfc822\n", body="Content-Type: message/rfc822\n\n" * 2_000)
    assert refused("a.eml", data).reason in ("MAIL_TOO_NESTED", "INVALID_MAIL", "EMPTY_DOCUMENT")


def test_nested_message_in_base64(one):
    inner = base64.encodebytes(b"Subject: Inner\n\nInner words.\n").decode()
    head = "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n"
    assert one("a.eml", plain(extra=head, body=inner)).text == "Subject: Inner\n\nInner words."
