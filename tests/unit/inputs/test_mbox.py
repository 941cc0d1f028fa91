"""mbox files, split where a message begins and nowhere else."""

from __future__ import annotations

from tidegraph.inputs.files.model import FileDocument, Rejection

SEPARATOR = "From a@x.example Mon Feb  5 10:00:00 2024\n"


def message(number: int, body: str = "", extra: str = "") -> str:
    return (
        f"From: a@x.example\nSubject: Message {number}\nMessage-ID: <m{number}@x>\n"
        f"Date: Mon, 0{number} Jan 2024 10:00:00 +0000\n{extra}\n{body or f'Words of {number}.'}\n\n"
    )


def texts(results):
    assert all(isinstance(result, FileDocument) for result in results), results
    return [result.document.text for result in results]


def test_messages_in_order_with_their_own_times(read, when):
    results = read("a.mbox", SEPARATOR + message(1) + SEPARATOR + message(2))
    assert texts(results) == ["Words of 1.", "Words of 2."]
    assert [when(r.document) for r in results] == ["2024-01-01T10:00:00Z", "2024-01-02T10:00:00Z"]
    assert [r.position for r in results] == ["message 1", "message 2"]
    assert [r.document.document_id for r in results] == ["m1@x", "m2@x"]


def test_unescaped_from_in_a_body(read):
    body = (
        "Hello.\n\nFrom the beginning we knew it.\nFrom 2024 on, all is "
        "new: really.\n\nFrom Lund to Malmö at 10:00 in 2024\nit takes long."
    )
    results = read("a.mbox", SEPARATOR + message(1, body) + SEPARATOR + message(2))
    assert len(results) == 2
    assert "it takes long." in texts(results)[0]


def test_escaped_from_is_unescaped(read):
    results = read("a.mbox", SEPARATOR + message(1, ">From here on.\n>>From there.") + SEPARATOR + message(2))
    assert texts(results)[0] == "From here on.\n>From there."


def test_content_length_protects_a_whole_message_in_a_body(read):
    inner = "See this:\n\n" + SEPARATOR + "From: c@x\nSubject: quoted\n\nQuoted words."
    results = read(
        "a.mbox",
        SEPARATOR + message(1, inner, extra=f"Content-Length: {len(inner) + 1}\n") + SEPARATOR + message(2),
    )
    assert len(results) == 2
    assert "Quoted words." in texts(results)[0]


def test_wrong_content_length_is_not_believed(read):
    results = read(
        "a.mbox",
        SEPARATOR
        + message(1, extra="Content-Length: 7\n")
        + SEPARATOR
        + message(2, extra="Content-Length: 99999\n")
        + SEPARATOR
        + message(3),
    )
    assert texts(results) == ["Words of 1.", "Words of 2.", "Words of 3."]


def test_separators_without_date_or_address(read):
    for separator in (
        "From \n",
        "From - Mon Feb 05 10:00:00 2024\n",
        "From ???@??? Mon Feb 05 10:00:00 2024\n",
        "From MAILER-DAEMON\n",
        "From\n",
    ):
        results = read("a.mbox", separator + message(1) + separator + message(2))
        assert texts(results) == ["Words of 1.", "Words of 2."], separator


def test_no_blank_line_between_messages(read):
    results = read("a.mbox", SEPARATOR + message(1).rstrip("\n") + "\n" + SEPARATOR + message(2))
    assert texts(results) == ["Words of 1.", "Words of 2."]


def test_byte_order_mark_and_crlf(read):
    data = (SEPARATOR + message(1) + SEPARATOR + message(2)).replace("\n", "\r\n").encode("utf-8-sig")
    assert texts(read("a.mbox", data)) == ["Words of 1.", "Words of 2."]


def test_no_headers_at_all(read):
    results = read("a.mbox", SEPARATOR + "\nOnly words.\n\n" + SEPARATOR + message(2))
    assert texts(results) == ["Only words.", "Words of 2."]
    assert results[0].document.document_time is None


def test_a_broken_message_leaves_its_neighbours(read):
    broken = "Subject: x\nContent-Type: application/pkcs7-mime\n\nMIAG\n\n"
    results = read("a.mbox", SEPARATOR + message(1) + SEPARATOR + broken + SEPARATOR + message(3))
    assert isinstance(results[1], Rejection)
    assert results[1].position == "message 2"
    assert texts([results[0], results[2]]) == ["Words of 1.", "Words of 3."]


def test_empty(refused):
    assert "empty" in refused("a.mbox", "").cause
    assert "empty" in refused("a.mbox", "\n\n").cause
