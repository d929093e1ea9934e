"""What is left of a schema when the names and types of members are left out: what their values decide.

Two payloads with the same names and types break the same constraints on names and types. Where both satisfy what is
left, the same is wrong with both. Patterns of the members of the payload itself are left out, too, and are told apart:
vendors break that of ``id`` in every answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isogloss import schemas
from isogloss.schemas import references
from isogloss.validator.engines.additions import closed, listing, unmarked
from isogloss.validator.pointer import Pointer

__all__ = ["loosened", "patterns"]


def loosened(kind: str) -> dict[str, Any]:
    """The schema of a kind of payload without ``type``, ``required`` and closed objects, and without :func:`patterns`.

    Only where a payload has to satisfy them, whatever else it satisfies: not in unions, which choose by them.
    """
    document = schemas.judged(kind)
    left = _loosened(document, document, frozenset())
    for name in patterns(kind):
        del left["properties"][name]["pattern"]
    return left


def patterns(kind: str) -> dict[str, str]:
    """The patterns that members of a kind of payload have to match, by name."""
    properties = schemas.judged(kind).get("properties", {})
    return {name: member["pattern"] for name, member in properties.items() if "pattern" in member}


def _loosened(document: Mapping[str, Any], schema: Mapping[str, Any], above: frozenset[Pointer]) -> dict[str, Any]:
    reference = schema.get("$ref")
    if reference is not None:
        at = references.steps(reference)
        if at in above or unmarked(schema) != {"$ref"}:
            return dict(schema)
        above = above | {at}
        schema = references.resolved(document, reference)
    left = {name: part for name, part in schema.items() if name != "type"}
    if closed(schema):
        del left["additionalProperties"]
        left.pop("required", None)
        left["properties"] = {
            name: _loosened(document, member, above) for name, member in schema.get("properties", {}).items()
        }
    elif listing(schema):
        left["items"] = _loosened(document, schema["items"], above)
    return left
