"""Read exchange records, isogloss's own recording format: one JSON object for each exchange.

===================  ========================================================================================
property             meaning
===================  ========================================================================================
``request``          the request body, or its text
``response``         the response body, if it is JSON; a string is the text of a body, unless it may be what was said:
                     other text, without a content type or the status of a failure
``sse``              the response body as text, byte for byte, if it is an event stream
``chunks``           the chunks of a stream, if only the chunks were kept
``response_text``    the response body as text, if it is neither an event stream nor JSON as it was written, or if it is
                     a JSON string
``status``           the HTTP status of the response
``content_type``     its content type
``host``, ``path``   the host and the path that the request was sent to; ``path`` may be the whole URL, and so may
                     ``url`` in its place, if it is one of Chat Completions
``body_base64``      the response body in Base64, if it is not UTF-8
``expected_status``  the statuses of which the response must have one, if the request was made to test that; the
                     request may be wrong on purpose, and then only the response is judged
``status_alone``     the status that the same request got when no other request was sent at the same time
``status_before``    the failure that the same request got when it was sent before
``expected_code``    the ``error.code`` that a refusal must have
``earlier_ids``      the ids of the server's answers to earlier, different requests
``excused_rules``    rules whose findings say nothing about the server: a small model may break them by itself
``inconclusive``     why the answer does not show what the request was made to find out
``request_method``   the HTTP method, if it is not POST: that of a request for the models of the server
``live``             true if isogloss received the answer itself: the bodies are as they were sent, and no recorder has
                     wrapped, overwritten or left out anything
``broken``           true if the connection broke before the response body was complete
``body_fault``       what is wrong with the framing or the encoding of the body, so that nobody can read all of it
``left``             true if the client closed the connection before the response body was complete
``arrivals``         when the response body arrived: pairs of the number of bytes that had arrived and the seconds
                     since the request, both increasing
``beside_others``    true if other requests were under way at the same time, and this one may have waited for them;
                     then ``arrivals`` say nothing about the server
===================  ========================================================================================

Every property may be missing or null. Other properties are ignored, except the model of a request without one, which
CAMEL keeps there (``_log_request`` in camel/models/base_model.py of camel-ai 0.2.90, PyPI, read 2026-11). No header is
kept except the content type.
"""

from __future__ import annotations

import binascii
from typing import Any

from isogloss.validator.captures import http
from isogloss.validator.captures.bodies.from_json import read_body
from isogloss.validator.captures.bodies.wrapped import kept_stream, listed_stream, stream_of_list
from isogloss.validator.captures.capture import Capture, unpacked
from isogloss.validator.captures.document import Node, integer, string
from isogloss.validator.captures.structures.objects.halves import Role, body_name
from isogloss.validator.captures.structures.side_by_side import with_model_beside
from isogloss.validator.captures.traffic import is_chat_path, why_no_answer, why_other_traffic
from isogloss.validator.decode import response_body, stream
from isogloss.validator.exchange import (
    NO_HTTP,
    NO_PROBE,
    PROBE_PROPERTIES,
    Body,
    Exchange,
    HttpFacts,
    Payload,
    ProbeFacts,
    Response,
    Skipped,
    Why,
)
from isogloss.validator.kinds import answer_kind, why_no_payload
from isogloss.validator.text import Text

__all__ = ["is_live", "is_record", "record"]

_ANSWER_PROPERTIES = frozenset({"response", "sse", "chunks", "response_text", "body_base64"})
_BODIES = frozenset({"response_text", "body_base64"})
"""Properties that hold a body as it was sent, whatever it is."""
_RECORD_PROPERTIES = _ANSWER_PROPERTIES | {"request"}
_FACTS = frozenset({*PROBE_PROPERTIES, "live", "broken", "left", "body_fault", "arrivals"})
"""Properties that say how and why an exchange was recorded. Most records have none of them."""


def is_record(value: dict[str, Any]) -> bool:
    """Return whether an object is an exchange record: it has a property of one, and none of a payload."""
    return "choices" not in value and "messages" not in value and not value.keys().isdisjoint(_RECORD_PROPERTIES)


def is_live(value: dict[str, Any]) -> bool:
    """Return whether an object is a record that isogloss wrote of an answer that it received itself.

    It has the host, too: ``live`` alone may mean anything in a pair of another recorder.
    """
    return value.get("live") is True and "host" in value


