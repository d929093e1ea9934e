r"""The content is not JSON, although `response_format` asks for it.

The types `json_object` and `json_schema` ask for JSON. The content need not be JSON if the choice was cut, filtered or
refused, or if there is a call beside it. If the content is one document written twice, this is a warning: OpenAI's own
models sometimes do so.

## Why it matters
Callers use JSON mode so that they can parse the content without any check. Some servers only ask the model for the
format. Then the JSON may be in a Markdown fence, after a sentence, or after the model's thoughts.

## What to do
* As a server's author: Constrain the decoding to JSON when `response_format` asks for it, and keep reasoning and code
  fences out of `content`. If a model cannot do it, answer 400.
* As a client's user: Until the server is fixed, remove a code fence or the text around the outermost braces before you
  parse, and repeat the request if parsing fails. Also say in the prompt that you want only JSON.

## Bad
```
{"response_format":{"type":"json_object"},…}

{"message":{"role":"assistant","content":"Here you are: {\"city\":\"Paris\"}"},"finish_reason":"stop"}
```

## Good
```
{"response_format":{"type":"json_object"},…}

{"message":{"role":"assistant","content":"{\"city\":\"Paris\"}"},"finish_reason":"stop"}
```
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from isogloss.validator import jsontext
from isogloss.validator.decode import decode
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pair._formatted import formatted
from isogloss.validator.rules.pairing import Pair

RULE = Rule(
    severity=Severity.ERROR,
    lacks="text",
    sources=(
        Citation("API reference, create chat completion: response_format", "2026-04"),
        Citation("recorded OpenAI answers: JSON wherever it was asked for, but twice over in 2 of them", "2026-08"),
    ),
    needs=("completion", "request for JSON"),
)

_ACCEPTED_FAULTS = frozenset(
    {"json-duplicate-key", "json-lone-surrogate", "json-number-too-large", "json-too-deep", "json-bad-utf8"}
)
"""Faults that some readers of JSON accept. A content with only these counts as JSON."""


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each content that has to be JSON and is not."""
    kind = pair.request.response_format.get("type")
    for at, text in formatted(pair):
        data = text.encode("utf-8", "surrogatepass")
        if decode(data).sound:
            continue
        found = [fault for fault in jsontext.scan(data).faults if fault.rule not in _ACCEPTED_FAULTS]
        if found:
            faults = {fault.rule for fault in found}
            position = len(data[: found[0].offset].decode(errors="replace"))
            is_repeated = faults == {"json-extra-data"} and _is_repeated_document(text)
            problem = "the content is its JSON document twice" if is_repeated else _problem(text, faults)
            severity = Severity.WARNING if is_repeated else None
            message = f"{problem}, though the response format is {kind}"
            yield Hit(message, at, text, severity=severity, character=min(position, len(text) - 1))


def _is_repeated_document(text: str) -> bool:
    """Return whether a text is one JSON document, repeated. OpenAI's own models write this now and then."""
    try:
        first, end = json.JSONDecoder().raw_decode(text.lstrip())
        document = text.lstrip()[:end]
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict | list) and not text.replace(document, "").strip()


def _problem(text: str, faults: set[str]) -> str:
    if faults == {"json-extra-data"}:
        return "the content is more than one JSON document"
    if text.lstrip().startswith("```"):
        return "the content is a Markdown fence, not JSON"
    return "the content is not JSON"
