"""Tests that a page holds captures of other recorders in its blocks, and code in its sentences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from payloads import COMPLETION, ERROR, EVENTS, REQUEST, URL
from reading import all_exchanges, exchanges_in, findings_of_exchange, place_of, values_of

FIXTURES = Path(__file__).parents[3] / "fixtures" / "captures"
_FAULTY = json.dumps(COMPLETION).replace('"stop"', '"bored"')
_CASSETTE = f"""\
interactions:
- request:
    body: '{json.dumps(REQUEST)}'
    method: POST
    uri: {URL}
  response:
    body:
      string: '{_FAULTY}'
    headers:
      Content-Type:
      - application/json
    status: {{code: 200, message: OK}}
version: 1
"""


@pytest.mark.parametrize("language", ["", "yaml", "yml", "YAML title=x"])
@pytest.mark.parametrize("before", ["", "# recorded with vcrpy\n", "---\n"])
def test_a_cassette_in_a_block_is_read_as_in_a_file_of_its_own(language: str, before: str) -> None:
    page = f"# A page\n\n```{language}\n{before}{_CASSETTE}```\n\nAnd so on.\n"
    (found,) = all_exchanges(page, "page.md")
    (alone,) = exchanges_in(before + _CASSETTE, "cassette.yaml")
    assert values_of(found) == values_of(alone)
    assert (found.host, found.path, found.http.status) == (alone.host, alone.path, 200)
    places = [place_of(one) for one in findings_of_exchange(found)]
    assert places == [(line + 3, column) for line, column in map(place_of, findings_of_exchange(alone))]
    assert places


@pytest.mark.parametrize(("folder", "name"), [("har", "chat.har"), ("exvcr", "exvcr.json"), ("record", "records.json")])
def test_a_capture_in_json_in_a_block_is_read_as_in_a_file_of_its_own(folder: str, name: str) -> None:
    for path in sorted((FIXTURES / folder).glob("*.json")) + sorted((FIXTURES / folder).glob("*.har")):
        text = path.read_text("utf-8")
        expected = [values_of(one) for one in all_exchanges(text, path.name)]
        found = [values_of(one) for one in all_exchanges(f"```json\n{text}\n```\n", "page.md")]
        assert found == expected, name


@pytest.mark.parametrize(
    "yaml",
    [
        "interactions:\n  entity:\n  - {item: key, target: door}\nmessages: []\n",
        "openapi: 3.0.0\npaths: {/v1/chat/completions: {post: {requestBody: {}}}}\nchoices: []\n",
        "model_list:\n- model_name: m\n  litellm_params: {api_base: https://h/v1/chat/completions}\nurl: x\n",
        _CASSETTE.replace("chat/completions", "embeddings")
        .replace("chat.completion", "list")
        .replace("choices", "data"),
        _CASSETTE.replace("version: 1", "\tversion: ["),
        json.dumps(REQUEST).replace("{", "").replace("}", ""),
    ],
    ids=["game", "openapi", "config", "embeddings", "no YAML", "a request"],
)
def test_other_yaml_in_a_page_holds_no_exchange(yaml: str) -> None:
    for language in ("", "yaml"):
        assert not all_exchanges(f"```{language}\n{yaml}```\n", "page.md") or "\tversion" in yaml


def test_a_rule_of_a_mock_server_in_a_page_is_no_exchange() -> None:
    rule = f"rules:\n- path: /v1/chat/completions\n  response:\n    status: 200\n    content: |\n      {_FAULTY}\n"
    command = f"```sh\ncurl {URL} -d '{json.dumps(REQUEST)}'\n```\n\n"
    assert not all_exchanges(f"{command}```yaml\n{rule}```\n", "page.md")


_ANSWER = json.dumps(COMPLETION)


@pytest.mark.parametrize(
    "form",
    [
        "The body is `{}` as you see.",
        "It answers: ```json {}```",
        "```{}```",
        "First `a`, then ``{}``",
        "| a | `{}` |",
        "Unpaired ``` ticks, and\n\n`{}`",
        "`{}\n`",
    ],
)
def test_an_answer_in_a_span_of_code_is_read(form: str) -> None:
    page = f"# A page\n\n{form.replace('{}', _FAULTY)}\n"
    (found,) = all_exchanges(page, "page.md")
    assert values_of(found)[1] == json.loads(_FAULTY)
    (finding,) = (one for one in findings_of_exchange(found) if one.pointer.endswith("finish_reason"))
    line, column = place_of(finding)
    assert page.splitlines()[line - 1][column - 1 :].startswith('"bored"')


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(REQUEST),
        json.dumps(ERROR),
        json.dumps({name: value for name, value in COMPLETION.items() if name != "created"}),
        _ANSWER.replace("chat.completion", "text_completion"),
        _ANSWER[:-30],
    ],
    ids=["a request", "an error", "a part of an answer", "another API", "cut off"],
)
def test_other_code_in_a_sentence_is_not_read(text: str) -> None:
    assert not all_exchanges(f"The `object` is `chat.completion`: `{text}` and more.\n", "page.md")


def test_spans_of_code_are_examples_beside_blocks_with_traffic() -> None:
    block: Any = f"```\n{EVENTS}```\n"
    assert len(all_exchanges(f"Like `{_ANSWER}`.\n\n{block}", "page.md")) == 1


def test_each_stream_in_a_span_of_code_is_read() -> None:
    spans = [EVENTS.replace("Fake2", f"Fake{number}").rstrip() for number in (3, 4)]
    found = all_exchanges(f"One server:\n`{spans[0]}`\n- another one\n`{spans[1]}`\n", "page.md")
    assert [len(values_of(one)[1]) for one in found] == [3, 3]
    assert [findings_of_exchange(one) for one in found] == [[], []]
