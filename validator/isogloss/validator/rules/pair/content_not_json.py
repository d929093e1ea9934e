"""The content is not JSON, although `response_format` asks for it.

It is asked for by `json_object` and by `json_schema`. A choice that was cut, filtered or refused need not be JSON,
nor the text beside a call. A document that is written twice is a warning: OpenAI's own models do so now and then.

## Why it matters
JSON mode is taken so that the content can be parsed without a look. Servers that pass the format on to the model as a
wish get it in a Markdown fence, with a sentence before it, or behind the model's thoughts.

## What to do
* As a server's author: Constrain the decoding to JSON when `response_format` asks for it, and keep reasoning and code
  fences out of `content`. If a model cannot do it, answer 400.
* As a client's user: Remove a code fence or text around the outermost braces as a stopgap, then parse, and repeat the
  request if that fails. Say in the prompt, too, that nothing but JSON is wanted.

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
from isogloss.validator.rules.pair._formatted import formatted, response_format
from isogloss.validator.rules.pairing import Pair

__all__ = ["RULE", "check"]

RULE = Rule(
    name="content-not-json",
    severity=Severity.ERROR,
    summary="The content is not JSON, although `response_format` asks for it.",
    since="0.1.0",
    sources=(
        Citation("API reference, create chat completion: response_format", "2026-04"),
        Citation("recorded OpenAI answers: JSON wherever it was asked for, but twice over in 2 of them", "2026-08"),
    ),
    needs=("completion", "JSON asked for"),
)

_JSON_ALL_THE_SAME = frozenset(
    {"json-duplicate-key", "json-lone-surrogate", "json-number-too-large", "json-too-deep", "json-bad-utf8"}
)
"""Faults of a text that readers of JSON disagree about."""


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each content that has to be JSON and is not."""
    kind = response_format(pair).get("type")
    for at, text in formatted(pair):
        data = text.encode("utf-8", "surrogatepass")
        if decode(data).sound:
            continue
        faults = {fault.rule for fault in jsontext.scan(data).faults} - _JSON_ALL_THE_SAME
        if faults:
            twice = faults == {"json-extra-data"} and _repeats(text)
            what = "the content is its JSON document twice" if twice else _what_it_is(text, faults)
            severity = Severity.WARNING if twice else None
            yield Hit(f"{what}, though the response format is {kind}", at, text, severity=severity)


def _repeats(text: str) -> bool:
    """Return whether a text is one JSON document, repeated. OpenAI's own models write this now and then."""
    try:
        first, end = json.JSONDecoder().raw_decode(text.lstrip())
        document = text.lstrip()[:end]
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict | list) and not text.replace(document, "").strip()


def _what_it_is(text: str, faults: set[str]) -> str:
    if faults == {"json-extra-data"}:
        return "the content is more than one JSON document"
    if text.lstrip().startswith("```"):
        return "the content is a Markdown fence, not JSON"
    return "the content is not JSON"
