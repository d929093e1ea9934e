"""Keep the bodies of streamed answers that pass through mitmproxy, without holding them back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from isogloss.validator.captures.capture import LARGEST_DOCUMENT
from isogloss.validator.captures.http import host_and_path
from isogloss.validator.captures.traffic import elsewhere, is_ours

__all__ = ["Bodies", "may_be_ours"]


def may_be_ours(flow: Any) -> bool:
    """Whether a flow asks for a Chat Completion, by its path or by the messages it sends, without its answer."""
    path = host_and_path(flow.request.pretty_url)[1]
    if elsewhere(path, flow.request.method):
        return False
    return is_ours(path) or b'"messages"' in (flow.request.raw_content or b"")


class Bodies:
    """What has passed of each streamed answer that is not over yet."""

    def __init__(self) -> None:
        self._passed: dict[str, bytearray] = {}

    def watch(self, flow: Any) -> None:
        """Have the answer of a flow passed on as it comes, and kept, where it is a stream that may be ours."""
        streamed = "event-stream" in (flow.response.headers.get("content-type") or "")
        if (streamed or flow.response.stream) and may_be_ours(flow):
            flow.response.stream = self._passing(flow.id, flow.response.stream)

    def _passing(
        self, flow: str, before: bool | Callable[[bytes], Iterable[bytes] | bytes]
    ) -> Callable[[bytes], Iterable[bytes] | bytes]:
        kept = self._passed[flow] = bytearray()

        def passing(data: bytes) -> Iterable[bytes] | bytes:
            if len(kept) + len(data) <= LARGEST_DOCUMENT:
                kept.extend(data)
            return before(data) if callable(before) else data

        return passing

    def take(self, flow: Any) -> bytes | None:
        """The body of an answer that is over; ``None`` where there was no answer."""
        passed = self._passed.pop(flow.id, None)
        if flow.response is None:
            return None
        content: bytes | None = flow.response.raw_content
        return content if passed is None else bytes(passed)
