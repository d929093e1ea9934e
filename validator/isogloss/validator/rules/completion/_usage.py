"""Name the properties of a usage object that the rules read."""

from __future__ import annotations

__all__ = ["COUNTS", "DETAILS", "MEDIA"]

COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
DETAILS = {
    "prompt_tokens": ("cached_tokens", "cache_write_tokens", "audio_tokens", "image_tokens", "text_tokens"),
    "completion_tokens": (
        "reasoning_tokens",
        "audio_tokens",
        "text_tokens",
        "accepted_prediction_tokens",
        "rejected_prediction_tokens",
    ),
}
"""The parts of each count, which stand in the property with ``_details`` behind its name."""
MEDIA = ("text_tokens", "audio_tokens", "image_tokens")
"""Details that exclude each other: a token is of text, of audio or of an image."""
