"""Read flow files of mitmproxy, as ``mitmdump -w`` writes them. mitmproxy's own reader reads them, if it is installed.

The file holds one netstring for each flow, with the bodies as they were sent. Everything in a body has its line and
column in the file; in a compressed body, those of the beginning of the body.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import damaged
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why
from isogloss.validator.text import Text

if TYPE_CHECKING:
    from isogloss.validator.captures.flows import FlowMessage

__all__ = ["NAME", "read", "recognise"]

NAME = "mitmproxy"

_FLOW = rb"[1-9]\d{0,11}:\d{1,2}:[a-z_]{1,40}[;,]"
_NOT_INSTALLED = Why(
    "a flow file of mitmproxy, which only mitmproxy reads: pip install 'isogloss[mitmproxy]', on Python 3.12 or later",
    Cause.UNREAD,
)
_READ_ERRORS = (ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError, RecursionError)
"""What mitmproxy raises, besides its own exception, for flows that it did not write."""


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins with a netstring that holds names, each with the mark of a string."""
    return 90 if capture.head[:1].isdigit() and re.match(_FLOW, capture.head) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the flows of the file, in order."""
    try:
        from mitmproxy.exceptions import FlowReadException
        from mitmproxy.io import FlowReader
    except ImportError:
        yield Skipped(file=capture.name, why=_NOT_INSTALLED)
        return
    text = capture.text
    stream = io.BytesIO(text.data)
    flows = iter(FlowReader(stream).stream())
    number = 0
    while True:
        start = stream.tell()
        try:
            flow = next(flows, None)
        except (FlowReadException, *_READ_ERRORS):
            yield damaged(capture.name, text.place(start), "not a flow of mitmproxy")
            return
        if flow is None:
            return
        yield _read(capture, number, flow, text.slice(start, stream.tell()))
        number += 1


def _read(capture: Capture, number: int, flow: Any, text: Text) -> Exchange | Skipped:
    from isogloss.validator.captures.flows import read_flow

    if flow.type != "http":
        why = Why(f"not HTTP: a flow of {flow.type.upper()}", Cause.OTHER)
        return Skipped(file=capture.name, number=number, why=why)

    def body_of(message: FlowMessage) -> Text | None:
        content = message.raw_content
        if content is None:
            return None
        start = text.data.find(b"%d:%b," % (len(content), content))
        offset = start + len(b"%d:" % len(content))
        return Text.fixed(content, text, 0) if start < 0 else text.slice(offset, offset + len(content))

    return read_flow(flow, capture.name, number, text, body_of, capture.budget)
