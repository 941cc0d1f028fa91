"""Write the table of rules into docs/grounding.md: ``python tests/unit/grounding/write_reference.py``.

The table lists every rule of every grammar with its pattern and the first of its own cases.
"""

from __future__ import annotations

from pathlib import Path

from tidegraph.language.grounding.lexicon import LANGUAGES, load_grammar

PAGE = Path(__file__).parents[3] / "docs" / "grounding.md"
CASES = Path(__file__).parent / "cases"
BEGIN, END = "<!-- rules: begin -->", "<!-- rules: end -->"


def examples(language: str) -> dict[str, str]:
    """The first case of each rule, as the words that it reads."""
    found: dict[str, str] = {}
    for line in (CASES / f"{language}.tsv").read_text(encoding="utf-8").splitlines():
        rule, marked, *_ = line.split("\t")
        found.setdefault(rule, marked[marked.index("«") + 1 : marked.index("»")])
    return found


def table() -> str:
    """One Markdown table a language, rules in order of their stage."""
    parts = []
    english = examples("en")
    for language in LANGUAGES:
        own = examples(language)
        parts.append(f"\n### {language}\n\n| rule | stage | example | pattern |\n| --- | --- | --- | --- |")
        for rule in load_grammar(language).rules():
            example = own.get(rule.id) or english.get(rule.id, "")
            pattern = rule.source.replace("|", "\\|")
            parts.append(f"| `{rule.id}` | {rule.stage} | {example} | `{pattern}` |")
    return "\n".join(parts) + "\n"


def page() -> str:
    """The whole page with its table brought up to date."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    return head + BEGIN + "\n" + table() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
