"""Say which finish reason OpenAI sent beside calls that `tool_choice: "required"` demanded.

It changed in 2025, but not for audio models.
"""

from __future__ import annotations

from isogloss.validator.rules import Citation
from isogloss.validator.views import Completion, is_audio_model

__all__ = ["SOURCES", "may_end_with_stop"]

SOURCES = (
    Citation(
        "https://community.openai.com/t/731488/13: stop beside calls is expected with tool_choice required", "2024-05"
    ),
    Citation("Mirascope/mirascope#256: stop beside calls that tool_choice required demands", "2024-05"),
    Citation("vllm-project/vllm#25054: OpenAI sends tool_calls with tool_choice required", "2025-09"),
    Citation("maruel/genai, recorded answers of gpt-audio-2025-08-28: stop with tool_choice required", "2026-09"),
)
_FIRST_MEASURED = 1757980800
"""2025-09-16, the first day on which somebody measured ``tool_calls`` in such answers, in seconds since 1970."""
_FIRST_TOOLS = 1699228800
"""2023-11-06, when tools came, in seconds since 1970. An earlier time is not real."""


def may_end_with_stop(completion: Completion) -> bool:
    """Return whether OpenAI may have sent ``stop`` beside calls that it had to make: in old answers, and in speech."""
    if is_audio_model(completion.model):
        return True
    return completion.created is not None and _FIRST_TOOLS <= completion.created < _FIRST_MEASURED
