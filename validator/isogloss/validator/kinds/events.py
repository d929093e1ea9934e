"""Tell what an event of a stream says: that it begins or ends an answer, or that it is no chunk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = [
    "choice_indices", "has_finish_reason", "is_completion_of_stream", "is_error", "is_whole_completion", "may_be_chunk",
    "names_role",
]  # fmt: skip


def choice_indices(chunk: object, *, ended: bool = False) -> set[int]:
    """Return the indices of the choices of a chunk, or only of those that have a finish reason."""
    return {
        index
        for choice in _choices(chunk)
        if isinstance(index := choice.get("index", 0), int) and (choice.get("finish_reason") or not ended)
    }


def has_finish_reason(chunk: object) -> bool:
    """Return whether a choice of a chunk has a finish reason."""
    return any(choice.get("finish_reason") for choice in _choices(chunk))


def names_role(chunk: object) -> bool:
    """Return whether a chunk names the role, as the first one of a stream does."""
    deltas = (choice.get("delta") for choice in _choices(chunk))
    return any(isinstance(delta, dict) and delta.get("role") for delta in deltas)


def may_be_chunk(completion: Mapping[str, Any]) -> bool:
    """Return whether what is taken for a completion may be a chunk with the usage alone.

    It may if it neither says that it is a completion nor has a message.
    """
    return completion.get("object") != "chat.completion" and not any(
        "message" in choice for choice in _choices(completion)
    )


def is_error(value: object) -> bool:
    """Return whether the content of an event says that it is an error."""
    return isinstance(value, dict) and (bool(value.get("error")) or value.get("object") == "error")


def is_whole_completion(value: Mapping[str, Any]) -> bool:
    """Return whether an event is a whole completion: it says so, and its choices have messages in place of deltas."""
    choices = value.get("choices")
    if value.get("object") != "chat.completion" or not isinstance(choices, list) or not choices:
        return False
    return all(
        isinstance(choice, dict) and isinstance(choice.get("message"), dict) and "delta" not in choice
        for choice in choices
    )


def is_completion_of_stream(value: Mapping[str, Any], chunk_id: object) -> bool:
    """Return whether a value is the whole completion of the stream whose chunks have this id."""
    return chunk_id is not None and value.get("id") == chunk_id and is_whole_completion(value)


def _choices(value: object) -> list[Mapping[str, Any]]:
    choices = value.get("choices") if isinstance(value, dict) else None
    return [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
