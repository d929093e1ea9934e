"""Test that what rules find in their fixtures is where they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from isogloss.validator import rules
from isogloss.validator.exchange import Exchange, NotJson, Payload, Skipped, Stream
from isogloss.validator.pointer import ABSENT, UNREAD, follow
from isogloss.validator.rules import Hit
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.streams.fold import fold
from isogloss.validator.streams.trace import Trace
from isogloss.validator.views import Completion, Request

FIXTURES = Path(__file__).parents[3] / "fixtures"


def test_a_hit_about_the_wire_names_an_event_or_a_byte_that_is_there(
    read: Callable[[Path], list[Exchange | Skipped]],
) -> None:
    for path in sorted((FIXTURES / "wire").glob("*/*.*")):
        for exchange in read(path):
            assert isinstance(exchange, Exchange)
            body = exchange.response
            size = len(body.text.data) if body is not None else 0
            values = body.values if isinstance(body, Stream) else []
            for name, check in rules.checks("wire"):
                for hit in check(exchange):
                    assert hit.offset is None or 0 <= hit.offset <= size, (path, name)
                    assert hit.event is None or 0 <= hit.event < len(values), (path, name)


def _hits(exchange: Exchange) -> Iterator[tuple[str, Hit, Any]]:
    """Yield what the rules about payloads find in an exchange, with the name of the rule and the payload."""
    body = exchange.response
    value = exchange.request.value if exchange.request is not None else None
    request = Request(value) if isinstance(value, dict) else None
    trace = Trace(body) if isinstance(body, Stream) else None
    folded = fold(trace) if trace is not None else None
    completion = Completion(folded.value, folded=True, request=request) if folded is not None else None
    if isinstance(body, Payload) and body.kind == "completion" and isinstance(body.value, dict):
        completion = Completion(body.value, request=request)
    pair = Pair(request, completion, trace) if request is not None else None
    views = {"request": request, "completion": completion, "stream": trace, "pair": pair}
    for group, view in views.items():
        whole = value if group == "request" else completion and completion.value
        for name, check in rules.checks(group) if view is not None else ():
            for hit in check(view):
                yield name, hit, whole if hit.event is None else trace and trace.stream.values[hit.event]


@pytest.mark.parametrize("group", ["request", "completion", "stream", "pair"])
def test_a_hit_has_the_value_at_its_pointer_or_one_of_what_should_hold_it(
    group: str, read: Callable[[Path], list[Exchange | Skipped]]
) -> None:
    for path in sorted((FIXTURES / group).glob("*/*.*")):
        for exchange in read(path):
            assert isinstance(exchange, Exchange)
            for name, hit, whole in _hits(exchange):
                assert hit.message.isprintable(), (path, name)
                if isinstance(whole, NotJson):
                    assert (hit.value, len(hit.pointer)) in ((ABSENT, 0), (ABSENT, 1)), (path, name)
                elif hit.value is ABSENT:
                    assert isinstance(follow(whole, hit.pointer[:-1]), dict | list), (path, name)
                elif hit.value is not UNREAD:
                    assert follow(whole, hit.pointer) == hit.value, (path, name)
