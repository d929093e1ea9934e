"""Tests of reading mappings of WireMock: their requests, and their responses in the mapping or in a file beside it."""

from __future__ import annotations

import io
import json
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from payloads import COMPLETION, EVENTS, REQUEST, base64_of
from reading import read_all

from isogloss.cli.reading import files, inputs
from isogloss.validator import captures
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream


def mapping(response: dict[str, Any], **request: Any) -> dict[str, Any]:
    return {"request": {"method": "POST", "urlPath": "/v1/chat/completions"} | request, "response": response}


read = partial(read_all, name="mapping.json")


@pytest.mark.parametrize(
    ("response", "body_type"),
    [
        ({"status": 200, "jsonBody": COMPLETION}, Payload),
        ({"status": 200, "body": json.dumps(COMPLETION)}, Payload),
        ({"status": 200, "base64Body": base64_of(COMPLETION)}, Payload),
        ({"status": 200, "body": EVENTS, "headers": {"Content-Type": ["text/event-stream"]}}, Stream),
    ],
)
def test_the_response_is_read_in_every_form(response: dict[str, Any], body_type: type) -> None:
    for value in (mapping(response), {"mappings": [mapping(response)]}):
        (exchange,) = read(value)
        assert isinstance(exchange, Exchange)
        assert isinstance(exchange.response, body_type)
        assert (exchange.path, exchange.http.status) == ("/v1/chat/completions", 200)


@pytest.mark.parametrize(
    ("patterns", "is_read"),
    [
        ([{"equalToJson": REQUEST}], True),
        ([{"matchesJsonPath": "$.x"}, {"equalToJson": json.dumps(REQUEST)}], True),
        ([{"equalTo": json.dumps(REQUEST)}], True),
        ([{"equalToJson": {"model": "m"}, "ignoreExtraElements": True}], False),
        ([{"contains": "Hi"}], False),
        ([{"equalToJson": REQUEST, "ignoreArrayOrder": True, "ignoreExtraElements": True}], True),
        ([{"equalToJson": REQUEST, "ignoreExtraElements": True}], False),
        ([{"equalToJson": REQUEST, "ignoreArrayOrder": True, "ignoreExtraElements": True}, {"contains": "f"}], False),
        ([{"matchesJsonPath": "$.tools"}, {"equalToJson": REQUEST, "ignoreExtraElements": False}], True),
    ],
)
def test_only_a_pattern_of_the_whole_body_is_read_as_request(patterns: list[Any], is_read: bool) -> None:
    (exchange,) = read(mapping({"status": 200, "jsonBody": COMPLETION}, bodyPatterns=patterns))
    assert isinstance(exchange, Exchange)
    assert (exchange.request is not None) is is_read


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (mapping({"status": 200, "jsonBody": {}}, urlPath="/v1/models", method="GET"), "GET /v1/models"),
        (mapping({"body": '{"id": "{{randomValue}}"}', "transformers": ["response-template"]}), "a template"),
        (mapping({"body": '{"id": "x", "created": {{now format="unix"}}}'}), "a template"),
        (mapping({"bodyFileName": "a.json"}), "cannot be read from here"),
        (mapping({"base64Body": "x"}), "marked as base64"),
    ],
)
def test_a_mapping_that_is_not_checked_is_skipped_with_a_reason(value: dict[str, Any], reason: str) -> None:
    (skipped,) = read(value)
    assert isinstance(skipped, Skipped)
    assert reason in skipped.reason


@pytest.mark.parametrize("content", ["Use {{x}}", 'As in {"a": {{x}}}'])
def test_braces_in_a_text_make_no_template_of_a_body(content: str) -> None:
    message = {"role": "assistant", "content": content, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    (exchange,) = read(mapping({"body": json.dumps(COMPLETION | {"choices": [choice]})}))
    assert isinstance(exchange, Exchange)


def test_a_record_that_holds_names_of_wiremock_is_no_mapping() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"properties": {"urlPath": {}}}}}
    (exchange,) = read({"request": REQUEST | {"tools": [tool]}, "response": COMPLETION})
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.response is not None


@pytest.mark.parametrize("is_listed", [True, False])
def test_a_response_far_behind_a_long_request_belongs_to_it(is_listed: bool) -> None:
    request = REQUEST | {"messages": [{"role": "user", "content": "long " * 20_000}]}
    value = mapping({"jsonBody": COMPLETION}, bodyPatterns=[{"equalToJson": json.dumps(request)}])
    (exchange,) = read({"mappings": [value]} if is_listed else value)
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.response is not None


