"""Web pages: which time is the document's, and what is text."""

from __future__ import annotations

import base64
import json

import pytest

ARTICLE = "<article><h1>Supplier change</h1><p>Northwind replaces Halden.</p></article>"


def page(head: str = "", body: str = ARTICLE) -> str:
    return (
        f"<!doctype html><html lang=en><head><title>Supplier</title>{head}</head><body>{body}</body></html>"
    )


def linked(**fields: object) -> str:
    return (
        '<script type="application/ld+json">'
        f"{json.dumps({'@context': 'https://schema.org', **fields})}</script>"
    )


PUBLISHED = '<meta property="article:published_time" content="2024-02-05T10:00:00+01:00">'
MODIFIED = '<meta property="article:modified_time" content="2024-03-01T10:00:00Z">'


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        (PUBLISHED + MODIFIED, ARTICLE, "2024-02-05T09:00:00Z"),
        (MODIFIED, ARTICLE, "2024-03-01T10:00:00Z"),
        (
            linked(**{"@type": "NewsArticle", "datePublished": "2024-02-05", "dateModified": "2024-03-01"}),
            ARTICLE,
            "2024-02-05",
        ),
        (
            linked(
                **{
                    "@graph": [
                        {"@type": "WebSite", "datePublished": "2001-01-01"},
                        {"@type": ["Thing", "BlogPosting"], "datePublished": "2024-02-05"},
                    ]
                }
            ),
            ARTICLE,
            "2024-02-05",
        ),
        (
            linked(**{"@type": "Person", "datePublished": "2001-01-01"}) + PUBLISHED,
            ARTICLE,
            "2024-02-05T09:00:00Z",
        ),
        (
            '<script type="application/ld+json">{"@type": "Article", "datePublished": broken</script>'
            + PUBLISHED,
            ARTICLE,
            "2024-02-05T09:00:00Z",
        ),
        ('<meta name="DC.date.issued" content="2024-02-05">', ARTICLE, "2024-02-05"),
        ('<meta name="date" content="Mon, 05 Feb 2024 10:00:00 GMT">', ARTICLE, "2024-02-05T10:00:00Z"),
        ('<meta itemprop="datePublished" content="20240205T100000Z">', ARTICLE, "2024-02-05T10:00:00Z"),
        ("", '<header><time datetime="2024-02-05">5 Feb</time></header>' + ARTICLE, "2024-02-05"),
        ("", '<p class="byline">By X, <time>February 5, 2024</time></p>' + ARTICLE, "2024-02-05"),
        (
            "",
            (
                '<time class="updated" datetime="2024-03-01">x</time><time '
                'class="entry-date published" datetime="2024-02-05">x</time>'
            )
            + ARTICLE,
            "2024-02-05",
        ),
        ("", '<span itemprop="datePublished">۱۶ بهمن ۱۴۰۲</span>' + ARTICLE, "2024-02-05"),
        ("", "<time pubdate>۱۴۰۲/۱۱/۱۶</time>" + ARTICLE, "2024-02-05"),
        ("", '<time itemprop="datePublished">٥ فبراير ٢٠٢٤</time>' + ARTICLE, "2024-02-05"),
        ("", "<p>The move on <time datetime=2024-06-01>1 June</time> is final.</p>" + ARTICLE, None),
        (
            (
                '<meta http-equiv="last-modified" content="Mon, 05 Feb 2024 '
                '10:00:00 GMT"><meta name="generator" content="x 2024-01-01">'
            ),
            ARTICLE,
            None,
        ),
        ('<meta property="article:published_time" content="{{ page.date }}">', ARTICLE, None),
        (
            '<meta property="article:published_time" content="0001-01-01T00:00:00Z">' + MODIFIED,
            ARTICLE,
            "2024-03-01T10:00:00Z",
        ),
        ('<meta property="article:published_time" content="1970-01-01T00:00:00+00:00">', ARTICLE, None),
        ("<!-- rendered 2024-02-05T10:00:00Z -->", ARTICLE + "<footer>© 2024</footer>", None),
    ],
)
def test_time(one, when, head, body, expected):
    document = one("a.html", page(head, body))
    assert when(document) == expected
    assert "Northwind replaces Halden." in document.text


