"""Plain text in every encoding that still lies about."""

from __future__ import annotations

import pytest

ENGLISH = (
    "The retention period is 30 days. Jane Doe became CTO on 3 June 2024.\nA second line (with more words).\n"
)
KOREAN = "한국어 문서입니다. 새로운 공급업체는 2024년 5월 1일부터 북풍 화물입니다.\n"
RUSSIAN = "Срок хранения составляет тридцать дней. Новый директор назначен в мае.\n"
GERMAN = "Übergabe: Zoë Grünfeld übernimmt am 1. Mai 2024 die Leitung für Köln.\n"
JAPANESE = "新しい供給業者は2024年5月1日からノースウィンドです。これはテストです。\n"
CHINESE = "新的供应商从二零二四年五月一日起为北风货运公司，合同期限为三年。\n"
FRENCH = "Le siège a été transféré à Orléans où l’équipe s’est installée.\n"
POLISH = "Zażółć gęślą jaźń. Nowy dyrektor został powołany w sierpniu.\n"
GREEK = "Η νέα διευθύντρια διορίστηκε τον Μάιο του 2024 στην Αθήνα.\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *(
            (KOREAN, e)
            for e in (
                "utf-8",
                "cp949",
                "euc_kr",
                "utf-16-le",
                "utf-16-be",
                "utf-32-le",
                "utf-32-be",
                "utf-16",
            )
        ),
        *(
            (ENGLISH, e)
            for e in (
                "cp037",
                "cp500",
                "cp1140",
                "utf-16-le",
                "utf-16-be",
                "utf-32-le",
                "utf-32",
                "utf-8-sig",
            )
        ),
        *((RUSSIAN, e) for e in ("cp1251", "utf-16-le", "utf-16-be", "koi8-r")),
        *((GERMAN, e) for e in ("cp1252", "utf-16-be", "cp273")),
        *((FRENCH, e) for e in ("cp1252", "utf-8")),
        *((POLISH, e) for e in ("cp1250", "iso8859-2")),
        *((GREEK, e) for e in ("cp1253", "utf-16-le")),
        *((JAPANESE, e) for e in ("cp932", "euc_jp", "iso2022_jp", "utf-16-le")),
        *((CHINESE, e) for e in ("gb18030", "utf-16-le")),
    ],
)
def test_encodings(one, text, encoding):
    assert one("a.txt", (text * 3).encode(encoding)).text == text * 3


@pytest.mark.parametrize("text", [GERMAN, FRENCH])
def test_few_accents_in_a_long_english_text(one, text):
    """A handful of high bytes: Windows-1252, not whatever a statistic finds."""
    long = ENGLISH * 40 + text
    assert one("a.txt", long.encode("cp1252")).text == long


@pytest.mark.parametrize(
    "data", [b"", b" \n\t\r\n ", "\ufeff".encode("utf-16"), b"\xef\xbb\xbf", b"\x00\x00\x00"]
)
def test_nothing_but_white_space(refused, data):
    assert "empty" in refused("a.txt", data).cause


def test_nul_bytes_are_dropped(one):
    assert one("a.txt", b"\0The depot\0 opens.").text == "The depot opens."


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 40, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9, b"\x7fELF\x02\x01" + b"\0" * 200],
)
def test_binary_is_refused(refused, data):
    assert "binary" in refused("a.txt", data).cause or "encoding" in refused("a.txt", data).cause


def test_several_megabytes(one):
    text = ENGLISH * 40_000
    assert one("a.txt", text, max_bytes=8_000_000).text == text


def test_over_the_limit(refused):
    rejection = refused("a.txt", ENGLISH * 40_000, max_bytes=1_000_000)
    assert rejection.reason == "FILE_TOO_LARGE"
    assert "1,000,000" in rejection.cause


def test_line_ends(one):
    assert one("a.txt", b"one\r\ntwo\rthree\n").text == "one\ntwo\nthree\n"


def test_id_is_the_path_and_revision_the_content(one):
    first, second = one("a/b.txt", "one"), one("a/b.txt", "two")
    assert first.document_id == second.document_id == "a/b.txt"
    assert first.revision != second.revision
    assert first == one("a/b.txt", "one")


def test_a_text_has_no_time(one):
    assert one("a.txt", "Written on 3 June 2024.").document_time is None


def test_ebcdic_line_ends(one):
    lines = ENGLISH.splitlines() * 3
    data = b"\x15".join(line.encode("cp037") for line in lines)
    assert one("a.txt", data).text.splitlines() == lines
