"""Markdown and its front matter in all of its dialects."""

from __future__ import annotations

import pytest

BODY = "# Remote work\n\nThree days a week.\n"


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("date: 2024-02-05", "2024-02-05"),
        ('date: "2024-02-05T10:00:00+01:00"', "2024-02-05T09:00:00Z"),
        ("date: 2024-02-05T10:00:00+01:00", "2024-02-05T09:00:00Z"),
        ("date: 2024-02-05 10:00:00 -0500", "2024-02-05T15:00:00Z"),
        ("date: 5 February 2024", "2024-02-05"),
        ("date: February 5th, 2024", "2024-02-05"),
        ("date: Monday, February 5, 2024", "2024-02-05"),
        ("date: 2024-02", "2024-02"),
        ("date: 2024", "2024"),
        ("Date: 2024/02/05", "2024-02-05"),
        ("lastmod: 2024-02-05", "2024-02-05"),
        ("last-updated: 2024-02-05", "2024-02-05"),
        ("date: '{{ .Date }}'", None),
        ("date: {{ date }}", None),
        ("date: <% tp.date.now() %>", None),
        ("date: YYYY-MM-DD", None),
        ("date: ${DATE}", None),
        ("date:", None),
        ("date: null", None),
        ("date: next Tuesday", None),
        ("date: 2024-02-31", None),
        ("date: [2024-02-05]", None),
        ("title: x", None),
    ],
)
def test_dates(one, when, front, expected):
    document = one("a.md", f"---\n{front}\n---\n{BODY}")
    assert when(document) == expected
    assert document.text == BODY


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: Rules\ndate: 2024-02-05\nid: r-1\n---\n",
        "---\ntitle: Rules\ndate: 2024-02-05\nid: r-1\n...\n",
        "---\r\ntitle: Rules\r\ndate: 2024-02-05\r\nid: r-1\r\n---\r\n",
        "--- yaml\ntitle: Rules\ndate: 2024-02-05\nid: r-1\n---\n",
        "\n\n---  \ntitle: Rules\ndate: 2024-02-05\nid: r-1\n---  \n",
        '+++\ntitle = "Rules"\ndate = 2024-02-05\nid = "r-1"\n+++\n',
        '\n+++\ntitle = "Rules"\ndate = 2024-02-05\nid = "r-1"\n+++\n',
        '---toml\ntitle = "Rules"\ndate = 2024-02-05\nid = "r-1"\n---\n',
        '{"title": "Rules", "date": "2024-02-05", "id": "r-1"}\n',
        '{\n  "title": "Rules",\n  "date": "2024-02-05",\n  "id": "r-1"\n}\n\n',
        ';;;\n{"title": "Rules", "date": "2024-02-05", "id": "r-1"}\n;;;\n',
        '---json\n{"title": "Rules", "date": "2024-02-05", "id": "r-1"}\n---\n',
    ],
)
def test_dialects(one, when, front):
    for data in (
        (front + BODY).encode(),
        (front + BODY).encode("utf-8-sig"),
        (front + BODY).encode("utf-16"),
    ):
        document = one("a.md", data)
        assert (document.document_id, document.title, when(document)) == ("r-1", "Rules", "2024-02-05")
        assert document.text.strip() == BODY.strip()


def test_toml_date_time(one, when):
    assert when(one("a.md", "+++\ndate = 2024-02-05T10:00:00+01:00\n+++\n" + BODY)) == "2024-02-05T09:00:00Z"


@pytest.mark.parametrize(
    "front",
    [
        "title: Rules: the new ones\ndate: 2024-02-05",
        'title: "Rules\ndate: 2024-02-05',
        "title: [Rules\ndate: 2024-02-05",
        "\ttitle: Rules\ndate: 2024-02-05",
        "title: @Rules\ndate: 2024-02-05",
        "title: {{ title }}\ndate: 2024-02-05",
    ],
)
def test_malformed_front_matter_keeps_the_date(one, when, front):
    document = one("a.md", f"---\n{front}\n---\n{BODY}")
    assert when(document) == "2024-02-05"
    assert document.text == BODY


@pytest.mark.parametrize("language", ["js", "javascript", "coffee", "ruby", "php"])
def test_executable_front_matter_is_not_run(one, tmp_path, language):
    trap = tmp_path / "trap"
    document = one(
        "a.md", f"---{language}\n{{ date: require('fs').writeFileSync('{trap}', '') }}\n---\n{BODY}"
    )
    assert document.text == BODY
    assert document.document_time is None
    assert not trap.exists()


def test_yaml_tags_are_not_run(one, tmp_path):
    trap = tmp_path / "trap"
    document = one(
        "a.md", f"---\ntitle: !!python/object/apply:os.system ['touch {trap}']\ndate: 2024-02-05\n---\n{BODY}"
    )
    assert document.text == BODY
    assert not trap.exists()


def test_yaml_bomb_is_harmless(one):
    lines = ["a0: &a0 [x]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 20))]
    assert one("a.md", "---\n" + "\n".join(lines) + f"\nlabels: *a19\n---\n{BODY}").text == BODY


@pytest.mark.parametrize(
    "text",
    [
        BODY,
        "---\n" + BODY,
        "---\n\nWords between rules.\n\n---\n\nMore words.\n",
        "Words.\n\n---\ndate: 2024-02-05\n---\n",
        "{not json}\n",
        "+++ words\n",
    ],
)
def test_no_front_matter(one, text):
    document = one("a.md", text)
    assert document.text == text
    assert document.document_time is None


def test_fields_of_the_author(one):
    front = "---\nkind: register\nsource: wiki\nlang: de\n---\n"
    document = one("a.md", front + BODY)
    assert (document.kind.name, document.source, document.language) == ("REGISTER", "wiki", "de")


def test_fields_that_are_not_the_authors_to_choose(one):
    front = "---\nkind: page\nlabels: [blog]\ntenant: acme\nrevision: 7\n---\n"
    document, other = one("a.md", front + BODY), one("a.md", front + BODY + "More.")
    assert (document.kind.name, document.labels, document.graph) == ("NARRATIVE", (), "test")
    assert document.revision != other.revision


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (BODY, "Remote work"),
        ("Remote *work*\n=====\n\nWords", "Remote work"),
        ("```\n# not this\n```\n\n## [Remote](x.md) `work` ##\n", "Remote work"),
        ("<!-- # no -->\n# Remote work", "Remote work"),
        ("#hashtag words\n", ""),
    ],
)
def test_title_from_the_first_heading(one, text, title):
    assert one("a.md", text).title == title


def test_front_matter_alone_is_an_empty_document(refused):
    assert "empty" in refused("a.md", "---\ntitle: x\n---\n").cause
    assert "empty" in refused("a.md", b"").cause
