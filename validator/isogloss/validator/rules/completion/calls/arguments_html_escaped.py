"""The arguments of a call are escaped for HTML.

The rule reports values in which every `<`, `>`, `&` and `"` is written as an entity. If a value also has one of these
characters unescaped, the model wrote HTML on purpose. The same applies if the request mentions the entity.

## Why it matters
The tool runs `cd app &amp;&amp; ls` and fails, or writes `&lt;` into a file. A client that unescapes everything damages
the texts that were correct.

## Who sends it
xAI's Grok, and Venice: OpenClaw gave the escaped command to the shell
([openclaw/openclaw#35173](https://github.com/openclaw/openclaw/issues/35173),
[openclaw/openclaw#90260](https://github.com/openclaw/openclaw/pull/90260)).

## What to do
* As a server's author: Remove the HTML escaping between the model and the answer: JSON needs only its own escaping. If
  the model itself writes entities in its markup of calls, decode them once where you parse that markup.
* As a client's user: Unescape once, only for models that are known to do this, and only values without any unescaped
  `<`, `>` or `&`.

## Bad
```json
{"name": "exec", "arguments": "{\\"command\\":\\"cd app &amp;&amp; ls\\"}"}
```

## Good
```json
{"name": "exec", "arguments": "{\\"command\\":\\"cd app && ls\\"}"}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import argument_texts, mentions, parse_json, strings
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("recorded OpenAI answers: no entity in any arguments", "2026-11"),
        Citation("openclaw/openclaw#35173", "2026-03"),
    ),
    needs=("entities",),
    includes=("arguments-not-json",),
)

_ENTITY = r"&(?:quot|amp|lt|gt|apos|#39|#34|#x27|#x22);"
_UNESCAPED = r"[<>\"]|&(?!\w{1,8};|#\w{1,6};)"


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the arguments of each call that hold a value escaped as a whole.

    Values with an entity that the request mentions are left alone.
    """
    for call, text in argument_texts(completion):
        if "&" not in text or not re.search(_ENTITY, text):
            continue
        for value in strings(text if call.parsed is None else call.parsed.value):
            entity = re.search(_ENTITY, value)
            is_escaped = entity is not None and not re.search(_UNESCAPED, value)
            if entity is not None and is_escaped and not mentions(completion.request, entity[0]):
                is_json_inside = call.parsed is None and _is_json_inside(text)
                yield Hit(
                    f"{quote_name(entity[0])} in arguments, which are not HTML",
                    call.arguments_at,
                    text,
                    other_pointers=(call.arguments_at,) * is_json_inside,
                )
                break


def _is_json_inside(text: str) -> bool:
    """Return whether a text is JSON without its entities."""
    import html  # slow to load, and rarely needed

    return parse_json(html.unescape(text)) is not None
