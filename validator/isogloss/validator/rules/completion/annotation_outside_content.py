"""An annotation's span lies outside the content it annotates.

`start_index` and `end_index` of a `url_citation` count characters of `message.content`. A span that ends behind the end
of the content, or before its own start, marks nothing. The rule accepts an empty span: servers that do not know the
position send 0 and 0.

## Why it matters
Readers cut the content at these positions, to underline a passage or to replace it with a link. With a wrong span, they
get a wrong passage or an empty one. In languages that check bounds, an exception is raised and the answer is lost.

## What to do
* As a server's author: Count `start_index` and `end_index` in characters of the final `content`, not in bytes, and not
  in an earlier text that still has citation markers. If you do not know the position, send 0 and 0.
* As a client's user: Check both indexes against the length of the text before you cut it. If they do not fit, show the
  source as a link below the answer.

## Bad
```json
{"content": "Rain.", "annotations": [{"type": "url_citation", "url_citation":
  {"start_index": 0, "end_index": 50, "title": "Weather", "url": "https://example.com"}}]}
```

## Good
```json
{"content": "Rain.", "annotations": [{"type": "url_citation", "url_citation":
  {"start_index": 0, "end_index": 5, "title": "Weather", "url": "https://example.com"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion, integer, items, obj

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: annotations", "2026-04"),
        Citation(
            "recorded OpenAI search answers: 8 spans, all of them in characters and inside the content", "2026-08"
        ),
    ),
    needs=("annotations",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each citation that ends before it starts, or behind the end of the content."""
    for choice in completion.choices:
        if choice.content is None:
            continue
        for position, annotation in items(choice.message.get("annotations")):
            citation = obj(annotation.get("url_citation")) or {}
            start, end = integer(citation.get("start_index")), integer(citation.get("end_index"))
            at = (*choice.at, "message", "annotations", position, "url_citation", "end_index")
            if start is None or end is None:
                continue
            if end < start:
                yield Hit("the span ends before it starts", at, end)
            elif end > len(choice.content):
                yield Hit("the span ends behind the end of the content", at, end)
