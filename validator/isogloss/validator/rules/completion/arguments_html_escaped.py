"""The arguments of a call are escaped for HTML.

Text in which every `<`, `>`, `&` and `"` is an entity. A value that holds any of these characters itself is HTML that
the model wrote on purpose, and so is one whose entities the request mentions.

## Why it matters
The tool runs `cd app &amp;&amp; ls` and fails, or writes `&lt;` into a file. A client that unescapes everything spoils
the texts that were right.

## Who breaks
xAI's Grok ([openclaw/openclaw#35173](https://github.com/openclaw/openclaw/issues/35173),
[openclaw/openclaw#90260](https://github.com/openclaw/openclaw/pull/90260)).

## What to do
* As a server's author: Take the escaping out of the way from the model to the answer; JSON needs none but its own. If
  the model itself writes entities in its call markup, decode them once where that is parsed.
* As a client's user: Unescape once, for models that are known to do this alone, and only values without any bare `<`,
  `>` or `&`.

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
from isogloss.validator.quoting import name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import argument_texts, mentions, strings
from isogloss.validator.views import Completion

__all__ = ["RULE", "check"]

RULE = Rule(
    name="arguments-html-escaped",
    severity=Severity.WARNING,
    summary="The arguments of a call are escaped for HTML.",
    since="0.1.0",
    sources=(
        Citation("recorded OpenAI answers: no entity in any arguments", "2026-11"),
        Citation("https://github.com/openclaw/openclaw/issues/35173", "2026-03"),
    ),
    needs=("calls", "entities"),
)

_ENTITY = r"&(?:quot|amp|lt|gt|apos|#39|#34|#x27|#x22);"
_BARE = r"[<>\"]|&(?!\w{1,8};|#\w{1,6};)"


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the arguments of each call that hold a value escaped as a whole.

    Values with an entity that the request mentions are left alone.
    """
    for choice in completion.choices:
        for call, text in argument_texts(choice):
            if "&" not in text or not re.search(_ENTITY, text):
                continue
            for part in strings(text if call.parsed is None else call.parsed.value):
                found = re.search(_ENTITY, part)
                if found is not None and not re.search(_BARE, part) and not mentions(completion.request, found[0]):
                    yield Hit(f"{name(found[0])} in arguments, which are no HTML", call.arguments_at, text)
                    break
