"""Tests that secrets in captures appear in no exchange, finding, reason for skipping or output."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from payloads import as_events
from planted_keys import SHAPED
from reading import findings_of_exchange, read_all
from writers import LOG_WRITERS, PARSED_FORMATS, RESPONSE_WRITERS, WRITERS, Recorded, capture_name, write_records

from isogloss.cli.main import cli
from isogloss.cli.reporters import FORMATS
from isogloss.validator.captures.http import host_and_path
from isogloss.validator.exchange import Exchange
from isogloss.validator.secrets import mask, mask_text

Writer = Callable[[list[Any]], bytes]

SECRETS_IN_HEADERS = {
    "authorization": "Basic dXNlcjpacThMbU40eFI3dlQ=",
    "api-key": "9f8e7d6c5b4a39281706f5e4d3c2b1a0",
    "x-api-key": "1a2b3c4d5e6f708192a3b4c5d6e7f809",
    "cookie": "session=s3cr3tc00kieValueNobodyMaySee",
    "set-cookie": "__cf_bm=an0therC00kieValueNobodyMaySee; path=/",
}
"""Secrets that are recognised by the header that holds them."""

SECRETS_IN_QUERIES = {"key": "querykey0123456789abcdef", "api-key": "azurekey0123456789abcdef"}
PASSWORD = "hunter2hunter2"


def _visible_secrets(text: str) -> list[str]:
    """Return the parts of secrets that stand in a text.

    Of a key that is recognised by its form, only the last characters are searched for. Its documented prefix is no
    secret.
    """
    secret_parts = [
        *(key[-12:] for key in SHAPED),
        *SECRETS_IN_HEADERS.values(),
        *SECRETS_IN_QUERIES.values(),
        PASSWORD,
        "Zq8LmN4x",
    ]
    return [part for part in secret_parts if part in text]


def _exchanges_with_secrets(keys: tuple[str, ...] = SHAPED) -> list[Any]:
    """Return exchanges with secrets in headers and URLs, and in bodies wherever findings may quote a value."""
    query = "&".join(f"{name}={value}" for name, value in SECRETS_IN_QUERIES.items())
    url = f"https://api.example.com/v1/chat/completions?{query}"
    exchanges = []
    for secret in keys:
        request = {"model": secret, "messages": [{"role": secret, "content": f"my key: {secret}"}], secret: secret}
        message = {"role": "assistant", "content": f"yours is '{secret}'", "refusal": None, secret: {secret: 1}}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": secret}
        completion = {
            "id": secret,
            "object": "chat.completion",
            "created": secret,
            "model": secret,
            "choices": [choice],
        }
        delta = {"index": 0, "delta": {"content": secret, secret: 1, "role": secret}, "finish_reason": secret}
        chunk = {"id": secret, "object": "chat.completion.chunk", "created": 1, "model": secret, "choices": [delta]}
        exchange = Recorded(
            json.dumps(request), json.dumps(completion), url=url, headers=tuple(SECRETS_IN_HEADERS.items())
        )
        events = f"event: {secret}\n{secret}: x\ndata: {json.dumps(chunk)}\n\n: {secret}\n\ndata: {secret}\n\n"
        error = {"error": {"message": f"Incorrect API key: {secret}", "type": secret, "code": secret, "param": secret}}
        exchanges += [
            exchange,
            replace(exchange, response=json.dumps(error), status=401),
            replace(exchange, response=events, content_type=f"text/event-stream; x={secret}"),
            replace(exchange, response=json.dumps(completion)[:-1] + f', "{secret}": 1, "{secret}": {secret}}}'),
            replace(exchange, url=f"https://api.example.com/v1/embeddings/{secret.replace(' ', '%20')}?{query}"),
        ]
    return exchanges


_STEP = 10
"""One of this many keys is planted in each format."""


@pytest.fixture(scope="module")
def planted_exchanges() -> list[Any]:
    return _exchanges_with_secrets()


def _writable(writer_name: str, exchanges: list[Any]) -> list[Any]:
    """Return the exchanges that a writer can write: without broken JSON if its format keeps bodies as parsed JSON."""
    if writer_name in PARSED_FORMATS:
        return [
            exchange for exchange in exchanges if not exchange.response.endswith("}") or _is_json(exchange.response)
        ]
    return exchanges


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.thorough
def test_no_format_shows_a_secret(any_writer: tuple[str, Writer]) -> None:
    """Check a few keys in each format, and other keys in the next one, since masking does not depend on the format."""
    name, write = any_writer
    first = sum(name.encode()) % _STEP
    data = write(_writable(name, _exchanges_with_secrets(SHAPED[first::_STEP])))
    count = 0
    for part in read_all(data, capture_name(data)):
        if not isinstance(part, Exchange):
            assert not _visible_secrets(part.reason)
            continue
        assert not _visible_secrets(f"{part.host} {part.path}")
        assert not _visible_secrets(part.http.content_type or "")
        assert part.path is None or "?" not in part.path
        for finding in findings_of_exchange(part):
            count += 1
            assert not _visible_secrets(repr(finding)), finding
        for body in (part.request, part.response):
            assert not _visible_secrets(repr(getattr(body, "value", getattr(body, "values", None))))
    assert count > 50 // _STEP


def test_every_secret_is_planted_in_some_format() -> None:
    assert {sum(name.encode()) % _STEP for name in [*WRITERS, *RESPONSE_WRITERS, *LOG_WRITERS]} == set(range(_STEP))


@pytest.mark.thorough
@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize("escaped", [False, True], ids=["written", "escaped"])
def test_no_output_shows_a_secret(output: str, escaped: bool, planted_exchanges: list[Any], tmp_path: Path) -> None:
    data = write_records([exchange for exchange in planted_exchanges if _is_json(exchange.response)])
    text = b"".join(
        json.dumps(record).encode() + b"\n"
        for line in data.splitlines()
        for record in [_with_parsed_response(json.loads(line))]
    ).decode()
    if escaped:  # so that a search of the raw bytes does not find them
        for secret in SHAPED:
            text = text.replace(
                secret, secret[:2] + "".join(f"\\u{ord(character):04x}" for character in secret[2:6]) + secret[6:]
            )
        assert not any(secret in text for secret in SHAPED)
    path = tmp_path / "records.jsonl"
    path.write_text(text)
    result = CliRunner().invoke(cli, ["check", "--format", output, str(path)])
    assert result.exit_code == 1
    assert not _visible_secrets(result.output), result.output[:2000]


def _with_parsed_response(record: dict[str, Any]) -> dict[str, Any]:
    return record | {"response": json.loads(record.pop("response_text"))}


@pytest.mark.parametrize("secret", SHAPED)
def test_masking_keeps_the_length_and_the_prefix(secret: str) -> None:
    text = f'{{"a": "{secret}"}}'
    assert len(mask_text(text)) == len(text)
    assert not _visible_secrets(mask_text(text))
    assert mask_text(mask_text(text)) == mask_text(text)
    assert mask(text.encode())[7:9] == secret[:2].encode()


TEMPLATES = {
    "a header of JSON": ('{"Set-Cookie": ["sid=%s; path=/"]}', "Zq8LmN4xR7vT2wY6"),
    "a header of an archive": ('{"name": "Cookie", "value": "sid=%s; b=c"}', "Zq8LmN4xR7vT2wY6"),
    "a header of YAML": ("Set-Cookie:\n  - sid=%s\n", "Zq8LmN4xR7vT2wY6"),
    "a URL as JSON may write it": (r'"postgres:\/\/user:%s@db\/x"', "Zq8LmN4xR7vT2wY6"),
    "a key as written": ("-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----", "Zq8LmN4x\nR7vT+w=="),
    "a key in JSON": (r'"-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"', r"Zq8LmN4x\nR7vT\/w=="),
    "names of AWS": ('{"AccessKeyId": "AKIAZQ8LMN4XR7VT2WY6", "SecretAccessKey": "%s"}', "Zq8LmN4x" * 5),
}


@pytest.mark.parametrize(("template", "secret"), TEMPLATES.values(), ids=TEMPLATES)
def test_a_secret_is_masked_and_the_text_around_it_stays(template: str, secret: str) -> None:
    text = template % secret
    masked = mask_text(text)
    assert len(masked) == len(text)
    assert mask_text(masked) == masked
    assert not [part for part in ("Zq8", "R7v", "wY6", "ZQ8") if part in masked]
    assert masked.count("\\") == text.count("\\") or "\\/w" in secret
    if text.startswith(("{", '"')):
        json.loads(masked)
    assert masked.startswith(text[:9])


def test_words_that_only_begin_like_a_secret_are_not_masked() -> None:
    for text in (
        "Basic internationalization, basic understanding: it is simple",
        "the cookie: it is good=tasty",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n",
        "https://example.com/a:b@c and mailto:user@example.com",
        "risk-averse-behaviour-everywhere-and-always",
    ):
        assert mask_text(text) == text


@pytest.mark.parametrize("output", FORMATS)
def test_names_of_files_are_masked(output: str, tmp_path: Path) -> None:
    folder = tmp_path / SHAPED[0]
    folder.mkdir()
    (folder / f"{SHAPED[2]}.json").write_text('{"object": "chat.completion", "choices": 1}')
    (folder / f"{SHAPED[6]}.json").write_text("nothing")
    result = CliRunner().invoke(cli, ["check", "--format", output, str(folder)])
    assert result.exit_code == 1
    assert not _visible_secrets(result.output), result.output


def test_fold_shows_no_secret_of_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "stream.sse"
    for secret in SHAPED:
        for size in (3, 1000):
            pieces = [secret[at : at + size] for at in range(0, len(secret), size)]
            chunks = [
                {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": piece}}]}
                for piece in ["It is ", *pieces, " indeed"]
            ]
            path.write_text(as_events(*chunks))
            result = CliRunner().invoke(cli, ["fold", str(path)])
            assert result.exit_code == 0
            assert not _visible_secrets(result.output), result.output


@pytest.mark.parametrize("before", ["\\n", "\\t", "\\\\r", "\\u003d", "=", "'", '\\"', " ", "\n"])
def test_a_key_is_masked_only_at_the_start_of_a_word(before: str) -> None:
    assert not _visible_secrets(mask_text(f'{{"a": "key{before}{SHAPED[0]}"}}'))
    assert mask_text(f"task{SHAPED[0]}") == f"task{SHAPED[0]}"


def test_text_that_resembles_a_key_is_not_masked() -> None:
    text = b"task-force-of-many-people and risk-averse-behaviour-everywhere, chatcmpl-8P7s3sDocXsBE8nhq60IMx3WFu4B8"
    assert mask(text) == text


def test_user_names_and_queries_of_a_url_are_dropped() -> None:
    url = f"https://{SHAPED[0]}:{PASSWORD}@Api.Example.com:8443/v1/{SHAPED[0]}/chat/completions?key=x#y"
    host, path = host_and_path(url)
    assert host == "api.example.com"
    assert path == mask_text(f"/v1/{SHAPED[0]}/chat/completions")
    assert host_and_path("http://[::1") == (None, None)


@pytest.mark.thorough
@pytest.mark.parametrize("beginning", [b"eyJ-", b"eyJaaaaaaaaaa.eyJ-", b"sk-", b" sk-a", b"Bearer ", b"gsk_-"])
def test_masking_takes_linear_time(beginning: bytes) -> None:
    def processor_time(count: int) -> float:
        text = beginning * count
        start = time.process_time()
        mask(text)
        return time.process_time() - start

    assert any(processor_time(80_000) < 40 * max(processor_time(8_000), 0.001) for _ in range(3))
