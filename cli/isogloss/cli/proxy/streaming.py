"""Keep the bodies of streamed answers that pass through mitmproxy, without holding them back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from isogloss.validator.captures.http import host_and_path
from isogloss.validator.captures.limits import LARGEST_DOCUMENT, TooLarge
from isogloss.validator.captures.traffic import is_chat_path, why_other_path

__all__ = ["Bodies", "may_be_chat"]


_STREAM = re.compile(rb'"stream"\s*:\s*true')


def may_be_chat(flow: Any) -> bool:
    """Return whether a flow may be a request for a Chat Completion.

    This is decided by its path, or by the messages that it sends. The answer is not needed.
    """
    path = host_and_path(flow.request.pretty_url)[1]
    if why_other_path(path, flow.request.method):
        return False
    return is_chat_path(path) or b'"messages"' in (flow.request.raw_content or b"")


class Bodies:
    """Keeps the part of each streamed answer that has passed so far, until the answer ends."""

    def __init__(self) -> None:
        self._passed: dict[str, bytearray] = {}
        self._too_large: set[str] = set()

    def watch(self, flow: Any) -> None:
        """Keep a copy of the answer of a flow while mitmproxy passes it on, if it may be a stream of Chat Completions.

        The answer is passed on as it comes. A stream that was asked for may have a wrong content type. If the whole
        answer is there already, since mitmproxy replays it or an addon made it, nothing passes.
        """
        if flow.response.raw_content is not None:
            return
        content_type = (flow.response.headers.get("content-type") or "").lower()
        asked = _STREAM.search(flow.request.raw_content or b"") is not None
        is_stream = "event-stream" in content_type or (asked and "/json" not in content_type)
        if (is_stream or flow.response.stream) and may_be_chat(flow):
            flow.response.stream = self._keep_and_pass_on(flow.id, flow.response.stream)

    def _keep_and_pass_on(
        self, flow_id: str, next_stage: bool | Callable[[bytes], Iterable[bytes] | bytes]
    ) -> Callable[[bytes], Iterable[bytes] | bytes]:
        kept = self._passed[flow_id] = bytearray()

        def pass_on(data: bytes) -> Iterable[bytes] | bytes:
            if len(kept) + len(data) > LARGEST_DOCUMENT:
                self._too_large.add(flow_id)
            if flow_id in self._too_large:
                kept.clear()
            else:
                kept.extend(data)
            return next_stage(data) if callable(next_stage) else data

        return pass_on

    def take(self, flow: Any) -> bytes | None:
        """Return the body of an answer that is over, or ``None`` if there was no answer.

        Raises :class:`TooLarge` if more has passed than is kept.
        """
        passed = self._passed.pop(flow.id, None)
        if flow.id in self._too_large:
            self._too_large.remove(flow.id)
            raise TooLarge(f"a body of more than {LARGEST_DOCUMENT >> 20} MiB")
        if flow.response is None:
            return None
        content: bytes | None = flow.response.raw_content
        return content if passed is None else bytes(passed)
