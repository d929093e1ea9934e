"""Make a JSON Schema of a dialect: the reference with the dialect's deviations, for any validator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from isogloss.schemas.references import resolve
from isogloss.schemas.variants import Schema

__all__ = ["effective"]


def effective(document: Mapping[str, Any], kind: str, deviations: Sequence[Mapping[str, Any]]) -> Schema:
    """Return a self-contained schema of a kind that accepts what ``document`` accepts and what the deviations add.

    Each deviation widens the schema only at its own path: definitions on the way there are copied in. Deeper paths
    are widened first, so that the wider schema of a shorter one encloses them.
    """
    whole = deepcopy(dict(document))
    applicable = [deviation for deviation in deviations if kind in deviation["in"]]
    for deviation in sorted(applicable, key=lambda deviation: -len(_steps(deviation["at"]))):
        *parents, last = _steps(deviation["at"])
        for parent in list(_schemas_at(whole, whole, parents)):
            _widen(parent, last, deviation)
    return whole


def _steps(at: str) -> list[str]:
    return re.findall(r"\[\]|[^.\[\]]+", at)


def _widen(parent: Schema, last: str, deviation: Mapping[str, Any]) -> None:
    if "absent" in deviation:
        parent["required"] = [name for name in parent.get("required", ()) if name != last]
        if not parent["required"]:
            del parent["required"]
        return
    holder, key = (parent, "items") if last == "[]" else (parent.setdefault("properties", {}), last)
    present = holder.get(key)
    if present is not None or parent.get("additionalProperties") is False:
        alternatives = [] if present is None else present["anyOf"] if _is_widened(present) else [present]
        holder[key] = {"$comment": _WIDENED, "anyOf": [*alternatives, deviation["schema"]]}


_WIDENED = "widened by the dialect"


def _is_widened(schema: object) -> bool:
    return isinstance(schema, dict) and schema.get("$comment") == _WIDENED


def _schemas_at(whole: Schema, node: Schema, steps: Sequence[str]) -> Iterator[Schema]:
    """Yield the object and array schemas at a path.

    What they refer to is copied in, so that no other path shares it.
    """
    yield from _branches(whole, node, lambda schema: _schemas_below(whole, schema, steps))


def _schemas_below(whole: Schema, schema: Schema, steps: Sequence[str]) -> Iterator[Schema]:
    if not steps:
        if "properties" in schema or "items" in schema or schema.get("type") in ("object", "array"):
            yield schema
        return
    step, *rest = steps
    if step == "[]":
        if isinstance(schema.get("items"), dict):
            yield from _schemas_at(whole, schema["items"], rest)
    elif isinstance(schema.get("properties", {}).get(step), dict):
        yield from _schemas_at(whole, schema["properties"][step], rest)


def _branches(whole: Schema, node: Schema, visit: Callable[[Schema], Iterator[Schema]]) -> Iterator[Schema]:
    """Yield what ``visit`` yields for a schema and for each part of it that describes the same value.

    The parts are the schemas in ``allOf``, ``anyOf``, ``then`` and ``else``. The target of a ``$ref`` is copied in.
    """
    while "$ref" in node:
        target = resolve(whole, node.pop("$ref"))
        for keyword, value in target.items():
            node.setdefault(keyword, deepcopy(value))
    yield from visit(node)
    for part in (*node.get("allOf", ()), *node.get("anyOf", ())):
        yield from _branches(whole, part, visit)
    for keyword in ("then", "else"):
        if isinstance(node.get(keyword), dict):
            yield from _branches(whole, node[keyword], visit)
