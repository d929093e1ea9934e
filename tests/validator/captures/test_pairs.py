"""Tests of documents that hold HTTP pairs, and of traces of httprr: what is read of them."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from payloads import CHUNKS, COMPLETION, ERROR, REQUEST, URL, base64_of, pair_of
from reading import exchange_in, exchanges_in, read_all, values_of

from isogloss.cli.main import cli
from isogloss.validator.exchange import Body, Exchange, Skipped, Stream

CAPTURES = Path(__file__).parents[3] / "fixtures" / "captures"


# Documents that hold pairs

PAIR = pair_of({"status": 200, "body": COMPLETION})


@pytest.mark.parametrize(
    "document",
    [
        [PAIR, PAIR],
        {"recordings": [PAIR, PAIR], "version": 2},
        {"data": {"pairs": [PAIR, PAIR]}, "meta": {}},
        {"first": PAIR, "second": PAIR},
        {"a test": [PAIR], "another": [PAIR]},
        {"a": {"b": {"c": PAIR, "d": [[{"e": PAIR}]]}}},
        f"{json.dumps(PAIR)}\n{json.dumps(PAIR)}\n".encode(),
        f"{json.dumps({'event': PAIR})}\n{json.dumps({'events': [PAIR]})}\n".encode(),
    ],
)
def test_pairs_are_found_in_arrays_objects_and_lines(document: Any) -> None:
    parts = read_all(document)
    assert [(type(part), part.number) for part in parts] == [(Exchange, 0), (Exchange, 1)]


@pytest.mark.parametrize(
    "document",
    [
        {"paths": {"/v1/chat/completions": {"post": {"method": "POST", "responses": {}}}}},
        {"log": [{"level": "info", "message": "request", "url": URL}]},
        {"item": [{"request": {"method": "GET", "url": {"raw": "x"}}}]},
        {
            "endpoints": [
                {"method": "POST", "path": "/v1/chat/completions", "body": {"model": "string"}, "response": {}}
            ]
        },
        {"nodes": [{"parameters": {"method": "POST", "url": URL, "body": "={{ $json.body }}"}}]},
        {"resources": [{"method": "POST", "url": URL, "body": {"mimeType": "application/json", "text": "{% x %}"}}]},
        [],
    ],
)
def test_a_document_without_pairs_is_skipped(document: Any) -> None:
    parts = read_all(document)
    assert parts
    assert all(isinstance(part, Skipped) for part in parts)


def test_what_is_no_object_in_a_list_of_pairs_is_skipped() -> None:
    skipped, found = read_all({"interactions": ["a note", PAIR]})
    assert isinstance(skipped, Skipped)
    assert (skipped.reason, skipped.number) == ("not an object, as a pair of request and response is", 0)
    assert isinstance(found, Exchange)
    assert (values_of(found), found.number) == ((REQUEST, COMPLETION), 1)


@pytest.mark.parametrize("response", ["originalResponseData", "reply"])
def test_response_beside_an_original_request_is_read(response: str) -> None:
    """Check a cassette of axios-vcr: its properties are methods, parts of the path and hashes."""
    request = {"method": "post", "url": URL, "data": json.dumps(REQUEST), "headers": {}}
    tape = {"originalRequest": request, response: {"status": 200, "headers": {}, "data": COMPLETION}}
    assert values_of(exchange_in({"POST": {"v1": {"a94a8fe5": tape}}}, "axios.json")) == (REQUEST, COMPLETION)


def test_a_response_of_a_collection_has_the_original_request_in_it() -> None:
    """Check collections of Hoppscotch: each request has the responses that were saved, by name."""
    request = {"name": "ask", "method": "POST", "endpoint": URL, "headers": [], "params": []}
    request["body"] = {"contentType": "application/json", "body": json.dumps(REQUEST)}
    saved = {
        str(status): {
            "name": str(status), "originalRequest": {"v": "6", **request}, "status": "OK", "code": status,
            "headers": [{"key": "content-type", "value": "application/json"}], "body": json.dumps(body),
        }
        for status, body in ((200, COMPLETION), (429, ERROR))
    }  # fmt: skip
    found = exchanges_in(
        [{"v": 11, "name": "LLM", "folders": [], "requests": [{"v": "16", **request, "responses": saved}]}]
    )
    assert [values_of(one) for one in found] == [(REQUEST, COMPLETION), (REQUEST, ERROR)]
    assert [(one.http.status, one.path, one.http.content_type) for one in found] == [
        (status, "/v1/chat/completions", "application/json") for status in (200, 429)
    ]


@pytest.mark.parametrize("name", ["request", "config"])
@pytest.mark.parametrize("inside", [True, False])
def test_the_request_may_stand_in_the_response_as_clients_have_it(name: str, inside: bool) -> None:
    """Check responses as axios and httpyac have them."""
    asked = {"url": URL, "method": "post", "headers": {}, "data": json.dumps(REQUEST)}
    response = {"status": 200, "headers": {"content-type": "application/json"}, "data": COMPLETION, name: asked}
    [exchange] = exchanges_in({"a": [{"response": response}] if inside else [response]})
    assert values_of(exchange) == (REQUEST, COMPLETION)
    assert (exchange.http.status, exchange.path) == (200, "/v1/chat/completions")


def test_a_url_may_be_an_object_with_its_parts() -> None:
    url = {"Scheme": "https", "Opaque": "", "User": None, "Host": "api.example.com", "Path": "/v1/chat/completions"}
    track = pair_of({"StatusCode": 200, "Header": {}, "Body": base64_of(COMPLETION)}, url=url, body=base64_of(REQUEST))
    [exchange] = exchanges_in({"Tracks": [track]})
    assert (exchange.host, exchange.path) == ("api.example.com", "/v1/chat/completions")


def test_an_empty_array_is_skipped_as_empty() -> None:
    assert [part.reason for part in read_all([]) if isinstance(part, Skipped)] == ["an empty array"]


def test_a_cut_off_array_of_pairs_is_reported_as_damaged() -> None:
    cut_off = json.dumps([pair_of({"status": 200, "body": json.dumps(COMPLETION)}, body=json.dumps(REQUEST))] * 2)[
        :-40
    ].encode()
    reasons = [part.reason for part in read_all(cut_off) if isinstance(part, Skipped)]
    assert any("damaged" in reason for reason in reasons), reasons


AS_TEXT = pair_of({"status": 200, "body": json.dumps(COMPLETION)}, body=json.dumps(REQUEST))
AS_VALUE = pair_of({"status": 200, "body": COMPLETION}, body=REQUEST)
OF_ANOTHER_API = pair_of({"status": 200, "body": "{}"}, url="https://api.example.com/v1/embeddings", body="{}")


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([AS_VALUE, AS_VALUE], False),
        ([AS_VALUE, AS_TEXT], False),
        ([AS_TEXT, AS_VALUE], False),
        ([AS_TEXT, OF_ANOTHER_API], True),
        ([OF_ANOTHER_API, AS_TEXT], True),
        ([OF_ANOTHER_API, OF_ANOTHER_API], False),
    ],
    ids=["shown", "shown by the first", "shown by the last", "before others", "behind others", "without exchanges"],
)
def test_damage_is_reported_once_if_no_payload_shows_it_and_there_are_exchanges(pairs: Any, expected: bool) -> None:
    parts = read_all(json.dumps(pairs)[:-1].encode())
    assert any("damaged" in part.reason for part in parts if isinstance(part, Skipped)) == expected


@pytest.mark.parametrize(("fault", "is_damage"), [("]", False), (", ]", False), (' "x"]', True), ("", True)])
def test_a_fault_that_leaves_nothing_unread_is_no_damage(fault: str, is_damage: bool) -> None:
    parts = read_all((json.dumps([AS_TEXT, OF_ANOTHER_API])[:-1] + fault).encode())
    assert any("damaged" in part.reason for part in parts if isinstance(part, Skipped)) == is_damage


# httprr


def test_wrong_lengths_in_httprr_are_reported_as_damage() -> None:
    trace = (CAPTURES / "httprr" / "trace.httprr").read_bytes()
    for damaged in (trace[:-5], trace + b"x", trace.replace(b"\r\n", b"\n")):
        parts = read_all(damaged)
        assert isinstance(parts[-1], Skipped)
        assert parts[-1].reason.startswith("damaged at line")


# From the command line


@pytest.mark.parametrize(
    ("name", "exchanges"),
    [
        ("httprr/trace.httprr", 2),
        ("json/dump-stream.json", 1),
        ("json/dump.json", 1),
        ("json/easyvcr.json", 2),
        ("json/exvcr.json", 2),
        ("json/hoverfly.json", 2),
        ("json/logbook.json", 2),
        ("json/mastra.json", 2),
        ("json/mockoon.json", 1),
        ("json/mockserver.json", 2),
        ("json/ngrok.json", 1),
        ("json/nock-gzip.json", 1),
        ("json/nock.json", 2),
        ("json/req-llm.json", 2),
        ("json/tapes.json", 2),
        ("json/test-agent.json", 1),
        ("json/undici.json", 2),
        ("vcrpy/key-objects.yaml", 2),
        ("vcrpy/lists.yaml", 1),
        ("vcrpy/req-cassette.json", 2),
    ],
)
def test_each_recording_is_checked_and_conforms(name: str, exchanges: int) -> None:
    result = CliRunner().invoke(cli, ["check", "--format", "json", str(CAPTURES / name)])
    report = json.loads(result.stdout)
    assert result.exit_code == 0
    assert report["summary"]["exchanges"] == exchanges
    assert report["findings"] == report["skipped"] == []


def test_an_httprr_trace_without_pairs_is_skipped_as_empty() -> None:
    (skipped,) = read_all(b"httprr trace v1\n")
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "nothing is recorded in it"


# GoReplay and Burp Suite


@pytest.mark.parametrize("name", ["goreplay/requests_0.gor", "burp/items.xml"])
def test_messages_that_were_recorded_as_they_are_on_the_wire_are_joined(name: str) -> None:
    found = exchanges_in((CAPTURES / name).read_bytes())
    kinds = {(one.request is not None, one.http.status, one.host, type(one.response).__name__) for one in found}
    assert kinds == {(True, 200, "llm.example.com", "Payload"), (True, 200, "llm.example.com", "Stream")}


def test_each_response_of_a_replay_has_its_request_and_a_request_without_a_response_is_read() -> None:
    first, second = (f"{kind} 0a1b 176 5\n".encode() for kind in (2, 3))
    data = (CAPTURES / "goreplay" / "requests_0.gor").read_bytes()
    requests = data.split(b"2 ")[0]
    response = data[data.rindex(b"HTTP/1.1 200") :]
    both = requests.replace(b"8e091765ae902fef8a2b7d9d", b"0a1b") + first + response + second + response
    found = exchanges_in(both)
    assert [(one.request is not None, one.response is not None) for one in found] == [(True, True)] * 2 + [
        (True, False)
    ]
    assert values_of(found[0]) == values_of(found[1])


def test_an_item_of_burp_without_a_response_has_its_request_alone() -> None:
    data = (CAPTURES / "burp" / "items.xml").read_bytes()
    start, end = data.index(b"<response "), data.index(b"</response>")
    for without in (b"<response></response>", b""):
        found = exchanges_in(data[:start] + without + data[end + len(b"</response>") :])
        assert [(one.number, one.response is not None) for one in found] == [(0, False), (1, True)]


FLAT = {"requestUrl": URL, "requestMethod": "POST", "responseBody": json.dumps(COMPLETION)}


def test_a_list_of_pairs_with_nothing_but_a_url_and_the_body_of_an_answer_is_read() -> None:
    found = exchanges_in(json.dumps({"entries": [FLAT, FLAT]}).encode())
    assert [values_of(one) for one in found] == [(None, COMPLETION)] * 2


@pytest.mark.parametrize("status", [200, "success"])
def test_a_response_beside_its_content_type_is_the_body_even_if_it_looks_like_a_message(status: int | str) -> None:
    record = {"path": "/v1/chat/completions", "request": REQUEST, "response": {"status": status, "data": COMPLETION}}
    [sent] = exchanges_in(json.dumps(record | {"content_type": "application/json"}).encode())
    assert sent.http.status is None
    [recorded] = exchanges_in(json.dumps(record).encode())
    assert recorded.http.status == (200 if status == 200 else None)


def test_a_response_as_it_was_on_the_wire_is_a_message_beside_a_content_type_too() -> None:
    on_wire = f"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n\r\n{json.dumps(COMPLETION)}"
    record = {"content_type": "text/plain", "request": REQUEST, "response": on_wire}
    [exchange] = exchanges_in(json.dumps(record).encode())
    assert (exchange.http.status, values_of(exchange)) == (201, (REQUEST, COMPLETION))


OF_ANTHROPIC = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m"}


@pytest.mark.parametrize(
    ("beside", "is_sent"),
    [
        ({"status": 200}, True),
        ({"headers": {"content-type": "application/json"}}, True),
        ({}, False),
    ],
)
def test_an_answer_of_another_api_is_what_was_sent_if_a_status_or_a_content_type_is_known(
    beside: dict[str, Any], is_sent: bool
) -> None:
    [found] = read_all(pair_of({**beside, "body": OF_ANTHROPIC}))
    assert isinstance(found, Exchange) is is_sent


def test_an_object_of_a_client_library_was_not_sent_whatever_stands_beside_it() -> None:
    dumped = {"__type__": "anthropic.types.message.Message", "__data__": OF_ANTHROPIC}
    [found] = read_all(pair_of({"status": 200, "body": dumped}))
    assert isinstance(found, Skipped)
    assert "an object of a client library" in found.reason


@pytest.mark.parametrize("first", [COMPLETION, {"x": COMPLETION}])
def test_answers_alone_are_read_only_if_none_is_further_in(first: dict[str, Any]) -> None:
    found = read_all({"a": first, "b": COMPLETION})
    assert [type(one) for one in found] == ([Exchange] * 2 if first is COMPLETION else [Skipped])


def test_a_definition_without_a_method_is_read_if_it_has_a_scope_and_a_response() -> None:
    scope = {"scope": "https://api.example.com", "path": "/v1/chat/completions"}
    (found,) = exchanges_in(scope | {"response": COMPLETION})
    assert (values_of(found)[1], found.host, found.path) == (COMPLETION, "api.example.com", "/v1/chat/completions")
    for rest in ({"body": REQUEST}, {"body": REQUEST, "scope": "https://api.example.com"}, {"response": "Ho"}):
        assert [type(one) for one in read_all({"path": "/v1/chat/completions", **rest})] == [Skipped]


@pytest.mark.parametrize(
    ("record", "is_dumped"),
    [
        ({"path": "/v1/chat/completions", "request": REQUEST, "response": COMPLETION}, False),
        ({"body": REQUEST, "response": COMPLETION}, True),
        ({"url": URL, "requestBody": REQUEST, "response": {"status": 200, "body": COMPLETION}}, False),
    ],
    ids=["an exchange record", "bodies under any names", "a response with its parts"],
)
def test_what_has_a_request_or_a_message_or_no_url_is_no_definition(record: dict[str, Any], is_dumped: bool) -> None:
    (found,) = exchanges_in({"method": "POST", **record})
    assert (values_of(found), found.dumped) == ((REQUEST, COMPLETION), is_dumped)


def test_an_answer_that_isogloss_received_is_no_pair_of_a_recorder_and_a_pair_may_have_a_property_live() -> None:
    (found,) = exchanges_in(PAIR | {"live": True})
    assert (values_of(found), found.live) == ((REQUEST, COMPLETION), False)
    answer = {"status": 503, "body": "busy"}
    record = {"host": "h", "path": "/v1/chat/completions", "request": REQUEST, "response": answer, "status": 503}
    (found,) = exchanges_in(record | {"live": True})
    assert (values_of(found), found.live) == ((REQUEST, answer), True)


@pytest.mark.parametrize(
    "name", ["globMatch", "regexMatch", "xmlMatch", "xpathMatch", "jsonPathMatch", "jsonPartialMatch"]
)
def test_a_pattern_that_a_body_has_to_match_is_no_body(name: str) -> None:
    (found,) = exchanges_in(pair_of({"status": 200, "body": COMPLETION}, body={name: json.dumps(REQUEST)}))
    assert values_of(found) == (None, COMPLETION)
    (found,) = exchanges_in(pair_of({"status": 200, "body": COMPLETION}, body={"jsonMatch": json.dumps(REQUEST)}))
    assert values_of(found) == (REQUEST, COMPLETION)


def test_bodies_under_flat_names_are_as_they_were_sent_if_a_method_shows_that_they_are_of_http() -> None:
    flat = {"request_body": REQUEST, "response_body": COMPLETION}
    for more, dumped in (({}, True), ({"method": "POST"}, False)):
        (found,) = exchanges_in(flat | more)
        assert (values_of(found), found.dumped) == ((REQUEST, COMPLETION), dumped)


@pytest.mark.parametrize("missing", [None, "method", "path", "status_code"])
def test_an_answer_under_a_flat_name_needs_no_body_of_a_request_if_its_path_and_status_stand_there(
    missing: str | None,
) -> None:
    record = {"method": "POST", "path": "/v1/chat/completions", "status_code": 429, "request_body_size": 1024}
    record |= {"response_headers": {"Content-Type": "application/json"}, "response_body": json.dumps(COMPLETION)}
    found = read_all(json.dumps({name: value for name, value in record.items() if name != missing}), "a.json")
    found = [one for one in found if isinstance(one, Exchange)]
    assert [values_of(one) for one in found] == ([(None, COMPLETION)] if missing is None else [])
    assert [(one.path, one.http.status) for one in found] == [(record["path"], 429)] * len(found)


def test_the_headers_of_one_half_say_nothing_about_the_other_in_one_object() -> None:
    packed = gzip.compress(json.dumps(COMPLETION).encode(), mtime=0).hex()
    headers = {"content-encoding": "gzip", "content-type": "application/json"}
    half = {"method": "POST", "url": URL, "requestBody": json.dumps(REQUEST)}
    (found,) = exchanges_in(half | {"responseHeaders": headers, "responseBody": packed})
    assert (values_of(found), found.http.content_type) == ((REQUEST, COMPLETION), "application/json")
    (found,) = exchanges_in(half | {"requestHeaders": headers, "responseBody": json.dumps(COMPLETION)})
    assert (values_of(found), found.http.content_type) == ((REQUEST, COMPLETION), None)


@pytest.mark.parametrize("name", ["body", "content", "data", "text", "payload", "output"])
def test_the_words_of_a_failure_are_a_body_under_any_name_of_one(name: str) -> None:
    (found,) = exchanges_in(pair_of({"status": 502, name: "Bad gateway"}))
    assert isinstance(found.response, Body)
    assert (found.response.text.data, found.http.status) == (b"Bad gateway", 502)


def test_the_parts_of_a_request_may_stand_beside_the_response_in_the_pair_itself() -> None:
    (found,) = exchanges_in(
        {"method": "POST", "url": URL, "body": REQUEST, "response": {"status": 200, "body": COMPLETION}}
    )
    assert (values_of(found), found.http.status) == ((REQUEST, COMPLETION), 200)


def test_a_request_in_the_response_counts_only_if_the_pair_has_none() -> None:
    inner = {"method": "POST", "url": URL, "body": REQUEST | {"model": "other"}}
    response = {"status": 200, "body": COMPLETION, "request": inner}
    (found,) = exchanges_in(pair_of(response))
    assert values_of(found) == (REQUEST, COMPLETION)
    (found,) = exchanges_in({"request": {"method": "POST", "url": URL}, "response": response})
    assert values_of(found) == (inner["body"], COMPLETION)


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        ("bodyBase64", {}),
        ("bodyBlob", {}),
        ("body", {"bodyEncoding": "base64"}),
        ("body", {"encoding": "base64"}),
        ("body", {"encodedBody": True}),
        ("body", {"binary": True}),
    ],
)
def test_the_name_of_a_body_or_what_stands_beside_it_says_that_it_is_in_base64(name: str, mark: dict[str, Any]) -> None:
    packed = base64.b64encode(gzip.compress(json.dumps(COMPLETION).encode(), mtime=0)).decode()
    (found,) = exchanges_in(pair_of({"status": 200, "headers": {"content-encoding": "gzip"}, name: packed, **mark}))
    assert values_of(found) == (REQUEST, COMPLETION)


@pytest.mark.parametrize(("requests", "responses"), [(2, 1), (1, 2), (2, 2)])
def test_requests_and_responses_in_lists_of_their_own_are_joined_in_their_order(requests: int, responses: int) -> None:
    """As in cassettes of early versions of vcrpy. One of the lists may be longer."""
    request = {"method": "POST", "uri": URL, "body": json.dumps(REQUEST)}
    response = {"status": {"code": 200}, "body": {"string": json.dumps(COMPLETION)}}
    cassette = yaml.safe_dump({"requests": [request] * requests, "responses": [response] * responses}, width=9999)
    found = exchanges_in(cassette, "cassette.yaml")
    assert [values_of(one) for one in found] == [
        (REQUEST if at < requests else None, COMPLETION if at < responses else None) for at in range(2)
    ]
    assert [one.at[0] for one in found] == ["requests" if at < requests else "responses" for at in range(2)]


@pytest.mark.parametrize("body", ["", None])
@pytest.mark.parametrize("is_flat", [True, False])
def test_events_in_a_list_are_the_answer_where_the_body_is_empty(body: str | None, *, is_flat: bool) -> None:
    events = [{"data": json.dumps(chunk)} for chunk in CHUNKS] + [{"data": "[DONE]"}]
    headers = {"content-type": "text/event-stream"}
    asked = REQUEST | {"stream": True}
    pair: dict[str, Any] = {
        "request": {"method": "POST", "url": URL, "body": asked},
        "response": {"status": 200, "headers": headers, "body": body},
        "sse_events": events,
    }
    if is_flat:  # with the names that the logs of Helicone have
        pair = {"request_url": URL, "request_body": asked, "response_status": 200, "response_headers": headers}
        pair |= {"response_body": body, "sse_events": events}
    (exchange,) = exchanges_in(pair)
    assert isinstance(exchange.response, Stream)
    assert list(exchange.response.values)[:-1] == CHUNKS
    assert exchange.request is not None
    assert exchange.http.status == 200


@pytest.mark.parametrize("response", [COMPLETION, {"status": 200, "headers": {}, "body": COMPLETION}])
@pytest.mark.parametrize("write", [json.dumps, lambda value: value])
@pytest.mark.parametrize("wrap", [lambda pair: pair, lambda pair: {"network": [pair]}, lambda pair: [pair]])
def test_the_request_of_a_pair_may_have_any_name_wherever_the_pair_stands(response: Any, write: Any, wrap: Any) -> None:
    pair = {"method": "POST", "url": URL, "requestData": write(REQUEST), "response": response, "status": 200}
    assert values_of(exchanges_in(wrap(pair))[0]) == (REQUEST, COMPLETION)
    half = {"request": {"method": "POST", "url": URL}, "sent": write(REQUEST), "response": response}
    assert values_of(exchanges_in(wrap(half))[0]) == (REQUEST, COMPLETION)


@pytest.mark.parametrize("matcher", ["exact", "json", "ShouldEqual", "ShouldEqualJSON", "ShouldContainSubstring"])
def test_a_matcher_that_compares_the_whole_body_holds_the_request(matcher: str) -> None:
    body = {"matcher": matcher, "value": json.dumps(REQUEST)}
    request = {"method": "POST", "path": "/v1/chat/completions", "body": body}
    mock = [{"request": request, "response": {"status": 200, "body": json.dumps(COMPLETION)}}]
    [found] = exchanges_in(yaml.safe_dump(mock), "mocks.yml")
    assert values_of(found) == (None if "Contain" in matcher else REQUEST, COMPLETION)


@pytest.mark.parametrize("wrap", [lambda one: {"collection": one}, lambda one: [one], lambda one: one["item"][0]])
@pytest.mark.parametrize("answer", [COMPLETION, ERROR])
def test_a_request_may_have_a_list_of_responses_in_a_part_of_a_collection_of_postman(wrap: Any, answer: Any) -> None:
    request = {"method": "POST", "url": {"raw": URL}, "body": {"mode": "raw", "raw": json.dumps(REQUEST)}}
    status = 200 if answer is COMPLETION else 500
    saved = {
        "name": "a case",
        "originalRequest": request,
        "status": "Words",
        "code": status,
        "body": json.dumps(answer),
    }
    collection = {"info": {"name": "c"}, "item": [{"name": "chat", "request": request, "response": [saved, saved]}]}
    found = exchanges_in(wrap(collection))
    assert [(values_of(one), one.http.status) for one in found] == [((REQUEST, answer), status)] * 2


def test_a_record_of_mockoon_alone_is_no_mapping_of_wiremock() -> None:
    request = {"method": "POST", "urlPath": "/v1/chat/completions", "body": json.dumps(REQUEST)}
    response = {"statusCode": 500, "headers": [], "body": json.dumps(ERROR)}
    [found] = exchanges_in({"UUID": "u", "request": request, "response": response})
    assert (values_of(found), found.http.status) == ((REQUEST, ERROR), 500)