def test_a_url_pattern_of_chat_completions_is_recognised() -> None:
    for pattern in ("/openai/.*/chat/completions.*", r"\/v1\/chat\/completions(\?.*)?"):
        value = mapping({"status": 200, "body": "what"})
        value["request"] = {"method": "ANY", "urlPathPattern": pattern}
        (exchange,) = read(value)
        assert isinstance(exchange, Exchange)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mappings" / "chat").mkdir(parents=True)
    (tmp_path / "__files" / "llm").mkdir(parents=True)
    (tmp_path / "__files" / "llm" / "a.json").write_text(json.dumps(COMPLETION), "utf-8")
    (tmp_path / "mappings" / "chat" / "m.json").write_text(json.dumps(mapping({"bodyFileName": "llm/a.json"})), "utf-8")
    return tmp_path


def test_a_body_in_a_file_is_read_from_the_folder_of_files(folder: Path) -> None:
    (exchange,) = inputs.read(str(folder / "mappings" / "chat" / "m.json"))
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == COMPLETION
    zip_file = io.BytesIO()
    with zipfile.ZipFile(zip_file, "w") as archive:
        for path in folder.rglob("*.json"):
            archive.write(path, path.relative_to(folder))
    zip_file.seek(0)
    paths = {part.path for part in captures.read(captures.Capture(zip_file, "w.zip")) if isinstance(part, Exchange)}
    assert "/v1/chat/completions" in paths


def test_a_body_that_a_mapping_serves_is_checked_once(folder: Path) -> None:
    paths = [path for path in files.walk([str(folder)]) if isinstance(path, str)]
    assert paths == [str(folder / "mappings" / "chat" / "m.json")]
    assert [*files.walk([str(folder / "__files")])] == [str(folder / "__files" / "llm" / "a.json")]


def test_a_served_file_that_no_mapping_names_is_checked_by_itself(folder: Path) -> None:
    (folder / "__files" / "b.json").write_text(json.dumps(COMPLETION), "utf-8")
    (folder / "mappings" / "y.yaml").write_text("response:\n  bodyFileName: 'llm/y.json'\n", "utf-8")
    (folder / "__files" / "llm" / "y.json").write_text(json.dumps(COMPLETION), "utf-8")
    found = {path for path in files.walk([str(folder)]) if isinstance(path, str) and "__files" in path}
    assert found == {str(folder / "__files" / "b.json")}


@pytest.mark.parametrize("name", ["../secret.json", "../../etc/passwd", "/etc/passwd", "llm/link.json", "llm"])
def test_no_name_leads_out_of_the_folder_of_files(folder: Path, name: str) -> None:
    (folder / "secret.json").write_text(json.dumps(COMPLETION), "utf-8")
    (folder / "__files" / "llm" / "link.json").symlink_to(folder / "secret.json")
    (folder / "mappings" / "m.json").write_text(json.dumps(mapping({"bodyFileName": name})), "utf-8")
    (skipped,) = inputs.read(str(folder / "mappings" / "m.json"))
    assert isinstance(skipped, Skipped)


@pytest.mark.parametrize("form", ["jsonBody", "body"])
def test_a_body_with_an_expression_is_a_template_if_the_mapping_says_so(form: str) -> None:
    answer = COMPLETION | {"id": "{{randomValue length=24}}"}
    response = {"status": 200, form: answer if form == "jsonBody" else json.dumps(answer)}
    (exchange,) = read(mapping(response))
    assert isinstance(exchange, Exchange)
    (skipped,) = read(mapping(response | {"transformers": ["response-template"]}))
    assert isinstance(skipped, Skipped)
    (exchange,) = read(mapping({"status": 200, "jsonBody": COMPLETION, "transformers": ["response-template"]}))
    assert isinstance(exchange, Exchange)


@pytest.mark.parametrize("write", [json.dumps, lambda value: value])
@pytest.mark.parametrize("is_listed", [False, True])
def test_a_contract_of_spring_cloud_contract_has_its_request_as_a_body(write: Any, *, is_listed: bool) -> None:
    contract = {"description": "a case"} | mapping({"status": 200, "body": json.dumps(COMPLETION)}, body=write(REQUEST))
    data = yaml.safe_dump([contract] if is_listed else contract, sort_keys=False).encode()
    (exchange,) = read_all(data, "contract.yml")
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.request.value == REQUEST