def record(capture: Capture, number: int, part: Node) -> Exchange | Skipped:
    """Return the exchange that the properties of a record hold."""
    value = part.value
    status, content_type = integer(value.get("status")), string(value.get("content_type"))
    host, path = _host_and_path(value)
    has_facts = not value.keys().isdisjoint(_FACTS)
    live = has_facts and value.get("live") is True
    request = _request(capture, part, path, live=live)
    with_model = with_model_beside(request, value)
    body = _body(capture, part, status, content_type, live=live)
    probe = _probe_facts(part) if has_facts else NO_PROBE
    expected = probe.expected_status
    shows_http = status is not None or content_type is not None or host is not None
    asked = None if request is None else request.value
    why = None if live else _why_made(part, request, body, status, content_type, has_url=bool(host or path))
    if why is None and not expected:
        why = why_other_traffic(asked, body, path, None, shows_http=shows_http)
    if why is not None:
        return Skipped(file=capture.name, number=number, why=why)
    models = _models(part, status) if expected and value.get("request_method") == "GET" else None
    is_sent = shows_http or path is not None or _may_be_sent(asked)
    is_request_judged = is_sent and not (expected and min(expected) >= 400)
    if models is not None:
        body = None
    facts = _http_facts(part, status, content_type) if has_facts else HttpFacts(status, content_type)
    if facts.fault is not None and not facts.broken and body is not None:
        body = Body(body.text)
    return Exchange(
        file=capture.name,
        number=number,
        text=part.document.text,
        at=part.at,
        request=(with_model or request) if is_request_judged else None,
        response=body,
        http=NO_HTTP if body is None else facts,
        host=host,
        path=path,
        dumped=with_model is not None,
        gathered=with_model is not None,
        live=live,
        probe=probe,
        models=models,
    )


def _may_be_sent(request: object) -> bool:
    """Return whether a request looks like one: logs keep the messages alone in its place, or a prompt."""
    return isinstance(request, dict) and ("messages" in request or "model" in request)


def _why_made(
    part: Node,
    request: Payload | None,
    body: Response | None,
    status: int | None,
    content_type: str | None,
    *,
    has_url: bool,
) -> Why | None:
    """Return why what stands in place of an answer is none, or ``None`` if it may be one.

    A program may have made it, or cut it off. ``has_url`` says that the record has a host or a path.
    """
    value = part.value
    is_as_sent = content_type is not None or not value.keys().isdisjoint(_BODIES)
    if not is_as_sent and _may_be_made(body, status, has_url=has_url):
        why = why_no_answer(request and request.value, body, status)
        if why is not None:
            return why if request is not None else why_no_payload(value)
    is_text = isinstance(body, Payload) and body.text is not part.document.text
    return http.why_cut_off(body) if is_text else None


def _may_be_made(body: Response | None, status: int | None, *, has_url: bool) -> bool:
    """Return whether a program may have made what stands in place of an answer: what was said, or an object of its own.

    An object with an error in it is always an answer, and so is one with an id and without choices, which some servers
    send.
    """
    if isinstance(body, Body):
        return status is None or status < 400
    value = body.value if isinstance(body, Payload) else None
    if isinstance(value, dict) and "id" in value and value.get("choices", value) in (None, []):
        return False
    return isinstance(body, Payload) and body.kind != "error" and status is None and not has_url


def _host_and_path(record: dict[str, Any]) -> tuple[str | None, str | None]:
    """Return the host and the path of the request. A ``url`` counts only if it is one of Chat Completions.

    It may be the address of something else: of the page that the request is about.
    """
    host, path = http.host_and_path(string(record.get("path")))
    if path is None:
        url_host, url_path = http.host_and_path(string(record.get("url")))
        if is_chat_path(url_path):
            host, path = url_host, url_path
    return string(record.get("host")) or host, path


def _probe_facts(part: Node) -> ProbeFacts:
    """Read the properties in which a probe records why it made the request, if there are some."""
    if part.value.keys().isdisjoint(PROBE_PROPERTIES):
        return NO_PROBE
    return ProbeFacts(
        expected_status=tuple(item.value for item in part.get("expected_status").items() if type(item.value) is int),
        status_alone=part.get("status_alone").integer(),
        status_before=part.get("status_before").integer(),
        expected_code=part.get("expected_code").string(),
        earlier_ids=_strings(part.get("earlier_ids")),
        excused_rules=_strings(part.get("excused_rules")),
        inconclusive=part.value.get("inconclusive") is not None,
    )


