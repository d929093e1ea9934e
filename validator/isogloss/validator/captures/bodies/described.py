"""Find the body in an object that holds it and describes it: ``{"mimeType": "application/json", "text": "{…}"}``.

Recorders write such an object in place of a body: HTTP Archives have ``mimeType``, ``size`` and ``text``, Postman has
``mode`` and ``raw``, sessions of Charles have ``text``, ``charset`` and ``decoded``, and the Elastic Common Schema has
``content`` and ``bytes`` (https://elastic.co/guide/en/ecs/1.12/ecs-http.html, read 2026-11). One property holds the
body, and the others say of which type or size it is. An answer may look like this, too: a server may put a completion
into ``data``, beside a ``code``. Therefore every other property must be one that describes a body.
"""

from __future__ import annotations

import re
from typing import Any

from isogloss.validator.captures.document import Node
from isogloss.validator.captures.names import normalised_names

__all__ = ["BEGINNING", "body_in", "describes_base64"]

BEGINNING = rb"(?:\xef\xbb\xbf)?\s*(?:[\[{]|(?:data|event|id|retry): ?)|: "
"""The beginning of a body of JSON or of events."""
_BASE64 = frozenset({"b64", "base64"})
_CONTENTS = frozenset({"body", "content", "data", "json", "raw", "str", "string", "text", "value"}) | _BASE64
_DESCRIPTIONS = frozenset({
    "bodysize", "bytes", "charset", "compression", "contentlength", "contenttype", "decoded", "encoded", "encoding",
    "length", "mediatype", "mimetype", "options", "size", "truncated",
})  # fmt: skip
_IN_ARCHIVES = frozenset({"comment", "params"})
"""Properties that describe a body only beside ``mimeType``, as in HTTP Archives (``postData`` and ``content`` in
versions/1.2.md of ahmadnassri/har-spec@3a6b30c, read 2026-11)."""
_FORMAT_NAMES = frozenset({"format", "kind", "mode", "type"})
"""Properties that describe a body only if the value is one of ``_FORMATS``: an answer may have them, too."""
_FORMATS = frozenset({
    "application/json", "base64", "eventstream", "json", "object", "plain", "raw", "sse", "string", "text",
    "text/eventstream", "text/plain", "utf8",
})  # fmt: skip


def body_in(node: Node) -> Node | None:
    """Return the value that an object holds as a body, or ``None`` if the object itself is the body.

    The value of the node has to be an object.
    """
    value: dict[str, Any] = node.value
    names = normalised_names(value)
    contents = [name for normalised, name in names.items() if normalised in _CONTENTS and value[name] is not None]
    if len(contents) != 1:
        return None
    others = [(normalised, value[name]) for normalised, name in names.items() if normalised not in _CONTENTS]
    is_in_archive = "mimetype" in names
    if not all(_describes(name, other) or (is_in_archive and name in _IN_ARCHIVES) for name, other in others):
        return None
    content = value[contents[0]]
    if not any(other is not None for _, other in others) and not (
        isinstance(content, str) and re.match(BEGINNING, content[:100].encode("utf-8", "replace"))
    ):
        return None
    return node.get(contents[0])


def describes_base64(value: dict[str, Any]) -> bool:
    """Return whether an object says that the text in it is in Base64."""
    names = normalised_names(value)
    return not names.keys().isdisjoint(_BASE64) or any(
        value[names[name]] == "base64" for name in ("encoding", "encoded", *_FORMAT_NAMES) if name in names
    )


def _describes(name: str, value: object) -> bool:
    if name in _FORMAT_NAMES:
        return isinstance(value, str) and value.lower().replace("-", "") in _FORMATS
    return name in _DESCRIPTIONS
