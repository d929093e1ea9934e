"""Read the whole value out of a matcher of a mock server; a pattern, or a part of a value, is none.

=========================================  ===========================================================================
matcher                                    what holds the whole value
=========================================  ===========================================================================
``{"matcher": "exact", "value": …}``       ``value``, also of ``json``; but not of ``regex``, ``glob``, ``jsonPartial``…
``{"exactMatch": …}``                      that, also ``jsonMatch``
``{"type": "JSON", "json": …}``            ``json``; ``string`` of ``STRING``, ``base64Bytes`` of ``BINARY``; but not
                                           with ``subString``, ``not`` or a ``matchType`` other than ``STRICT``
=========================================  ===========================================================================

The first two are Hoverfly's (docs/pages/keyconcepts/simulations of SpectoLabs/hoverfly), the last is MockServer's
(org/mockserver/model/schema/body.json of mock-server/mockserver; both read 2026-11). What MockServer recorded has
``rawBytes``, too; without them and without ``matchType``, JSON counts as whole where it is a payload by itself.
"""

from __future__ import annotations

from typing import Any

from isogloss.validator.captures.document import Node
from isogloss.validator.kinds import kind_of

__all__ = ["is_matcher", "whole"]

_EXACT = ("exactMatch", "jsonMatch")
_HELD = {"JSON": "json", "STRING": "string", "XML": "xml", "BINARY": "base64Bytes"}
_PATTERNS = frozenset({"REGEX", "JSON_SCHEMA", "JSON_PATH", "XML_SCHEMA", "XPATH", "PARAMETERS"})
_OTHER_MATCHES = frozenset({
    "globMatch", "regexMatch", "xmlMatch", "xpathMatch", "jsonPathMatch", "jsonPartialMatch",
})  # fmt: skip


def is_matcher(value: Any) -> bool:
    """Return whether a JSON value is a matcher."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if isinstance(kind, str) and (kind in _PATTERNS or (kind in _HELD and _HELD[kind] in value)):
        return True
    matches = {*_EXACT, *_OTHER_MATCHES}
    return ("matcher" in value and "value" in value) or (bool(value) and value.keys() <= matches)


def whole(matcher: Node) -> Node | None:
    """Return the whole value that a matcher holds, or ``None`` if it does not hold a whole value."""
    value = matcher.value
    if "matcher" in value:
        return matcher.member("value") if value["matcher"] in ("exact", "json") else None
    if not value.keys().isdisjoint(_EXACT):
        return matcher.member(*_EXACT)
    held = _HELD.get(value.get("type"))
    if held is None or value.get("subString") is True or value.get("not") is True:
        return None
    if held == "json" and value.get("matchType") != "STRICT":
        given = value["json"]
        recorded = "rawBytes" in value or isinstance(given, str) or kind_of(given) is not None
        return matcher.member("json") if recorded and "matchType" not in value else None
    return matcher.member(held)
