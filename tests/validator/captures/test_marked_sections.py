"""Tests of records with bodies between lines that mark them: both versions of dd-trace-java."""

from __future__ import annotations

import json
from functools import partial

import pytest
from payloads import COMPLETION, REQUEST, as_events, chunk
from reading import read_all

from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream

EVENTS = as_events(chunk({"content": "Hi"}, "stop"), "[DONE]")

_OLDER = """> method: POST
> path: {path}
> begin request body <
{request}
> end request body <
> response code: {status}
> begin response headers <
Content-Type -> {kind}
date -> Thu, 13 Nov 2025 20:14:02 GMT
> end response headers <
> begin response body <
{response}
> end response body <
"""
_NEWER = """method: POST
path: {path}
-- begin request body --
{request}
-- end request body -- \nstatus code: {status}
-- begin response headers --
content-type: {kind}
-- end response headers --
-- begin response body --
{response}
-- end response body --
"""


def _record(layout: str, response: str, path: str = "chat/completions", status: int = 200) -> str:
    kind = "text/event-stream" if response.startswith("data:") else "application/json"
    return layout.format(path=path, request=json.dumps(REQUEST), status=status, kind=kind, response=response)


_read = partial(read_all, name="a.POST.rec")


@pytest.mark.parametrize("added", [b"", b"\xff", "\ufffd\ufffd".encode()])
@pytest.mark.parametrize("layout", [_OLDER, _NEWER])
def test_an_exchange_is_read_without_what_the_recorder_adds(layout: str, added: bytes) -> None:
    written = json.dumps(COMPLETION, indent=2)
    (found,) = _read(_record(layout, written + "\n@").encode().replace(b"@", added))
    assert isinstance(found, Exchange)
    assert found.request is not None
    assert isinstance(found.response, Payload)
    assert (found.request.value, found.response.value) == (REQUEST, COMPLETION)
    assert found.response.sound
    assert (found.http.status, found.http.content_type) == (200, "application/json")
    line = _record(layout, written).splitlines()[found.response.text.place(0).line - 1]
    assert line == "{"
    (streamed,) = _read(_record(layout, EVENTS + "@").encode().replace(b"@", added))
    assert isinstance(streamed, Exchange)
    assert isinstance(streamed.response, Stream)
    assert streamed.response.text.data.decode() == EVENTS


def test_several_exchanges_are_read_in_order_and_other_traffic_is_skipped() -> None:
    text = _record(_NEWER, json.dumps(COMPLETION)) + _record(_OLDER, "{}", "embeddings") + _record(_NEWER, EVENTS)
    first, other, last = _read(text.encode())
    assert isinstance(first, Exchange)
    assert isinstance(other, Skipped)
    assert "Embeddings API" in other.reason
    assert isinstance(last, Exchange)
    assert [one.number for one in (first, other, last)] == [0, 1, 2]


@pytest.mark.parametrize("status", ["", "status code: \n", "status code: OK\n"])
def test_a_record_without_a_status_is_read_without_one(status: str) -> None:
    (found,) = _read(_record(_NEWER, json.dumps(COMPLETION)).replace("status code: 200\n", status).encode())
    assert isinstance(found, Exchange)
    assert found.http.status is None
    assert isinstance(found.response, Payload)


def test_a_part_without_its_end_is_reported_with_its_line() -> None:
    (found,) = _read(_record(_OLDER, "{}").partition("> end response body")[0].encode())
    assert isinstance(found, Skipped)
    assert found.reason == "damaged at line 11: a part that does not end"


def test_a_body_with_a_line_like_the_end_of_another_part_is_read_to_its_own_end() -> None:
    for other in ("-- end request body --", "-- end response headers --", "status code: 500"):
        (found,) = _read(_record(_NEWER, f"{EVENTS}: said\n{other}\n\n"))
        assert isinstance(found, Exchange)
        assert isinstance(found.response, Stream)
        assert found.response.text.data.decode().endswith(f"{other}\n\n")
        assert found.http.status == 200