@pytest.mark.parametrize(
    ("first", "other", "expected"),
    [
        ("2024-02-05T10:00:00", "2024-02-05T10:00:00+05:00", "2024-02-05T05:00:00Z"),
        ("2024-02-05", "2024-02-05T10:00:00+05:00", "2024-02-05T05:00:00Z"),
        ("2024-02-05", "2024-03-05T10:00:00+05:00", "2024-02-05"),
        ("2024-02-05T10:00:00Z", "2024-02-05T10:00:01+05:00", "2024-02-05T10:00:00Z"),
    ],
)
def test_the_more_exact_of_two_that_agree(one, when, first, other, expected):
    head = linked(**{"@type": "Article", "datePublished": first})
    head += f'<meta property="article:published_time" content="{other}">'
    assert when(one("a.html", page(head))) == expected


def test_naive_time_is_local_and_says_so(one, when):
    document = one(
        "a.html",
        page('<meta property="article:published_time" content="2024-07-05T10:00:00">'),
        zone="Europe/Berlin",
    )
    assert when(document) == "2024-07-05T08:00:00Z"
    assert "Europe/Berlin" in document.document_time.provenance


def test_text_without_markup_scripts_and_navigation(one):
    picture = base64.b64encode(b"x" * 3_000).decode()
    body = (
        f"<nav>Home</nav><script>var a = '{picture}'</script><style>p {{}}</style><noscript>"
        f"Please</noscript><p hidden>no</p><p style='display: none'>no</p>{ARTICLE}<ul><li>One<li>Two</ul>"
    )
    document = one("a.html", page(body=body))
    assert document.text == "# Supplier change\n\nNorthwind replaces Halden.\n\n- One\n- Two"
    assert document.title == "Supplier"
    assert document.language == "en"


def test_tables_keep_their_form(one):
    body = "<table><tr><th>Role<th>Lead</tr><tr><td>Release <b>lead</b><td><p>Ann | Bo</p></tr></table>"
    assert one("a.html", page(body=body)).text == "| Role | Lead |\n|---|---|\n| Release lead | Ann \\| Bo |"


def test_layout_tables_are_read_as_text(one):
    body = f"<table><tr><td><table><tr><td>{ARTICLE}</td></tr></table></td></tr></table>"
    assert "Northwind replaces Halden." in one("a.html", page(body=body)).text.splitlines()


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", '<meta charset="iso-8859-1">'),
        ("utf-8", '<meta charset="x-none">'),
        ("utf-8", ""),
        ("cp1252", '<meta charset="iso-8859-1">'),
        ("cp1252", '<meta charset="utf-8">'),
        ("cp1252", ""),
        (
            "cp1252",
            "<!-- "
            + "x" * 5_000
            + ' --><meta http-equiv="Content-Type" content="text/html; charset=windows-1252">',
        ),
        ("utf-16", ""),
        ("utf-16-le", '<meta charset="utf-16">'),
        ("utf-16-be", '<meta charset="utf-8">'),
    ],
)
def test_charsets(one, encoding, declared):
    text = "Zoë Grünfeld übernimmt die Leitung für Köln."
    assert text in one("a.html", page(declared, f"<p>{text}</p>").encode(encoding)).text


def test_declared_cyrillic(one):
    text = "Новый директор назначен в мае."
    assert text in one("a.html", page('<meta charset="koi8-r">', f"<p>{text}</p>").encode("koi8-r")).text


def test_one_line_of_a_megabyte_and_nul_bytes(one):
    body = "".join(f"<p>Line {i} of the page\0.</p>" for i in range(40_000))
    text = one("a.html", page(body=body), max_bytes=4_000_000).text
    assert "Line 39999 of the page." in text
    assert "\0" not in text


def test_very_deep_nesting(read):
    results = read(
        "a.html", page(body="<div>" * 50_000 + "deep words" + "</div>" * 50_000), max_bytes=4_000_000
    )
    assert len(results) == 1


@pytest.mark.parametrize(
    "data",
    [
        "",
        "<html></html>",
        "<script>var x = 1;</script>",
        "<!-- only -->",
        page(body="<img src=x>").replace("Supplier", ""),
    ],
)
def test_no_text(refused, data):
    assert "empty" in refused("a.html", data).cause


def test_xml_declaration(one):
    assert one("a.xhtml", '<?xml version="1.0" encoding="utf-8"?>\n' + page()).text.endswith(
        "Northwind replaces Halden."
    )


def test_broken_markup(one):
    assert "Northwind" in one("a.html", "<p>Northwind <b>replaces<p>Halden</i></table>").text
