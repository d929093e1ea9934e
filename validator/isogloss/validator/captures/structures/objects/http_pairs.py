"""Recognise HTTP pairs by their structure: objects with a request and its response, in JSON or YAML.

A pair is an object with the properties ``request`` and ``response``. One of them may be missing. At least one is an
HTTP message (:mod:`.objects.messages`), and the other may be only a body. Names are compared without case, and may
begin with ``http``. A pair may be a whole document, an item of an array, in an array or an object that is a property of
some object, or on a line of JSON Lines. All sources were read in 2026-11. These programs write such pairs:

* vcrpy, pydantic-ai, go-vcr, Symfony AI, Ruby VCR, Betamax and req_cassette (hexdocs.pm/req_cassette,
  ``ReqCassette.Cassette``, 0.6.0): lists of interactions;
* ExVCR (lib/exvcr/json.ex of parroty/exvcr): an array; bodies that are ``binary`` are Base64 of an Erlang term;
* EasyVCR (EasyVCR.Tests/cassettes of EasyPost/easyvcr-csharp): an array, with names like ``RequestHeaders``;
* the VCR of Datadog's test agent (ddapm_test_agent/vcr_proxy.py of DataDog/dd-apm-test-agent): one object;
* ReqLLM (test/support/fixtures of neilberkman/req_llm): one object, with the ``chunks`` of a stream beside the halves;
* Mastra (packages/_llm-recorder of mastra-ai/mastra): an array, with ``chunks`` in the response;
* talkback (4.2.0, npm): ``req`` and ``res``, in JSON5, with a body in Base64 unless it is JSON;
* requests-cache (1.3.3, PyPI), in JSON: the ``request`` beside the parts of the response, its body as
  ``_decoded_content``;
* Hoverfly (docs/pages/simulations/basic-simulation.json of SpectoLabs/hoverfly): ``data.pairs``;
* MockServer (org/mockserver/model/schema of mock-server/mockserver): ``httpRequest`` and ``httpResponse``;
* Hoppscotch (packages/hoppscotch-data/src/rest-request-response of hoppscotch/hoppscotch): saved responses, each with
  its ``originalRequest``;
* Mockoon (packages/commons/src/models/route.model.ts of mockoon/mockoon): routes, each with its ``responses``;
* undici's ``SnapshotAgent`` (lib/mock/snapshot-recorder.js of nodejs/undici): a ``request`` with its ``responses``;
* llama-swap (``ReqRespCapture`` in proxy/metrics_monitor.go of mostlygeek/llama-swap): one object for each exchange,
  with ``req_path``, ``req_body``, ``resp_body`` and so on, its bodies in Base64;
* httpyac (src/models/httpResponse.ts of AnWeber/httpyac) and axios (the section "Response Schema" of its README.md): a
  response with its ``request``, or with its ``config``;
* govcr (cassette/track/http.go of seborama/govcr): ``Tracks``, with URLs in parts and bodies in Base64, as Go writes
  them into JSON;
* ngrok, Caido, Nuclei, Mocket, goflow and others: messages as they are on the wire, as text or in Base64, in place of a
  half or in its ``raw`` (https://ngrok.com/docs/agent/api); Tyk, as ``raw_request`` and ``raw_response``
  (https://tyk.io/docs/api-management/logs/traffic-logs);
* huggingface.js (packages/inference/test/vcr.ts of huggingface/huggingface.js): an object of tapes; in place of a
  request, each has the ``url`` and, as ``init``, the options that ``fetch`` was called with;
* the test proxy of OpenAI's and Azure's libraries: one object for each entry, with ``RequestUri``, ``ResponseBody`` and
  so on;
* capturly (PyPI), in logs without the body of the request: one object, with ``method``, ``path``, ``status_code`` and
  ``response_body``;
* Envoy's tap filter (api/envoy/data/tap/v3/http.proto of envoyproxy/envoy): ``http_buffered_trace``;
* Llama Stack: see :mod:`isogloss.validator.captures.bodies.dumps`.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from isogloss.validator.captures.bodies import dumps
from isogloss.validator.captures.bodies.from_json import is_on_wire
from isogloss.validator.captures.names import by_names, normalised_name
from isogloss.validator.captures.structures.objects.definitions import is_definition
from isogloss.validator.captures.structures.objects.messages import is_envelope, is_message, may_be_message

__all__ = ["REQUESTS", "RESPONSES", "has_responses", "holds_pairs", "is_half", "is_pair"]

REQUESTS = ("request", "httprequest", "originalrequest", "req", "init", "rawrequest")
"""Normalised names of the half of a pair that is the request."""
RESPONSES = ("response", "httpresponse", "res", "resp", "rawresponse")
"""Normalised names of the half that is the response."""
_HALVES = ("request", "httprequest", "originalrequest", "response", "httpresponse")
_ON_WIRE = ("rawrequest", "rawresponse")
"""Names that are halves of a pair only if these are as they are on the wire: under them, gateways keep bodies, too."""
_SHORT_HALVES = frozenset({"req", "res", "resp"})
"""Names that are halves of a pair only together: each of them alone stands beside anything."""
_RESPONSE_NAMES = frozenset({*RESPONSES, "responsebody"})
"""Names in pairs that have a response."""
_FLAT_BODIES = frozenset({"requestbody", "responsebody"})
_FLAT_REQUESTS = frozenset({"requesturi", "requesturl", "requestpath", "requestmethod"})
_ANSWERED = frozenset({"path", "statuscode", "responsebody"})
"""What a recorder keeps beside the method if it keeps no body of the request."""
_PAIR_NAMES = frozenset({*_HALVES, *_ON_WIRE, *_SHORT_HALVES, *_FLAT_BODIES, "url", "uri", "path"})
"""Normalised names of properties. Every pair has at least one of them."""
_MOST_INSPECTED = 20
"""How many objects of a list are inspected to find out what the list holds."""


class _Parts(Struct, frozen=True):
    """The names of the properties of an object that may be parts of a pair.

    ``halves`` are names of halves, ``on_wire`` those of halves only as they are on the wire, and ``short`` two names
    that are halves only together. ``is_flat`` says that the parts of both halves stand in the object itself.
    """

    halves: tuple[str, ...]
    on_wire: tuple[str, ...]
    short: tuple[str, ...]
    is_flat: bool


@by_names
def _parts_by_name(names: tuple[str, ...]) -> _Parts | None:
    """Return the names in an object that may be parts of a pair, or ``None`` if every pair has another name."""
    normalised = {normalised_name(name): name for name in names}
    if normalised.keys().isdisjoint(_PAIR_NAMES):
        return None
    short = tuple(normalised[name] for name in _SHORT_HALVES if name in normalised)
    has_bodies = len(normalised.keys() & _FLAT_BODIES) == 2 or normalised.keys() >= _ANSWERED
    return _Parts(
        halves=tuple(normalised[name] for name in _HALVES if name in normalised),
        on_wire=tuple(normalised[name] for name in _ON_WIRE if name in normalised),
        short=short if "req" in normalised and len(short) == 2 else (),
        is_flat=not normalised.keys().isdisjoint(_FLAT_BODIES)
        and ((has_bodies and "method" in normalised) or not normalised.keys().isdisjoint(_FLAT_REQUESTS)),
    )


@by_names
def _may_be_half(names: tuple[str, ...]) -> bool:
    """Return whether an object with these names can be a half of a pair: most halves in records are bodies."""
    return may_be_message(names) or dumps.may_be_dump(names)


def is_pair(value: Any) -> bool:
    """Return whether a value is a pair of request and response, or a definition.

    In a pair, one half at least is an HTTP message, or an object of a client library; or the parts of both halves stand
    in the pair itself.
    """
    if not isinstance(value, dict) or "choices" in value:
        return False
    parts = _parts_by_name(tuple(value))
    if parts is None:
        return False
    for name in parts.halves:
        half = value[name]
        if isinstance(half, dict) and not _may_be_half(tuple(half)):
            continue
        if dumps.is_dump_or_list(half):
            return True
        if is_half(half):
            has_content_type = isinstance(value.get("content_type"), str)  # then the response is the body beside it
            return not (has_content_type and isinstance(half, dict) and is_envelope(half, as_sent=True))
    if parts.on_wire and any(is_on_wire(value[name]) for name in parts.on_wire):
        return True
    if parts.short and all(is_half(value[name]) for name in parts.short):
        return True
    if parts.is_flat:
        return True
    return is_definition(value)


def is_half(value: object) -> bool:
    """Return whether a value is an HTTP message: an object with its parts, or the text of it on the wire."""
    return is_message(value) if isinstance(value, dict) else is_on_wire(value)


def holds_pairs(value: Any) -> bool:
    """Return whether a value in a document is a pair, or a list that begins with pairs.

    A pair must have a response here, and a definition a scope or a status. Settings, workflows and documentation hold
    many requests that are still to be filled in, and many responses that nobody got.
    """
    items = value[:_MOST_INSPECTED] if isinstance(value, list) else [value]
    return any(_is_answered(item) or has_responses(item) for item in items)


def _is_answered(value: Any) -> bool:
    if not is_pair(value):
        return False
    names = set(map(normalised_name, value))
    stands_in_response = "originalrequest" in names and is_message(value)
    if names.isdisjoint(_RESPONSE_NAMES) and not stands_in_response:
        return False
    return not is_definition(value) or not value.keys().isdisjoint(("scope", "status", "statusCode"))


def has_responses(value: Any) -> bool:
    """Return whether an object holds one request, and a list of the responses that it got or may get.

    A route of Mockoon has the parts of the request itself. Postman calls the list ``response``.
    """
    if not isinstance(value, dict):
        return False
    listed = value.get("responses")
    if listed is None:
        listed = value.get("response")
    if not isinstance(listed, list):
        return False
    has_request = "endpoint" in value or is_message(value.get("request"))
    return has_request and any(map(is_message, listed))
