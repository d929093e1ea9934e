"""Describe what is known of a dialect: as a page in Markdown, and fact by fact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from isogloss import schemas
from isogloss.cli.elements.markdown import escaped
from isogloss.validator.quoting import printable, printable_json

__all__ = ["code", "fact_line", "facts_by_place", "markdown", "relayed", "source_line"]

_SCOPES = {"order": " in their order", "turn": " after the last message of the user"}


def markdown(data: Mapping[str, Any]) -> str:
    """Return the page of a dialect in Markdown."""
    lines = [f"# {escaped(data['name'])}", "", f"`{data['slug']}` · {data['kind']}", "", escaped(data["summary"])]
    if data["hosts"]:
        lines += ["", f"Hosts: {', '.join(f'`{host}`' for host in data['hosts'])}"]
    if data.get("inherits"):
        lines += ["", f"Inherits from {', '.join(f'`{parent}`' for parent in data['inherits'])}."]
    if data.get("relays"):
        lines += ["", f"Relays {relayed(data['relays'])}."]
    for name in schemas.FACTS:
        if data[name]:
            lines += [
                "",
                f"## {name.capitalize()}",
                "",
                *(f"* {fact_line(fact)}" for fact in _latest_first(data[name])),
            ]
    sources = (f"* {source_line(key, source)}" for key, source in data["sources"].items())
    about = "The name in parentheses behind a fact is that of its source."
    return "\n".join((*lines, "", "## Sources", "", about, "", *sources, ""))


def relayed(relays: str | Sequence[str]) -> str:
    """Return the dialects that a gateway passes on, in words."""
    return "any dialect" if relays == "any" else ", ".join(f"`{slug}`" for slug in relays)


def _latest_first(facts: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Sort facts: first those that hold today, and then those that ended.

    Of the first, the latest beginning comes first, and of the others, the latest end.
    """
    by_beginning = sorted(facts, key=lambda fact: fact.get("since", ""), reverse=True)
    return sorted(by_beginning, key=lambda fact: fact.get("until", "9999"), reverse=True)


def _validity(fact: Mapping[str, Any]) -> str:
    parts = [f"{word} {fact[word]}" for word in ("since", "until") if word in fact]
    parts += [f"version {fact['version']}"] if "version" in fact else []
    return "".join(f", {part}" for part in parts)


def fact_line(fact: Mapping[str, Any]) -> str:
    """Return one fact as one line of Markdown: where it holds, what it is, how often it was seen, and its source."""
    path = code(fact["at"]) + _SCOPES.get(fact.get("scope", ""), "") if "at" in fact else ""
    if "rule" in fact:
        what = code(fact["rule"]) + (f" at {path}" if path else "")
    elif "effect" in fact:
        what = f"{path}: {fact['effect']}" + (f" unless {code(_compact(fact['schema']))}" if "schema" in fact else "")
    else:
        what = f"{', '.join(fact['in'])} {path}: " + ("absent" if "absent" in fact else code(_compact(fact["schema"])))
    frequency = f", seen in {fact['seen'][0]} of {fact['seen'][1]}" if "seen" in fact else ""
    frequency += f" by {fact['projects'][0]} of {fact['projects'][1]} projects" if "projects" in fact else ""
    return f"{what}{frequency}{_validity(fact)} ({fact['source']})" + (
        f" — {escaped(fact['note'])}" if "note" in fact else ""
    )


def source_line(key: str, source: Mapping[str, str]) -> str:
    """Return one source as one line of Markdown: where it is, its date and kind, and when it was read."""
    read = f", read {source['read']}" if "read" in source else ""
    return f"{escaped(key)}: {escaped(source['where'])} ({source['date']}, {source['confidence']}{read})"


def code(text: str) -> str:
    """Return a text as code in Markdown, whatever characters it holds."""
    text = printable(text)
    fence = "`" * (max((len(backticks) for backticks in re.findall("`+", text)), default=0) + 1)
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"


def facts_by_place(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each fact as two texts, once for each kind of payload: what it is about and where, and what holds there."""
    for name in schemas.FACTS:
        for fact in data[name]:
            for kind in fact.get("in", ("",)):
                rule_or_path = fact.get("rule", "") or fact.get("at", "")
                what = "absent" if "absent" in fact else fact.get("effect", "") or _compact(fact.get("schema", ""))
                yield (
                    f"{name[:-1]} {kind} {rule_or_path}".replace("  ", " "),
                    f": {what}" if what and what != '""' else "",
                )


def _compact(value: object) -> str:
    return printable_json(orjson.dumps(value).decode())
