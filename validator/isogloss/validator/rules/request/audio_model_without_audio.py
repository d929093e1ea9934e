"""A request to an audio model has no audio and asks for none.

OpenAI's `gpt-4o-audio-preview`, `gpt-audio` and their small versions need audio in the messages or in the answer. This
is a warning, because OpenAI may lift the limit.

## Why it matters
The request is refused (400, "This model requires that either input content or output modality contain audio."). A test
of the connection that sends a short text reports that the key or the model is wrong.

## What to do
* As a server's author: Answer 400 and name `model`, or let the model answer in text.
* As a client's user: Ask for speech with `"modalities": ["text", "audio"]` and `audio`, or take a text model for
  requests without sound.

## Bad
```json
{"model": "gpt-4o-audio-preview", "messages": [{"role": "user", "content": "Say hello."}]}
```

## Good
```json
{"model": "gpt-4o-audio-preview", "messages": [{"role": "user", "content": "Say hello."}],
 "modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "wav"}}
```
"""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._models import is_one_of
from isogloss.validator.views import Message, Request, obj

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("CherryHQ/cherry-studio#1179: gpt-4o-audio-preview and gpt-4o-mini-audio-preview", "2025-02"),
        Citation("maruel/genai, a recorded refusal of gpt-4o-audio-preview", "2025-08"),
        Citation("rodrigowf/archie, notes on its backend: gpt-audio models, verified on 2026-10-04", "2026-10"),
        Citation("maruel/genai, recorded requests that OpenAI answered: audio in each to gpt-audio", "2026-10"),
        Citation("recorded requests that OpenAI answered: audio in each to these models", "2026-11"),
    ),
)

_MODELS = "gpt-4o(|-mini)-audio-preview gpt-audio(|-mini)"


def check(request: Request) -> Sequence[Hit]:
    """Return a hit for the model if it needs audio and neither the messages nor the modalities have any."""
    if not is_one_of(request.model, _MODELS) or request.wants_audio or _has_odd_modalities(request):
        return ()
    if not request.messages or any(map(_has_audio, request.messages)):
        return ()
    return [Hit("this model needs audio in the messages or in the answer", ("model",), request.model)]


def _has_odd_modalities(request: Request) -> bool:
    """Return whether the modalities are no list of words: then they may ask for audio in another form."""
    modalities = request.value.get("modalities")
    is_list = isinstance(modalities, list) and all(isinstance(modality, str) for modality in modalities)
    return modalities is not None and not is_list


def _has_audio(message: Message) -> bool:
    """Return whether a message has audio: a part of the user, or an earlier spoken answer."""
    is_audio = (part.get("type") == "input_audio" for _, part in message.parts)
    return obj(message.value.get("audio")) is not None or any(is_audio)
