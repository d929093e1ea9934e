"""Write a reproduction as Markdown for an issue tracker: what is wrong, how to see it, why it matters, who breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from isogloss import schemas
from isogloss.cli.elements.markdown import escaped
from isogloss.cli.pages.rule_pages import sources_of
from isogloss.cli.repro_formats import replay
from isogloss.cli.repro_formats.model import Repro
from isogloss.schemas.references import steps
from isogloss.validator import rules
from isogloss.validator.quoting import printable

__all__ = ["text"]


def text(repro: Repro) -> str:
    """Return the page."""
    return "\n".join(_lines(repro)) + "\n"


def _lines(repro: Repro) -> Iterator[str]:
    finding = repro.finding
    rule, sections = rules.rule(finding.rule), _sections(rules.page(finding.rule))
    yield f"# `{finding.rule}`: {rule.summary}\n"
    yield f"{finding.severity.label.capitalize()} {escaped(f'{repro.where}: {printable(finding.message)}')}.\n"
    yield "The smallest capture that shows it, with neutral words in place of its own:\n"
    yield from _fenced("", repro.data.decode("utf-8", "backslashreplace"))
    yield "\n## How to see it\n"
    yield from _fenced("sh", replay.text(repro))
    for name in ("Why it matters", "Who breaks", "Who sends it"):
        if name in sections:
            yield f"\n## {name}\n"
            yield sections[name].strip()
    if repro.dialects:
        yield f"\nKnown in the dialects {', '.join(repro.dialects)}."
    yield "\n## What the reference says\n"
    if description := _description(finding.schema):
        yield f"> {description}\n"
    for source in sources_of(rule):
        yield f"* {source}"
    yield "\n## What to do\n"
    yield sections["What to do"].strip()


def _sections(page: str) -> dict[str, str]:
    """Return the text of each section of a page, by its heading."""
    sections = (section.partition("\n") for section in f"\n{page}".split("\n## ")[1:])
    return {heading: text for heading, _, text in sections}


def _fenced(language: str, content: str) -> Iterator[str]:
    """Yield the lines of a block of code. Its fence is so long that the content cannot end the block."""
    longest = max((len(ticks) for ticks in re.findall("`+", content)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence + language
    yield from (printable(line) for line in content.rstrip("\n").split("\n"))
    yield fence


def _description(schema: str | None) -> str | None:
    """Return the description that the reference has at the schema pointer of a finding.

    Without one, return that of the nearest pointer around it, or ``None`` if there is none.
    """
    if schema is None or "#" not in schema:
        return None
    document, _, pointer = schema.partition("#")
    name = next((schema_name for schema_name in (*schemas.NAMES, "common") if schema_name in document), None)
    node: Any = schemas.load(name) if name is not None else None
    description = None
    for step in steps(pointer):
        node = node.get(step) if isinstance(node, dict) else None
        if isinstance(node, dict) and isinstance(node.get("description"), str):
            description = node["description"]
    return description
