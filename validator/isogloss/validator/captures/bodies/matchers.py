"""Read the whole value that a matcher of a mock server holds. A pattern, or a part of a value, is not a whole value.

===========================================  =========================================================================
matcher                                      what holds the whole value
===========================================  =========================================================================
``{"matcher": "exact", "value": …}``         ``value``, also for the matchers ``json``, ``ShouldEqual`` and
                                             ``ShouldEqualJSON``; but not for ``regex``, ``glob``, ``jsonPartial``…
``{"exactMatch": …}``                        ``exactMatch``; also ``jsonMatch``
``{"Matcher": {"Name": …, "Pattern": …}}``   ``Pattern`` of a ``JsonMatcher`` or an ``ExactMatcher``, but not of others
``{"type": "JSON", "json": …}``              ``json``; ``string`` for ``STRING``, ``base64Bytes`` for ``BINARY``; but
                                             not with ``subString``, ``not`` or a ``matchType`` other than ``STRICT``
===========================================  =========================================================================

The first two are those of Hoverfly (docs/pages/keyconcepts/simulations of SpectoLabs/hoverfly). The first is also that
of Smocker, which names assertions of GoConvey (server/types of Thiht/smocker). The third is that of WireMock.Net
(https://wiremock.org/dotnet/mapping), and the last is that of MockServer (org/mockserver/model/schema/body.json of
mock-server/mockserver; all read 2026-11). A matcher that MockServer recorded also has ``rawBytes``. Without
``rawBytes`` and ``matchType``, JSON counts as a whole value if it is a payload by itself, or if a mock server answers
with it.
"""

from __future__ import annotations

from typing import Any

from isogloss.validator.captures.document import Node
from isogloss.validator.decode import kind_of_json
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["in_answer", "is_matcher", "request_in_patterns", "whole_value"]

_WHOLE_MATCHERS = ("exact", "json", "ShouldEqual", "ShouldEqualJSON")
_EXACT_MATCHES = ("exactMatch", "jsonMatch")
_VALUE_PROPERTIES = {"JSON": "json", "STRING": "string", "XML": "xml", "BINARY": "base64Bytes"}
_PATTERNS = frozenset({"REGEX", "JSON_SCHEMA", "JSON_PATH", "XML_SCHEMA", "XPATH", "PARAMETERS"})
_EXACT_MATCHERS = ("JsonMatcher", "ExactMatcher")
_MATCHES = frozenset({
    *_EXACT_MATCHES, "globMatch", "regexMatch", "xmlMatch", "xpathMatch", "jsonPathMatch", "jsonPartialMatch",
})  # fmt: skip


def is_matcher(value: Any) -> bool:
    """Return whether a JSON value is a matcher."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if isinstance(kind, str) and (kind in _PATTERNS or _VALUE_PROPERTIES.get(kind) in value):
        return True
    if isinstance(value.get("Matcher"), dict) or isinstance(value.get("Matchers"), list):
        return True
    return ("matcher" in value and "value" in value) or (bool(value) and value.keys() <= _MATCHES)


def in_answer(body: Node) -> Node:
    """Return the JSON that MockServer answers with, if a body has the form of its matchers, else the body itself."""
    value = body.value
    is_json = isinstance(value, dict) and value.get("type") == "JSON" and "json" in value
    return body.get("json") if is_json else body


def whole_value(matcher: Node) -> Node | None:
    """Return the whole value that a matcher holds, or ``None`` if it does not hold a whole value."""
    value = matcher.value
    if "matcher" in value:
        return matcher.get("value") if value["matcher"] in _WHOLE_MATCHERS else None
    if "Matcher" in value:
        only = matcher.get("Matcher")
        return only.get("Pattern") if only.get("Name").value in _EXACT_MATCHERS else None
    if not value.keys().isdisjoint(_EXACT_MATCHES):
        return matcher.get(*_EXACT_MATCHES)
    property_name = _VALUE_PROPERTIES.get(value.get("type"))
    if property_name is None or value.get("subString") is True or value.get("not") is True:
        return None
    if property_name == "json" and value.get("matchType") != "STRICT":
        body = value["json"]
        recorded = "rawBytes" in value or isinstance(body, str) or kind_of(body) is not None
        return matcher.get("json") if recorded and "matchType" not in value else None
    return matcher.get(property_name)


def request_in_patterns(part: Node) -> Node | Text | None:
    """Return the request that one of the patterns of WireMock for a body holds as a whole, or ``None``."""
    patterns = list(part.items())
    for pattern in patterns:
        is_recorded = len(patterns) == 1 and pattern.get("ignoreArrayOrder").value is not None
        if pattern.get("ignoreExtraElements").value is True and not is_recorded:
            continue
        body = pattern.get("equalToJson", "equalTo")
        if kind_of(body.value) == "request":
            return body
        if (text := body.text()) is not None and kind_of_json(text.data) == "request":
            return text
    return None