def _models(part: Node, status: int | None) -> object:
    """Return the successful answer to a request for models, or ``None`` if it was refused or nothing was kept."""
    if status is None or not 200 <= status < 300:
        return None
    text = next((one for name in ("sse", "response_text", "body_base64") if (one := part.get(name).string())), None)
    return part.get("response").value if text is None else text


def _strings(part: Node) -> tuple[str, ...]:
    return tuple(item.value for item in part.items() if isinstance(item.value, str))


def _http_facts(part: Node, status: int | None, content_type: str | None) -> HttpFacts:
    """Return what a record holds of a response beside its body."""
    record = part.value
    broken, left, fault = record.get("broken") is True, record.get("left") is True, string(record.get("body_fault"))
    return HttpFacts(status, content_type, broken, _arrivals(part), left, fault)


def _arrivals(part: Node) -> tuple[tuple[int, float], ...]:
    """Return when the bytes of the body came: pairs of bytes and seconds, as in the record.

    The result is empty if one of the pairs is not as it should be, or if other requests were under way: then the times
    say nothing about the server.
    """
    if "arrivals" not in part.value or part.value.get("beside_others") is True:
        return ()
    found: list[tuple[int, float]] = []
    size, seconds = 0, 0.0
    for pair in part.get("arrivals").items():
        match pair.value:
            case [int(new_size), int(new_seconds) | float(new_seconds)] if new_size > size and new_seconds >= seconds:
                size, seconds = new_size, new_seconds
                found.append((size, seconds))
            case _:
                return ()
    return tuple(found)


def _body(capture: Capture, part: Node, status: int | None, content_type: str | None, *, live: bool) -> Response | None:
    """Return the response body from the first property that holds one, or ``None`` if there is none."""
    record = part.value
    if record.get("sse") is not None and (text := part.get("sse").text()) is not None:
        return stream(text)
    if isinstance(record.get("chunks"), list):
        chunks = part.get("chunks")
        return listed_stream(chunks) or stream_of_list(chunks)
    text = part.get("response_text").text() if record.get("response_text") is not None else None
    if text is None and record.get("body_base64") is not None:
        text = _bytes(part.get("body_base64"))
    if text is not None:
        return response_body(text, status=status, content_type=content_type)
    value = record.get("response")
    if live or (isinstance(value, dict) and "choices" in value and "streamed_data" not in value):  # as it was sent
        return None if value is None else part.payload_in("response", answer_kind(value, status))
    response = part.get("response")
    is_as_sent = content_type is not None
    found = _unwrapped(capture, response, None if is_as_sent else "answer")
    if found is None and is_as_sent:
        found = response  # an empty object, or a number
    return kept_stream(response) or http.answer_body(found, status, content_type)


def _request(capture: Capture, part: Node, path: str | None, *, live: bool) -> Payload | None:
    value = part.value.get("request")
    if value is None:
        return None
    if live or value == {} or (isinstance(value, dict) and "messages" in value):  # as it was sent
        return part.payload_in("request", "request")
    found = _unwrapped(capture, part.get("request"), "request")
    if isinstance(found, Text):
        return http.request_body(found, path)
    return found.payload("request") if isinstance(found, Node) and found.value is not None else None


def _unwrapped(capture: Capture, part: Node, role: Role | None) -> http.Answer:
    """Return the body in a property of a record: as it is, in most records, or in any form that recorders write.

    Without a ``role``, an object that holds an answer is the body itself.
    """
    value = part.value
    if role != "request" and isinstance(value, dict) and "choices" in value:
        return part
    if isinstance(value, Text) or (isinstance(value, str) and value.startswith(("{", "data: {"))):
        return part.text()
    body = None if role is None else body_name(value, role)
    return read_body(part if body is None else part.get(body), None, capture.budget)


def _bytes(part: Node) -> Text | None:
    """Return the bytes that a Base64 string encodes, all at the place of the string.

    Text that is not Base64 is returned as it is; for a value that is no text, the result is ``None``.
    """
    text = part.text()
    if text is None:
        return None
    try:
        return unpacked(binascii.a2b_base64(text.data, strict_mode=True), text)
    except binascii.Error:
        return text
