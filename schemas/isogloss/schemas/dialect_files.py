"""Read the dialects: one JSON file for each under ``dialects/``. ``dialect.schema.json`` describes the files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import orjson

__all__ = ["FACTS", "dialect", "dialect_names", "dialect_schema", "dialects", "inherit", "slug_of"]

FACTS = ("fingerprints", "deviations", "behaviours", "restrictions")
"""The properties of a dialect that are lists of facts."""

_PACKAGE = Path(__file__).parent


@cache
def dialects() -> tuple[str, ...]:
    """Return the slugs of all dialects that ship, in alphabetical order."""
    return tuple(sorted(file.stem for file in (_PACKAGE / "dialects").iterdir() if file.suffix == ".json"))


@cache
def dialect(slug: str) -> dict[str, Any]:
    """Return the dialect with that slug, together with the facts that it inherits.

    The value is shared and must not be changed. Raises ``KeyError`` for an unknown slug.
    """
    if slug not in dialects():
        raise KeyError(slug)
    authored: dict[str, Any] = orjson.loads((_PACKAGE / "dialects" / f"{slug}.json").read_bytes())
    return inherit(authored, {parent: dialect(parent) for parent in authored.get("inherits", ())})


@cache
def dialect_names() -> dict[str, str]:
    """Return a mapping from every slug and alias to its slug.

    The keys are in lower case, and without the characters that join words.
    """
    aliases = {_normalise(alias): slug for slug in dialects() for alias in dialect(slug).get("aliases", ())}
    return aliases | {_normalise(slug): slug for slug in dialects()}


def slug_of(name: str) -> str | None:
    """Return the slug of the dialect with this name, or ``None`` if there is none.

    The name is a slug or an alias. Neither its case nor the characters that join its words matter.
    """
    return name if name in dialects() else dialect_names().get(_normalise(name))


def _normalise(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "").replace(".", "")


@cache
def dialect_schema() -> dict[str, Any]:
    """Return the JSON Schema of a dialect file."""
    schema: dict[str, Any] = orjson.loads((_PACKAGE / "dialect.schema.json").read_bytes())
    return schema


def inherit(authored: Mapping[str, Any], parents: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a dialect with its own facts and those of its parents.

    A fact of a parent is left out where the dialect has a fact of its own with the same kinds, rule and path. Sources
    of parents are kept under ``parent/key``. ``parents`` holds every slug in ``inherits``, already complete.
    """
    whole = {"fingerprints": [], "deviations": [], "behaviours": [], "restrictions": [], "hosts": [], **authored}
    whole["sources"] = dict(authored["sources"])
    for name in FACTS:
        own_facts = authored.get(name, ())
        whole[name] = list(own_facts)
        own_keys = {_fact_key(fact) for fact in own_facts} if authored.get("inherits") else set()
        for slug in authored.get("inherits", ()):
            for fact in parents[slug][name]:
                if _fact_key(fact) not in own_keys:
                    source = fact["source"] if "/" in fact["source"] else f"{slug}/{fact['source']}"
                    whole[name].append({**fact, "source": source})
                    whole["sources"][source] = parents[slug]["sources"][fact["source"]]
    return whole


def _fact_key(fact: Mapping[str, Any]) -> tuple[object, ...]:
    return tuple(fact.get("in", ())), fact.get("rule"), fact.get("at")
