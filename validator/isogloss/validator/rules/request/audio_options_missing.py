"""`modalities` asks for audio, and there is no `audio` that says which.

The reference requires `audio`, with a voice and a format, if a request asks for spoken output.

## Why it matters
The request is refused: there is no default voice.

## What to do
* As a server's author: Answer 400 and name `audio` as the missing parameter, as OpenAI does; do not choose a voice
  silently.
* As a client's user: Add `"audio": {"voice": "alloy", "format": "wav"}`, or remove `audio` from `modalities` if you
  only want text.

## Bad
```json
{"model": "gpt-audio-1.5", "messages": [{"role": "user", "content": "Hi"}], "modalities": ["text", "audio"]}
```

## Good
```json
{"model": "gpt-audio-1.5", "messages": [{"role": "user", "content": "Hi"}], "modalities": ["text", "audio"],
 "audio": {"voice": "alloy", "format": "wav"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("API reference, create chat completion: audio", "2026-04"),),
    needs=("request for audio",),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for the missing `audio` if `modalities` asks for audio."""
    if request.wants_audio and request.value.get("audio") is None:
        yield Hit("audio is missing, though `modalities` asks for it", ("audio",))
