"""Recognise the log lines of gateways and of observability tools, and find the request and the answer in each.

One reader reads all of them (:mod:`.objects.mapped`). This module is the table of their layouts. A log is in the table
only if the product's own documentation or source describes its layout:

=======================  =============================================================================================
log                      source
=======================  =============================================================================================
LiteLLM, spend logs      ``proxy_server_request`` is the request body, ``response`` is what the library returned:
                         ``_get_proxy_server_request_for_spend_logs_payload`` in
                         litellm/proxy/spend_tracking/spend_tracking_utils.py of BerriAI/litellm, read 2026-11
LiteLLM, callbacks       ``messages``, ``model``, ``model_parameters``, ``response``, ``api_base`` (files in S3, GCS and
                         so on): https://docs.litellm.ai/docs/proxy/logging_spec, 2026-10
Helicone                 ``request_body``, ``response_body``, ``response_status``, ``request_path``:
                         https://docs.helicone.ai/tools/export and examples/export/typescript/index.ts of
                         Helicone/helicone, read 2026-11
Portkey, exports         ``request.body``, ``response.body``, ``request_url``, ``response_status_code``:
                         https://portkey.ai/docs/product/observability/logs-export, read 2026-11
OpenPipe, reports        ``reqPayload``, ``respPayload``, ``statusCode``:
                         https://docs.openpipe.ai/api-reference/post-report, read 2026-11
OpenInference            ``input.value`` and ``output.value`` among the attributes of a span: the arguments of the call,
                         and ``model_dump_json(exclude_unset=True)`` of what it returned: ``_io_value_and_type`` in
                         openinference/instrumentation/openai/_utils.py of Arize-ai/openinference, read 2026-11
OTLP JSON                attributes are lists of keys and typed values; spans are in ``resourceSpans``, there in
                         ``scopeSpans``: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding, read 2026-11
Inspect AI               ``call`` of an event ``model``, with ``request`` and ``response``: ``ModelCall`` in
                         src/inspect_ai/model/_model_call.py of UKGovernmentBEIS/inspect_ai, read 2026-11. The messages
                         of all requests of a sample may stand once, in its ``events_data``:
                         ``condense_model_event_calls`` in inspect_ai/event/_pool.py of inspect_ai 0.3.285, PyPI, read
                         2026-11-30
OpenAI, stored           a list of completions: ``ChatCompletionList`` in
                         https://platform.openai.com/docs/api-reference/chat/list, read 2026-11
=======================  =============================================================================================

Logs that hold a request and its answer side by side need no entry: :mod:`.search` finds these by their content, as in
the exports of OpenPipe (``input``, ``output``: https://docs.openpipe.ai/features/request-logs/exporting-logs, 2026-11).

These logs are not in the table, because they hold no payload. Cloudflare's AI Gateway encrypts bodies in Logpush
(https://developers.cloudflare.com/ai-gateway/observability/logging/logpush, read 2026-11), and its list of logs has no
bodies. Spans that have only ``gen_ai.input.messages`` and ``gen_ai.output.messages`` hold messages in parts of another
shape (https://opentelemetry.io/docs/specs/semconv/gen-ai/, read 2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.captures.structures.objects.halves import halves_in
from isogloss.validator.captures.structures.objects.mapped import fits, follow, follow_each, read_mapped
from isogloss.validator.captures.structures.objects.pooled import MOST_POOLED, pooled_messages, with_messages
from isogloss.validator.captures.structures.relations.folded import as_folded
from isogloss.validator.captures.structures.side_by_side import with_span_of
from isogloss.validator.exchange import Exchange, Payload, Skipped
from isogloss.validator.kinds import kind_of
from isogloss.validator.kinds.marks import REQUEST_PROPERTIES

__all__ = ["log_exchanges"]


class _Log(Struct, frozen=True):
    """A known log.

    ``tells`` are the paths by which the log is recognised: each must lead to a value. ``each`` is the path to the
    entries of a document with several entries. ``gathered`` are the paths to the properties of the request, for a log
    that does not keep them in one place.
    """

    mapping: Mapping
    tells: tuple[str, ...]
    each: str = ""
    gathered: tuple[str, ...] = ()


_SPAN = Mapping(
    request="attributes.input.value",
    response="attributes.output.value",
    status="attributes.http.response.status_code",
    host="attributes.server.address",
    as_sent=False,
)
_CALL = Mapping(request="call.request", response="call.response", as_sent=False)

_LOGS: tuple[_Log, ...] = (
    _Log(Mapping(request="proxy_server_request.body", response="response", host="api_base", as_sent=False),
         tells=("proxy_server_request.body", "response")),
    _Log(Mapping(request="proxy_server_request", response="response", host="api_base", as_sent=False),
         tells=("proxy_server_request", "response")),
    _Log(Mapping(response="response", host="api_base", as_sent=False),
         tells=("call_type", "messages", "model_parameters", "response"),
         gathered=("model", "messages", "model_parameters.*")),
    _Log(Mapping(request="request_body", response="response_body", stream="response_body.streamed_data",
                 status="response_status", path="request_path"),
         tells=("response_status", "request_body")),
    _Log(Mapping(request="request.body", response="response.body", status="response_status_code", path="request_url"),
         tells=("response_status_code", "response.body")),
    _Log(Mapping(request="reqPayload", response="respPayload", status="statusCode"),
         tells=("reqPayload", "respPayload")),
    _Log(_SPAN, tells=("resourceSpans",), each="resourceSpans.*.scopeSpans.*.spans.*"),
    _Log(_SPAN, tells=("attributes.input.value", "attributes.output.value")),
    _Log(_CALL, tells=("samples", "eval"), each="samples.*.events.*"),
    _Log(_CALL, tells=("events", "epoch"), each="events.*"),
    _Log(_CALL, tells=("event", "call")),
)  # fmt: skip
_FIRST_NAMES = frozenset(
    ".".join(names[:size]) for names in (log.tells[0].split(".") for log in _LOGS) for size in range(1, len(names) + 1)
)
"""The names that the first path of each log may begin with. Most values have no property with one of these names."""


def log_exchanges(capture: Capture, number: int, part: Node) -> Iterator[Exchange | Skipped] | None:
    """Return the exchanges of a value that is an entry of a log or a document of entries, or ``None`` if it is neither.

    The mapping of the user comes before the logs that are known here.
    """
    value = part.value
    if not isinstance(value, dict):
        return None
    if capture.mapping is not None and fits(part, capture.mapping):
        return iter([read_mapped(capture.name, number, part, capture.mapping, by_user=True)])
    if value.get("object") == "list":
        return _stored_completions(capture, number, part)
    if value.keys().isdisjoint(_FIRST_NAMES):
        return None
    for log in _LOGS:
        if all(follow(part, path).value is not None for path in log.tells) and (entries := _entries(part, log)):
            return None if _has_other_answer(part, log) else _read(capture, number, entries, log)
    return None


def _has_other_answer(part: Node, log: _Log) -> bool:
    """Return whether a value has no answer where the entries of a log have it, but under another name: it is no entry.

    Other programs use the same names, and keep a stream in a list of events beside an empty body.
    """
    paths = (log.mapping.response, log.mapping.stream)
    if log.each or any(follow(part, path).value for path in paths) or not part.document.may_hold_answers:
        return False
    return bool(halves_in(part.value).answers)


def _entries(part: Node, log: _Log) -> list[Node]:
    """Return the entries of a document of a log, except those that hold neither request nor answer."""
    found = follow_each(part, log.each) if log.each else iter([part])
    return [entry for entry in found if _holds(entry, log)]


def _holds(entry: Node, log: _Log) -> bool:
    if log.gathered and not isinstance(follow(entry, "messages").value, list):
        return False
    return fits(entry, log.mapping)


def _read(capture: Capture, number: int, entries: list[Node], log: _Log) -> Iterator[Exchange | Skipped]:
    room = MOST_POOLED
    for entry_number, entry in enumerate(entries, number):
        request = _gathered_request(entry, log)
        if log.mapping is _CALL and (messages := pooled_messages(entry, room)):
            request = with_messages(entry, messages)
            room -= len(messages)
        found = read_mapped(capture.name, entry_number, entry, log.mapping, request=request)
        if isinstance(found, Exchange):
            found = with_span_of(entry, replace(as_folded(found), gathered=bool(log.gathered)))
        yield found


def _gathered_request(entry: Node, log: _Log) -> Payload | None:
    """Return the request of a log that keeps its properties in several places, or ``None`` for any other log.

    Whether the request was for a stream is not known.
    """
    if not log.gathered:
        return None
    request: dict[str, object] = {}
    for path in log.gathered:
        found = follow(entry, path.removesuffix(".*"))
        if path.endswith(".*"):
            request |= found.value if isinstance(found.value, dict) else {}
        elif found.value is not None:
            request[path] = found.value
    kept_names = REQUEST_PROPERTIES - {"stream", "stream_options", "metadata"}
    return replace(entry, value={name: one for name, one in request.items() if name in kept_names}).payload("request")


def _stored_completions(capture: Capture, number: int, part: Node) -> Iterator[Exchange | Skipped] | None:
    """Return the completions of a list from the API of stored completions, or ``None`` for any other list.

    The store writes them anew, with null for what was not sent: the examples of its reference have that.
    """
    items = list(part.get("data").items())
    if not items or any(kind_of(item.value) != "completion" for item in items):
        return None
    return (
        Exchange(
            file=capture.name,
            number=item_number,
            text=item.document.text,
            at=item.at,
            response=item.payload("completion"),
            dumped=True,
        )
        for item_number, item in enumerate(items, number)
    )
