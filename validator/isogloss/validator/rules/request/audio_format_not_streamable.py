"""A streamed request asks for audio in a format that cannot be streamed.

With `stream`, OpenAI sends audio only as `pcm16`. The other formats of the reference are for whole answers.

## Why it matters
The request is refused (400, "'audio.format' does not support 'wav' when stream=true"). It works until somebody sets
`stream`.

## What to do
* As a server's author: Answer 400 and name `audio.format`, as OpenAI does; do not send samples in another format than
  the one that was asked for.
* As a client's user: Ask for `pcm16` and write the header yourself, or do not stream.

## Bad
```json
{"model": "gpt-audio-1.5", "messages": [{"role": "user", "content": "Hi"}], "modalities": ["text", "audio"],
 "audio": {"voice": "alloy", "format": "wav"}, "stream": true}
```

## Good
```json
{"model": "gpt-audio-1.5", "messages": [{"role": "user", "content": "Hi"}], "modalities": ["text", "audio"],
 "audio": {"voice": "alloy", "format": "pcm16"}, "stream": true}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, obj

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("Agent-Field/agentfield#584: 'audio.format' does not support 'wav' when stream=true", "2026-05"),
        Citation("recorded requests that OpenAI answered: pcm16 in each that streams audio", "2026-11"),
    ),
    needs=("request for audio",),
    of_options=True,
)

_STREAMABLE = "pcm16"


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for the format if the request streams audio that is not `pcm16`."""
    form = (obj(request.value.get("audio")) or {}).get("format")
    if request.stream and request.wants_audio and isinstance(form, str) and form != _STREAMABLE:
        yield Hit(f"{quote_value(form)} cannot be streamed, only `{_STREAMABLE}`", ("audio", "format"), form)
